import { type Lines, splitLines } from '../markdown/lines.js';
import { shorten } from '../text.js';
import { isIndented, type ReportBlock, readTextValue, readWord } from './values.js';

/** `- **Label:** value`, or `**Label:** value`, with the fenced block that follows at once. */
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

/**
 * A report, line by line. The first thing that is not as it must be ends it: from then on there are no more lines, so
 * that loops end, and `problem` says what it was.
 */
export class ReportReader {
  readonly #lines: Lines;
  #at = 0;
  #problem: string | null = null;

  constructor(text: string) {
    const lines = splitLines(text);
    this.#lines = lines.crlf ? splitLines(text.replaceAll('\r\n', '\n')) : lines;
  }

  get problem(): string | null {
    return this.#problem;
  }

  /** The line that comes next, 1-based; at the end, the last one. */
  get line(): number {
    return Math.min(this.#at + 1, this.#lines.count);
  }

  /** `problem` completes the sentence "Line 3: …". */
  refuse(problem: string, line = this.line): void {
    this.#problem ??= `Line ${line}: ${problem}`;
    this.#at = this.#lines.count;
  }

  /** The line that comes next; undefined at the end. */
  peek(): string | undefined {
    return this.#at < this.#lines.count ? this.#line(this.#at) : undefined;
  }

  /** Moves past the next line when it starts with `start`, and gives what follows that. */
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
    while (this.#at < this.#lines.count && this.#line(this.#at) === '') this.#at++;
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
    if (/\S/.test(block?.body ?? '') || this.#at < this.#lines.count)
      this.refuse(
        block ? 'this block is not part of a report.' : `${this.#found()} is not part of a report.`,
        line,
      );
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

  /** Which of the words the entry has. The first where it is missing or has another, which ends the reading. */
  readStatus<Key extends string>(entry: ReportEntry | undefined, words: Record<Key, string>): Key {
    const keys = Object.keys(words) as Key[];
    const word = readWord(readTextValue(entry?.lines ?? []));
    const key = keys.find((each) => readWord(words[each]) === word);
    if (entry && key === undefined) {
      const allowed = keys.map((each) => readWord(words[each])).join(', ');
      this.refuse(`${entry.label} is ${quoteShort(word)}; it must be one of ${allowed}.`, entry.line);
    }
    return key ?? keys[0]!;
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
    this.refuse('this block is never closed.');
    return undefined;
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

/** For a refusal, which quotes what it is about. */
export function quoteShort(text: string): string {
  return `"${shorten(text, 60)}"`;
}

function countTicks(line: string): number {
  let ticks = 0;
  while (line[ticks] === '`') ticks++;
  return ticks;
}
