import { simulateRead } from '../core/plan/simulate.js';
import type { ReadAction } from '../core/plan/types.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { Done } from '../core/report/record.js';
import { realPathIn, type Tree } from '../core/tree.js';
import { captureText } from './capture-text.js';
import { failure } from './failure.js';
import type { Hands } from './hands.js';
import { success } from './records.js';

/** READ of a file, of some of its lines, or of a folder: its listing. */
export async function readFile(action: ReadAction, number: number, tree: Tree, hands: Hands): Promise<Done> {
  const reading = simulateRead(action, tree);
  if (reading.status === 'doomed') return failure(reading.problems.map(({ message }) => message).join('\n'));
  const path = action.resource.target;
  if (reading.status === 'folder') return readFolder(realPathIn(tree, path), number, hands);
  const output = captureText(shownPart(reading, hands.redactor), `${number}-content.txt`, hands);
  return { ...success(`Read '${path}'.`), output };
}

const LEVELS = 2;

async function readFolder(path: string, number: number, hands: Hands): Promise<Done> {
  const { files, note } = await hands.listFiles();
  const text = listLevels(files, path === '.' ? '' : `${path}/`);
  const output = captureText(text, `${number}-content.txt`, hands);
  return { ...success(`Listed '${path}'.`), output, ...(note === null ? {} : { notes: [note] }) };
}

/** The names in a folder and in the folders in it; deeper folders as one line each. */
function listLevels(files: readonly string[], folder: string): string {
  const names = files
    .filter((file) => file.startsWith(folder))
    .map((file) => file.slice(folder.length).split('/'))
    .map((parts) => (parts.length > LEVELS ? `${parts.slice(0, LEVELS).join('/')}/` : parts.join('/')));
  return [...new Set(names)].map((name) => `${folder}${name}\n`).join('');
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
