import { isEqualBytes, textOfBytes } from './content.js';
import type { Entry } from './entry-tree.js';

// Merges an entry that the agent changed, if the project has changed since the agent's copy was made. Texts
// that both changed are merged by git; whatever is left is for the user to decide, never for time or order.

export type EntryMerge =
  /** The project's entry becomes this one; undefined for none. */
  | { kind: 'take'; entry: Entry | undefined }
  /** The project has it already. */
  | { kind: 'settled' }
  /** Both changed the text: git merges it. */
  | { kind: 'text'; base: Uint8Array; theirs: Uint8Array; ours: Uint8Array; executable: boolean }
  /** `reason` is a sentence. */
  | { kind: 'conflict'; reason: string };

/** `base` is what both began with, `theirs` the agent's, `ours` the project's; undefined for no entry. */
export function mergeEntry(
  base: Entry | undefined,
  theirs: Entry | undefined,
  ours: Entry | undefined,
): EntryMerge {
  if (isEqualEntry(ours, base)) return { kind: 'take', entry: theirs };
  if (isEqualEntry(ours, theirs)) return { kind: 'settled' };
  if (ours === undefined)
    return conflict('The project has deleted or moved it since, and the agent changed it.');
  if (theirs === undefined) return conflict('The project has changed it since, and the agent deleted it.');
  if (base === undefined) return conflict('The project has created it, too, with other content.');
  if (base.kind !== 'file' || theirs.kind !== 'file' || ours.kind !== 'file')
    return conflict('The project has changed it since, and one of them is a link.');
  const executable = theirs.executable === base.executable ? ours.executable : theirs.executable;
  if (isEqualBytes(ours.bytes, base.bytes)) return take(theirs.bytes, executable);
  if (isEqualBytes(theirs.bytes, base.bytes) || isEqualBytes(theirs.bytes, ours.bytes))
    return take(ours.bytes, executable);
  const isText = [base, theirs, ours].every(({ bytes }) => textOfBytes(bytes) !== undefined);
  if (!isText) return conflict('The project has changed it since, and it is not a text.');
  return { kind: 'text', base: base.bytes, theirs: theirs.bytes, ours: ours.bytes, executable };
}

/** Whether a text still has git's marks of a conflict in it. */
export function hasConflictMarkers(text: string): boolean {
  return /^(?:<{7} |={7}$|>{7} )/m.test(text);
}

export function isEqualEntry(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.kind === 'link' || other.kind === 'link')
    return one.kind === 'link' && other.kind === 'link' && one.target === other.target;
  return one.executable === other.executable && isEqualBytes(one.bytes, other.bytes);
}

function take(bytes: Uint8Array, executable: boolean): EntryMerge {
  return { kind: 'take', entry: { kind: 'file', bytes, executable } };
}

function conflict(reason: string): EntryMerge {
  return { kind: 'conflict', reason };
}
