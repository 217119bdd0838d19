import { CharClass, type Cursor, type Finding } from './piece.js';
import { sentinelIn } from './sentinel.js';
import type { NameKind } from './values.js';
import { isSecretValue } from './values.js';

const INDICATORS = new CharClass('+\\-0-9');
const SPACE = new CharClass(' ');
const BLANK = new CharClass(' \\t\\r');
const TEXT = new CharClass('^\\n');
const LONGEST_BLOCK = 8192;

/** A value that YAML writes as a block below its name: `password: |`. The cursor is at the `|` or the `>`. */
export function findBlock(cursor: Cursor, kind: NameKind): Finding | undefined {
  cursor.at++;
  cursor.take(INDICATORS, 2);
  cursor.take(BLANK, 20);
  const opened = cursor.eat('\n');
  const indent = opened ? cursor.take(SPACE, 40) : 0;
  const start = cursor.at;
  if (indent === 0) return cursor.starved ? { status: 'undecided', from: start } : undefined;
  let end = start;
  while (cursor.at - start < LONGEST_BLOCK) {
    const line = cursor.take(TEXT, LONGEST_BLOCK);
    end = cursor.at;
    // A block in the block is looked at for itself, so that each line is read once.
    if (/[|>][+\-0-9]{0,2}\s{0,20}$/.test(cursor.piece.text.slice(Math.max(end - line, end - 24), end))) {
      return cursor.starved ? { status: 'undecided', from: start } : undefined;
    }
    if (!cursor.eat('\n') || cursor.take(SPACE, indent) < indent) break;
  }
  if (cursor.starved) return { status: 'undecided', from: start };
  const lines = cursor.piece.text.slice(start, end).split('\n');
  // A key in its frame is somebody else's to find, and no secret reaches over a mask.
  if (lines[0]!.startsWith('---') || sentinelIn(lines.join('\n')) >= 0) return undefined;
  const isSecret = lines.some((line) => isSecretValue(line.trim(), { kind, form: 'quoted' }));
  return isSecret ? { status: 'secret', start, end } : undefined;
}
