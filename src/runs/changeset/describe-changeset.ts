import type { Redactor } from '../../core/redact/redactor.js';
import type { FileQuestion } from '../../review/question.js';
import { readCopy } from '../../workspace/copy/read-copy.js';
import type { Work } from '../../workspace/copy/work.js';
import { describeChange } from './changeset-json.js';
import { overviewOf } from './overview.js';
import { rebaseChangeset } from './rebase.js';

export type DescribedChangeset =
  | {
      status: 'ok';
      /** The git tree that the agent started with. */
      base: string;
      files: readonly FileQuestion[];
      changed: ReturnType<typeof describeChange>[];
      notes: readonly string[];
    }
  | { status: 'failed'; reason: string };

/** What a review of an agent's work would ask about now. Decides nothing. */
export async function describeChangeset(work: Work, redactor: Redactor): Promise<DescribedChangeset> {
  const read = await readCopy(work.copy);
  if (read.status === 'failed') return read;
  const rebased = await rebaseChangeset(work.copy.root, read, work.copy.folder);
  const { overview } = overviewOf(work, rebased, read.skipped, {
    redactor,
    verify: work.record.verify ?? null,
    taskFiles: null,
  });
  return {
    status: 'ok',
    base: work.copy.base,
    files: overview.files,
    changed: rebased.files.map((file) => redactor.maskAll(describeChange(file))),
    notes: overview.notes,
  };
}
