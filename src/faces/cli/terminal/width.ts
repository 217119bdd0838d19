/** Ranges that take two cells: East Asian wide and fullwidth forms. Emoji are told by their property. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

const EMOJI = /^[\p{Emoji_Presentation}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
const MARK = /^(?:[\p{Mn}\p{Me}]|\u200D)/u;

/**
 * How many cells a terminal gives to a character. Where terminals differ this is the larger number: a line that is
 * wrapped too early does no harm, one that runs over the edge moves everything below it.
 */
export function charWidth(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (MARK.test(character)) return 0;
  if (WIDE.some(([from, to]) => code >= from && code <= to)) return 2;
  return EMOJI.test(character) ? 2 : 1;
}

/** Whether a character stands on the one before it. */
export function isMark(character: string): boolean {
  return character.codePointAt(0)! >= 0x300 && MARK.test(character);
}

/** As many characters as fit into so many cells. */
export function cutToWidth(text: string, width: number): string {
  let left = width;
  let end = 0;
  for (const character of text) {
    left -= charWidth(character);
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += charWidth(character);
  return width;
}
