import { codePointName, replaceHidden } from '../../core/hidden-characters.js';

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

function show(character: string): string {
  return `<${codePointName(character)}>`;
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}
