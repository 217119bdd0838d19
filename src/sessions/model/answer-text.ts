/** The text of an answer while it arrives, without the key. */
export interface AnswerText {
  push(piece: string): void;
  /** No more comes: what was held back comes out. */
  end(): void;
  readonly text: string;
  readonly bytes: number;
}

/** Takes the key out of a text that comes in pieces, wherever they are cut. Each piece goes to `onText`. */
export function collectText(masker: Masker, onText: (text: string) => void): AnswerText {
  const encoder = new TextEncoder();
  const masked = masker.stream();
  let text = '';
  let bytes = 0;
  const emit = (piece: string) => {
    if (piece === '') return;
    text += piece;
    bytes += encoder.encode(piece).length;
    onText(piece);
  };
  return {
    push: (piece) => emit(masked.push(piece)),
    end: () => emit(masked.end()),
    get text() {
      return text;
    },
    get bytes() {
      return bytes;
    },
  };
}

const OPENING = '<think>';
const CLOSING = '</think>';

/** An answer without the reasoning that some servers write before it, between tags. One that never ends stays. */
export function withoutThought(text: string): string {
  if (!text.trimStart().startsWith(OPENING)) return text;
  const end = text.indexOf(CLOSING);
  return end === -1 ? text : text.slice(end + CLOSING.length).trimStart();
}

/** Replaces the key wherever it is. */
export interface Masker {
  mask(text: string): string;
  stream(): { push(piece: string): string; end(): string };
}

const MASK = '[masked:00000000]';
const SHORTEST_PART = 8;

/** What people write where a server wants some key and any will do: in an answer it is a word like others. */
const NO_KEY =
  /^(?:.{0,5}|ollama|lm[-_]?studio|anything|placeholder|unused|local(?:host)?|(?:sk-)?(?:no|not)[-_]?(?:key|needed|required|used)(?:[-_](?:needed|required))?)$/i;

export function createMasker(key: string | null): Masker {
  if (key === null || NO_KEY.test(key)) {
    return { mask: (text) => text, stream: () => ({ push: (piece) => piece, end: () => '' }) };
  }
  const mask = (text: string) => text.replaceAll(key, MASK);
  return {
    mask,
    stream() {
      let held = '';
      return {
        push(piece) {
          const masked = mask(held + piece);
          const open = lengthOfBeginning(masked, key);
          held = masked.slice(masked.length - open);
          return masked.slice(0, masked.length - open);
        },
        // All but the end of a key is no better than the whole.
        end: () => (held.length < SHORTEST_PART ? held : MASK),
      };
    },
  };
}

/** How much of the text's end may be the beginning of the key. */
function lengthOfBeginning(text: string, key: string): number {
  for (let length = Math.min(text.length, key.length - 1); length > 0; length--) {
    if (key.startsWith(text.slice(text.length - length))) return length;
  }
  return 0;
}
