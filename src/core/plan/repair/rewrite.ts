import { addToGroup } from '../../groups.js';
import { scanBlocks, scanItem } from '../../markdown/blocks.js';
import {
  columnOf,
  contentText,
  fenceFor,
  firstInk,
  type Lines,
  lineText,
  readFence,
  splitLines,
} from '../../markdown/lines.js';
import { shorten } from '../../text.js';
import type { Repair, RepairKind, RepairResult } from '../types.js';
import { isUnknownAction, readActionWord } from '../unknown-action.js';
import type { BlockReading } from './part-scan.js';
import { firstAt, gluedFence, type PlanLines, slotOfPart } from './plan-lines.js';
import type { Reading } from './search.js';

export interface TracedRepair extends RepairResult {
  /** For each line of the repaired text, counted from 0, the line of the text as it came. */
  origin: readonly number[] | undefined;
  /** The line of the block that the text ends in, counted from 0. */
  cutOff?: number | undefined;
}

/**
 * Writes a reading into the text: only fences that differ from it change. Undefined where the
 * rewritten text would not read as the reading says; that is checked.
 */
export function rewriteFences(document: PlanLines, reading: Reading): TracedRepair | undefined {
  const draft = new Draft(document.lines);
  dropChatter(draft, document, reading);
  for (const block of reading.blocks) rewriteBlock(draft, document, block);
  for (const { line } of reading.strays) {
    draft.drop(line, line + 1);
    draft.note(
      line,
      'fence-repaired',
      `Line ${line + 1}: the fence neither opens nor closes a block; it was removed.`,
    );
  }
  const cutOff = reading.blocks.find(({ ends }) => ends === 'cut-off')?.opener.line;
  if (draft.repairs.length === 0) {
    return { text: document.lines.text, changed: false, repairs: [], issues: [], origin: undefined, cutOff };
  }
  const { text, origin } = draft.finish();
  if (!readsAs(text, origin, reading)) return undefined;
  draft.repairs.sort((a, b) => a.line - b.line);
  return { text, changed: true, repairs: draft.repairs, issues: [], origin, cutOff };
}

/** The text with its changes, line by line. */
class Draft {
  readonly repairs: Repair[] = [];
  private readonly replaced = new Map<number, string>();
  private readonly inserted = new Map<number, string[]>();
  private readonly dropped = new Set<number>();

  constructor(private readonly lines: Lines) {}

  replace(line: number, text: string): void {
    this.replaced.set(line, text);
  }

  insertAfter(line: number, text: string): void {
    addToGroup(this.inserted, line, text);
  }

  /** Drops lines `from` to `to - 1`. */
  drop(from: number, to: number): void {
    for (let line = from; line < to; line++) this.dropped.add(line);
  }

  note(line: number, kind: RepairKind, message: string): void {
    this.repairs.push({ line: line + 1, kind, message });
  }

  finish(): { text: string; origin: number[] } {
    const { text, count, starts, ends, bom, crlf } = this.lines;
    const newline = crlf ? '\r\n' : '\n';
    const out: string[] = bom ? ['\ufeff'] : [];
    const origin: number[] = [];
    for (let line = 0; line < count; line++) {
      const additions = this.inserted.get(line) ?? [];
      if (!this.dropped.has(line)) {
        const next = line + 1 < count ? starts[line + 1]! : text.length;
        const ending = text.slice(ends[line], next);
        out.push(this.replaced.get(line) ?? text.slice(starts[line], ends[line]), ending);
        if (ending === '' && additions.length > 0) out.push(newline);
        origin.push(line);
      }
      for (const addition of additions) {
        out.push(addition, newline);
        origin.push(line);
      }
    }
    return { text: out.join(''), origin };
  }
}

function dropChatter(draft: Draft, { lines, title, wrapper }: PlanLines, reading: Reading): void {
  if (wrapper) {
    draft.note(
      wrapper.line,
      'plan-unwrapped',
      `Line ${wrapper.line + 1}: the whole plan was inside a fence; the fence was removed.`,
    );
  }
  const chatter = inkedLines(lines, 0, title).filter((line) => line !== wrapper?.line);
  if (wrapper || chatter.length > 0) draft.drop(0, title);
  noteChatter(draft, lines, chatter, 'before');

  const from = wrapper ? reading.end : endOfLastBlock(lines, reading);
  const tail = inkedLines(lines, from, lines.count).filter((line) => line !== reading.wrapperCloser?.line);
  if (reading.wrapperCloser || tail.length > 0) draft.drop(from, lines.count);
  noteChatter(draft, lines, tail, 'after');
}

/** The line after the plan's last block, where only remarks follow it; else the end of the plan. */
function endOfLastBlock(lines: Lines, { parts, blocks, end }: Reading): number {
  const last = parts.at(-1);
  const closer = blocks.at(-1)?.closer;
  if (!last || !closer || closer.line < last.line) return end;
  const endsInBlock = last.part.kind !== 'section' && slotOfPart(last.part) === 'one';
  const rest = inkedLines(lines, closer.line + 1, end);
  const isChatter = (line: number) =>
    !readFence(lines, line) &&
    !isUnknownAction(lines, line) &&
    readActionWord(lineText(lines, line)) === undefined;
  return endsInBlock && rest.every(isChatter) ? closer.line + 1 : end;
}

