import { skipBlanks } from '../markdown/lines.js';
import { shorten } from '../text.js';
import type { Criterion, TaskPlanIssueLog, TaskStatus } from './types.js';

/** A text, and its parts that are only shown. */
export interface PartlyCovered {
  readonly text: string;
  /** The end of the fence or comment around an offset; undefined if there is none. */
  endOfCover(at: number): number | undefined;
  /** Whether an offset is in inline code. */
  isInCode(at: number): boolean;
}

export interface Tag {
  /** In lower case. */
  readonly name: string;
  readonly isClosing: boolean;
  /** Offset of `<`. */
  readonly at: number;
  /** Offset after `>`; -1 if an opening tag has none. */
  readonly end: number;
  /** Of a closing tag: it starts or ends its line, or is next to another tag. One in running text only mentions it. */
  readonly isCertain: boolean;
  readonly isSelfClosing: boolean;
}

export interface Attribute {
  /** In lower case. */
  name: string;
  /** Null: it has none. */
  value: string | null;
  from: number;
  to: number;
  /** The range of the value, inside its quotes. */
  valueFrom: number;
  valueTo: number;
}

/**
 * Finds the tags of some names in a text, leaving out those in fences, comments and code spans. An opening tag starts
 * its line or follows another tag.
 */
export class TagFinder {
  private readonly pattern: RegExp;

  constructor(
    private readonly covered: PartlyCovered,
    names: string,
  ) {
    this.pattern = new RegExp(`<(/?)(${names})(?=[\\s/>])`, 'gi');
  }

  /** The first that starts at `from` or later, and before `to`. */
  next(from: number, to: number): Tag | undefined {
    const { covered, pattern } = this;
    const { text } = covered;
    pattern.lastIndex = from;
    for (let found = pattern.exec(text); found && found.index < to; found = pattern.exec(text)) {
      const at = found.index;
      const isClosing = found[1] !== '';
      const before = lastInk(text, at);
      const leads = before === -1 || text.charCodeAt(before) === LF;
      if (!isClosing && !leads && !followsTag(text, before)) continue;
      const cover = covered.endOfCover(at);
      if (cover !== undefined) {
        pattern.lastIndex = cover;
        continue;
      }
      if (!leads && covered.isInCode(at)) continue;
      const name = found[2]!.toLowerCase();
      const end = isClosing ? closeEnd(text, pattern.lastIndex) : openEnd(text, pattern.lastIndex);
      if (end === -1 && (isClosing || name !== 'task')) continue;
      const isCertain = leads || (isClosing && endsOrMeetsTag(text, end));
      return { name, isClosing, at, end, isCertain, isSelfClosing: text.charCodeAt(end - 2) === SLASH };
    }
    return undefined;
  }
}

const LF = 10;
const CR = 13;
const SLASH = 47;
const LT = 60;
const EQUALS = 61;
const GT = 62;
const BOM = 0xfeff;

/** The last character before an offset that is neither space nor tab; -1 at the start of the text. */
function lastInk(text: string, at: number): number {
  let before = at - 1;
  while (before >= 0 && isBlankChar(text.charCodeAt(before))) before--;
  return before === 0 && text.charCodeAt(0) === BOM ? -1 : before;
}

/** Whether the tag that ends at `at` is on a line of tags. */
function followsTag(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== GT) return false;
  const open = text.lastIndexOf('<', at);
  return open !== -1 && TAG_START.test(text.slice(open, open + 3));
}

const TAG_START = /^<\/?[a-z]/i;

function endsOrMeetsTag(text: string, end: number): boolean {
  const code = text.charCodeAt(skipBlanks(text, end));
  return Number.isNaN(code) || code === LT || code === LF || code === CR;
}

