import { type ReadAction, simulateRead } from '../formats/plan/index.js';
import type { Redactor } from '../formats/redact/index.js';
import type { Done } from '../formats/report/index.js';
import type { Tree } from '../formats/tree.js';
import { captureText } from './capture-text.js';
import { failure } from './failure.js';
import type { Hands } from './hands.js';
import { success } from './records.js';

/** READ of a file, or of some of its lines. */
export function readFile(action: ReadAction, number: number, tree: Tree, hands: Hands): Done {
  const reading = simulateRead(action, tree);
  if (reading.status === 'doomed') return failure(reading.problems.map(({ message }) => message).join('\n'));
  const path = action.resource.target;
  const output = captureText(shownPart(reading, hands.redactor), `${number}-content.txt`, hands);
  return { ...success(`Read '${path}'.`), output };
}

/**
 * The part with secrets masked that begin before it: the lines of a private key do not say what they are. What the
 * text up to the part's end has beyond the text up to its start is what may be shown of it.
 */
function shownPart({ text, before }: { text: string; before: string }, redactor: Redactor): string {
  if (before === '') return text;
  const start = redactor.mask(before);
  const whole = redactor.mask(before + text);
  if (whole === before + text) return text;
  let common = 0;
  while (common < start.length && start[common] === whole[common]) common++;
  // Not from the middle of a mask, whose hash may differ between the two.
  const mask = whole.lastIndexOf('[masked:', common);
  return whole.slice(mask !== -1 && whole.indexOf(']', mask) >= common ? mask : common);
}
