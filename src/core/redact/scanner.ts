import { type CharClass, type Finding, LOOK_BEHIND, type MaskPiece, type Matcher } from './piece.js';

const HASHES = 1 << 15;
/** Dashes and a space, before `BEGIN`. */
const FRAME = 6;
/** Kept before the place where scanning goes on. */
const CONTEXT = LOOK_BEHIND + 16;
/** How much of one secret is swallowed after its sentinel. */
const SWALLOWED = 1 << 20;
/** Below this much text at hand, each push is looked at; above, only when it has grown by a fifth. */
const AT_ONCE = 1024;

/** Matchers by the first three characters of their prefix, so that plain text costs one look at a table. */
export class Triggers {
  /** By hash: 0, or 1 + the index of a bucket. */
  readonly table = new Uint16Array(HASHES);
  readonly buckets: Matcher[][] = [];
  /** The first one and two characters of each prefix, lower case: at the end of a piece they are held back. */
  readonly openings = new Set<string>();

  /** Where two match at one place, the one given first stands. */
  constructor(matchers: Iterable<Matcher>) {
    for (const matcher of matchers) this.#add(matcher);
  }

  #add(matcher: Matcher): void {
    let hash = 0;
    for (let index = 0; index < 3; index++) hash = roll(hash, matcher.prefix.charCodeAt(index));
    if (this.table[hash] === 0) this.table[hash] = this.buckets.push([]);
    this.buckets[this.table[hash]! - 1]!.push(matcher);
    for (const length of [1, 2]) this.openings.add(matcher.prefix.slice(0, length).toLowerCase());
  }
}

/** Of the last three characters five bits each, in which upper and lower case are the same. */
function roll(hash: number, code: number): number {
  return ((hash << 5) | (code & 31)) & (HASHES - 1);
}

type Secret = Extract<Finding, { status: 'secret' }>;
type Step =
  | (Secret & { at: number })
  | { status: 'sentinel'; end: number }
  | { status: 'undecided'; at: number; from: number }
  | { status: 'none' };

/**
 * Text in pieces through the matchers, from left to right. Of all secrets the one that starts first is replaced, and
 * the search goes on behind it. What it gives does not depend on where the text is cut.
 */
export class Scanner {
  readonly #triggers: Triggers;
  readonly #replace: (secret: string) => string;
  #text = '';
  /** Up to here it has been given out, or replaced. */
  #given = 0;
  /** From here matchers are tried again. */
  #next = 0;
  #floor = 0;
  #swallow: { members: CharClass; left: number } | undefined;
  #enough = 0;

  constructor(triggers: Triggers, replace: (secret: string) => string) {
    this.#triggers = triggers;
    this.#replace = replace;
  }

  push(text: string): string {
    this.#text += text;
    return this.#text.length < this.#enough ? '' : this.#advance(false);
  }

  end(): string {
    return this.#advance(true);
  }

