import { agentStats } from '../../../../agents/agent-stats.js';
import { renderCalibration } from '../../../../core/agent-report/calibration.js';
import { writeOutput } from '../../../../node/terminal/terminal.js';
import { EVERYWHERE, TeddyCommand } from '../../command.js';
import type { GlobalOptions } from '../../options.js';
import { openTrusted } from '../../project.js';
import { resultJson } from '../../result-json.js';
import { visible } from '../../visible.js';

export const statsCommand = new TeddyCommand('stats')
  .description('how sure agents said they were, and how often they were right')
  .run(stats)
  .addHelpText(
    'after',
    `
Examples:
  teddy agent stats
  teddy agent stats --json

What people decided (teddy agent decide) counts; else, where the task's id is
that of a task of a PLAN.md, what teddy result submit --verify found.
${EVERYWHERE}`,
  );

async function stats(options: GlobalOptions): Promise<number> {
  const { root, workspace, config } = await openTrusted(options);
  const table = await agentStats(workspace, config);
  writeOutput(options.json ? resultJson(root, table) : `${visible(renderCalibration(table).join('\n'))}\n`);
  return 0;
}
