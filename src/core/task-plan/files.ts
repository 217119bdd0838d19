import { undecorate } from '../markdown/inline.js';
import { skipBlanks } from '../markdown/lines.js';
import { foldText } from '../text.js';
import { isWhite, resolveEntities } from './tags.js';
import type { TaskFile } from './types.js';

const NONE = /^(?:none|n\/a|no files?|nothing|tbd|various|multiple|several|[-\u2013\u2014])(?![\w/.-])/i;

/** What `<files>` or `<read_first>` lists: by commas, lines or bullets, with notes, code spans and stray punctuation. */
export function readFiles(text: string): TaskFile[] {
  if (text === '') return [];
  if (USUAL.test(text) && !/(?:^|, ?)(?:none|n\/a|nothing|tbd)(?![\w/.-])/i.test(text))
    return readUsual(text);
  const files = new Map<string, TaskFile>();
  for (const line of resolveEntities(text).split('\n')) {
    const entries = splitEntries(line);
    const read = entries.map(readEntry);
    const isProse = entries.some((entry, i) => read[i]!.length === 0 && isSentence(entry));
    for (const file of read.flat())
      if (!files.has(file.path) && !(isProse && isPlainWord(file.path))) files.set(file.path, file);
  }
  return [...files.values()];
}

/** "the tests that use it": beside it, a single word is one of the sentence. */
function isSentence(entry: string): boolean {
  return entry.includes(' ') && entry[0] !== '(' && !NONE.test(entry);
}

function isPlainWord(path: string): boolean {
  return /^[\p{L}\p{M}'-]+$/u.test(path);
}

/** Paths on one line, separated by commas, each with a dot or a slash, and nothing that needs closer reading. */
const USUAL = /^[\w@]*[./][\w@./-]*\w(?:, ?[\w@]*[./][\w@./-]*\w)*$/;

function readUsual(text: string): TaskFile[] {
  const parts = text.split(',');
  if (parts.length === 1) return [{ path: text, note: null }];
  return [...new Set(parts.map((part) => part.trim()))].map((path) => ({ path, note: null }));
}

/** Commas and semicolons divide entries, unless they are in brackets or code. */
function splitEntries(line: string): string[] {
  const entries: string[] = [];
  let from = 0;
  let depth = 0;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (quote !== '') {
      if (c === quote) quote = '';
    } else if (c === '`') {
      quote = c;
    } else if (c === '(' || c === '{' || c === '[') {
      depth++;
    } else if (c === ')' || c === '}' || c === ']') {
      depth = Math.max(0, depth - 1);
    } else if ((c === ',' || c === ';') && depth === 0) {
      entries.push(line.slice(from, i));
      from = i + 1;
    }
  }
  entries.push(line.slice(from));
  return entries.map((entry) => dropMarker(foldText(entry))).filter((entry) => entry !== '');
}

const MARKERS = [/(?:[-*+\u2022]|\d{1,4}[.)]) +/y, /\[[ xX]\] +/y, /(?:and|&) +/iy];
const WRAPPED_NEXT = /(?:and |& )?[`"']/iy;

/** Without a bullet, a number or a checkbox before it. */
function dropMarker(entry: string): string {
  return entry.slice(behindMarkers(entry, 0));
}

function behindMarkers(text: string, from: number): number {
  let at = from;
  for (const marker of MARKERS) {
    marker.lastIndex = at;
    if (marker.test(text)) at = marker.lastIndex;
  }
  return at;
}

/** Works with offsets: an entry may list a million paths, and slicing would copy each rest. */
function readEntry(written: string): TaskFile[] {
  const entry = /^[_\u201c\u2018\u00ab]|^\*(?![*/])|^\*\*\*/.test(written) ? undecorate(written) : written;
  const files: TaskFile[] = [];
  for (let at = 0; ; ) {
    if (at >= entry.length || entry[at] === '(' || NONE.test(entry.slice(at, at + 20))) return files;
    const wrapped = readWrapped(entry, at);
    if (!wrapped) {
      const { path, note } = splitNote(entry.slice(at));
      return files.concat(splitPaths(path, note));
    }
    const next = skipBlanks(entry, wrapped.to);
    WRAPPED_NEXT.lastIndex = next;
    const isFollowed = WRAPPED_NEXT.test(entry);
    const path = wrapped.inner.trim();
    if (path !== '' && !(path.split(' ').length > 3 && splitPaths(path, null).length === 0))
      files.push({ path, note: isFollowed ? null : readNote(entry.slice(next)) });
    if (!isFollowed) return files;
    at = behindMarkers(entry, next);
  }
}

/** `**` + `/a/b.ts` + `**`, not the pattern `**` + `/b.ts`. */
const BOLD_ABSOLUTE = /\*\*\/[^*]{1,400}\w\*\*(?![\w/.])/y;

/** A path in backticks, quotes or asterisks. */
function readWrapped(entry: string, at: number): { inner: string; to: number } | undefined {
  const quote = entry[at]!;
  const mark = entry.startsWith('**', at) ? '**' : '`"\''.includes(quote) ? quote : '';
  BOLD_ABSOLUTE.lastIndex = at;
  if (mark === '' || (entry.startsWith('**/', at) && !BOLD_ABSOLUTE.test(entry))) return undefined;
  const from = at + mark.length;
  const close = entry.indexOf(mark, from);
  if (close === -1) return undefined;
  const inner = entry.slice(from, close);
  return { inner: undecorate(inner), to: close + mark.length };
}

