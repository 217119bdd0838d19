// Everything that a terminal would act on, reorder or swallow: controls, format characters (bidirectional
// and zero-width ones among them), line and paragraph separators, lone surrogates. Tab and newline stay.
// The selector and the joiner inside an emoji stay too, since there they hide nothing.
const HIDDEN = [
  String.raw`(?![\t\n])`,
  String.raw`(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier})\uFE0F)`,
  String.raw`(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D\p{Extended_Pictographic})`,
  String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]`,
].join('');

/** Text of several lines as it may be shown: what would not be seen is written as `<U+202E>`. */
export function visible(text: string): string {
  return replaceHidden(text, show);
}

/** The same for what must stay on one line, such as a file's name. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\n/g, show);
}

/** JSON in which the same characters are escapes, so that printing it does no harm either. */
export function visibleJson(value: unknown): string {
  return replaceHidden(JSON.stringify(value, null, 2), escapeUnits);
}

/** Plain text, which most is, is spared the expression, whose character classes take a while to build. */
function replaceHidden(text: string, replace: (character: string) => string): string {
  return /[^\t\n -~]/.test(text) ? text.replace(new RegExp(HIDDEN, 'gu'), replace) : text;
}

function show(character: string): string {
  return `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}
