import type { Issue } from '../../core/issue.js';
import { codePointName, replaceHidden } from '../../core/text.js';
import { environment, isTerminal, writeOutput } from '../../node/terminal/terminal.js';

/** The options that every command takes, before its name or after. */
export interface GlobalOptions {
  root?: string;
  json?: boolean;
  color: boolean;
  trust?: boolean;
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

type Style = keyof typeof STYLES;

export type Paint = (style: Style, text: string) => string;

/** Colours only at a terminal, and not with `--no-color` or NO_COLOR. */
export function paintFor(stream: 'stdout' | 'stderr', options: { color: boolean }): Paint {
  const wanted = options.color && !environment('NO_COLOR') && environment('TERM') !== 'dumb';
  if (!wanted || !isTerminal(stream)) return (_, text) => text;
  return (style, text) => `\u001b[${STYLES[style]}m${text}\u001b[0m`;
}

/** Exact and in full, because the reader compares it with the folder they mean. */
export function rootLine(root: string, paint: Paint): string {
  return paint('dim', `Root: ${visibleLine(root)}`);
}

/** Text of several lines, safe to show: hidden characters are written as `<U+202E>`. */
export function visible(text: string): string {
  return replaceHidden(text, show);
}

/** `visible` for text that must stay on one line, such as a file name. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\n/g, show);
}

/** JSON with hidden characters escaped, so that it is safe to print. */
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

/** Adds the root to the object, or to each object of a list. */
export function resultJson(root: string, value: unknown): string {
  const named = Array.isArray(value) ? value.map((item) => nameRoot(root, item)) : nameRoot(root, value);
  return `${visibleJson(named)}\n`;
}

/** Prints a result on standard output, as JSON with `--json`, otherwise as text. */
export function printResult(
  root: string,
  options: GlobalOptions,
  json: unknown,
  words: (paint: Paint) => string | readonly string[],
): void {
  if (options.json) {
    writeOutput(resultJson(root, json));
    return;
  }
  const said = words(paintFor('stdout', options));
  writeOutput(typeof said === 'string' ? said : said.map((line) => `${line}\n`).join(''));
}

function nameRoot(root: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { root, ...value } : value;
}

/** An issue with every field of the JSON interface; missing ones are null. */
export function issueJson({ code, severity, message, line, column, action, hint }: Issue) {
  return {
    code,
    severity,
    message,
    line: line ?? null,
    column: column ?? null,
    action: action ?? null,
    hint: hint ?? null,
  };
}