function noteChatter(draft: Draft, lines: Lines, chatter: number[], side: 'before' | 'after'): void {
  if (chatter.length === 0) return;
  const [first, last] = [chatter[0]! + 1, chatter.at(-1)! + 1];
  const where = first === last ? `Line ${first}` : `Lines ${first}–${last}`;
  const start = shorten(lineText(lines, chatter[0]!).trim(), 60);
  draft.note(chatter[0]!, 'chatter-dropped', `${where}: ignored text ${side} the plan: "${start}"`);
}

function inkedLines(lines: Lines, from: number, to: number): number[] {
  const inked: number[] = [];
  for (let line = from; line < to; line++) if (firstInk(lines, line) < lines.ends[line]!) inked.push(line);
  return inked;
}

function rewriteBlock(draft: Draft, document: PlanLines, block: BlockReading): void {
  const { lines } = document;
  const { opener, closer, from, to } = block;
  const crowded = holdsRival(document, block);
  const flush = opener.indent > 0 && !isIndented(lines, block);
  const cutOff = block.ends === 'cut-off';
  const wrongCloser = !cutOff && (closer?.info !== '' || closer.length < opener.length);
  if (!crowded && !flush && !wrongCloser) return;

  const own = opener.char.repeat(opener.length);
  const fence = crowded ? fenceFor(contentText(lines, from, to), opener.char, opener.length) : own;
  const indent = flush ? '' : ' '.repeat(opener.indent);
  if (fence !== own || flush) {
    const line = lineText(lines, opener.line);
    draft.replace(opener.line, indent + fence + line.slice(line.indexOf(own) + own.length));
  }
  const note = (line: number, message: string) => draft.note(line, 'fence-repaired', message);
  const first = opener.line + 1;
  if (block.ends === 'glued') {
    const text = lineText(lines, to - 1);
    draft.replace(to - 1, text.slice(0, gluedFence(text, opener)));
    draft.insertAfter(to - 1, indent + fence);
    note(
      to - 1,
      `Line ${to}: the closing fence was at the end of the line; it was moved to a line of its own.`,
    );
    return;
  }
  if (closer) draft.replace(closer.line, indent + fence);
  else if (!cutOff) draft.insertAfter(to - 1, indent + fence);
  if (!closer && !cutOff) {
    note(opener.line, `Line ${first}: the block had no closing fence; one was added after line ${to}.`);
  } else if (closer && closer.info !== '') {
    note(
      closer.line,
      `Line ${closer.line + 1}: the text "${closer.info}" after the closing fence was removed.`,
    );
  } else if (crowded) {
    note(
      opener.line,
      `Lines ${first}–${closer ? closer.line + 1 : to}: the block contains ${own} fences, so its own fence was lengthened to ${fence}.`,
    );
  } else if (flush) {
    note(
      opener.line,
      `Line ${first}: the fence was indented and its content was not; the indent was removed.`,
    );
  } else if (closer) {
    note(
      closer.line,
      `Line ${closer.line + 1}: the closing fence was shorter than the opening fence at line ${first}; it was lengthened.`,
    );
  }
}

/** Whether the content holds a line that would close the block before its end. */
function holdsRival({ marks }: PlanLines, { opener, from, to }: BlockReading): boolean {
  for (let i = firstAt(marks, from); i < marks.length && marks[i]!.line < to; i++) {
    const mark = marks[i]!;
    if (mark.info === '' && mark.char === opener.char && mark.length >= opener.length) return true;
  }
  return false;
}

/** Whether every line of the content is indented at least as far as its fence. */
function isIndented(lines: Lines, { opener, from, to }: BlockReading): boolean {
  for (let line = from; line < to; line++) {
    const ink = firstInk(lines, line);
    if (ink < lines.ends[line]! && columnOf(lines.text, lines.starts[line]!, ink) < opener.indent)
      return false;
  }
  return true;
}

const CUT_OFF = -1;

/** Whether CommonMark now finds each block of the reading where the reading has it. */
function readsAs(text: string, origin: readonly number[], reading: Reading): boolean {
  const lines = splitLines(text);
  const found = new Map<number, number>();
  for (const block of scanBlocks(lines)) {
    const inside = block.type === 'list' ? block.items.flatMap((item) => scanItem(lines, item)) : [block];
    for (const fence of inside) {
      if (fence.type !== 'fence') continue;
      const end = fence.closed ? origin[fence.end - 1]! : fence.end === lines.count ? CUT_OFF : undefined;
      if (end !== undefined) found.set(origin[fence.at]!, end);
    }
  }
  return reading.blocks.every((block) => {
    const end = found.get(block.opener.line);
    if (block.ends === 'cut-off') return end === CUT_OFF;
    return end === (block.closer ? block.closer.line : Math.max(block.to - 1, block.opener.line));
  });
}
