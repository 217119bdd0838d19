import { type Lines, splitLines } from '../markdown/lines.js';
import { shorten } from '../text.js';
import { isIndented, NO_NEWLINE, NO_REASON, readPath, unquote } from './markdown.js';
import type { Captured } from './record.js';

/** `- **Label:** value`, or `**Label:** value`, with the fenced block right after it. */
export interface ReportEntry {
  /** 1-based. */
  line: number;
  label: string;
  /** The colon follows a backslash: a label of the plan, though it is spelled like one of ours. */
  foreign: boolean;
  /** The value; further lines with their indent. */
  lines: string[];
  block?: ReportBlock;
}

export interface ReportBlock {
  info: string;
  /** All between the fences, with the newline before the closing one. */
  body: string;
}

/** The first thing in a report that is not as it must be. */
export class ReportProblem extends Error {}

/** A report, line by line. */
export class ReportReader {
  readonly #lines: Lines;
  #at = 0;

  constructor(text: string) {
    const lines = splitLines(text);
    this.#lines = lines.crlf ? splitLines(text.replaceAll('\r\n', '\n')) : lines;
  }

  /** The next line, 1-based; at the end, the last one. */
  get line(): number {
    return Math.min(this.#at + 1, this.#lines.count);
  }

  /** Ends the reading; `problem` completes the sentence "Line 3: …". */
  refuse(problem: string, line = this.line): never {
    throw new ReportProblem(`Line ${line}: ${problem}`);
  }

  /** The next line; undefined at the end. */
  peek(): string | undefined {
    return this.#at < this.#lines.count ? this.#line(this.#at) : undefined;
  }

  /** Moves past the next line if it starts with `start`, and returns its rest. */
  after(start: string): string | undefined {
    const line = this.peek();
    if (!line?.startsWith(start)) return undefined;
    this.#at++;
    return line.slice(start.length);
  }

  skip(line: string): boolean {
    if (this.peek() !== line) return false;
    this.#at++;
    return true;
  }

  skipBlank(): void {
    while (this.peek() === '') this.#at++;
  }

  need(line: string): void {
    if (!this.skip(line)) this.refuse(`expected "${line}", found ${this.#found()}.`);
  }

  /** A block with nothing in it may be left at the end: fences of a template do that. */
  needEnd(): void {
    this.skipBlank();
    const { line } = this;
    const block = this.readBlock();
    this.skipBlank();
    if (/\S/.test(block?.body ?? '')) this.refuse('this block is not part of a report.', line);
    if (this.peek() !== undefined) this.refuse(`${this.#found()} is not part of a report.`);
  }

  /** The items of a list, up to the first line that is none. */
  readItems(): ReportEntry[] {
    const entries: ReportEntry[] = [];
    for (let entry = this.readEntry('- **'); entry; entry = this.readEntry('- **')) entries.push(entry);
    return entries;
  }

  readEntry(start: '- **' | '**'): ReportEntry | undefined {
    const line = this.peek();
    const colon = line?.startsWith(start) ? line.indexOf(':**', start.length) : -1;
    if (line === undefined || colon === -1) return undefined;
    const label = line.slice(start.length, colon);
    const value = line.slice(colon + 3);
    const foreign = label.endsWith('\\');
    const entry: ReportEntry = {
      line: ++this.#at,
      label: foreign ? label.slice(0, -1) : label,
      foreign,
      lines: [value.startsWith(' ') ? value.slice(1) : value],
    };
    if (start === '- **') this.#readFurtherLines(entry.lines);
    const block = this.readBlock();
    return block ? { ...entry, block } : entry;
  }

  /** Which of the words an entry has. */
  readStatus<Key extends string>(entry: ReportEntry, words: Record<Key, string>): Key {
    const keys = Object.keys(words) as Key[];
    const word = readWord(readEntryText(entry));
    const key = keys.find((each) => readWord(words[each]) === word);
    if (key !== undefined) return key;
    const allowed = keys.map((each) => readWord(words[each])).join(', ');
    return this.refuse(`${entry.label} is ${quoteShort(word)}; it must be one of ${allowed}.`, entry.line);
  }

  readBlock(): ReportBlock | undefined {
    const open = this.peek();
    if (!open?.startsWith('```')) return undefined;
    const length = countTicks(open);
    if (open.includes('`', length)) return undefined;
    const { text, starts, count } = this.#lines;
    for (let at = this.#at + 1; at < count; at++) {
      if (text[starts[at]!] !== '`') continue;
      const line = this.#line(at);
      const ticks = countTicks(line);
      if (ticks < length || line.trimEnd().length > ticks) continue;
      const body = text.slice(starts[this.#at + 1]!, starts[at]!);
      this.#at = at + 1;
      return { info: open.slice(length).trim(), body };
    }
    return this.refuse('this block is never closed.');
  }

  /** Lines that are indented, and empty ones before such. */
  #readFurtherLines(into: string[]): void {
    let at = this.#at;
    for (let next = at; next < this.#lines.count; next++) {
      const line = this.#line(next);
      if (line === '') continue;
      if (!isIndented(line)) break;
      for (; at < next; at++) into.push('');
      into.push(line);
      at = next + 1;
    }
    this.#at = at;
  }

  #found(): string {
    const line = this.peek();
    return line === undefined ? 'the end' : quoteShort(line);
  }

  /** With a carriage return at its end, which is content here. */
  #line(at: number): string {
    const { text, starts, count } = this.#lines;
    const end = at + 1 < count ? starts[at + 1]! - 1 : text.length - (text.endsWith('\n') ? 1 : 0);
    return text.slice(starts[at], end);
  }
}

