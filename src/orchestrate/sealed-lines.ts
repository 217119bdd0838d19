import { decodeText } from '../node/text.js';
import { sealOf } from '../workspace/commit/log.js';

const OPENING = '{"seal":"';
const SEAL_LENGTH = 64;
const SEALED = OPENING.length + SEAL_LENGTH;

/**
 * Records in a file of lines. `torn`: the last one lacks its newline, and counts for nothing. `line` is from 1, and
 * `reason` completes the sentence "<path>, line <line>, …".
 */
export type SealedLines =
  | { status: 'read'; records: Record<string, unknown>[]; torn: boolean }
  | { status: 'refused'; line: number; reason: string };

/**
 * A record as a line that only this user's teddy can have written to that file. What such a file says is acted on
 * without asking, and a cloned repository may bring one.
 */
export function sealLine(path: string, record: object): string {
  const body = JSON.stringify(record);
  return `${OPENING}${sealOf(`${path}\n${body}`)}",${body.slice(1)}\n`;
}

/** The records of a file, if it is all ours. */
export function readSealedLines(path: string, bytes: Uint8Array): SealedLines {
  const decoded = decodeText(bytes);
  if (decoded.status === 'refused') return { status: 'refused', line: 1, reason: decoded.reason };
  const { text } = decoded;
  const records: Record<string, unknown>[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    if (end === -1) return { status: 'read', records, torn: true };
    const line = text.slice(start, end);
    const body = `{${line.slice(SEALED + '",'.length)}`;
    if (!line.startsWith(OPENING) || line.slice(OPENING.length, SEALED) !== sealOf(`${path}\n${body}`)) {
      return {
        status: 'refused',
        line: records.length + 1,
        reason: "was not written by this user's teddy, or was changed since",
      };
    }
    records.push(JSON.parse(body) as Record<string, unknown>);
    start = end + 1;
  }
  return { status: 'read', records, torn: false };
}
