// Everything that a terminal or a font would act on, reorder, swallow or draw as nothing: controls, format
// characters (bidirectional and zero-width ones among them), lone surrogates, private-use characters, unassigned
// ones and noncharacters (`\p{C}` is all of these), line separators, the blank Braille pattern, the object placeholder.
const UNSEEN = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]`;

/** Tab and newline are plain text. The selector and the joiner inside an emoji hide nothing. */
const PLAIN = [
  String.raw`(?![\t\n])`,
  String.raw`(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier})\uFE0F)`,
  String.raw`(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D\p{Extended_Pictographic})`,
].join('');

/** Plain text, which most is, is spared the expression, whose character classes take a while to build. */
function mayHide(text: string): boolean {
  return /[^\t\n -~]/.test(text);
}

/** The text with every hidden character replaced; all other characters stay. */
export function replaceHidden(text: string, replace: (character: string) => string): string {
  return mayHide(text) ? text.replace(new RegExp(PLAIN + UNSEEN, 'gu'), replace) : text;
}

/** The first hidden character; undefined if there is none. */
export function findHidden(text: string): string | undefined {
  return mayHide(text) ? new RegExp(PLAIN + UNSEEN, 'u').exec(text)?.[0] : undefined;
}

/** `U+202E`: how a character is named where it cannot be shown. */
export function codePointName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
