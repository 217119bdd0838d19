import { type Fence, scanBlocks } from '../markdown/blocks.js';
import {
  closes,
  type FenceMark,
  firstInk,
  isBlank,
  type Lines,
  lineText,
  readFence,
  splitLines,
} from '../markdown/lines.js';
import { shorten } from '../text.js';
import type { Tree } from '../tree.js';
import { readSectionName, readStrictAction } from './grammar.js';
import {
  cutOffIssue,
  LONGER_FENCE,
  type PlanIssueCode,
  planIssue,
  planLine,
  unreadablePlan,
} from './issues.js';
import { readMetadataLabel } from './metadata.js';
import { parsePlan } from './parse/parse.js';
import type { BlockReading } from './repair/part-scan.js';
import {
  findCandidates,
  firstAt,
  Heredocs,
  isShell,
  isTextIn,
  openPart,
  type PartCandidate,
  type PlanLines,
  partAt,
  quoteCost,
  transitionCost,
} from './repair/plan-lines.js';
import { rewriteFences, type TracedRepair } from './repair/rewrite.js';
import { type Reading, type RepairSearch, searchReading } from './repair/search.js';
import type { Action, PlanIssue, ReadResult, RepairResult } from './types.js';
import { readActionWord } from './unknown-action.js';

/**
 * Repairs a plan's fences and parses the result. Each repair is an issue, too; every line
 * number is one of the text as received. With a tree, paths mean what they mean in that project.
 */
