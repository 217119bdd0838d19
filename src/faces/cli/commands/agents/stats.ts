import { agentStats } from '../../../../agents/agent-stats.js';
import { renderCalibration } from '../../../../core/agent-report/calibration.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult, visible } from '../../output.js';
import { openToInspect } from '../../project.js';

export const statsCommand = new TeddyCommand('stats')
  .description("compare agents' confidence with how often they were right")
  .run(stats)
  .helpText(`Examples:
  teddy agent stats
  teddy agent stats --json
  teddy agent stats --root ../shop

Your decisions (teddy agent decide) count. Without one, a task id that is also a
task of a task file uses the outcome of teddy result submit --verify.`);

async function stats(options: GlobalOptions): Promise<number> {
  const { root, workspace, config } = await openToInspect(options);
  const table = await agentStats(workspace, config);
  printResult(root, options, table, () => renderCalibration(table).map(visible));
  return 0;
}
