/** How much text a matcher sees from its prefix on, and so the longest secret; what continues it is dropped with it. */
export const WINDOW = 10_240;
/** How much text a matcher sees before its prefix. */
const LOOK_BEHIND = 48;
/** What may continue a secret that fills the window, unless its matcher says otherwise. */
const UNBROKEN = /[^\s"'`<>;,&|\\]*/y;

/** Offsets in the window of a matcher. */
export interface Secret {
  start: number;
  end: number;
  /** Hashed instead of the text. */
  label?: string;
  /** What may continue it, where it fills the window: a sticky expression. */
  rest?: RegExp;
  /** It was masked before, and stays as it is. */
  isSentinel?: true;
}

/**
 * One kind of secret, tried wherever its prefix (3 characters or more) is. It sees whole lines only, so the answer
 * depends on the text alone and not on how it arrived; a matcher of several lines may ask for more text.
 */
export interface Matcher {
  readonly prefix: string;
  readonly anyCase?: boolean;
  /** `window` starts with the prefix; `isOpen`: more text may follow it. */
  find(window: string, before: string, isOpen: boolean): Secret | 'more' | undefined;
}

/** Whether a token may start after this text: no word precedes it, though the tail of `\n`, `%3D` or `ESC[31m` may. */
export function beginsWord(before: string): boolean {
  return /(?:^|[^A-Za-z0-9_-]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\[[0-9;]{0,18}m)$/.test(before);
}

const HASHES = 1 << 15;

/** Matchers by the first three characters of their prefix, so that plain text costs one look at a table. */
export class Triggers {
  /** By hash: 0, or 1 + the index of a bucket. */
  readonly #table = new Uint16Array(HASHES);
  readonly #buckets: Matcher[][] = [];
  /** The first one and two characters of each prefix, in lower case. */
  readonly #openings = new Set<string>();

  /** Where two match at one place, the first one counts. */
  constructor(matchers: Iterable<Matcher>) {
    for (const matcher of matchers) this.#add(matcher);
  }

  #add(matcher: Matcher): void {
    const hash = hashAt(matcher.prefix, 0);
    if (this.#table[hash] === 0) this.#table[hash] = this.#buckets.push([]);
    this.#buckets[this.#table[hash]! - 1]!.push(matcher);
    for (const length of [1, 2]) this.#openings.add(matcher.prefix.slice(0, length).toLowerCase());
  }

  /** The next place where a prefix may be; -1 for none. */
  next(text: string, from: number): number {
    const { length } = text;
    if (from + 2 >= length) return -1;
    let hash = roll(roll(0, text.charCodeAt(from)), text.charCodeAt(from + 1));
    for (let index = from + 2; index < length; index++) {
      hash = roll(hash, text.charCodeAt(index));
      if (this.#table[hash] !== 0) return index - 2;
    }
    return -1;
  }

  /** The matchers whose prefix is at a place. */
  at(text: string, at: number): Matcher[] {
    return this.#bucket(text, at).filter((matcher) => matcher.prefix === readPrefix(matcher, text, at));
  }

  /** Up to where a line without its end has nothing that may start a prefix. */
  quietUntil(text: string, from: number): number {
    for (let at = this.next(text, from); at !== -1; at = this.next(text, at + 1)) {
      const mayMatch = (matcher: Matcher) => matcher.prefix.startsWith(readPrefix(matcher, text, at));
      if (this.#bucket(text, at).some(mayMatch)) return at;
    }
    const tail = [2, 1].find(
      (size) => text.length - size >= from && this.#openings.has(text.slice(-size).toLowerCase()),
    );
    return Math.max(from, text.length - (tail ?? 0));
  }

  #bucket(text: string, at: number): Matcher[] {
    return this.#buckets[this.#table[hashAt(text, at)]! - 1] ?? [];
  }
}

/** What a text has in the place of a prefix; shorter where it ends there. */
function readPrefix({ prefix, anyCase }: Matcher, text: string, at: number): string {
  const there = text.slice(at, at + prefix.length);
  return anyCase ? there.toLowerCase() : there;
}

/** Five bits of each of the last three characters, in which upper and lower case are the same. */
function roll(hash: number, code: number): number {
  return ((hash << 5) | (code & 31)) & (HASHES - 1);
}

function hashAt(text: string, at: number): number {
  return roll(roll(roll(0, text.charCodeAt(at)), text.charCodeAt(at + 1)), text.charCodeAt(at + 2));
}

/** A secret by its place in the text; `at` is where its prefix is. */
type Located = Secret & { at: number };

/**
 * Text in pieces through the matchers, from left to right. The secret that starts first is replaced, and the search
 * continues after it. The result does not depend on where the text is cut.
 */
export class Scanner {
  readonly #triggers: Triggers;
  readonly #replace: (secret: string) => string;
  #text = '';
  /** Up to here the text has been returned or replaced. */
  #given = 0;
  /** From here on matchers are tried. */
  #next = 0;
  /** What is before this was replaced, and no matcher sees it. */
  #floor = 0;
  #swallow: RegExp | undefined;

  constructor(triggers: Triggers, replace: (secret: string) => string) {
    this.#triggers = triggers;
    this.#replace = replace;
  }

  push(text: string): string {
    this.#text += text;
    const line = Math.max(this.#text.lastIndexOf('\n'), this.#text.lastIndexOf('\r')) + 1;
    const quiet = this.#triggers.quietUntil(this.#text, Math.max(line, this.#given));
    // A line that is longer than any secret is searched before it ends.
    return this.#advance(Math.max(quiet, this.#text.length - WINDOW), false);
  }

  end(): string {
    return this.#advance(this.#text.length, true);
  }

  /** Returns the text up to `limit`, or up to a secret of which more is needed. */
  #advance(limit: number, isFinal: boolean): string {
    let out = '';
    let held = limit;
    while (this.#passSwallowed()) {
      const { secret, until } = this.#findNext(limit, isFinal);
      held = until;
      if (!secret) break;
      const { start, end, label, isSentinel } = secret;
      out += this.#text.slice(this.#given, isSentinel ? end : start);
      if (!isSentinel) out += this.#replace(label ?? this.#text.slice(start, end));
      if (end - secret.at === WINDOW) this.#swallow = secret.rest ?? UNBROKEN;
      this.#skipTo(end);
    }
    out += this.#text.slice(this.#given, Math.max(held, this.#given));
    this.#given = Math.max(held, this.#given);
    this.#forget();
    return out;
  }

  /** Whether there is text after what belongs to a secret that was masked. */
  #passSwallowed(): boolean {
    if (this.#swallow) {
      this.#swallow.lastIndex = this.#given;
      this.#skipTo(this.#given + (this.#swallow.exec(this.#text)?.[0].length ?? 0));
      if (this.#given < this.#text.length) this.#swallow = undefined;
    }
    return this.#given < this.#text.length;
  }

  #skipTo(end: number): void {
    this.#given = end;
    this.#next = end;
    this.#floor = end;
  }

  #forget(): void {
    const cut = Math.max(0, Math.min(this.#next, this.#given) - LOOK_BEHIND);
    this.#text = this.#text.slice(cut);
    this.#given -= cut;
    this.#next -= cut;
    this.#floor = Math.max(0, this.#floor - cut);
  }

  /** The first secret that starts before `limit`, or up to where there is certainly none. */
  #findNext(limit: number, isFinal: boolean): { secret?: Located; until: number } {
    let best: Located | undefined;
    let at = this.#triggers.next(this.#text, this.#next);
    for (
      ;
      at !== -1 && at < Math.min(limit, best?.start ?? limit);
      at = this.#triggers.next(this.#text, at + 1)
    ) {
      const found = this.#match(at, isFinal);
      if (found === 'more') {
        this.#next = best?.at ?? at;
        return { until: at };
      }
      if (found?.isSentinel) return { secret: found, until: limit };
      if (found && found.start < (best?.start ?? Number.POSITIVE_INFINITY)) best = found;
    }
    if (best && best.start < limit) return { secret: best, until: limit };
    this.#next = best?.at ?? Math.max(this.#next, limit);
    return { until: limit };
  }

  #match(at: number, isFinal: boolean): Located | 'more' | undefined {
    const matchers = this.#triggers.at(this.#text, at);
    if (matchers.length === 0) return undefined;
    const window = this.#text.slice(at, at + WINDOW);
    const before = this.#text.slice(Math.max(this.#floor, at - LOOK_BEHIND), at);
    let first: Located | undefined;
    for (const matcher of matchers) {
      const found = matcher.find(window, before, !isFinal && window.length < WINDOW);
      if (found === 'more') return found;
      const start = at + (found?.start ?? 0);
      if (found && (!first || start < first.start)) first = { ...found, start, end: at + found.end, at };
    }
    return first;
  }
}
