import type { Config } from '../../config/types.js';
import { renderMirrored } from '../../core/report/mirrored.js';
import type { Run } from '../../core/report/record.js';
import type { PlanTaskEvent } from '../../sessions/plan-task.js';
import type { ExecutorIO } from './types.js';

/**
 * Everything as it comes, each answer of the model and each run's report and record among it: the attempt's folder does
 * not stay, and what is printed does.
 */
export function printTo(site: ExecutorIO, { report }: Config): (event: PlanTaskEvent) => void {
  let masked: ReturnType<ExecutorIO['mask']> | undefined;
  const print = (text: string) => text !== '' && site.onOutput('stdout', text);
  const line = (text: string) => print(`${text}\n`);
  return (event) => {
    switch (event.kind) {
      case 'asking':
        masked = site.mask();
        return line(
          `Asking ${event.model} for a plan${event.attempt > 1 ? `, answer ${event.attempt}` : ''}.`,
        );
      case 'text':
        return print(masked?.push(event.text) ?? '');
      case 'answered':
        print(masked?.end() ?? '');
        masked = undefined;
        return line(
          `\n${event.reason === null ? 'The plan is in order.' : `Not a plan to carry out: ${event.reason}`}`,
        );
      case 'waiting':
        return site.onOutput('stderr', `${event.reason}\n`);
      case 'action-started':
        return line(`${event.number}/${event.total} ${event.type} ${event.label}`);
      case 'output':
      case 'verifying':
        return site.onOutput(event.stream, event.text);
      case 'action-ended':
        return line(`${event.number}/${event.total} ${describeEnded(event.record)}`);
      case 'run-ended':
        line(`\n${renderMirrored(event.run, report.tip)}\n${JSON.stringify(event.run)}`);
        return line(`Run ${event.run.id}: ${event.run.overall}.`);
    }
  };
}

function describeEnded({ decision, outcome }: Run['actions'][number]): string {
  if (outcome.status !== 'not-run') return outcome.summary;
  return decision.status === 'skipped' ? `skipped. ${decision.reason ?? 'No reason given.'}` : 'not reached.';
}
