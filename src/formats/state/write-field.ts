import { lineText } from '../markdown/index.js';
import { type Edit, insertLines, type Step } from './edits.js';
import { findComment } from './inline.js';
import { stateIssue } from './issue-codes.js';
import type { Label } from './label.js';
import { FIELDS } from './names.js';
import type { Written } from './own-part.js';
import type { Field } from './paragraphs.js';
import type { StateDocument } from './sections.js';
import { cellText, refill } from './table.js';
import type { Value } from './values.js';

/** The label of a line that a person's value stays in, when a field says something new. */
const EARLIER = 'Earlier';

/** Writes a field that is there. The words of a person stay, in one of two ways, and that is told. */
export function writeField(document: StateDocument, field: Field, valueFor: Value): Step {
  const { text } = document.lines;
  const { at, table } = field;
  const written = valueFor(table ? cellText(text, at) : text.slice(at.from, at.to));
  const { kept } = written;
  const value = joinWithin(at, written, valueFor);
  const edit = table ? writeCell(document, field, value) : writeValue(document, field, value);
  if (!edit) return { edits: [], issues: [] };
  if (!kept) return { edits: [edit], issues: [] };
  const { label } = FIELDS[field.name];
  const where = kept === 'joined' ? 'they stay behind the new value.' : `they stay below as \`${EARLIER}\`.`;
  const issues = [stateIssue('state-text-kept', `\`${label}\` held words of a person; ${where}`)];
  if (kept === 'joined' || isKeptAlready(document, field)) return { edits: [edit], issues };
  const edits = table ? keepRow(document, field, edit) : keepLine(document, field, value);
  return { edits, issues };
}

function writeCell({ lines: { text } }: StateDocument, { at }: Field, value: string): Edit | undefined {
  const cell = { from: at.rawFrom, to: at.rawTo };
  const written = refill(text, cell, value);
  return written === text.slice(cell.from, cell.to) ? undefined : { ...cell, text: written };
}

/** The value alone changes; emphasis around it stays, unless the new value has some of its own. */
function writeValue({ lines: { text } }: StateDocument, { at }: Field, value: string): Edit | undefined {
  if (value === text.slice(at.rawFrom, at.rawTo) || value === text.slice(at.from, at.to)) return undefined;
  const mark = text[at.rawFrom]!;
  const keepsEmphasis =
    at.rawFrom < at.from && value !== '' && !/^[*_`]/.test(value) && !value.includes(mark);
  const [from, to] = keepsEmphasis ? [at.from, at.to] : [at.rawFrom, at.rawTo];
  const isNew = at.rawFrom === at.rawTo;
  const before = isNew && !/\s/.test(text[from - 1] ?? ' ') ? ' ' : '';
  const after = isNew && /\S/.test(text[to] ?? ' ') && at.close === '' ? ' ' : '';
  // Code ticks that came apart would open a comment over the rest of the file.
  const whole = text.slice(at.rawFrom, from) + value + text.slice(to, at.rawTo);
  const safe = findComment(whole) === -1 ? value : value.replaceAll('<!--', '&lt;!--');
  return { from, to, text: `${before}${safe}${after}` };
}

/** Without the emphasis between them, words of a person could be taken for a part of the value the next time. */
function joinWithin(at: Label, { ours, theirs }: Written, valueFor: Value): string {
  const plain = within(at, ours);
  const value = plain + theirs;
  if (plain === ours || theirs === '') return value;
  const again = valueFor(value);
  return within(at, again.ours) + again.theirs === value ? value : `${plain} — ${theirs.trimStart()}`;
}

/** Emphasis that goes on over the value would end at the same characters in it. */
export function within({ runsOn, open }: Label, value: string): string {
  return runsOn ? value.replaceAll(open[0]!, '').trim() : value;
}

/**
 * The field gets a new line above the old one, which stays where it is, with all that goes on with it, under another
 * name. It is no field then, and nothing touches it again.
 */
function keepLine(document: StateDocument, { at, line }: Field, value: string): Edit[] {
  const { text, starts } = document.lines;
  const written = `${text.slice(starts[line], at.rawFrom)}${value}${at.close}`;
  return [insertLines(document, line, [written]), { from: at.labelFrom, to: at.labelTo, text: EARLIER }];
}

/** A row may be the header of its table; so the old one goes below it. */
function keepRow(document: StateDocument, field: Field, edit: Edit): Edit[] {
  return [edit, insertLines(document, field.end, [earlierLine(document, field)])];
}

/** The line of a field as it stands, under the other name. */
function earlierLine({ lines }: StateDocument, { at, line, table }: Field): string {
  const { text } = lines;
  const name = table ? refill(text, { from: at.labelFrom, to: at.labelTo }, EARLIER) : EARLIER;
  return text.slice(lines.starts[line], at.labelFrom) + name + text.slice(at.labelTo, lines.ends[line]);
}

/** Another program that writes the same words again and again does not make the file longer. */
function isKeptAlready(document: StateDocument, field: Field): boolean {
  const { lines } = document;
  return field.end < lines.count && lineText(lines, field.end) === earlierLine(document, field);
}
