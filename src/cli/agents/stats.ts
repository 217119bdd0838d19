import { renderCalibration } from '../../formats/agent-report/calibration.js';
import { writeOutput } from '../../platform/terminal.js';
import { agentStats } from '../../turn/index.js';
import type { GlobalOptions } from '../options.js';
import { openTrusted } from '../project.js';
import { resultJson } from '../result-json.js';
import { visible } from '../visible.js';

export async function stats(options: GlobalOptions): Promise<number> {
  const { root, workspace, config } = await openTrusted(options);
  const table = await agentStats(workspace, config);
  writeOutput(options.json ? resultJson(root, table) : `${visible(renderCalibration(table).join('\n'))}\n`);
  return 0;
}
