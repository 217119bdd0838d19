/** The text of an answer as it arrives, with the key masked. */
export interface AnswerText {
  push(piece: string): void;
  /** Releases text that was held back. */
  end(): void;
  readonly text: string;
  readonly bytes: number;
}

/** Masks the key in text that arrives in pieces, even if it is split. Passes each piece to `onText`. */
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

/** Removes the reasoning that some servers write between tags before the answer, unless it is unclosed. */
export function withoutThought(text: string): string {
  if (!text.trimStart().startsWith(OPENING)) return text;
  const end = text.indexOf(CLOSING);
  return end === -1 ? text : text.slice(end + CLOSING.length).trimStart();
}

/** Masks the key. */
export interface Masker {
  mask(text: string): string;
  stream(): { push(piece: string): string; end(): string };
}

const MASK = '[masked:00000000]';
const SHORTEST_PART = 8;

/** Placeholders for servers that accept any key. They are ordinary words, so they are not masked. */
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
        // Most of a key is as secret as the whole.
        end: () => (held.length < SHORTEST_PART ? held : MASK),
      };
    },
  };
}

/** The length of the longest suffix of the text that is a prefix of the key. */
function lengthOfBeginning(text: string, key: string): number {
  for (let length = Math.min(text.length, key.length - 1); length > 0; length--) {
    if (key.startsWith(text.slice(text.length - length))) return length;
  }
  return 0;
}