export function readPlan(text: string, tree?: Tree): ReadResult {
  const { text: repaired, repairs, issues, origin } = traceRepair(text);
  if (issues.length > 0) return { plan: null, repairs, issues };
  const { plan, issues: found } = parsePlan(repaired, tree);
  const sourceLine = (line: number) => (origin ? (origin[line - 1] ?? line - 1) + 1 : line);
  for (const issue of found) if (issue.line !== undefined) issue.line = sourceLine(issue.line);
  if (plan && origin) {
    for (const change of [...plan.activeContext, ...plan.memos]) change.line = sourceLine(change.line);
    for (const action of plan.actions) {
      action.line = sourceLine(action.line);
      if (action.type === 'EDIT') for (const edit of action.edits) edit.line = sourceLine(edit.line);
    }
  }
  const made: PlanIssue[] = repairs.map(({ kind, message, line }) => planIssue(kind, message, { line }));
  const remarks = repairs.findLast(({ kind }) => kind === 'chatter-dropped')?.line ?? 0;
  if (plan && remarks > (plan.actions.at(-1)?.line ?? 0)) made.push(...findContinuation(text, remarks));
  return { plan, repairs, issues: [...made, ...found].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
}

const CONTINUES =
  /\bcontinue[sd] (?:in|with) (?:\w+ )?(?:next|following|second|separate)\b|\bto be continued\b|\brest\b[^.\n]{0,30} (?:follows|in (?:the|my) next)\b/i;

/** A remark after the plan, from `line` on, which says that the plan is not complete. */
function findContinuation(text: string, line: number): PlanIssue[] {
  const remark = text
    .split('\n')
    .slice(line - 1)
    .find((each) => CONTINUES.test(each));
  if (remark === undefined) return [];
  const message = `The answer says that it continues: "${shorten(remark.trim(), 60)}".`;
  return [planIssue('answer-cut-off', message, { line, hint: 'Ask for the rest.' })];
}

interface ActionRead {
  /** Null when the text does not contain exactly one action that can be run. */
  action: Action | null;
  /** Lines are those of the text. */
  issues: PlanIssue[];
}

const FRAME = `# Action
- **Status:** Edited
- **Plan Type:** Edited
- **Agent:** Edited

## Rationale
\`\`\`\`text
### 1. Synthesis
### 2. Justification
### 3. Expected Outcome
### 4. State Dashboard
\`\`\`\`

## Action Plan

`;
const FRAME_LINES = FRAME.split('\n').length - 1;

/** A single action, as `writeAction` writes it: its fences repaired, and parsed as in a plan. */
export function readAction(text: string, tree?: Tree): ActionRead {
  const { plan, issues: found } = readPlan(FRAME + text, tree);
  const issues = found.map((issue) => moveUp(issue));
  const refused = issues.some((issue) => issue.severity === 'error');
  const actions = plan?.actions ?? [];
  if (!refused && actions.length > 1) {
    issues.push(
      planIssue('heading-unexpected', 'A second action starts here; only one is expected.', {
        line: Math.max(1, actions[1]!.line - FRAME_LINES),
      }),
    );
  }
  const action = refused || actions.length !== 1 ? null : actions[0]!;
  return { action: action && { ...action, line: Math.max(1, action.line - FRAME_LINES) }, issues };
}

function moveUp(issue: PlanIssue): PlanIssue {
  return issue.line === undefined ? issue : { ...issue, line: Math.max(1, issue.line - FRAME_LINES) };
}

/**
 * Makes every block of a plan read as it was meant: over the plan's grammar, the one reading in which
 * each block sits in a slot of its own. Fences that already read so keep their bytes; where two
 * readings are equally good, nothing changes and `fence-ambiguous` names both.
 */
export function repairPlan(text: string): RepairResult {
  const traced = traceRepair(text);
  const {
    origin: _,
    cutOff: __,
    ...result
  } = traced.cutOff === undefined ? traced : unchanged(text, [cutOffIssue(planLine(traced.cutOff))]);
  return result;
}

function traceRepair(text: string): TracedRepair {
  const end = findEndMark(splitLines(text));
  if (end === undefined) return traceFences(text);
  const traced = traceRepair(text.slice(0, end.start));
  if (traced.issues.length > 0) return { ...traced, text };
  const message = `Line ${end.line + 1}: ignored text after the plan: "${end.text}"`;
  const repair = { kind: 'chatter-dropped' as const, line: end.line + 1, message };
  return { ...traced, changed: true, repairs: [...traced.repairs, repair] };
}

/** A last line that is no text: a token of the model's chat template, or the end of a tag around the whole plan. */
function findEndMark(lines: Lines): { line: number; start: number; text: string } | undefined {
  let line = lines.count - 1;
  while (line > 0 && isBlank(lines, line)) line--;
  if (line < 1) return undefined;
  const text = lineText(lines, line).trim();
  const tag = /^<\/([a-z][\w-]{0,20})>$/i.exec(text)?.[1];
  const isMark =
    /^(?:<\|[\w-]{1,30}\|>|<\/s>)+$/.test(text) || (tag !== undefined && opensWith(lines, `<${tag}>`));
  return isMark ? { line, start: lines.starts[line]!, text } : undefined;
}

function opensWith(lines: Lines, tag: string): boolean {
  for (let line = 0; line < lines.count; line++)
    if (!isBlank(lines, line)) return lineText(lines, line).trim() === tag;
  return false;
}

function traceFences(text: string): TracedRepair {
  const document = readDocument(splitLines(text));
  if (document.candidates.length === 0) return unchanged(text, [unreadablePlan(text)]);
  const result = understand(document);
  switch (result.status) {
    case 'whole':
      return unchanged(text, []);
    case 'tangled':
      return unchanged(text, findExtraBlocks(document) ?? [tangled()]);
    case 'ambiguous':
      return unchanged(text, findExtraBlocks(document) ?? [ambiguous(document, ...result.readings)]);
    case 'found': {
      if (document.wrapper && !result.reading.wrapperCloser)
        return unchanged(text, [cutOffWrapper(document.wrapper)]);
      const repaired = rewriteFences(document, result.reading);
      return repaired && isStable(repaired) ? repaired : unchanged(text, [tangled()]);
    }
  }
}

/**
 * Actions without a heading, and blocks after a remark below an action's own, if nothing else is wrong: such blocks seem to
 * belong to the one above, whose fences become ambiguous.
 */
function findExtraBlocks({ lines }: PlanLines): PlanIssue[] | undefined {
  const { issues } = parsePlan(lines.text);
  const errors = issues.filter(({ severity }) => severity === 'error');
  const hasRemark = issues.some(({ code }) => code === 'text-stray');
  const extra = errors.filter(
    ({ code, line }) =>
      (code === 'fence-ambiguous' && hasRemark) ||
      (code === 'action-unknown' && readActionWord(lineText(lines, line! - 1)) !== undefined),
  );
  return extra.length > 0 && extra.length === errors.length ? extra : undefined;
}

/** As it is written, if that makes sense; else the best way to read it. */
function understand(document: PlanLines): RepairSearch | { status: 'whole' } {
  const written = readAsWritten(document);
  if (written) return { status: 'found', reading: written };
  return parsesWhole(document) ? { status: 'whole' } : searchReading(document);
}

/**
 * Plain CommonMark's reading, if nothing is left over in any part. Where the plan breaks the grammar that
 * holds only as long as no part quotes another: a missing fence shows itself so.
 */
function readAsWritten(document: PlanLines): Reading | undefined {
  if (document.wrapper) return undefined;
  const { candidates, marks, lines } = document;
  const parts: PartCandidate[] = [];
  let sound = true;
  let quotes = false;
  for (let at = -1, mark = 0; ; ) {
    const part = partAt(document, at);
    const scan = openPart(document, at);
    let next = at + 1;
    for (; ; next++) {
      const line = candidates[next]?.line ?? lines.count;
      while (mark < marks.length && marks[mark]!.line < line) scan.add(marks[mark++]!);
      if (next >= candidates.length) break;
      if (isTextIn(candidates[next]!.part, part)) continue;
      if (!scan.inFence) break;
      const cost = quoteCost(candidates[next]!.part, part);
      scan.quote(line, cost);
      quotes ||= cost > 0;
    }
    const end = candidates[next]?.line ?? lines.count;
    sound &&= transitionCost(part, candidates[next]?.part) === 0;
    if (!scan.settled(end) || (quotes && !sound)) return undefined;
    if (next >= candidates.length) {
      return { parts, blocks: scan.readings(end)[0]!.blocks, strays: [], end, wrapperCloser: null };
    }
    parts.push(candidates[next]!);
    at = next;
  }
}

/** Warnings that mean: a text without an error still has something left over. */
const LEFT_OVER: readonly PlanIssueCode[] = ['text-stray', 'fence-suspect'];

/** The parser finds nothing wrong and nothing left over: such a plan keeps its bytes. */
function parsesWhole(document: PlanLines): boolean {
  const { plan, issues } = parsePlan(document.lines.text);
  if (!plan || issues.some(tellsOfFences) || endsAfterPair(document)) return false;
  return !scanBlocks(document.lines).some(
    (block) => block.type === 'fence' && (hidesPart(document, block) || endsInHeredoc(document, block)),
  );
}

/** Text follows the last half of a change: a remark, or the rest of the half. */
function endsAfterPair({ lines, candidates, marks, lastInkBefore }: PlanLines): boolean {
  const ends = candidates.at(-1)!.part.kind === 'label';
  return ends && lastInkBefore[lines.count]! > (marks.at(-1)?.line ?? -1);
}

/** A path that means another place is an error, but says nothing about fences. */
function tellsOfFences({ code, severity }: PlanIssue): boolean {
  return (severity === 'error' && code !== 'path-outside') || LEFT_OVER.includes(code);
}

/** A block that swallowed the fences of a part has a part in it, and fences as long as its own. */
function hidesPart({ candidates, marks }: PlanLines, { at, end, mark: opener }: Fence): boolean {
  const part = candidates[firstAt(candidates, at + 1)];
  if (!part || part.line >= end - 1) return false;
  for (let i = firstAt(marks, at + 1); i < marks.length && marks[i]!.line < end - 1; i++) {
    if (marks[i]!.char === opener.char && marks[i]!.length >= opener.length) return true;
  }
  return false;
}

/** The fence that closes a command is one of a document that the command writes. */
function endsInHeredoc(document: PlanLines, { at, end, mark }: Fence): boolean {
  const part = firstAt(document.candidates, at) - 1;
  return isShell(document, part, mark) && document.heredocs.reader(mark)(end - 1);
}

/** A repaired text reads as repaired: a second repair changes nothing. */
function isStable({ text, changed }: TracedRepair): boolean {
  if (!changed) return true;
  const document = readDocument(splitLines(text));
  const result = understand(document);
  if (result.status !== 'found') return result.status === 'whole';
  return rewriteFences(document, result.reading)?.changed === false;
}

function unchanged(text: string, issues: PlanIssue[]): TracedRepair {
  return { text, changed: false, repairs: [], issues, origin: undefined };
}

function readDocument(lines: Lines): PlanLines {
  const from = endOfThoughts(lines);
  const title = findTitle(lines, from);
  const heredocs = new Heredocs(lines);
  return {
    lines,
    title,
    heredocs,
    wrapper: openFenceAt(lines, from, title),
    ...findCandidates(lines, title + 1),
  };
}

/** The line after what a model thought aloud before it answered; 0 if it did not. */
function endOfThoughts(lines: Lines): number {
  let first = 0;
  while (first < lines.count && isBlank(lines, first)) first++;
  const tag =
    first < lines.count ? /^<(think|thinking|thought|reasoning)>/.exec(lineText(lines, first).trim()) : null;
  if (tag === null) return 0;
  for (let line = first; line < lines.count; line++)
    if (lineText(lines, line).trim().endsWith(`</${tag[1]}>`)) return line + 1;
  return 0;
}

/**
 * The first level-1 heading, or a later one before the first section that the header clearly follows. None where an
 * action comes before it: that is not chatter to remove.
 */
function findTitle(lines: Lines, from: number): number {
  let first = -1;
  let best = -1;
  for (let line = from; line < lines.count; line++) {
    const ink = firstInk(lines, line);
    if (lines.text[ink] !== '#' || ink - lines.starts[line]! > 3) continue;
    const heading = lines.text.slice(ink, lines.ends[line]);
    if (readStrictAction(heading.replace(/^#+/, '').trim())) return best;
    if (heading.startsWith('##')) {
      if (readSectionName(heading.slice(2))) break;
      continue;
    }
    if (first === -1 && /^#\s/.test(heading)) first = line;
    if (headerFollows(lines, line)) best = line;
  }
  return best === -1 ? first : best;
}

function headerFollows(lines: Lines, title: number): boolean {
  let line = title + 1;
  while (line < lines.count && isBlank(lines, line)) line++;
  if (line >= lines.count) return false;
  const text = lineText(lines, line).trim();
  if (text.startsWith('##')) return readSectionName(text.slice(2)) !== undefined;
  return /^[-*+]\s/.test(text) && readMetadataLabel(text.slice(2).trim()) !== undefined;
}

/** The fence that is open at the start of `line`. */
function openFenceAt(lines: Lines, from: number, line: number): FenceMark | undefined {
  let open: FenceMark | undefined;
  for (let i = from; i < line; i++) {
    const mark = readFence(lines, i);
    if (!mark) continue;
    if (!open) open = mark;
    else if (closes(mark, open)) open = undefined;
  }
  return open;
}

function tangled(): PlanIssue {
  return planIssue('fence-ambiguous', 'The fences are too tangled: it is not clear where the blocks end.', {
    line: 1,
    hint: LONGER_FENCE,
  });
}

function cutOffWrapper({ line }: FenceMark): PlanIssue {
  return planIssue(
    'answer-cut-off',
    'The answer was cut off: the fence around the whole plan is never closed.',
    {
      line: line + 1,
      hint: 'Ask for the rest.',
    },
  );
}

function endOf({ closer, to, ends }: BlockReading): string {
  if (ends === 'cut-off') return 'was cut off where the text ends';
  return closer ? `ends at line ${closer.line + 1}` : `continues to line ${to}`;
}

/** Names the first place where the two readings differ. */
function ambiguous(document: PlanLines, one: Reading, other: Reading): PlanIssue {
  for (let i = 0; i < Math.max(one.blocks.length, other.blocks.length); i++) {
    const a = one.blocks[i];
    const b = other.blocks[i];
    if (a && b && a.opener === b.opener && a.to === b.to) continue;
    const opener = !b || (a && a.opener.line <= b.opener.line) ? a!.opener : b.opener;
    const ends = [a, b].map((block) =>
      block?.opener === opener ? endOf(block) : 'is content of the block before it',
    );
    const line = opener.line + 1;
    return planIssue(
      'fence-ambiguous',
      `The fences can be read in two ways: either the block opened at line ${line} (${lineText(document.lines, opener.line).trim().slice(0, 60)}) ${ends[0]}, or it ${ends[1]}.`,
      { line, hint: LONGER_FENCE },
    );
  }
  const line = (one.parts.find((part, i) => other.parts[i] !== part)?.line ?? 0) + 1;
  return planIssue(
    'fence-ambiguous',
    `The fences can be read in two ways: line ${line} is either part of the plan or content of the block before it.`,
    { line, hint: LONGER_FENCE },
  );
}