  #advance(final: boolean): string {
    const text = this.#text;
    let out = '';
    let held = text.length;
    for (;;) {
      if (this.#swallow && !this.#passSwallowed()) break;
      const piece: MaskPiece = { text, floor: this.#floor, final };
      const step = this.#findNext(piece, this.#next);
      if (step.status === 'none') {
        if (!final) held = heldBack(piece, this.#triggers);
        this.#next = Math.max(this.#next, text.length - 2);
        break;
      }
      if (step.status === 'undecided') {
        held = step.from;
        this.#next = step.at;
        break;
      }
      if (step.status === 'secret') {
        const { start, end, label, rest } = step;
        out += text.slice(this.#given, start) + this.#replace(label ?? text.slice(start, end));
        this.#given = end;
        if (rest) this.#swallow = { members: rest, left: SWALLOWED };
      }
      this.#floor = step.end;
      this.#next = step.end;
    }
    held = Math.max(held, this.#given);
    out += text.slice(this.#given, held);
    this.#given = held;
    this.#forget(final);
    return out;
  }

  /** Whether something is left behind what belongs to a secret masked already. */
  #passSwallowed(): boolean {
    const { members, left } = this.#swallow!;
    const limit = Math.min(this.#text.length, this.#next + left);
    let at = this.#next;
    while (at < limit && members.has(this.#text.charCodeAt(at))) at++;
    const ended = at < this.#text.length;
    this.#swallow = ended ? undefined : { members, left: left - (at - this.#next) };
    this.#given = at;
    this.#floor = at;
    this.#next = at;
    return ended;
  }

  #forget(final: boolean): void {
    const cut = final ? this.#text.length : Math.max(0, Math.min(this.#next, this.#given) - CONTEXT);
    this.#text = this.#text.slice(cut);
    this.#given -= cut;
    this.#next = Math.max(0, this.#next - cut);
    this.#floor = Math.max(0, this.#floor - cut);
    this.#enough = this.#text.length > AT_ONCE ? this.#text.length * 1.2 : 0;
  }

  #findNext(piece: MaskPiece, from: number): Step {
    const { text } = piece;
    const { table, buckets } = this.#triggers;
    const { length } = text;
    let best: (Secret & { at: number }) | undefined;
    let waiting: { at: number; from: number } | undefined;
    for (let at = nextTrigger(table, text, from); at !== -1; at = nextTrigger(table, text, at + 1)) {
      if (waiting ? at >= waiting.from : best && at >= best.start) break;
      const finding = tryMatchers(buckets[table[hashAt(text, at)]! - 1]!, piece, at);
      if (finding === undefined) continue;
      if (finding.status === 'undecided') {
        const start = Math.min(finding.from, waiting?.from ?? best?.start ?? length);
        waiting = { at: waiting?.at ?? best?.at ?? at, from: start };
      } else if (finding.status === 'sentinel') {
        if (!waiting) return finding;
        waiting.from = Math.min(waiting.from, at);
      } else if (waiting) {
        waiting.from = Math.min(waiting.from, finding.start);
      } else if (best === undefined || finding.start < best.start) {
        best = { ...finding, at };
        if (best.start <= at) break;
      }
    }
    if (waiting) {
      const edge = waiting.from === length ? heldBack(piece, this.#triggers) : waiting.from;
      return { status: 'undecided', at: waiting.at, from: edge };
    }
    return best ?? { status: 'none' };
  }
}

/** The next place where a prefix may stand; -1 for none. Apart from all else, so that it stays as quick as it is short. */
function nextTrigger(table: Uint16Array, text: string, from: number): number {
  const { length } = text;
  if (from + 2 >= length) return -1;
  let hash = roll(roll(0, text.charCodeAt(from)), text.charCodeAt(from + 1));
  for (let index = from + 2; index < length; index++) {
    hash = ((hash << 5) | (text.charCodeAt(index) & 31)) & (HASHES - 1);
    if (table[hash] !== 0) return index - 2;
  }
  return -1;
}

function hashAt(text: string, at: number): number {
  return roll(roll(roll(0, text.charCodeAt(at)), text.charCodeAt(at + 1)), text.charCodeAt(at + 2));
}

/** The secret that starts first; an answer that is not in yet stops the matchers behind it. */
function tryMatchers(matchers: readonly Matcher[], piece: MaskPiece, at: number): Finding | undefined {
  let best: Finding | undefined;
  for (const matcher of matchers) {
    const finding = tryMatcher(matcher, piece, at);
    if (finding === undefined) continue;
    if (finding.status !== 'secret' || finding.start <= at) return finding;
    if (best === undefined) best = finding;
  }
  return best;
}

function tryMatcher(matcher: Matcher, piece: MaskPiece, at: number): Finding | undefined {
  const { text, final } = piece;
  const { prefix } = matcher;
  if (!matcher.anyCase && text.startsWith(prefix, at)) return matcher.find(piece, at);
  const there = text.slice(at, at + prefix.length);
  const compared = matcher.anyCase ? there.toLowerCase() : there;
  if (compared === prefix) return matcher.find(piece, at);
  const cutOff = there.length < prefix.length && !final && prefix.startsWith(compared);
  return cutOff ? { status: 'undecided', from: Math.max(piece.floor, at - (matcher.lead ?? 0)) } : undefined;
}

/** How much may be given out when nothing is open: all but the beginning of a prefix, and dashes of a key's frame. */
function heldBack({ text, floor }: MaskPiece, { openings }: Triggers): number {
  const { length } = text;
  let cut = length;
  for (const size of [2, 1]) {
    if (cut < length || length - size < floor) continue;
    if (openings.has(text.slice(length - size).toLowerCase())) cut = length - size;
  }
  const edge = cut;
  if (text[cut - 1] === ' ' && text[cut - 2] === '-') cut--;
  while (cut > floor && edge - cut < FRAME && text[cut - 1] === '-') cut--;
  return cut;
}
