import type { ActionRecord, StateChangeRecord } from '../../../core/report/record.js';
import { isTerminal, writeError } from '../../../node/terminal/terminal.js';
import type { RunListener } from '../../../runs/events.js';
import { type Line, rowsOf } from '../terminal/line.js';
import { chooseLook, type Style } from '../terminal/look.js';
import { visibleLine } from '../visible.js';
import { LiveOutput } from './live-output.js';
import { startLine } from './outcome-lines.js';

/** Wide enough for any line: the terminal wraps what nobody is asked about. */
const WIDTH = 400;

/**
 * For runs that ask nobody: one line on standard error for each action. What commands print is shown as it comes, where
 * that leads to a terminal.
 */
export function createProgress(options: { color: boolean }): RunListener {
  const onTerminal = isTerminal('stderr');
  const look = chooseLook({ color: options.color && onTerminal });
  const print = (lines: readonly Line[]) =>
    writeError(
      rowsOf(lines, WIDTH, look)
        .map((row) => `${row}\n`)
        .join(''),
    );
  let output: LiveOutput | undefined;

  return (event) => {
    switch (event.kind) {
      case 'run-started':
        for (const { line, message } of event.repairs)
          writeError(`${look.paint('flag', 'Repaired')} line ${line}: ${visibleLine(message)}\n`);
        return;
      case 'action-started':
        if (onTerminal && event.type === 'EXECUTE') {
          print([startLine(event, event.type, event.label, look)]);
          output = new LiveOutput(look, print);
        }
        return;
      case 'output':
        output?.push(event.stream, event.text);
        return;
      case 'state-changed': {
        const [style, words] = describeState(event.record);
        writeError(`${event.record.section}: ${look.paint(style, words)}\n`);
        return;
      }
      case 'action-ended': {
        output?.end();
        output = undefined;
        const [style, words] = describe(event.record);
        const { number, total, record, label } = event;
        const about = visibleLine(label);
        const head = `${number}/${total} ${record.type}${about === '' ? '' : ` ${about}`}`;
        writeError(`${head}: ${look.paint(style, words)}\n`);
        return;
      }
      default:
        return;
    }
  };
}

function describeState({ decision, notApplied }: StateChangeRecord): [Style, string] {
  if (decision.status === 'skipped') return ['dim', describeSkip(decision.reason)];
  if (notApplied.length === 0) return ['good', 'done'];
  return ['bad', `not all done: ${notApplied.map((each) => visibleLine(each)).join(' ')}`];
}

function describe({ decision, outcome }: ActionRecord): [Style, string] {
  if (outcome.status === 'success') return ['good', 'done'];
  if (outcome.status === 'failure') return ['bad', `failed: ${visibleLine(outcome.summary)}`];
  return ['dim', describeSkip(decision.status === 'skipped' ? decision.reason : null)];
}

function describeSkip(reason: string | null): string {
  return reason === null ? 'skipped' : `skipped: ${visibleLine(reason.replace(/\s+/g, ' '))}`;
}
