import { environment } from '../../../node/terminal/terminal.js';

const CODES = {
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

export type Style = keyof typeof CODES;

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
  const wantsColor = color && !environment('NO_COLOR') && !dumb;
  return {
    glyphs: utf8 && !dumb && terminal !== 'linux' ? UNICODE : ASCII,
    inPlace: !dumb,
    twoScreens: !dumb && terminal !== 'linux',
    foreignCharset: !utf8 && locale.includes('.'),
    paint: (style, text) =>
      wantsColor && style !== undefined && text !== '' ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text,
  };
}
