import { applyChangeset } from '../../core/changeset/changeset.js';
import type { Redactor } from '../../core/redact/redactor.js';
import type { TipLimits } from '../../core/report/markdown.js';
import type { ActionRecord, Decision, Done, Run } from '../../core/report/record.js';
import { visibleLine } from '../../core/text.js';
import { isoUtcMs, monotonicMs, now } from '../../node/clock.js';
import { errorCode, UserError } from '../../node/errors.js';
import { newRunId } from '../../node/ids.js';
import { systemName } from '../../node/terminal/terminal.js';
import type { Reviewer } from '../../review/question.js';
import { describeUncommitted } from '../../workspace/commit/change.js';
import { readCopy } from '../../workspace/copy/read-copy.js';
import { dropWork, type Work } from '../../workspace/copy/work.js';
import type { RunFolder } from '../../workspace/runs/run-folder.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { RunListener } from '../events.js';
import { notReached } from '../progress.js';
import { closeRun, completeRun, failedRecord } from '../run-record.js';
import { askAboutFiles, type DecidedFile, type DecisionDraft } from './ask-files.js';
import { changesetDiff } from './changeset-diff.js';
import { feedbackOf } from './feedback.js';
import { overviewOf, type ReviewedWork, titleOfWork } from './overview.js';
import { metadataOf } from './propose-file.js';
import { type RebasedChangeset, rebaseChangeset } from './rebase.js';
import { treeChanges } from './tree-changes.js';
import { type Verification, verifyLanding } from './verify-landing.js';

export interface ReviewOptions {
  workspace: Workspace;
  reviewer: Reviewer;
  redactor: Redactor;
  emit: RunListener;
  tip: TipLimits;
  /** How many runs are kept. */
  keep: number;
  verification?: Verification | undefined;
  /** The files that the agent's task names: others are a risk. */
  taskFiles?: readonly string[] | null;
  onFolder?: (folder: RunFolder) => void;
}

export type ReviewedChangeset =
  /** The project has all of it already: the work is removed. */
  | { status: 'nothing' }
  /** `kept`: the copy is still there, because something was dropped, not decided on, or could not land. */
  | { status: 'reviewed'; run: Run; landed: boolean; kept: boolean; feedback: string | undefined }
  /** `reason` is a sentence. */
  | { status: 'failed'; reason: string };

const CHANGES_COPY = 'changes.diff';

/**
 * Asks about an agent's changes, file by file, and lands what is kept as one commit: verified if there is a command for it.
 * Nothing lands until everything is decided. The work is this process's, and stays so unless all of it has landed.
 */
export async function reviewChangeset(work: Work, options: ReviewOptions): Promise<ReviewedChangeset> {
  const read = await readCopy(work.copy);
  if (read.status === 'failed') return read;
  const rebased = await rebaseChangeset(work.copy.root, read, work.copy.folder);
  if (rebased.files.length + rebased.refused.length === 0) {
    dropWork(work);
    return { status: 'nothing' };
  }
  const review = overviewOf({ id: work.id, title: titleOfWork(work.record) }, rebased, read.skipped, {
    redactor: options.redactor,
    verify: options.verification?.command ?? null,
    taskFiles: options.taskFiles ?? null,
  });
  const started = await startChangesetRun(review, work.record.task, options);
  try {
    options.onFolder?.(started.folder);
    options.reviewer.begin?.(review.overview);
    const decided = await askAboutFiles(
      review.view,
      options.reviewer,
      (work.record.draft ?? {}) as DecisionDraft,
      (draft) => work.update({ draft }),
    );
    const ended = decided.isQuit
      ? { records: decided.files.map(quitRecord), landed: false }
      : await landFiles(decided.files, review, started, work, options);
    return endReview(work, { ...review, decided, ...ended }, started, options);
  } finally {
    started.folder.close();
    await options.workspace.pruneRuns(options.keep);
  }
}

interface StartedReview {
  folder: RunFolder;
  draft: Omit<Run, 'overall'>;
  end(): Pick<Run, 'endedAt' | 'durationMs'>;
}