/** The entries of a list by their labels. */
export class Entries {
  readonly #entries: ReadonlyMap<string, ReportEntry>;

  constructor(
    private readonly reader: ReportReader,
    /** The list, as refusals call it. */
    private readonly name: string,
    private readonly line = reader.line,
  ) {
    this.#entries = new Map(reader.readItems().map((entry) => [entry.label, entry]));
  }

  find(label: string): ReportEntry | undefined {
    return this.#entries.get(label);
  }

  need(label: string): ReportEntry {
    return this.find(label) ?? this.reader.refuse(`${this.name} has no ${label}.`, this.line);
  }

  text(label: string): string | null {
    const entry = this.find(label);
    return entry ? readEntryText(entry) : null;
  }

  path(label: string): string | null {
    const entry = this.find(label);
    if (!entry) return null;
    return (
      readPath(entry.lines[0]!) ?? this.reader.refuse(`the ${label} is not a link from the root.`, entry.line)
    );
  }
}

/** Quotes text for an error message. */
export function quoteShort(text: string): string {
  return `"${shorten(text, 60)}"`;
}

function countTicks(line: string): number {
  return /^`*/.exec(line)![0].length;
}

/** The value of an entry. */
export function readEntryText({ lines }: Pick<ReportEntry, 'lines'>): string {
  const [first = '', ...others] = lines;
  if (others.length === 0) return unquote(first) ?? first;
  return [first, ...others.map((line) => (line.startsWith('  ') ? line.slice(2) : line))].join('\n');
}

export function readMetadata({ lines }: ReportEntry): string {
  return lines.length === 1 ? (unquote(lines[0]!) ?? lines[0]!) : lines.join('\n');
}

export function readReason(entry: ReportEntry): string | null {
  return entry.lines.length === 1 && entry.lines[0] === NO_REASON ? null : readEntryText(entry);
}

/** A status without the picture behind it, which may be missing, damaged by an encoding, or written `:like_this:`. */
function readWord(value: string): string {
  const word = /^[A-Za-z_]+(?: [A-Za-z]+)*/.exec(value)?.[0] ?? '';
  return /^(?:[^A-Za-z0-9]*|\s*:[a-z_]+:)$/.test(value.slice(word.length)) ? word : value;
}

/** Without the newline before its closing fence. */
export function readBlockText({ body }: ReportBlock): string {
  return body.endsWith('\n') ? body.slice(0, -1) : body;
}

const WHOLE = /^in part; (\d{1,16}) lines?, (\d{1,16}) bytes? in all, (?:(not kept)|kept in (.*))$/s;

/** Undefined if the remarks after the label are unknown. */
export function readCaptured(lines: readonly string[], block: ReportBlock): Captured | undefined {
  const remarks = lines.join('\n');
  const isCut = remarks.startsWith(NO_NEWLINE);
  const rest = isCut ? remarks.slice(NO_NEWLINE.length).replace(/^; /, '') : remarks;
  const captured: Captured = { text: isCut ? readBlockText(block) : block.body };
  if (block.info !== '') captured.language = block.info;
  if (rest === '') return captured;
  const [, count, bytes, notKept, kept = ''] = WHOLE.exec(rest) ?? [];
  const file = notKept === undefined ? readPath(kept) : null;
  if (count === undefined || file === undefined) return undefined;
  return { ...captured, whole: { file, bytes: Number(bytes), lines: Number(count) } };
}
