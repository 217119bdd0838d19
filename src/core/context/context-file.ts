import type { FileEdit } from '../file-edit.js';
import { type Components, matchComponents } from '../glob.js';
import { readRootPath } from '../path.js';
import {
  type ContextLine,
  type ContextProject,
  isBrought,
  isUrl,
  namesTarget,
  parseContext,
  parseLine,
  writeLine,
} from './context-lines.js';

export const TURN_CONTEXT = '.teddy/turn.context';
export const GLOBAL_CONTEXT = '.teddy/global.context';

export interface ContextLineChange {
  op: '+' | '-';
  /** A path from the root, or a URL. */
  path: string;
}

/** A line as it stands in the file, and what it says; undefined where that is nothing. */
interface Entry {
  written: string;
  line: ContextLine | undefined;
}

/**
 * Adds and removes resources of a `*.context` file: one path, folder, glob or URL a line, `!` before one that is taken
 * out although another file brings it. Lines that do not change stay as they are.
 */
export function editContext(
  text: string | null,
  changes: readonly ContextLineChange[],
  isBroughtElsewhere: (path: string) => boolean,
  project?: ContextProject,
): FileEdit {
  const written = (text ?? '').split('\n');
  if (written.at(-1) === '') written.pop();
  let entries: Entry[] = written.map((line) => readEntry(line, project));
  for (const { op, path } of changes) {
    const target = plainTarget(path);
    const name = writeLine(target);
    if (name === undefined) continue;
    entries = op === '+' ? add(entries, target, name) : takeOut(entries, target, name, isBroughtElsewhere);
  }
  const edited = entries.map((entry) => `${entry.written}\n`).join('');
  return { status: 'edited', text: text === null && edited === '' ? null : edited, notApplied: [] };
}

/**
 * The same for the text of a turn, under the texts of the files above it: those that still bring what is taken out make
 * it `!path`.
 */
export function applyContext(
  text: string,
  changes: readonly ContextLineChange[],
  above: readonly string[],
  project?: ContextProject,
): string {
  const lines = above.flatMap((text) => parseContext(text, project));
  const edit = editContext(text, changes, (path) => reaches(lines, path), project);
  return edit.status === 'edited' ? (edit.text ?? '') : text;
}

/** Whether a `*.context` file brings a resource: by its name, by a folder above it, or by a glob. */
export function bringsPath(text: string, path: string, project?: ContextProject): boolean {
  return reaches(parseContext(text, project), plainTarget(path));
}

function add(entries: readonly Entry[], target: string, name: string): Entry[] {
  const rest = entries.filter(({ line }) => !(line?.out && namesTarget(line, target)));
  const isNamed = rest.some(({ line }) => line && !line.out && namesTarget(line, target));
  if (isNamed && isBrought(linesOf(rest), target)) return rest;
  // A line that another one below takes out again must come after it.
  const others = rest.filter(({ line }) => !(line && namesTarget(line, target)));
  return [...others, readEntry(name)];
}

function takeOut(
  entries: readonly Entry[],
  target: string,
  name: string,
  isBroughtElsewhere: (path: string) => boolean,
): Entry[] {
  const rest = entries.filter(({ line }) => !(line && !line.out && namesTarget(line, target)));
  const isOut = rest.some(({ line }) => line?.out && namesTarget(line, target));
  const stays = reaches(linesOf(rest), target) || (isBroughtElsewhere(target) && !isOut);
  if (!stays) return rest;
  const others = rest.filter(({ line }) => !(line && namesTarget(line, target)));
  return [...others, readEntry(`!${name}`)];
}

/** Whether the lines bring the target, or something in it where it is a folder. */
function reaches(lines: readonly ContextLine[], target: string): boolean {
  const isBelow = (line: ContextLine) => {
    if (line.out || isUrl(target)) return false;
    if (line.kind === 'glob') return goesBelow(line.components, target);
    const isInside = line.kind === 'path' && (target === '.' || line.path.startsWith(`${target}/`));
    return isInside && isBrought(lines, line.path);
  };
  return isBrought(lines, target) || lines.some(isBelow);
}

/** Whether a glob can match anything in a folder. */
function goesBelow(components: Components, folder: string): boolean {
  const names = folder === '.' ? [] : folder.split('/');
  // Where in the glob one can be after each name: any further step leads into the folder.
  let places = new Set([0]);
  for (const name of names) {
    const next = new Set<number>();
    for (let place of places) {
      while (components[place] === '**') {
        next.add(place);
        place++;
      }
      const component = components[place];
      if (component !== undefined && matchComponents([component], [name])) next.add(place + 1);
    }
    places = next;
  }
  return [...places].some((place) => place < components.length);
}

/** A folder may be named with a slash at its end. */
function plainTarget(path: string): string {
  if (isUrl(path)) return path;
  const read = readRootPath(path);
  return read.status === 'ok' ? read.path : path;
}

function readEntry(written: string, project?: ContextProject): Entry {
  return { written, line: parseLine(written, 0, project) };
}

function linesOf(entries: readonly Entry[]): ContextLine[] {
  return entries.flatMap(({ line }) => line ?? []);
}
