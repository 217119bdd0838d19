import { sha256 } from '../../node/ids.js';
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
  /** The last line has no line ending: somebody was at it. */
  open: boolean;
}

export const FIRST_PREV = '0'.repeat(64);

/** Longer than any line. */
const LONGEST_LINE = 64 * 1024;

/**
 * By its last line alone, however long the ledger is. `expected` is the count where somebody made something else of that
 * line.
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

/** Undefined where the line is not one that teddy writes. */
export function readEntry(line: string): LedgerEntry | undefined {
  try {
    const value = JSON.parse(line) as Partial<LedgerEntry> | null;
    return typeof value?.n === 'number' && typeof value.prev === 'string'
      ? (value as LedgerEntry)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The next line, its line ending included, and the ledger's end behind it. */
export function nextEntry(
  end: LedgerEnd,
  facts: Omit<LedgerEntry, 'n' | 'prev'>,
): { line: string; count: number; head: string } {
  const entry: LedgerEntry = { n: end.count + 1, ...facts, prev: end.head };
  const line = JSON.stringify(entry);
  return { line: `${end.open ? '\n' : ''}${line}\n`, count: entry.n, head: sha256(line) };
}