/** The whole changeset and the draft of the record are on disk before anything is asked. */
async function startChangesetRun(
  { rebased, overview, title }: ReviewedWork,
  task: string | undefined,
  { workspace, redactor, emit }: ReviewOptions,
): Promise<StartedReview> {
  const started = monotonicMs();
  const date = now();
  const { text, lines } = changesetDiff(rebased);
  const environment = { os: systemName(), cwd: workspace.root };
  let draft!: Omit<Run, 'overall'>;
  const begun = await workspace.beginRun((taken) => {
    const id = newRunId(date, taken);
    draft = redactor.maskAll({
      id,
      kind: 'changeset' as const,
      root: workspace.root,
      plan: { title, path: `.teddy/runs/${id}/${CHANGES_COPY}` },
      startedAt: isoUtcMs(date),
      endedAt: isoUtcMs(date),
      durationMs: 0,
      environment,
      ...(task !== undefined && { task }),
      refused: false,
      interrupted: null,
      issues: [],
      stateChanges: [],
      actions: [
        ...overview.files.map((file, i) =>
          recordFile(file, lines[i] ?? 1, notReached, { status: 'not-run' }),
        ),
        ...refusedRecords(rebased),
      ],
    });
    return {
      id,
      files: { [CHANGES_COPY]: text },
      note: { kind: 'begun', at: draft.startedAt, run: draft },
    };
  });
  if (begun.status !== 'begun') throw new UserError(begun.status === 'stopped' ? begun.reason : LOCKED);
  emit({ kind: 'run-started', id: draft.id, title, total: overview.files.length, repairs: [] });
  const end = () => ({ endedAt: isoUtcMs(now()), durationMs: Math.round(monotonicMs() - started) });
  return { folder: begun.folder, draft, end };
}

const LOCKED = 'Another teddy process has held the lock on this project for a minute. Nothing was done.';

function refusedRecords({ refused }: RebasedChangeset): ActionRecord[] {
  const types = { created: 'CREATE', edited: 'EDIT', deleted: 'DELETE', renamed: 'RENAME' } as const;
  return refused.map(({ path, change, reason }) => ({
    type: types[change],
    line: 1,
    metadata: { 'File Path': visibleLine(path) },
    decision: { status: 'skipped', by: 'teddy', reason: `Not run: ${visibleLine(path)} ${reason}.` },
    outcome: { status: 'not-run' },
  }));
}

function recordFile(
  question: DecidedFile['question'],
  line: number,
  decision: Decision,
  outcome: ActionRecord['outcome'],
): ActionRecord {
  return { type: question.type, line, metadata: metadataOf(question), decision, outcome };
}

function quitRecord({ question, decision }: DecidedFile): ActionRecord {
  const skipped: Decision =
    decision.status === 'skipped'
      ? decision
      : {
          status: 'skipped',
          by: 'teddy',
          reason: 'Not run: the review was not finished. Your decision is kept.',
        };
  return recordFile(question, 1, skipped, { status: 'not-run' });
}

interface Ended {
  records: ActionRecord[];
  landed: boolean;
}

/** Verifies what was kept, and commits it. */
async function landFiles(
  files: readonly DecidedFile[],
  { rebased }: ReviewedWork,
  { folder, draft }: StartedReview,
  work: Work,
  { workspace, verification, redactor, emit }: ReviewOptions,
): Promise<Ended> {
  const changed = files.map(({ file }) => file);
  const target = { ...rebased.target, entry: targetEntry(files, rebased) };
  const kept = new Set(files.flatMap((each) => [...each.kept]));
  const entries = applyChangeset(rebased.project, target, changed, kept);
  const records = files.map((each, i) => ({
    ...landedRecord(each, entries.has(each.question.path)),
    line: draft.actions[i]!.line,
  }));
  if (entries.size === 0) return { records, landed: false };
  const checks: ActionRecord[] = [];
  if (verification !== undefined) {
    const { command } = verification;
    const about = { number: draft.actions.length + 1, total: draft.actions.length + 1, label: command };
    emit({ kind: 'action-started', ...about, type: 'EXECUTE' });
    const done = await verifyLanding(
      workspace.root,
      entries,
      rebased.project,
      work.copy.folder,
      verification,
    );
    const record = verificationRecord(verification, done);
    emit({ kind: 'action-ended', ...about, record });
    checks.push(record);
    if (done.status === 'failure')
      return { records: [...failAll(records, `Not landed: ${done.summary}`), ...checks], landed: false };
  }
  const ended = records.map((record, i) => ({ number: i + 1, record }));
  const verified = checks.map((record) => ({ number: draft.actions.length + 1, record }));
  const note = redactor.maskAll({ kind: 'actions', ended: [...ended, ...verified] });
  const result = await workspace.commit(treeChanges(entries, rebased.project), { run: folder.id, note });
  if (result.status === 'committed') return { records: [...records, ...checks], landed: true };
  const why = `Not landed: ${describeUncommitted(result)}. Nothing was written.`;
  return { records: [...failAll(records, why), ...checks], landed: false };
}

