import type { Lines } from '../markdown/lines.js';
import { shorten } from '../text.js';
import { isBlankChar, isWhite, resolveEntities, skipBlanks } from './text.js';
import type { Criterion, TaskPlanIssueLog, TaskStatus } from './types.js';

/** An opening tag that starts a line or follows another tag, or a closing tag anywhere. */
export interface Tag {
  /** In lower case. */
  readonly name: string;
  readonly close: boolean;
  /** Offset of `<`. */
  readonly at: number;
  /** Offset after `>`; -1 where an opening tag has none. */
  readonly end: number;
  /** From 0. */
  readonly line: number;
  /** Only white space is before it on its line. */
  readonly leads: boolean;
  /** Of a closing tag: nothing, or another tag, follows it on its line. Prose that mentions a tag continues. */
  readonly trails: boolean;
  readonly selfClosing: boolean;
}

export interface Attribute {
  /** In lower case. */
  name: string;
  /** Null: it has none. */
  value: string | null;
  from: number;
  to: number;
  /** Where the value is, inside its quotes. */
  valueFrom: number;
  valueTo: number;
}

const SLASH = 47;
const LT = 60;
const GT = 62;

const TAG_START = /<\/?[A-Za-z][\w-]*(?=[\t-\r />])/g;

/** All tags from an offset on, whatever they are in. A tag may have attributes over several lines. */
export function scanTags(lines: Lines, from: number): Tag[] {
  const { text } = lines;
  const tags: Tag[] = [];
  let line = 0;
  let chainEnd = -1;
  TAG_START.lastIndex = from;
  while (TAG_START.test(text)) {
    const nameTo = TAG_START.lastIndex;
    const at = text.lastIndexOf('<', nameTo);
    const close = text.charCodeAt(at + 1) === SLASH;
    while (line + 1 < lines.count && lines.starts[line + 1]! <= at) line++;
    const before = blanksBefore(text, at);
    const leads = before <= lines.starts[line]!;
    if (!close && !leads && before !== chainEnd) continue;
    const name = text.slice(close ? at + 2 : at + 1, nameTo).toLowerCase();
    const end = close ? closeEnd(text, nameTo) : openEnd(text, nameTo);
    if (end === -1 && (close || name !== 'task')) continue;
    tags.push({
      name,
      close,
      at,
      end,
      line,
      leads,
      trails: close && followedByTag(text, end),
      selfClosing: !close && text.charCodeAt(end - 2) === SLASH,
    });
    chainEnd = end;
  }
  return tags;
}

/** The attributes of an opening tag, in their order. */
export function readAttributes(text: string, tag: Tag): Attribute[] {
  const attributes: Attribute[] = [];
  let at = tag.at + 1 + tag.name.length;
  while (at < tag.end) {
    const code = text.charCodeAt(at);
    if (isWhite(code) || code === SLASH) {
      at++;
    } else if (code === GT) {
      break;
    } else {
      const attribute = readAttribute(text, at, tag.end);
      attributes.push(attribute);
      at = attribute.to;
    }
  }
  return attributes;
}

function readAttribute(text: string, from: number, to: number): Attribute {
  let nameTo = from + 1;
  while (nameTo < to && !endsName(text.charCodeAt(nameTo))) nameTo++;
  const name = text.slice(from, nameTo).toLowerCase();
  let at = skipBlanks(text, nameTo, to);
  if (text[at] !== '=') return { name, value: null, from, to: nameTo, valueFrom: nameTo, valueTo: nameTo };
  at = skipBlanks(text, at + 1, to);
  const quoteEnd = quotedEnd(text, at, to);
  const valueFrom = quoteEnd === -1 ? at : at + 1;
  let valueTo = quoteEnd;
  if (quoteEnd === -1) {
    valueTo = at;
    while (valueTo < to && !endsBareValue(text, valueTo)) valueTo++;
  }
  const end = quoteEnd === -1 ? valueTo : quoteEnd + 1;
  return { name, value: text.slice(valueFrom, valueTo), from, to: end, valueFrom, valueTo };
}

function endsName(code: number): boolean {
  return isWhite(code) || code === 61 || code === GT || code === SLASH;
}

function endsBareValue(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isWhite(code) || code === GT || (code === SLASH && text.charCodeAt(at + 1) === GT);
}

function blanksBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && isBlankChar(text.charCodeAt(start - 1))) start--;
  return start;
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
    if (code === 10) {
      if (isBlankLine) return -1;
      isBlankLine = true;
    } else if (!isWhite(code)) {
      isBlankLine = false;
      if (code === 61) {
        const quote = skipBlanks(text, at + 1);
        const end = quotedEnd(text, quote);
        if (end !== -1) at = end;
      }
    }
  }
  return -1;
}

/** The offset of the quote that closes the one at `at`, on the same line. */
function quotedEnd(text: string, at: number, to = text.length): number {
  const quote = text.charCodeAt(at);
  if (quote !== 34 && quote !== 39) return -1;
  for (let i = at + 1; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i;
    if (code === 10) return -1;
  }
  return -1;
}

function followedByTag(text: string, end: number): boolean {
  const code = text.charCodeAt(skipBlanks(text, end));
  return Number.isNaN(code) || code === LT || code === 10 || code === 13;
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
  checkbox: Pick<Criterion, 'checked'> | null | undefined,
  line: number,
  log: TaskPlanIssueLog,
): TaskStatus {
  const written = attributeValue(attributes, 'status')?.trim();
  if (!written) return checkbox?.checked ? 'completed' : 'pending';
  const word = written.toLowerCase();
  if (Object.hasOwn(STATUS_WORDS, word)) return STATUS_WORDS[word]!;
  log.add(
    'status-unknown',
    line,
    `"${shorten(written, 40)}" is not a task status; it is read as pending.`,
    'Write one of: pending, in_progress, completed, failed, blocked, skipped.',
  );
  return 'pending';
}
