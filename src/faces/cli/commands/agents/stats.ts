import { agentStats } from '../../../../agents/agent-stats.js';
import { renderCalibration } from '../../../../core/agent-report/calibration.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult, visible } from '../../output.js';
import { openTrusted } from '../../project.js';

export const statsCommand = new TeddyCommand('stats')
  .description('how sure agents said they were, and how often they were right')
  .run(stats)
  .helpText(`Examples:
  teddy agent stats
  teddy agent stats --json

What people decided (teddy agent decide) counts; else, where the task's id is
that of a task of a PLAN.md, what teddy result submit --verify found.`);

async function stats(options: GlobalOptions): Promise<number> {
  const { root, workspace, config } = await openTrusted(options);
  const table = await agentStats(workspace, config);
  printResult(root, options, table, () => renderCalibration(table).map(visible));
  return 0;
}
