import { type Components, matchComponents, readPathGlob } from '../glob.js';
import { readRootPath, resolvePlace } from '../path.js';
import type { FileEdit, Tree } from '../tree.js';

export const TURN_CONTEXT = '.teddy/turn.context';
export const GLOBAL_CONTEXT = '.teddy/global.context';

export interface ContextLineChange {
  op: '+' | '-';
  /** A path from the root, or a URL. */
  path: string;
}

/** A line as it is in the file, and what it says; undefined if that is nothing. */
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

/** One line of a `*.context` file that says something. */
export type ContextLine = {
  /** From 1. */
  line: number;
  /** As written, without its comment. */
  text: string;
  /** It starts with `!`: what it matches is taken out. */
  out: boolean;
} & ContextPattern;

export type ContextPattern =
  | { kind: 'url'; url: string }
  /** A file or a folder, relative to the root; the root itself is `.`. */
  | { kind: 'path'; path: string }
  | { kind: 'glob'; components: Components }
  /** `reason` completes the sentence "<text> …". */
  | { kind: 'unreadable'; reason: string };

/** The project, to tell a path of another place from one of its own; without it only what the text says counts. */
export type ContextProject = Pick<Tree, 'stat' | 'machine'>;

/**
 * One path, folder, glob or URL a line. A `#` at the start or after white space starts a comment, `!` takes out; `\#`
 * and `\!` are the characters. Any text can be read.
 */
export function parseContext(text: string, project?: ContextProject): ContextLine[] {
  return text.split('\n').flatMap((written, i) => parseLine(written, i + 1, project) ?? []);
}

/** Undefined for a line that is blank or a comment. A byte order mark is white space to `trim`. */
function parseLine(written: string, line: number, project?: ContextProject): ContextLine | undefined {
  const text = dropComment(written.trim());
  if (text === '') return undefined;
  const out = text.startsWith('!');
  const named = (out ? text.slice(1).trimStart() : text).replace(/^\\(?=[!\\])/, '').replaceAll('\\#', '#');
  return { line, text, out, ...readPattern(named, project) };
}

function dropComment(line: string): string {
  const comment = /(?:^|\s)#/.exec(line);
  return comment ? line.slice(0, comment.index).trimEnd() : line;
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function readPattern(named: string, project: ContextProject | undefined): ContextPattern {
  if (isUrl(named)) return { kind: 'url', url: named };
  const has = (path: string) => project?.stat(path) !== undefined;
  const placeOf = (path: string) => resolvePlace(path, false, { machine: project?.machine, has });
  if (!/[*\\]/.test(named) || /^[A-Za-z]:\\/.test(named)) {
    const place = placeOf(named);
    return place.status === 'inside' ? { kind: 'path', path: place.path } : unreadable(place.reason);
  }
  const folder = /^\/[^*\\]+\//.exec(named)?.[0];
  if (folder === undefined) return readGlob(named);
  const place = placeOf(folder);
  if (place.status === 'refused') return unreadable(place.reason);
  return readGlob(`${place.path === '.' ? '' : `${place.path}/`}${named.slice(folder.length)}`);
}

/** Only what has a star or a backslash: `app/[id]/page.tsx` is a path like any other. */
function readGlob(named: string): ContextPattern {
  const whole = named.endsWith('/') ? `${named}**/*` : named;
  const read = readPathGlob(whole.replace(/^!/, '\\!'));
  if (read.status !== 'ok') return unreadable(read.reason);
  const { components } = read.value;
  const isPlain = components.every((each) => each !== '**' && each.length === 1);
  if (!isPlain) return { kind: 'glob', components };
  return { kind: 'path', path: components.map(([name]) => name).join('/') };
}

function unreadable(reason: string): ContextPattern {
  return { kind: 'unreadable', reason };
}

/** The line for exactly this path or URL; undefined for a path that no line can name. */
export function writeLine(target: string): string | undefined {
  if (/[\u0000-\u001f\u007f]/.test(target)) return undefined;
  if (isUrl(target)) return target;
  let line = /[*\\]/.test(target) ? target.replace(/[?[\]{}*\\]/g, '\\$&') : target;
  line = line.replace(/(^|\s)#/g, '$1\\#');
  if (line.startsWith('!')) line = `\\${line}`;
  // White space at the edges is not part of a line.
  if (/^\s/.test(line)) line = `/${line}`;
  return /\s$/.test(line) ? `${line}/.` : line;
}

/** Whether the line names the path or URL itself, and not a folder above it. */
function namesTarget(line: ContextPattern, target: string): boolean {
  if (line.kind === 'url') return line.url === target;
  return line.kind === 'path' && line.path === target;
}

/** By its name, by a folder above it, or by a glob. */
export function matchesTarget(line: ContextPattern, target: string): boolean {
  if (namesTarget(line, target)) return true;
  if (line.kind === 'url' || isUrl(target)) return false;
  if (line.kind === 'path') return line.path === '.' || target.startsWith(`${line.path}/`);
  return line.kind === 'glob' && matchComponents(line.components, target.split('/'));
}

/** The last line that matches decides. */
export function isBrought(lines: readonly ContextLine[], target: string): boolean {
  const last = lines.findLast((line) => matchesTarget(line, target));
  return last !== undefined && !last.out;
}
