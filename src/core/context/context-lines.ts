import { type Components, matchComponents, readPathGlob } from '../glob.js';
import { resolvePlace } from '../place.js';
import type { Tree } from '../tree.js';

/** One line of a `*.context` file that says something. */
export type ContextLine = {
  /** From 1. */
  line: number;
  /** As written, without its comment. */
  text: string;
  /** It begins with `!`: what it matches is taken out. */
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
 * One path, folder, glob or URL a line. A `#` at the start or after white space begins a comment, `!` takes out; `\#`
 * and `\!` are the characters. Any text can be read.
 */
export function parseContext(text: string, project?: ContextProject): ContextLine[] {
  return text.split('\n').flatMap((written, i) => parseLine(written, i + 1, project) ?? []);
}

/** Undefined for a line that is blank or a comment. A byte order mark is white space to `trim`. */
export function parseLine(written: string, line: number, project?: ContextProject): ContextLine | undefined {
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

export function isUrl(text: string): boolean {
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

/** The line that stands for a path or URL and nothing else; undefined for a path that no line can name. */
export function writeLine(target: string): string | undefined {
  if (/[\u0000-\u001f\u007f]/.test(target)) return undefined;
  if (isUrl(target)) return target;
  let line = /[*\\]/.test(target) ? target.replace(/[?[\]{}*\\]/g, '\\$&') : target;
  line = line.replace(/(^|\s)#/g, '$1\\#');
  if (line.startsWith('!')) line = `\\${line}`;
  // White space at the edges is no part of a line.
  if (/^\s/.test(line)) line = `/${line}`;
  return /\s$/.test(line) ? `${line}/.` : line;
}

/** Whether the line names the path or URL itself, and not a folder above it. */
export function namesTarget(line: ContextPattern, target: string): boolean {
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
