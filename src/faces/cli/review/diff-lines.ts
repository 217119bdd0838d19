import {
  type DiffedFile,
  type DiffRow,
  type DiffSection,
  isCrlf,
  joinHunks,
  withoutCrlf,
} from '../../../core/changeset/diff-rows.js';
import { diffHunks, type Hunk } from '../../../core/changeset/hunks.js';
import type { Look, Style } from '../output.js';
import { foreign, type Line, leads, type Span, splitText } from '../terminal/line.js';
import { SyntaxColours } from './syntax.js';

/** Below this many columns there is no room for numbers. */
const NUMBERS_FROM = 50;

export interface DiffSize {
  added: number;
  removed: number;
}

/** A unified diff: signs as well as colours, every row behind our gutter. */
export function diffLines(change: DiffedFile, look: Look, width: number): Line[] {
  return hunkLines(findHunks(change), change, look, width);
}

/** Some of a change's hunks, as a diff. */
export function hunkLines(hunks: readonly Hunk[], change: DiffedFile, look: Look, width: number): Line[] {
  const sections = joinHunks(hunks, isCrlf(change));
  const numbers = sections.flatMap(({ rows }) =>
    rows.flatMap(({ before, after }) => [before ?? 0, after ?? 0]),
  );
  const widest = numbers.reduce((most, number) => Math.max(most, number), 0);
  const digits = width < NUMBERS_FROM ? 0 : String(widest).length;
  return sections.flatMap((section, at) => [
    ...(at === 0 ? [] : [gapLine(look, digits)]),
    ...sectionLines(section, change.path, look, digits),
    ...(section.note === undefined ? [] : [noteLine(section.note, look, digits)]),
  ]);
}

export function measureDiff(change: DiffedFile): DiffSize {
  const size = { added: 0, removed: 0 };
  for (const { before, after } of findHunks(change)) {
    size.added += after.count;
    size.removed += before.count;
  }
  return size;
}

/** Every line of a new text, numbered. */
export function contentLines(text: string, path: string, look: Look, width: number): Line[] {
  const lines = splitText(withoutCrlf(text) ?? text);
  const digits = width < NUMBERS_FROM ? 0 : String(lines.length).length;
  const colours = new SyntaxColours(path);
  return lines.map((line, at) => ({
    ...leads(look, digits === 0 ? '' : String(at + 1).padStart(digits), ''),
    spans: colours.paint(line, foreign(line, look)),
    wrap: 'cells',
  }));
}

let last: { change: DiffedFile; hunks: Hunk[] } | undefined;

/** The last result is kept: a question is drawn again whenever the screen's size changes. */
export function findHunks(change: DiffedFile): Hunk[] {
  const { path, before, after } = change;
  if (last?.change.before !== before || last.change.after !== after || last.change.path !== path)
    last = { change, hunks: diffHunks(before, after, path) };
  return last.hunks;
}

/** The old and the new text each have their own multi-line comments; what is above the section is not known. */
function sectionLines({ rows }: DiffSection, path: string, look: Look, digits: number): Line[] {
  const old = new SyntaxColours(path);
  const now = new SyntaxColours(path);
  return rows.map((row) => {
    const line = rowLine(row, look, digits);
    if (row.sign === ' ') old.paint(row.text, line.spans);
    return { ...line, spans: (row.sign === '-' ? old : now).paint(row.text, line.spans) };
  });
}

function rowLine(row: DiffRow, look: Look, digits: number): Line {
  const number = digits === 0 ? '' : `${numeral(row.before, digits)} ${numeral(row.after, digits)}`;
  const style = row.sign === '+' ? 'added' : row.sign === '-' ? 'removed' : undefined;
  return {
    ...leads(look, number, row.sign, style),
    spans: rowSpans(row, look, style),
    wrap: 'cells',
  };
}

function rowSpans({ sign, text, changed }: DiffRow, look: Look, style: Style | undefined): Span[] {
  const spaces = sign !== ' ';
  if (changed === undefined || changed[0] === changed[1]) return foreign(text, look, { style, spaces });
  const part = sign === '+' ? 'addedPart' : 'removedPart';
  const [from, to] = changed;
  return [
    ...foreign(text.slice(0, from), look, { style, spaces: spaces && from === text.length }),
    ...foreign(text.slice(from, to), look, { style: part, spaces }),
    ...foreign(text.slice(to), look, { style, spaces }),
  ];
}

function numeral(value: number | null, digits: number): string {
  return (value === null ? '' : String(value)).padStart(digits);
}

function gapLine(look: Look, digits: number): Line {
  const blank = digits === 0 ? '' : ' '.repeat(2 * digits + 1);
  return {
    lead: [{ text: `  ${blank}${digits === 0 ? '' : ' '}${look.glyphs.dots}`, style: 'dim' }],
    more: [],
    spans: [],
    wrap: 'cells',
  };
}

function noteLine(note: string, look: Look, digits: number): Line {
  const { lead } = leads(look, digits === 0 ? '' : ' '.repeat(2 * digits + 1), '');
  return { lead, more: lead, spans: [{ text: `(${note})`, style: 'dim' }], wrap: 'words' };
}
