import { readRootPath } from '../../path.js';
import type { ReferencedLines } from '../types.js';

/** One way to read an address: the file that it names, and what of it. */
export interface FileReading {
  /** Relative to the root. */
  path: string;
  /** As written: they may count from 0 or run backwards. */
  lines: ReferencedLines | null;
  /** A symbol, a heading: nothing that can be looked up without knowing the language. */
  anchor: string | null;
}

export type ReferenceRead =
  /**
   * The likeliest reading first; the one whose file exists wins. `outside` is why another reading leads out of the
   * project, which counts where none of the files is there.
   */
  | { status: 'file'; readings: [FileReading, ...FileReading[]]; outside: string | null }
  /** `reason` completes the sentence "<uri> …". */
  | { status: 'outside' | 'invalid' | 'unverifiable'; reason: string };

const REPO = /^repo:(?:\/\/)?/i;
const OTHER_SCHEME = /^[a-z][a-z0-9+.-]{0,30}:\/\//i;
const DRIVE = /^[a-z]:[\\/]/i;
/** `12`, `12-34`, `L12-L34`, with a dash of any width. */
const LINES = /^L?(\d+)(?:\s*[-–—]\s*L?(\d+))?$/i;
/** As compilers write it: the line, then the column. */
const LINE_AND_COLUMN = /^L?(\d+):\d+$/i;

/**
 * Reads `repo://path`, `repo://path:n`, `repo://path:n-m`, and what is met instead of them: a bare path, `repo:path`,
 * a leading slash, `#L10-L20`, `path:line:column`, percent-escapes. A path may hold colons, `#` and `%` of its own: then
 * there is more than one reading, and the files decide.
 */
export function readReference(uri: string): ReferenceRead {
  const written = uri.trim();
  const isRepo = REPO.test(written);
  const body = isRepo ? written.replace(REPO, '').trim() : written;
  if (body === '' && isRepo)
    return { status: 'file', readings: [{ path: '.', lines: null, anchor: null }], outside: null };
  if (DRIVE.test(body)) return { status: 'outside', reason: 'is on a drive, not in the project' };
  if (!isRepo && /^file:/i.test(body))
    return { status: 'outside', reason: 'starts at the root of a disk, not of the project' };
  if (!isRepo && OTHER_SCHEME.test(body))
    return {
      status: 'unverifiable',
      reason: 'is an address outside the project, which teddy does not check',
    };
  return judgeReadings(unescapeToo(splitBody(body), isRepo));
}

/** The one way to write it; what names no file stays as it is. Two addresses of one place are the same then. */
export function canonicalUri(uri: string): string {
  const read = readReference(uri);
  return read.status === 'file' ? writeReference(read.readings[0]) : uri.trim();
}

export function writeReference({ path, lines, anchor }: FileReading): string {
  const behind = lines ? `:${writeLines(lines)}` : anchor === null ? '' : `#${anchor}`;
  return `repo://${path === '.' ? '' : path}${behind}`;
}

/** `12`, `12-34` */
export function writeLines({ from, to }: ReferencedLines): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

/** Puts lines after an address that names a file and says nothing of its lines. */
export function addLines(address: string, lines: string | null): string {
  const read = lines === null ? null : readReference(address);
  if (read?.status !== 'file') return address;
  const [first] = read.readings;
  return first.lines || first.anchor !== null ? address : `${address.trim()}:${lines}`;
}

/** The readings of what is after the scheme. A symbol is read only if there are no lines. */
function splitBody(body: string): FileReading[] {
  const whole: FileReading = { path: body, lines: null, anchor: null };
  const numbered = splitLines(body);
  if (numbered.length > 0) return [...numbered, whole];
  const hash = body.indexOf('#');
  const at = hash === -1 ? body.indexOf(':', body.lastIndexOf('/') + 1) : hash;
  if (at === -1) return [whole];
  const path = body.slice(0, at);
  const anchor = body.slice(at + 1).trim();
  return [anchor === '' ? { path, lines: null, anchor: null } : { path, lines: null, anchor }, whole];
}

function splitLines(body: string): FileReading[] {
  const last = Math.max(body.lastIndexOf(':'), body.lastIndexOf('#'));
  if (last === -1) return [];
  const before = body[last] === ':' && last > 0 ? body.lastIndexOf(':', last - 1) : -1;
  return [
    ...(before === -1 ? [] : readSplit(body, before, LINE_AND_COLUMN)),
    ...readSplit(body, last, LINES),
  ];
}

function readSplit(body: string, at: number, form: RegExp): FileReading[] {
  const match = form.exec(body.slice(at + 1).trim());
  if (!match) return [];
  const from = readNumber(match[1]!);
  const lines = { from, to: match[2] === undefined ? from : readNumber(match[2]) };
  return [{ path: body.slice(0, at), lines, anchor: null }];
}

function readNumber(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}

/** In `repo://` a path may be escaped. A file whose name contains the escape itself comes first. */
function unescapeToo(readings: FileReading[], isRepo: boolean): FileReading[] {
  if (!isRepo) return readings;
  const unescaped = readings.flatMap((reading) => {
    const path = unescapePath(reading.path);
    return path === reading.path ? [] : [{ ...reading, path }];
  });
  return [...readings, ...unescaped];
}

function unescapePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function judgeReadings(readings: FileReading[]): ReferenceRead {
  const judged = readings.map((reading) => ({ reading, path: readRootPath(reading.path) }));
  const outside = judged.find(({ path }) => path.status === 'outside')?.path;
  const reason = outside?.status === 'outside' ? outside.reason : null;
  const [first, ...others] = judged.flatMap(({ reading, path }) =>
    path.status === 'ok' ? [{ ...reading, path: path.path }] : [],
  );
  if (first) return { status: 'file', readings: [first, ...others], outside: reason };
  if (reason !== null) return { status: 'outside', reason };
  const invalid = judged[0]!.path;
  return { status: 'invalid', reason: invalid.status === 'ok' ? 'is empty' : invalid.reason };
}
