/** Units that a cut may go back to the end of a word. */
const LONGEST_STEP_BACK = 30;
/** The note alone has as many characters. */
const SHORTEST_NOTE = 26;

/** The beginning of a text with a note on the rest; `left` is how many characters that is. */
export interface Shortened {
  text: string;
  left: number;
}

/** To about so many units, the note aside; `characters` is how many it has. Null where that would not make it shorter. */
export function shorten(text: string, characters: number, most: number): Shortened | null {
  if (text.length <= most) return null;
  const head = text.slice(0, findCut(text, most)).trimEnd();
  const left = characters - countCharacters(head);
  const note = `… (${left} characters left out)`;
  return left > note.length ? { text: head + note, left } : null;
}

/** How many units to keep of a text that must have so many characters; a character has up to two. */
export function unitsFor(characters: number): number {
  return characters > SHORTEST_NOTE ? 2 * characters + LONGEST_STEP_BACK : 0;
}

export function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += isPair(text, at) ? 2 : 1) count++;
  return count;
}

/** At the end of a word, where there is one near, and never within a character. */
function findCut(text: string, most: number): number {
  for (let at = most; at > most - LONGEST_STEP_BACK && at > 0; at--) if (/\s/.test(text[at]!)) return at;
  return isPair(text, most - 1) ? most - 1 : most;
}

function isPair(text: string, at: number): boolean {
  return text.codePointAt(at)! > 0xffff;
}
