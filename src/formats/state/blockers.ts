import { columnOf, firstInk, isBlank, lineText } from '../markdown/index.js';
import { COVER, isComment } from './cover.js';
import {
  contentEnd,
  type Edit,
  insertBlock,
  insertItems,
  isItem,
  isRule,
  removeLine,
  type Step,
} from './edits.js';
import { isItemText, itemText, plainName } from './inline.js';
import { stateIssue } from './issue-codes.js';
import { insertSection } from './new-section.js';
import type { Section, StateDocument } from './sections.js';
import type { BlockerChange } from './types.js';

const NOTHING: Step = { edits: [], issues: [] };
const EMPTY_SECTION = 'None yet.';

/** Our own entries only; a line in any other form is a person's. */
export function writeBlockers(document: StateDocument, change: BlockerChange): Step {
  const section = document.sections.get('blockers');
  if (change.change === 'add') return addBlocker(document, section, change);
  return section ? removeBlockers(document, section, change.taskId) : NOTHING;
}

function addBlocker(
  document: StateDocument,
  section: Section | undefined,
  { taskId, date, text }: Extract<BlockerChange, { change: 'add' }>,
): Step {
  const entry = `${entryLead(taskId)}${isDate(date) ? date : UNDATED}): ${itemText(text) || 'no reason given'}`;
  if (!section) {
    const issue = stateIssue('state-section-added', 'There was no section for blockers; it was added.');
    return { edits: [insertSection(document, 'blockers', [entry])], issues: [issue] };
  }
  const [ours] = findEntries(document, section, taskId);
  const line = ours ?? findPlaceholder(document, section);
  if (line === undefined) return { edits: [insertEntry(document, section, entry)], issues: [] };
  return { edits: replaceLine(document, line, entry), issues: [] };
}

const UNDATED = 'undated';

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

function findEntries({ lines, cover }: StateDocument, section: Section, taskId: string): number[] {
  const lead = entryLead(taskId);
  const found: number[] = [];
  for (let line = section.body; line < section.end; line++) {
    if (cover[line] === COVER.none && isEntry(lineText(lines, line), lead)) found.push(line);
  }
  return found;
}

function replaceLine({ lines }: StateDocument, line: number, text: string): Edit[] {
  return lineText(lines, line) === text ? [] : [{ from: lines.starts[line]!, to: lines.ends[line]!, text }];
}

/** Behind the last list of the section's own lines; else behind all of them. */
function insertEntry(document: StateDocument, section: Section, entry: string): Edit {
  const list = document.lists.findLast(({ at }) => section.body <= at && at < section.ownEnd);
  if (list) return insertItems(document, list.end, [entry]);
  const end = contentEnd(document, section.body, section.ownEnd);
  const isEmpty = end === section.body;
  const isSpaced = isEmpty && section.body < section.ownEnd && isBlank(document.lines, section.body);
  return insertBlock(document, isSpaced ? end + 1 : end, [entry]);
}

function removeBlockers(document: StateDocument, section: Section, taskId: string): Step {
  const entries = findEntries(document, section, taskId);
  const kept = entries.filter((line) => hasChildren(document, line));
  const gone = entries.filter((line) => !hasChildren(document, line));
  const issues = kept.map((line) =>
    stateIssue(
      'state-blocker-kept',
      `The blocker of ${plainName(taskId)} is over; its entry has notes of people.`,
      {
        line: line + 1,
        hint: 'Remove the entry with its notes when nobody needs them.',
      },
    ),
  );
  if (gone.length === 0) return { edits: [], issues };
  const isLeftEmpty = !hasContent(document, section, new Set(gone));
  const edits = gone.flatMap((line, i) =>
    isLeftEmpty && i === 0 ? replaceLine(document, line, EMPTY_SECTION) : takeAway(document, line),
  );
  return { edits, issues };
}

/** Lines that are indented under an entry belong to it, and people wrote them. */
function hasChildren({ lines }: StateDocument, entry: number): boolean {
  let line = entry + 1;
  while (line < lines.count && isBlank(lines, line)) line++;
  return (
    line < lines.count && columnOf(lines.text, lines.starts[line]!, firstInk(lines, line)) >= '- '.length
  );
}

function hasContent(
  { lines, cover }: StateDocument,
  section: Section,
  without: ReadonlySet<number>,
): boolean {
  for (let line = section.body; line < section.end; line++) {
    if (isBlank(lines, line) || isComment(cover[line]) || without.has(line)) continue;
    if (cover[line] !== COVER.none || !isRule(lines, line)) return true;
  }
  return false;
}

/** With the entry goes one of the two blank lines around it. Text that leaned on it keeps its distance from the rest. */
function takeAway(document: StateDocument, line: number): Edit[] {
  const { lines } = document;
  const isEnd = line + 1 >= lines.count;
  const blankBefore = line > 0 && isBlank(lines, line - 1);
  const blankAfter = isEnd || isBlank(lines, line + 1);
  const leans = !blankAfter && !isItem(document, line + 1);
  if (leans && !blankBefore) return replaceLine(document, line, '');
  if (!blankBefore || !blankAfter) return [removeLine(document, line)];
  const { from } = removeLine(document, line - 1);
  const { to } = removeLine(document, line);
  return [{ from: isEnd && !lines.text.endsWith('\n') ? lines.ends[line - 2]! : from, to, text: '' }];
}

const PLACEHOLDERS = new Set([
  'none',
  'none yet',
  'none currently',
  'none known',
  'none at this time',
  'no blockers',
  'no blockers yet',
  'nothing',
  'nothing yet',
  'n/a',
  'nil',
]);

/** A whole line that says that there is nothing: `None yet.`, `- _None_`, `(none)`. */
function isPlaceholder(line: string): boolean {
  if (line.length > 40) return false;
  const words = line
    .trim()
    .replace(/^[-*+] /, '')
    .replace(/[*_`()[\].!]/g, '')
    .trim();
  return PLACEHOLDERS.has(words.toLowerCase());
}

/** The placeholder has to be a paragraph or an item by itself: `None` may be the first word of a sentence. */
function findPlaceholder(document: StateDocument, section: Section): number | undefined {
  const { lines, cover } = document;
  for (let line = section.body; line < section.ownEnd; line++) {
    if (cover[line] !== COVER.none || !isPlaceholder(lineText(lines, line))) continue;
    const startsHere = isItem(document, line) || line === section.body || isApart(document, line - 1);
    const endsHere = line + 1 >= section.ownEnd || isApart(document, line + 1) || isNextItem(document, line);
    if (startsHere && endsHere) return line;
  }
  return undefined;
}

function isApart({ lines, cover }: StateDocument, line: number): boolean {
  return isBlank(lines, line) || cover[line] !== COVER.none || isRule(lines, line);
}

function isNextItem(document: StateDocument, line: number): boolean {
  const { lines } = document;
  const columnAt = (each: number) => columnOf(lines.text, lines.starts[each]!, firstInk(lines, each));
  return isItem(document, line + 1) && columnAt(line + 1) <= columnAt(line);
}

/** What people and we wrote there, without blank lines, comments, rules and a placeholder. */
export function readBlockers(document: StateDocument): string[] {
  const { lines, cover, sections } = document;
  const section = sections.get('blockers');
  const found: string[] = [];
  if (!section) return found;
  for (let line = section.body; line < section.end; line++) {
    const text = lineText(lines, line);
    if (isBlank(lines, line) || isComment(cover[line]) || isPlaceholder(text)) continue;
    if (cover[line] !== COVER.none || !isRule(lines, line)) found.push(text.trimEnd());
  }
  return found;
}
