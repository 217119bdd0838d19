import type { ExpectedOutcome } from '../../core/report/record.js';
import type { OutputName } from '../../node/process/types.js';
import type { RunContext } from '../run-context.js';

/**
 * Looks for the texts that an Expected Outcome quotes, while the output goes by: all of it, of which only as much is
 * held as the longest text might need. What is looked through is masked, and so are the texts.
 */
export class OutcomeSearch {
  readonly note: string | undefined;
  readonly #texts: readonly string[];
  readonly #missing: Set<string>;
  readonly #overlap: number;
  readonly #ends: Record<OutputName, string> = { stdout: '', stderr: '' };

  constructor(expectedOutcome: string | null, { redactor }: RunContext) {
    const { texts, all } = findQuotedTexts(expectedOutcome ?? '');
    this.#texts = texts.map((text) => redactor.mask(text));
    this.#missing = new Set(this.#texts);
    this.#overlap = Math.max(0, ...this.#texts.map(({ length }) => length - 1));
    if (!all) this.note = 'The Expected Outcome quotes more than was looked for.';
  }

  push(stream: OutputName, piece: string): void {
    if (this.#missing.size === 0) return;
    const text = this.#ends[stream] + piece;
    for (const wanted of this.#missing) if (text.includes(wanted)) this.#missing.delete(wanted);
    this.#ends[stream] = this.#overlap === 0 ? '' : text.slice(-this.#overlap);
  }

  /** undefined where nothing is quoted. */
  result(): ExpectedOutcome | undefined {
    if (this.#texts.length === 0) return undefined;
    return { met: this.#missing.size === 0, missing: [...this.#missing] };
  }
}

/** Texts beyond these limits are not looked for: each costs a search of all the output. */
const MOST_TEXTS = 100;
const MOST_CHARACTERS = 10_000;

/** What an Expected Outcome quotes, in its order, each once; `all` is false where there is more than is looked at. */
export function findQuotedTexts(outcome: string): { texts: string[]; all: boolean } {
  const text = outcome.slice(0, MOST_CHARACTERS);
  const found = new Set<string>();
  for (let at = 0; at < text.length; ) {
    const quoted = readQuote(text, at);
    if (quoted !== undefined && quoted.text.trim() !== '') found.add(quoted.text);
    at = quoted?.end ?? skipMark(text, at);
  }
  const all = outcome.length <= MOST_CHARACTERS && found.size <= MOST_TEXTS;
  return { texts: [...found].slice(0, MOST_TEXTS), all };
}

type Quoted = { text: string; end: number };

function readQuote(text: string, at: number): Quoted | undefined {
  switch (text[at]) {
    case '`':
      return readCodeSpan(text, at);
    case '"':
      return readUntil(text, at, text.indexOf('"', at + 1));
    case '“':
      return readUntil(text, at, text.indexOf('”', at + 1));
    case "'":
      return isWordCharacter(text[at - 1]) ? undefined : readUntil(text, at, findClosingQuote(text, at));
    default:
      return undefined;
  }
}

function readUntil(text: string, at: number, close: number): Quoted | undefined {
  return close === -1 ? undefined : { text: text.slice(at + 1, close), end: close + 1 };
}

/** One that has a letter after it is an apostrophe. */
function findClosingQuote(text: string, open: number): number {
  let at = text.indexOf("'", open + 1);
  while (at !== -1 && isWordCharacter(text[at + 1])) at = text.indexOf("'", at + 1);
  return at;
}

/** As in Markdown: as many backticks at its end as at its start, and one space at each side is not part of it. */
function readCodeSpan(text: string, at: number): Quoted | undefined {
  const ticks = runLength(text, at);
  for (let close = text.indexOf('`', at + ticks); close !== -1; ) {
    const length = runLength(text, close);
    if (length === ticks) {
      const inside = text.slice(at + ticks, close);
      const padded = inside.startsWith(' ') && inside.endsWith(' ') && inside.trim() !== '';
      return { text: padded ? inside.slice(1, -1) : inside, end: close + length };
    }
    close = text.indexOf('`', close + length);
  }
  return undefined;
}

/** Backticks that open nothing are text, all of them. */
function skipMark(text: string, at: number): number {
  return at + (text[at] === '`' ? runLength(text, at) : 1);
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === '`') end++;
  return end - at;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
