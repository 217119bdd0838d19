import type { Issue } from '../../../../core/issue.js';
import type { Paint } from '../../paint.js';
import { hang, wrapText } from '../../table.js';
import { visibleLine } from '../../visible.js';

const COLUMN = 'STATE.md  '.length;

/** What a person should know of a change that was made, a line for each. */
export function noteLines(
  notes: readonly Pick<Issue, 'severity' | 'message' | 'hint'>[],
  paint: Paint,
): string[] {
  return notes
    .filter(({ severity }) => severity !== 'info')
    .map(({ message, hint }) => visibleLine(hint === undefined ? message : `${message} ${hint}`))
    .map((note) => `${paint('yellow', 'note')}      ${hang(wrapText(note, COLUMN), COLUMN)}`);
}
