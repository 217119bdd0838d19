import type { Issue } from '../../core/issue.js';
import { codePointName, replaceHidden, visibleLine } from '../../core/text.js';
import { environment, isTerminal, writeOutput } from '../../node/terminal/terminal.js';

export { visibleLine };

/** The options that every command takes, before its name or after. */
export interface GlobalOptions {
  root?: string;
  json?: boolean;
  color: boolean;
  trust?: boolean;
}

/** A colour or weight by its name: what lines on standard output and standard error are painted with. */
export type Paint = (colour: keyof typeof COLOURS, text: string) => string;

const COLOURS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Colours only at a terminal, and not with `--no-color` or NO_COLOR. */
export function paintFor(stream: 'stdout' | 'stderr', { color }: { color: boolean }): Paint {
  if (!isTerminal(stream) || !wantsColours(color, environment('TERM'))) return (_, text) => text;
  return (colour, text) => `\u001b[${COLOURS[colour]}m${text}\u001b[0m`;
}

function wantsColours(color: boolean, terminal: string | undefined): boolean {
  return color && !environment('NO_COLOR') && terminal !== 'dumb';
}

/** What a screen is painted with, by its meaning. */
const STYLES = {
  dim: '2',
  strong: '1',
  accent: '36',
  title: '1;36',
  flag: '1;33',
  danger: '1;31',
  added: '32',
  removed: '31',
  addedStrong: '1;32',
  addedDim: '2;32',
  removedStrong: '1;31',
  removedDim: '2;31',
  keyword: '35',
  string: '33',
  number: '36',
  addedPart: '7;32',
  removedPart: '7;31',
  hidden: '7;33',
  code: '36',
  emphasis: '3',
  good: '32',
  bad: '1;31',
};

export type Style = keyof typeof STYLES;

const UNICODE = {
  rule: '─',
  gutter: '│',
  more: '┊',
  errors: '┃',
  bullet: '•',
  good: '✔',
  bad: '✘',
  none: '–',
  flag: '⚠',
  start: '▸',
  dots: '…',
  dot: '·',
  tab: '→',
  space: '·',
  updown: '↑↓',
  spinner: '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏',
};

type Glyphs = Record<keyof typeof UNICODE, string>;

const ASCII: Glyphs = {
  rule: '-',
  gutter: '|',
  more: ':',
  errors: '!',
  bullet: '*',
  good: 'ok',
  bad: 'FAILED',
  none: '-',
  flag: '!',
  start: '>',
  dots: '...',
  dot: '-',
  tab: '<U+0009>',
  space: ' ',
  updown: 'arrows',
  spinner: '|/-\\',
};

/** The terminal's abilities and the user's preferences. */
export interface Look {
  glyphs: Glyphs;
  /** The cursor can be moved, so lines can be redrawn in place. */
  inPlace: boolean;
  /** There is an alternate screen for paging. */
  twoScreens: boolean;
  /** The locale names a charset other than UTF-8, so only ASCII is sent. */
  foreignCharset: boolean;
  paint(style: Style | undefined, text: string): string;
}

export function chooseLook({ color }: { color: boolean }): Look {
  const terminal = environment('TERM') ?? '';
  const dumb = terminal === 'dumb' || terminal === '';
  const locale = environment('LC_ALL') || environment('LC_CTYPE') || environment('LANG') || '';
  const utf8 = /utf-?8/i.test(locale);
  const isColoured = !dumb && wantsColours(color, terminal);
  return {
    glyphs: utf8 && !dumb && terminal !== 'linux' ? UNICODE : ASCII,
    inPlace: !dumb,
    twoScreens: !dumb && terminal !== 'linux',
    foreignCharset: !utf8 && locale.includes('.'),
    paint: (style, text) =>
      isColoured && style !== undefined && text !== '' ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text,
  };
}

/** Exact and in full, because the reader compares it with the folder they mean. */
export function rootLine(root: string, paint: Paint): string {
  return paint('dim', `Root: ${visibleLine(root)}`);
}

/** Text of several lines, safe to show: hidden characters are written as `<U+202E>`. */
export function visible(text: string): string {
  return replaceHidden(text, show);
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