/** What the user made of a file is in its place. */
function targetEntry(files: readonly DecidedFile[], { target }: RebasedChangeset) {
  const edited = new Map(
    files.flatMap(({ file, edited: entry }) => (entry ? [[file.path, entry] as const] : [])),
  );
  return (path: string) => edited.get(path) ?? target.entry(path);
}

/** Without the decisions that make way for it, a kept file does not land. */
function landedRecord(each: DecidedFile, isThere: boolean): ActionRecord {
  const { question, decision, done } = each;
  if (decision.status === 'skipped' || done === undefined)
    return recordFile(question, 1, decision, { status: 'not-run' });
  if (isThere) return recordFile(question, 1, decision, done);
  const summary = 'Not landed: another file is where this one would be, and its change was dropped.';
  return failedRecord(recordFile(question, 1, decision, done), summary);
}

/** What was dropped of them, and why, is still said. */
function failAll(records: readonly ActionRecord[], why: string): ActionRecord[] {
  return records.map((record) => {
    if (record.outcome.status !== 'success') return record;
    const { kept } = record.outcome;
    const failed = failedRecord(record, why);
    return kept ? { ...failed, outcome: { ...failed.outcome, kept } as Done } : failed;
  });
}

function verificationRecord({ command, prepare, tools }: Verification, outcome: Done): ActionRecord {
  return {
    type: 'EXECUTE',
    line: 1,
    metadata: { Description: `Verification: ${command}` },
    decision: { status: 'approved', by: 'person' },
    outcome,
    verification: { command, prepare, confined: tools !== undefined },
  };
}

/** Saves the record, and removes the copy if there is nothing left to decide on in it. */
function endReview(
  work: Work,
  {
    rebased,
    decided,
    records,
    landed,
  }: ReviewedWork & Ended & { decided: Awaited<ReturnType<typeof askAboutFiles>> },
  { folder, draft, end }: StartedReview,
  { redactor, tip, emit }: ReviewOptions,
): ReviewedChangeset {
  const [own, others] = [records.slice(0, decided.files.length), records.slice(decided.files.length)];
  const placed = own.map((record, i) => ({ ...record, line: draft.actions[i]!.line }));
  const actions = [...placed, ...refusedRecords(rebased), ...others];
  const run = completeRun(redactor.maskAll({ ...draft, ...end(), actions }));
  const feedback = decided.isQuit ? undefined : feedbackOf(run);
  try {
    closeRun(folder, run, tip);
  } catch (error) {
    throw new UserError(`The report could not be saved in ${folder.shown} (${errorCode(error)}).`, {
      cause: error,
    });
  }
  emit({ kind: 'run-ended', run });
  const isOver = landed && feedback === undefined;
  if (isOver) dropWork(work);
  else if (decided.isQuit) work.update({ draft: decided.draft });
  else {
    const reviewed = isDecided(decided.files) && !hasFailed(own) ? true : undefined;
    work.update({ draft: landed ? undefined : decided.draft, feedback, reviewed });
  }
  return { status: 'reviewed', run, landed, kept: !isOver, feedback };
}

/** Not what teddy left out, because there was no one to ask. */
function isDecided(files: readonly DecidedFile[]): boolean {
  return files.every(({ decision }) => decision.status === 'approved' || decision.by !== 'teddy');
}

function hasFailed(records: readonly ActionRecord[]): boolean {
  return records.some(({ outcome }) => outcome.status === 'failure');
}
