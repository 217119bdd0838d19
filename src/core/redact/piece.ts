/** The text at hand. What stands before `floor` is settled, and looks to everyone like the edge of the text. */
export interface MaskPiece {
  readonly text: string;
  readonly floor: number;
  /** No more will come. */
  readonly final: boolean;
}

export type Finding =
  /** `label` is what is hashed when it is not the text itself; `rest`: what follows in this class is swallowed. */
  | { status: 'secret'; start: number; end: number; label?: string; rest?: CharClass }
  | { status: 'sentinel'; end: number }
  /** The text ends too early to tell. Nothing before `from` can become part of the secret. */
  | { status: 'undecided'; from: number };

/**
 * One kind of secret, tried wherever its prefix (3 characters or more) stands. What `find` answers depends on the text
 * from `LOOK_BEHIND` before `at` to the first character it needs not look at, and never on how the text was cut in
 * pieces: it asks a Cursor, which knows when the text ran out.
 */
export interface Matcher {
  readonly prefix: string;
  readonly anyCase?: boolean;
  /** So many characters before the prefix may belong to the secret. Only dashes are held back for that. */
  readonly lead?: number;
  find(piece: MaskPiece, at: number): Finding | undefined;
}

export const LOOK_BEHIND = 48;
/** A secret longer than this is masked as its first part; the rest of it is swallowed. */
export const LONGEST = 8192;

/** Which characters belong. Its table is made when it is first asked: most texts ask few of them. */
export class CharClass {
  /** One entry for each character of ASCII, one for all others. */
  #members: Uint8Array | undefined;

  /** `set` as it stands between the brackets of a regular expression. */
  constructor(readonly set: string) {}

  has(code: number): boolean {
    this.#members ??= readMembers(this.set);
    return this.#members[Math.min(code, 128)] === 1;
  }
}

function readMembers(set: string): Uint8Array {
  const pattern = new RegExp(`[${set}]`);
  return Uint8Array.from({ length: 129 }, (_, code) =>
    pattern.test(code < 128 ? String.fromCharCode(code) : '\u4e2d') ? 1 : 0,
  );
}

/** Reads forward, and notes when it wanted to see more than there is yet. */
export class Cursor {
  starved = false;

  constructor(
    readonly piece: MaskPiece,
    public at: number,
  ) {}

  /** The next character, empty where there is none. */
  peek(): string {
    if (this.at >= this.piece.text.length) {
      if (!this.piece.final) this.starved = true;
      return '';
    }
    return this.piece.text[this.at]!;
  }

  /** Passes as many characters of a class as there are, up to `most`; how many. */
  take(members: CharClass, most: number): number {
    const { text } = this.piece;
    const start = this.at;
    const limit = Math.min(text.length, start + most);
    let at = start;
    while (at < limit && members.has(text.charCodeAt(at))) at++;
    this.at = at;
    if (at === text.length && at < start + most) this.peek();
    return at - start;
  }

  eat(literal: string): boolean {
    const start = this.at;
    for (let index = 0; index < literal.length; index++) {
      if (this.peek() !== literal[index]) {
        this.at = start;
        return false;
      }
      this.at++;
    }
    return true;
  }
}

const WORD = new CharClass('A-Za-z0-9_\\-');
const ESCAPED = new CharClass('nrtbf');
const HEX = new CharClass('0-9A-Fa-f');
const COLOUR = new CharClass('0-9;');

/** Whether a token may begin here: no word goes before, though the tail of `\n`, `%3D` or `ESC[31m` may. */
export function beginsWord(piece: MaskPiece, at: number): boolean {
  const { text, floor } = piece;
  const last = at - 1;
  if (last < floor || !WORD.has(text.charCodeAt(last))) return true;
  if (last - 1 >= floor && text[last - 1] === '\\' && ESCAPED.has(text.charCodeAt(last))) return true;
  if (
    last - 2 >= floor &&
    text[last - 2] === '%' &&
    HEX.has(text.charCodeAt(last)) &&
    HEX.has(text.charCodeAt(last - 1))
  )
    return true;
  return text[last] === 'm' && endsColour(piece, last);
}

function endsColour({ text, floor }: MaskPiece, at: number): boolean {
  const lowest = Math.max(floor, at - 20);
  let before = at - 1;
  while (before >= lowest && COLOUR.has(text.charCodeAt(before))) before--;
  return before >= lowest && text[before] === '[';
}
