import type { ChangedFile } from '../../core/changeset/changeset.js';

/** A file of a changeset as scripts get it. */
export function describeChange({ path, from, change, mode, binary, hunks }: ChangedFile) {
  return {
    path,
    ...(from !== undefined && { from }),
    change,
    ...(mode?.after !== undefined && { mode: mode.after }),
    binary,
    hunks: hunks.map(({ id, lines, before, after }) => ({ id, lines, before, after })),
  };
}
