import { UserError } from '../../node/errors.js';
import { files } from '../../node/file-calls.js';
import { MB } from '../../node/files.js';
import { closing } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import { Jail } from '../../workspace/jail.js';
import type { View } from '../../workspace/view.js';
import type { LedgerEntry } from '../metrics/records.js';
import { type CaptureProject, logFiles } from '../project.js';

/** Where the ledger ends. */
export interface LedgerEnd {
  count: number;
  /** The hash of its last line. */
  head: string;
  /** Its size in bytes. */
  size: number;
  /** The last line has no line ending: the file was edited by something else. */
  open: boolean;
}

export const FIRST_PREV = '0'.repeat(64);

/** Longer than any line. */
const LONGEST_LINE = 64 * 1024;

/**
 * Reads only the last line, however long the ledger is. `expected` is the count if that line was changed.
 */
export function readLedgerEnd(view: View, project: CaptureProject, expected: number): LedgerEnd {
  const read = view.readEnd(logFiles.ledger(project), LONGEST_LINE);
  if (read.status !== 'bytes' || read.size === 0) return { count: 0, head: FIRST_PREV, size: 0, open: false };
  const text = new TextDecoder().decode(read.bytes);
  const open = !text.endsWith('\n');
  const lines = (open ? text : text.slice(0, -1)).split('\n');
  const last = lines.at(-1)!;
  return { count: readEntry(last)?.n ?? expected, head: sha256(last), size: read.size, open };
}

/** Undefined if the line is not one that teddy writes. */
function readEntry(line: string): LedgerEntry | undefined {
  try {
    const value = JSON.parse(line) as Partial<LedgerEntry> | null;
    const texts = [value?.at, value?.plan, value?.id, value?.log, value?.sha256, value?.text, value?.prev];
    const isEntry = typeof value?.n === 'number' && texts.every((each) => typeof each === 'string');
    return isEntry ? (value as LedgerEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** The next line with its line ending, and the ledger's end after it. */
export function nextEntry(
  end: LedgerEnd,
  facts: Omit<LedgerEntry, 'n' | 'prev'>,
): { line: string; count: number; head: string } {
  const entry: LedgerEntry = { n: end.count + 1, ...facts, prev: end.head };
  const line = JSON.stringify(entry);
  return { line: `${end.open ? '\n' : ''}${line}\n`, count: entry.n, head: sha256(line) };
}

/** A line of the ledger as written, without its line ending. */
export interface LedgerLine {
  bytes: Uint8Array;
  /** It has a line ending. */
  ended: boolean;
}

const PIECE = MB;
const LINE_FEED = 10;

/**
 * The lines between two byte offsets; `from` is the start of a line. Reads the file in chunks, so a line longer than any that
 * teddy writes is returned in parts. Throws `UserError` if the ledger cannot be read.
 */
export function* ledgerLines(project: CaptureProject, from: number, to: number): Generator<LedgerLine> {
  let rest: Uint8Array = new Uint8Array(0);
  for (const piece of readPieces(project, from, to)) {
    const bytes = rest.length === 0 ? piece : concat(rest, piece);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      yield { bytes: bytes.subarray(start, end), ended: true };
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length >= PIECE) {
      yield { bytes: rest, ended: false };
      rest = new Uint8Array(0);
    }
  }
  if (rest.length > 0) yield { bytes: rest, ended: false };
}

function* readPieces(project: CaptureProject, from: number, to: number): Generator<Uint8Array> {
  for (let at = from; at < to; ) {
    const piece = readPiece(project, at, Math.min(PIECE, to - at));
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

/** Opens the file for each chunk, so that a caller that stops early leaves nothing open. */
function readPiece(project: CaptureProject, at: number, length: number): Uint8Array {
  const path = logFiles.ledger(project);
  const jail = new Jail(project.workspace.root);
  try {
    const located = jail.locate(path, { origin: 'tool' });
    if (located.status === 'refused') throw new UserError(`${path} ${located.reason}.`);
    const { folder, name, stats } = located.place;
    if (!stats) return new Uint8Array(0);
    if (!stats.isFile()) throw new UserError(`${path} is not a regular file.`);
    return closing(folder.openToRead(name), (file) => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, files.read(file, bytes, 0, length, at));
    });
  } finally {
    jail.close();
  }
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** Undefined if the line is not one that teddy writes. */
export function entryOf({ bytes }: LedgerLine): LedgerEntry | undefined {
  return readEntry(new TextDecoder().decode(bytes));
}

/** Skips lines that teddy did not write. */
export function* ledgerEntries(project: CaptureProject, from: number, to: number): Generator<LedgerEntry> {
  for (const line of ledgerLines(project, from, to)) {
    const entry = entryOf(line);
    if (entry) yield entry;
  }
}
