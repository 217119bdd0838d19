import type { ActionRecord } from '../../formats/report/index.js';
import { isTerminal, writeError } from '../../platform/index.js';
import type { RunListener } from '../../run/index.js';
import { visibleLine } from '../visible.js';
import { type Line, rowsOf } from './line.js';
import { LiveOutput } from './live-output.js';
import { chooseLook, type Style } from './look.js';
import { labelOf, type Place, startLine } from './outcome-lines.js';

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
  let label = '';
  let output: LiveOutput | undefined;

  return (event) => {
    switch (event.kind) {
      case 'action-started':
        label = event.label;
        if (onTerminal && event.type === 'EXECUTE') {
          print([startLine(event, event.type, label, look)]);
          output = new LiveOutput(look, print);
        }
        return;
      case 'output':
        output?.push(event.stream, event.text);
        return;
      case 'state-changed': {
        const { section, decision } = event.record;
        writeError(`${section} ${look.glyphs.dots} ${decision.status === 'approved' ? 'done' : 'skipped'}\n`);
        return;
      }
      case 'action-ended': {
        output?.end();
        output = undefined;
        const [style, words] = describe(event.record);
        writeError(`${head(event, event.record, label)} ${look.glyphs.dots} ${look.paint(style, words)}\n`);
        label = '';
        return;
      }
      default:
        return;
    }
  };
}

function head({ number, total }: Place, record: ActionRecord, label: string): string {
  const about = visibleLine(label === '' ? labelOf(record) : label);
  return `${number}/${total} ${record.type}${about === '' ? '' : ` ${about}`}`;
}

function describe({ decision, outcome }: ActionRecord): [Style, string] {
  if (outcome.status === 'success') return ['good', 'done'];
  if (outcome.status === 'failure') return ['bad', `failed: ${visibleLine(outcome.summary)}`];
  const reason = decision.status === 'skipped' ? decision.reason : null;
  return ['dim', reason === null ? 'skipped' : `skipped: ${visibleLine(reason.replaceAll('\n', ' '))}`];
}
