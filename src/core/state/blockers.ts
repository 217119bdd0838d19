import { addSection, contentEnd, type StateDraft } from './draft.js';
import { indentOf, isItem, isItemText, itemText, plainName } from './line.js';
import { isRule, type Outline, type Section } from './outline.js';
import { type BlockerChange, type StateIssue, stateIssue } from './types.js';

const EMPTY_SECTION = 'None yet.';
const UNDATED = 'undated';

/** Our own entries only; a line in any other form is a person's. */
export function writeBlockers(draft: StateDraft, change: BlockerChange): StateIssue[] {
  const section = draft.outline.known.get('blockers');
  if (change.change === 'add') return addBlocker(draft, section, change);
  return section ? removeBlockers(draft, section, change.taskId) : [];
}

function addBlocker(
  draft: StateDraft,
  section: Section | undefined,
  { taskId, date, text }: Extract<BlockerChange, { change: 'add' }>,
): StateIssue[] {
  const entry = `${entryLead(taskId)}${isDate(date) ? date : UNDATED}): ${itemText(text) || 'no reason given'}`;
  if (!section) {
    addSection(draft, 'blockers', [entry]);
    return [stateIssue('state-section-added', 'The blockers section was missing and was added.')];
  }
  const line = findEntries(draft.outline, section, taskId)[0] ?? findPlaceholder(draft, section);
  if (line !== undefined) draft.replace(line, entry);
  else insertEntry(draft, section, entry);
  return [];
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

/** `- 03-01:2 (`, the id without anything that Markdown would read. */
function entryLead(taskId: string): string {
  return `- ${plainName(taskId)} (`;
}

function isEntry(line: string, lead: string): boolean {
  if (!line.startsWith(lead)) return false;
  const close = line.indexOf('): ', lead.length);
  const date = line.slice(lead.length, close);
  return close !== -1 && (isDate(date) || date === UNDATED) && isItemText(line.slice(close + 3));
}

function findEntries({ lines, hidden }: Outline, { body, end }: Section, taskId: string): number[] {
  const lead = entryLead(taskId);
  const found: number[] = [];
  for (let line = body; line < end; line++) {
    if (!hidden[line] && isEntry(lines[line]!, lead)) found.push(line);
  }
  return found;
}

/** After the last item of the section's own lines; else after all of them. */
function insertEntry(draft: StateDraft, { body, ownEnd }: Section, entry: string): void {
  const { lines, hidden } = draft.outline;
  const own = contentEnd(draft, body, ownEnd);
  for (let line = own - 1; line >= body; line--) {
    if (hidden[line] || !isItem(lines[line]!) || indentOf(lines[line]!) > 1) continue;
    draft.insertItems(itemEnd(draft, line, own), [entry]);
    return;
  }
  draft.insertBlock(own === body && draft.isBlank(body) && body < ownEnd ? body + 1 : own, [entry]);
}

/** The line after a list item and all that belongs to it. */
function itemEnd(draft: StateDraft, item: number, limit: number): number {
  let end = item + 1;
  for (let line = end; line < limit; line++) {
    if (draft.isBlank(line)) continue;
    const isLazy = line === end && !isRule(draft.lines[line]!) && !draft.outline.hidden[line];
    if (indentOf(draft.lines[line]!) < 2 && !isLazy) break;
    end = line + 1;
  }
  return end;
}

function removeBlockers(draft: StateDraft, section: Section, taskId: string): StateIssue[] {
  const entries = findEntries(draft.outline, section, taskId);
  const kept = entries.filter((line) => hasNotes(draft, line));
  const gone = entries.filter((line) => !kept.includes(line));
  const isLeftEmpty =
    gone.length > 0 && contentLines(draft.outline, section).every((line) => gone.includes(line));
  for (const line of gone.toReversed()) {
    if (isLeftEmpty && line === gone[0]) draft.replace(line, EMPTY_SECTION);
    else takeAway(draft, line);
  }
  return kept.map((line) =>
    stateIssue(
      'state-blocker-kept',
      `${plainName(taskId)} is no longer blocked, but its entry has notes under it.`,
      {
        line: line + 1,
        hint: 'Remove the entry and its notes when you no longer need them.',
      },
    ),
  );
}

/** Lines that are indented under an entry belong to it, and people wrote them. */
function hasNotes(draft: StateDraft, entry: number): boolean {
  let line = entry + 1;
  while (line < draft.lines.length && draft.isBlank(line)) line++;
  return line < draft.lines.length && indentOf(draft.lines[line]!) >= '- '.length;
}

/** With the entry goes one of the two blank lines around it. Text that follows it directly keeps its distance from the rest. */
function takeAway(draft: StateDraft, line: number): void {
  const { lines } = draft;
  const blankBefore = line > 0 && draft.isBlank(line - 1);
  const blankAfter = line + 1 >= lines.length || draft.isBlank(line + 1);
  if (!blankBefore && !blankAfter && !isItem(lines[line + 1]!)) draft.replace(line, '');
  else {
    draft.remove(line);
    if (blankBefore && blankAfter) draft.remove(line - 1);
  }
}

const NOTHING =
  /^(?:none(?: yet| currently| known| at this time)?|no blockers(?: yet)?|nothing(?: yet)?|n\/a|nil)$/i;

/** A whole line that says that there is nothing: `None yet.`, `- _None_`, `(none)`. */
function isPlaceholder(line: string): boolean {
  if (line.length > 40) return false;
  const words = line
    .trim()
    .replace(/^[-*+] /, '')
    .replace(/[*_`()[\].!]/g, '');
  return NOTHING.test(words.trim());
}

/** It must be a paragraph or an item by itself: `None` may be the first word of a sentence. */
function findPlaceholder(draft: StateDraft, { body, ownEnd }: Section): number | undefined {
  const { lines, hidden } = draft.outline;
  const isApart = (line: number) => draft.isBlank(line) || hidden[line] || isRule(lines[line]!);
  for (let line = body; line < ownEnd; line++) {
    if (hidden[line] || !isPlaceholder(lines[line]!)) continue;
    const isNextItem =
      (lines[line + 1] ?? '') !== '' &&
      isItem(lines[line + 1]!) &&
      indentOf(lines[line + 1]!) <= indentOf(lines[line]!);
    const startsHere = isItem(lines[line]!) || line === body || isApart(line - 1);
    if (startsHere && (line + 1 >= ownEnd || isApart(line + 1) || isNextItem)) return line;
  }
  return undefined;
}

/** What people and we wrote there, without blank lines, comments, rules and a placeholder. */
export function readBlockers(outline: Outline): string[] {
  const section = outline.known.get('blockers');
  if (!section) return [];
  return contentLines(outline, section)
    .map((line) => outline.lines[line]!.trimEnd())
    .filter((line) => !isPlaceholder(line));
}

function contentLines({ lines, hidden }: Outline, { body, end }: Section): number[] {
  const found: number[] = [];
  for (let line = body; line < end; line++) {
    const text = lines[line]!.trim();
    if (text !== '' && !text.startsWith('<!--') && (hidden[line] || !isRule(text))) found.push(line);
  }
  return found;
}
