import { join } from 'node:path';
import type { ChangedFile } from '../../core/changeset/changeset.js';
import type { Redactor } from '../../core/redact/redactor.js';
import { UserError } from '../../node/errors.js';
import { makeNewFolder, removeTree } from '../../node/files.js';
import { randomId } from '../../node/ids.js';
import type { FileQuestion } from '../../review/question.js';
import { readCopy } from '../../workspace/copy/read-copy.js';
import type { SeenWork } from '../../workspace/copy/work.js';
import { overviewOf, titleOfWork } from './overview.js';
import { rebaseChangeset } from './rebase.js';

export interface DescribedChangeset {
  /** The git tree that the agent started with. */
  base: string;
  files: readonly FileQuestion[];
  /** Each as scripts get it. */
  listChanged(): ReturnType<typeof describeChange>[];
  notes: readonly string[];
}

/**
 * What a review of an agent's work would ask about now. Decides nothing, and takes no lock. Throws
 * `UserError` where it cannot be read, such as when it is dropped meanwhile.
 */
export async function describeChangeset(
  { copy, record }: SeenWork,
  { redactor, taskFiles }: { redactor: Redactor; taskFiles: readonly string[] | null },
): Promise<DescribedChangeset> {
  const folder = join(copy.folder, `look-${randomId(8)}`);
  if (makeNewFolder(folder) !== 'made') throw new UserError(`${record.id} cannot be read any more.`);
  try {
    const read = await readCopy(copy, join(folder, 'before'));
    if (read.status === 'failed') throw new UserError(read.reason);
    const rebased = await rebaseChangeset(copy.root, read, folder);
    const { overview } = overviewOf({ id: record.id, title: titleOfWork(record) }, rebased, read.skipped, {
      redactor,
      taskFiles,
      verify: record.verify ?? null,
    });
    return {
      base: copy.base,
      files: overview.files,
      listChanged: () => rebased.files.map((file) => redactor.maskAll(describeChange(file))),
      notes: overview.notes,
    };
  } finally {
    removeTree(folder);
  }
}

/** A file of a changeset as scripts get it. */
function describeChange({ path, from, change, mode, binary, hunks }: ChangedFile) {
  return {
    path,
    ...(from !== undefined && { from }),
    change,
    ...(mode?.after !== undefined && { mode: mode.after }),
    binary,
    hunks: hunks.map(({ id, lines, before, after }) => ({ id, lines, before, after })),
  };
}