/** The path before a note in parentheses, or after a dash, an arrow, a hash or a colon. */
function splitNote(entry: string): { path: string; note: string | null } {
  const lastClose = entry.endsWith(')') ? entry.lastIndexOf(')', entry.length - 2) : entry.length;
  for (let i = 1; i < entry.length; i++) {
    const c = entry[i]!;
    const before = entry[i - 1]!;
    const isApart = before === ' ';
    const isDash =
      isApart && (entry[i + 1] === ' ' || entry[i + 1] === undefined) && '-\u2013\u2014:#\u2192'.includes(c);
    const isWide =
      isApart && (entry.startsWith('-- ', i) || entry.startsWith('-> ', i) || entry.startsWith('// ', i));
    const isColon = c === ':' && entry[i + 1] === ' ';
    const isParenthesis = c === '(' && (isApart || (before !== '/' && before !== '\\' && lastClose < i));
    if (isDash || isWide || isColon || isParenthesis || (isApart && c === '#'))
      return { path: entry.slice(0, i).trim(), note: readNote(entry.slice(i)) };
  }
  return { path: entry, note: null };
}

function readNote(rest: string): string | null {
  const text = rest.trim();
  if (text.startsWith('(')) {
    const close = text.lastIndexOf(')');
    return text.slice(1, close === -1 ? undefined : close).trim() || null;
  }
  return text.replace(/^(?:--|->|\/\/|[-\u2013\u2014:#\u2192])\s*/, '').replace(/^[.,;]$/, '') || null;
}

/** `a.ts b.ts` and `a.ts and b.ts` are two paths, `My Notes/a b.md` is one; other words make a sentence, not a path. */
function splitPaths(text: string, note: string | null): TaskFile[] {
  if (!text.includes(' ')) {
    const path = dropPunctuation(text);
    return path === '' ? [] : [{ path, note }];
  }
  const words = text.split(' ').filter((word) => !/^(?:and|&|\+)$/i.test(word));
  const paths = words.map(dropPunctuation).filter((word) => word !== '');
  if (paths.length <= 1) return paths.map((path) => ({ path, note }));
  if (paths.every((path) => hasExtension(path) || path.endsWith('/')))
    return paths.map((path, i) => ({ path, note: i === paths.length - 1 ? note : null }));
  if (words[0]!.includes('/') && !hasExtension(paths[0]!) && hasExtension(paths.at(-1)!))
    return [{ path: dropPunctuation(text), note }];
  if (words[0]!.includes('/') || hasExtension(paths[0]!))
    return [{ path: paths[0]!, note: note ?? text.slice(words[0]!.length).trim() }];
  return [];
}

function hasExtension(path: string): boolean {
  return /\.[A-Za-z0-9_*{]/.test(path);
}

/** A path ends in a full stop only by accident, unless it is `.` or `..`. */
function dropPunctuation(path: string): string {
  let end = path.length;
  while (end > 0 && (',;:'.includes(path[end - 1]!) || isWhite(path.charCodeAt(end - 1)))) end--;
  if (path[end - 1] === '.' && end > 1 && path[end - 2] !== '.' && path[end - 2] !== '/') end--;
  return path.slice(0, end);
}
