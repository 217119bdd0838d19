import { type FenceMark, firstInk, isBlank, type Lines, lineText, readFence } from '../../markdown/lines.js';
import { ACTIONS, type Slot, slotOf } from '../actions.js';
import {
  isLikeAction,
  nextInk,
  readActionHeading,
  readEditLabel,
  readSectionName,
  readStrictAction,
  type SectionName,
} from '../grammar.js';
import { readMetadataLabel } from '../metadata.js';
import { isDiffInfo, isEditFormLine } from '../parse/pairs.js';
import type { ActionType } from '../types.js';
import { BlockScan } from './block-scan.js';
import { COST } from './cost.js';
import { BareScan, FencesScan, type PartScan, type PartSurroundings } from './part-scan.js';

/** A plan's text with the fences not yet understood. */
export interface PlanLines extends LineFacts {
  lines: Lines;
  /** Line of the title; -1 where the text starts without one. */
  title: number;
  heredocs: Heredocs;
  /** The fence that the whole plan is inside. */
  wrapper: FenceMark | undefined;
}

/** The most lines that a remark between two actions has. */
const REMARK = 6;

export function partAt(document: PlanLines, at: number): PlanPart | undefined {
  return document.candidates[at]?.part;
}

export function slotOfPart(part: PlanPart | undefined): Slot {
  if (!part) return 'none';
  if (part.kind === 'label') return 'one';
  if (part.kind === 'action') return part.isForm ? 'one' : slotOf(part.type);
  return part.name === 'Action Plan' ? 'none' : 'one';
}

/** Whether content seems to continue at a line: a remark has a blank line before it, and no indent. */
export function continues({ lines, lastInkBefore }: PlanLines, line: number): boolean {
  let next = line;
  while (next < lines.count && isBlank(lines, next)) next++;
  if (next >= lines.count || readFence(lines, next)) return false;
  const isRule = lastInkBefore[next + 1] !== next;
  return !isRule && (next === line || firstInk(lines, next) > lines.starts[next]! + 1);
}

function isAction({ candidates }: PlanLines, line: number): boolean {
  const next = candidates[firstAt(candidates, line)];
  return next?.line === line && next.part.kind !== 'label';
}

export function openPart(document: PlanLines, at: number): PartScan {
  const part = partAt(document, at);
  let code: boolean | undefined;
  const around: PartSurroundings = {
    lastInkBefore: (line) => document.lastInkBefore[line]!,
    continues: (line) => continues(document, line),
    isAction: (line) => isAction(document, line),
    isTextEnd: (line) => line === document.lines.count,
    isGlued: (line, opener) => isGlued(document, line, opener),
    holdsGlued: (from, to) => (document.glued[firstAt(document.glued, from)]?.line ?? to) < to,
    isRemark: ({ line, info }) => isRemark(lineText(document.lines, line), info),
    heredocs: (opener) => (isShell(document, at, opener) ? document.heredocs.reader(opener) : () => false),
    isCode: (opener) => {
      code ??= isCode(document, at, opener);
      return code;
    },
    isHalf: part?.kind === 'label',
    possibleEnds: (from, end) => possibleEnds(document, part, from, end),
  };
  return scanPart(slotOfPart(part), around);
}

/**
 * `}\`\`\``: where a closing fence was written at the end of a line; -1 if none was. After marks and a space, as in
 * `> \`\`\``, it is content.
 */
