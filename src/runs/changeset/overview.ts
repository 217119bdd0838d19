import type { Redactor } from '../../core/redact/redactor.js';
import type { ChangesetOverview } from '../../review/question.js';
import type { Work } from '../../workspace/copy/work.js';
import { type FileView, proposeFile } from './propose-file.js';
import type { RebasedChangeset } from './rebase.js';

/** An agent's changes, ready to be asked about. */
export interface ReviewedWork {
  rebased: RebasedChangeset;
  view: FileView;
  overview: ChangesetOverview;
  title: string;
}

/** `subject`: whose changes they are. */
export function overviewOf(
  { id, title }: { id: string; title: string },
  rebased: RebasedChangeset,
  skipped: readonly { path: string; reason: string }[],
  { redactor, ...facts }: { redactor: Redactor } & Pick<FileView, 'verify' | 'taskFiles' | 'isWithoutBytes'>,
): ReviewedWork {
  const view: FileView = { rebased, ...facts, hasSecret: (text) => redactor.mask(text) !== text };
  const total = rebased.files.length;
  const files = rebased.files.map((file, i) =>
    proposeFile(file, { number: i + 1, total, modified: false }, view),
  );
  const notes = [
    ...rebased.refused.map(({ path, reason }) => `${path} ${reason}. It cannot land.`),
    ...skipped.map(({ path, reason }) => `${path} ${reason}. It is left out.`),
    ...rebased.settled.map((path) => `${path} is in the project already.`),
  ];
  return { rebased, view, title, overview: { work: id, title, files, notes } };
}

export function titleOfWork({ agent, command }: Work['record']): string {
  return `Changes by ${agent ?? command[0] ?? 'an agent'}`;
}