function closeEnd(text: string, from: number): number {
  let at = from;
  while (isWhite(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === GT ? at + 1 : -1;
}

/** After the first `>` that is in no quotes. Another `<` or a blank line before it: there is none. */
function openEnd(text: string, from: number): number {
  let isBlankLine = false;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === GT) return at + 1;
    if (code === LT) return -1;
    if (code === LF) {
      if (isBlankLine) return -1;
      isBlankLine = true;
    } else if (!isWhite(code)) {
      isBlankLine = false;
      if (code === EQUALS) at = quotedEnd(text, skipBlanks(text, at + 1)) ?? at;
    }
  }
  return -1;
}

/** The offset of the quote that closes the one at `at`, on the same line. */
function quotedEnd(text: string, at: number): number | undefined {
  const quote = text[at];
  if (quote !== '"' && quote !== "'") return undefined;
  const end = text.indexOf(quote, at + 1);
  return end === -1 || text.slice(at, end).includes('\n') ? undefined : end;
}

const ATTRIBUTE = /([^\s=>/][^\s=>/]*)(?:[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|((?:[^\s>/]|\/(?!>))*)))?/g;

/** The attributes of an opening tag, in their order. */
export function readAttributes(text: string, tag: Tag): Attribute[] {
  const attributes: Attribute[] = [];
  const start = tag.at + 1 + tag.name.length;
  const inner = text.slice(start, tag.end);
  for (const found of inner.matchAll(ATTRIBUTE)) {
    const from = start + found.index;
    const to = from + found[0].length;
    const quoted = found[2] ?? found[3];
    const value = quoted ?? found[4] ?? null;
    const valueTo = quoted === undefined ? to : to - 1;
    attributes.push({
      name: found[1]!.toLowerCase(),
      value,
      from,
      to,
      valueFrom: valueTo - (value?.length ?? 0),
      valueTo,
    });
  }
  return attributes;
}

export function attributeValue(attributes: readonly Attribute[], name: string): string | null {
  const found = attributes.find((attribute) => attribute.name === name);
  return found ? resolveEntities(found.value ?? '') : null;
}

export function isAttributeTrue(attributes: readonly Attribute[], name: string): boolean {
  const found = attributes.find((attribute) => attribute.name === name);
  return found !== undefined && (found.value === null || /^(?:true|yes|1)$/i.test(found.value));
}

const STATUS_WORDS: Readonly<Record<string, TaskStatus>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  'in-progress': 'in_progress',
  completed: 'completed',
  complete: 'completed',
  done: 'completed',
  failed: 'failed',
  blocked: 'blocked',
  skipped: 'skipped',
};

export function readStatus(
  attributes: readonly Attribute[],
  checkbox: Pick<Criterion, 'checked'> | null,
  at: number,
  log: TaskPlanIssueLog,
): TaskStatus {
  const written = attributeValue(attributes, 'status')?.trim();
  if (!written) return checkbox?.checked ? 'completed' : 'pending';
  const word = written.toLowerCase();
  if (Object.hasOwn(STATUS_WORDS, word)) return STATUS_WORDS[word]!;
  log.add(
    'status-unknown',
    at,
    `"${shorten(written, 40)}" is not a task status; it is read as pending.`,
    'Write one of: pending, in_progress, completed, failed, blocked, skipped.',
  );
  return 'pending';
}

// Text inside tags.

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot|apos));/gi;
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Each entity once: `&amp;lt;` is `&lt;`. */
export function resolveEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()]!;
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}

/** The text between two offsets, without blank lines around it, with `\n` between lines. */
export function innerText(text: string, { from, to }: { from: number; to: number }): string {
  let start = from;
  for (let i = from; i < to && isWhite(text.charCodeAt(i)); i++) if (text[i] === '\n') start = i + 1;
  let end = to;
  while (end > start && isWhite(text.charCodeAt(end - 1))) end--;
  const inner = text.slice(start, Math.max(start, end));
  return inner.includes('\r') ? inner.replaceAll('\r\n', '\n') : inner;
}

function isBlankChar(code: number): boolean {
  return code === 32 || code === 9;
}

export function isWhite(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