export function gluedFence(line: string, { char }: FenceMark): number {
  const text = line.trimEnd();
  let at = text.length;
  while (at > 0 && text[at - 1] === char) at--;
  const isFence = text.length - at >= 3 && text.indexOf(char.repeat(3)) === at;
  return isFence && !/^(?:[\s>*+#/!-]*\s)?$/.test(text.slice(0, at)) ? at : -1;
}

/** A quote or bracket that opens: where the text ends, the fence may be in a string. */
const OPEN_STRING = /[("'[{=][`~]+\s*$/;

function isGlued({ lines, lastInkBefore }: PlanLines, line: number, opener: FenceMark): boolean {
  const text = lineText(lines, line);
  return gluedFence(text, opener) > 0 && !(line === lastInkBefore[lines.count] && OPEN_STRING.test(text));
}

const LAST_WORD = /^(?:end|eof|done|fin)[.!]?$/i;

/** `\`\`\` That is the whole file.`; a fence that opens a block has no space before its language. */
function isRemark(line: string, info: string): boolean {
  if (LAST_WORD.test(info) || info.startsWith('<!--')) return true;
  return /[`~][ \t]/.test(line) && /^\p{L}+\s+\p{L}/u.test(info) && !LANGUAGE.test(info.split(/\s/, 1)[0]!);
}

const LANGUAGE =
  /^(?:bash|c|console|cpp|css|diff|go|html|java|javascript|js|json|jsonc|jsx|markdown|md|mdx|php|python|py|ruby|rust|rs|sh|shell|sql|text|toml|ts|tsx|txt|typescript|xml|yaml|yml|zsh)$/i;

const SHELL = /^(?:bash|console|sh|shell|zsh)\b/i;
const SHELL_FILE = /\.(?:bash|sh|zsh)$/i;

/** Whether a part's block holds shell commands, whole ones: half of a change may end anywhere. */
export function isShell(document: PlanLines, at: number, { info }: FenceMark): boolean {
  const part = partAt(document, at);
  if (part?.kind === 'label') return false;
  if (part?.kind === 'action' && ACTIONS[part.type].body === 'command') return true;
  return info === '' && part ? SHELL_FILE.test(targetPath(document, at)) : SHELL.test(info);
}

/**
 * Where content may end that nothing closes. Blank lines behind it may belong to half of a change; a
 * thematic break may be its last line; a last paragraph may be a remark about the plan.
 */
function possibleEnds(
  { lines, lastInkBefore, lastLineBefore }: PlanLines,
  part: PlanPart | undefined,
  from: number,
  end: number,
): number[] {
  const to = Math.max(from, lastInkBefore[end]! + 1);
  const ends = [to];
  const rule = Math.max(from, lastLineBefore[end]! + 1);
  if (rule > to) ends.push(rule);
  const blanks = part?.kind === 'label' ? (part.side === 'FIND' ? 0 : 1) : Number.POSITIVE_INFINITY;
  if (end - to > blanks) ends.push(end - blanks);
  let start = to - 1;
  while (start > from && to - start <= REMARK && lastInkBefore[start] === start - 1) start--;
  const above = lastInkBefore[start] ?? -1;
  const isApart = start > from && above >= from && above < start - 1;
  if (isApart && isSentence(lineText(lines, start), lineText(lines, to - 1))) ends.push(above + 1);
  return ends;
}

function isSentence(first: string, last: string): boolean {
  return /^\p{L}/u.test(first) && /[.!?:…]\s*$/.test(last);
}

/** A message continues to the next action heading: whatever else looks like a part is text in it. */
export function isTextIn(part: PlanPart | undefined, inside: PlanPart | undefined): boolean {
  return part !== undefined && part.kind !== 'action' && slotOfPart(inside) === 'message';
}

/**
 * What it costs, at the least, that content quotes a part. Any document may have a `## Rationale`; but the
 * reasoning that comes before the actions hardly holds the heading under which they stand.
 */
export function quoteCost(quoted: PlanPart, inside: PlanPart | undefined): number {
  if (quoted.kind === 'section') {
    if (inside?.kind === 'section') return quoted.name === 'Rationale' ? 0 : COST.QUOTED_AFTER_SOUND_BLOCK;
    return quoted.name === 'Action Plan' ? COST.QUOTED_PART : 0;
  }
  return quoted.kind === 'action' || inside?.kind === 'label' ? COST.QUOTED_PART : 0;
}

/** What it costs that `to` follows `from`; `undefined` is the title, or the plan's end. */
export function transitionCost(from: PlanPart | undefined, to: PlanPart | undefined): number {
  return mayFollow(from, to) ? 0 : COST.BROKEN_GRAMMAR;
}

function mayFollow(from: PlanPart | undefined, to: PlanPart | undefined): boolean {
  if (!from) return to?.kind === 'section' && to.name === 'Rationale';
  switch (from.kind) {
    case 'section':
      if (from.name === 'Action Plan') return to?.kind === 'action';
      if (to?.kind !== 'section') return false;
      return (
        to.name === 'Action Plan' ||
        to.name === 'Memos' ||
        (from.name === 'Rationale' && to.name === 'Active Context')
      );
    case 'action':
      if (slotOfPart(from) === 'pairs') return to?.kind === 'label' && to.side === 'FIND';
      return !to || to.kind === 'action';
    case 'label':
      if (from.side === 'FIND') return to?.kind === 'label' && to.side === 'REPLACE';
      return !to || to.kind === 'action' || (to.kind === 'label' && to.side === 'FIND');
  }
}

const PROSE_INFO = /^(?:markdown|md|mdx|gfm|text|txt|rst)\b/i;
const CODE_FILE =
  /\.(?:[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|sh|bash|zsh|ps1|sql|json|ya?ml|toml|ini|xml|css|scss|less|vue|svelte|tf|gradle|ex|exs|erl|hs|clj|scala|dart|r|jl|zig|nix|proto|graphql)$/i;

/** Whether a part's block holds code, in which a line of backticks alone is a surprise. */
function isCode(document: PlanLines, at: number, opener: FenceMark): boolean {
  const part = partAt(document, at);
  if (part?.kind === 'section') return part.name !== 'Rationale';
  if (part?.kind === 'action' && ACTIONS[part.type].body === 'command') return true;
  if (PROSE_INFO.test(opener.info)) return false;
  return CODE_FILE.test(targetPath(document, at));
}

/** The File Path written under the action that candidate `at` belongs to. */
function targetPath({ lines, candidates }: PlanLines, at: number): string {
  const from = candidates[at]!.owner + 1;
  for (let i = from; i < Math.min(from + 12, lines.count); i++) {
    const text = lineText(lines, i).trim();
    const label = /^[-*+]\s/.test(text) ? readMetadataLabel(text.slice(2).trim())?.label : undefined;
    if (label && /path/i.test(label)) return text.slice(-200).replace(/[)`>*\s]+$/, '');
  }
  return '';
}

function scanPart(slot: Slot, around: PartSurroundings): PartScan {
  switch (slot) {
    case 'one':
      return new BlockScan(around);
    case 'many':
      return new FencesScan(true, around);
    case 'message':
      return new FencesScan(false, around);
    case 'none':
    case 'pairs':
      return new BareScan(around);
  }
}

const START = /(?<!<)<<(-?)\s{0,3}(?:'([A-Za-z_]\w{0,99})'|"([A-Za-z_]\w{0,99})"|\\?([A-Za-z_]\w{0,99}))/;

interface Line {
  line: number;
}

interface Heredoc extends Line {
  word: string;
  /** `<<-`: the word that ends it may be indented. */
  dash: boolean;
  /** `<<'EOF'`, even if nothing ends it; `1 << n` is none, then. */
  certain: boolean;
}

/** The lines that hold a word alone: all of them, and those where it starts the line. */
interface Ends {
  all: Line[];
  flush: Line[];
}

/** The here-documents of a text's shell commands: what is inside one is content, whatever it looks like. */
export class Heredocs {
  private readonly starts: Heredoc[] = [];
  private readonly ends = new Map<string, Ends>();

  constructor(lines: Lines) {
    if (!lines.text.includes('<<')) return;
    for (let line = 0; line < lines.count; line++) {
      const text = lineText(lines, line).slice(0, 1000);
      const match = text.includes('<<') ? START.exec(text) : null;
      if (!match || text.slice(0, match.index).includes('((')) continue;
      const [, dash, single, double, bare = ''] = match;
      const word = single ?? double ?? bare;
      this.starts.push({ line, word, dash: dash === '-', certain: !/^[a-z]/.test(bare) });
      this.ends.set(word, { all: [], flush: [] });
    }
    for (let line = 0; line < lines.count; line++) {
      const text = lineText(lines, line).trimEnd();
      const word = text.trimStart();
      this.ends.get(word)?.all.push({ line });
      if (word === text) this.ends.get(word)?.flush.push({ line });
    }
  }

  /** Returns, for lines in their order, whether each is inside a here-document of the command that `opener` opens. */
  reader(opener: FenceMark): (line: number) => boolean {
    let at = firstAt(this.starts, opener.line + 1);
    let end = -1;
    return (line) => {
      for (; end <= line && at < this.starts.length && this.starts[at]!.line < line; at++) {
        const { line: start, word, dash, certain } = this.starts[at]!;
        if (start < end) continue;
        const ends = this.ends.get(word)![dash || opener.indent > 0 ? 'all' : 'flush'];
        const last = ends[firstAt(ends, start + 1)]?.line;
        if (last !== undefined || certain) end = last ?? Number.POSITIVE_INFINITY;
      }
      return line < end;
    };
  }
}

/**
 * A line that looks like the beginning of a part of a plan: a section, an action, a FIND or REPLACE
 * label. Whether it *is* one depends on the fences around it; that is what repair decides.
 */
export interface PartCandidate {
  line: number;
  part: PlanPart;
  /** The line of the last EDIT before a label; the candidate's own line otherwise. */
  owner: number;
}

export type PlanPart =
  | { kind: 'section'; name: SectionName }
  /** `isForm`: an EDIT with a diff or the like in one block, instead of labels. */
  | { kind: 'action'; type: ActionType; isForm?: boolean }
  | { kind: 'label'; side: 'FIND' | 'REPLACE' };

const HASH = 35;

export interface LineFacts {
  candidates: PartCandidate[];
  /** Every line that could be a fence. */
  marks: FenceMark[];
  /** Every other line that ends in one. */
  glued: { line: number }[];
  /** For each line, the last one before it that is neither blank nor a thematic break; -1 if none. */
  lastInkBefore: Int32Array;
  /** For each line, the last one before it that is not blank. */
  lastLineBefore: Int32Array;
}

/** What there is from line `from` on. */
export function findCandidates(lines: Lines, from: number): LineFacts {
  const candidates: PartCandidate[] = [];
  const marks: FenceMark[] = [];
  const glued: { line: number }[] = [];
  const lastInkBefore = new Int32Array(lines.count + 1).fill(-1);
  const lastLineBefore = new Int32Array(lines.count + 1).fill(-1);
  let edit: number | undefined;
  for (let line = from; line < lines.count; line++) {
    lastInkBefore[line + 1] = hasInk(lines, line) ? line : lastInkBefore[line]!;
    lastLineBefore[line + 1] = isBlank(lines, line) ? lastLineBefore[line]! : line;
    const mark = readFence(lines, line);
    if (mark) {
      marks.push(mark);
      continue;
    }
    if (lines.text.endsWith('```', lines.ends[line])) glued.push({ line });
    const part = readPart(lines, line);
    if (!part) continue;
    if (part.kind === 'action' && slotOf(part.type) === 'pairs') edit = line;
    if (part.kind !== 'label') candidates.push({ line, part, owner: line });
    else if (edit !== undefined) candidates.push({ line, part, owner: edit });
  }
  return { candidates, marks, glued, lastInkBefore, lastLineBefore };
}

const RULE_CHARACTERS = '-*_ \t';

/** Neither blank nor a thematic break; the border of a table has wider gaps than one. */
function hasInk(lines: Lines, line: number): boolean {
  const end = lines.ends[line]!;
  const start = firstInk(lines, line);
  let at = start;
  while (at < end && RULE_CHARACTERS.includes(lines.text[at]!)) at++;
  return at < end || /[-*_][ \t]{2,}[-*_]/.test(lines.text.slice(start, end));
}

function readPart(lines: Lines, line: number): PlanPart | undefined {
  const ink = firstInk(lines, line);
  if (ink - lines.starts[line]! > 3) return undefined;
  return readHeadingPart(lines, line, ink) ?? readLabelPart(lines, line, ink);
}

function readHeadingPart(lines: Lines, line: number, ink: number): PlanPart | undefined {
  let stop = ink;
  while (lines.text.charCodeAt(stop) === HASH) stop++;
  const level = stop - ink;
  if (level === 0 || level > 6) return undefined;
  const heading = lines.text.slice(stop, lines.ends[line]).trim();
  const section = level === 2 ? readSectionName(heading) : undefined;
  if (section) return { kind: 'section', name: section };
  // Even where it starts no action, at another level, the block before it has ended.
  const action = readActionHeading(lines, { at: line, level, text: heading }) ?? readStrictAction(heading);
  if (action) return { kind: 'action', type: action.type, isForm: holdsForm(lines, line, action.type) };
  // What an unknown action may have under it is not known: anything, as in a message.
  return level === 3 && isLikeAction(lines, line, heading)
    ? { kind: 'action', type: 'CHAT_WITH_USER' }
    : undefined;
}

/** How far below its heading the block of an EDIT starts at the most, and how far in it shows its form. */
const FORM_WITHIN = 30;

function holdsForm(lines: Lines, heading: number, type: ActionType): boolean {
  if (slotOf(type) !== 'pairs') return false;
  let fence: FenceMark | undefined;
  for (let line = heading + 1; line < Math.min(heading + FORM_WITHIN, lines.count); line++) {
    const text = lineText(lines, line);
    if (fence) {
      if (isEditFormLine(text)) return true;
    } else {
      if (/^#{1,6}\s/.test(text) || readEditLabel(text)) return false;
      fence = readFence(lines, line);
      if (fence && isDiffInfo(fence.info)) return true;
    }
  }
  return false;
}

function readLabelPart(lines: Lines, line: number, ink: number): PlanPart | undefined {
  if (lines.ends[line]! - ink > 40) return undefined;
  const label = readEditLabel(lineText(lines, line));
  const next = label && nextInk(lines, line);
  return label && next !== undefined && readFence(lines, next)
    ? { kind: 'label', side: label.side }
    : undefined;
}

/** The first of some marks, in order, that is at `line` or below it. */
export function firstAt(marks: readonly { line: number }[], line: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.line < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
