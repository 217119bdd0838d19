import type { ActionRecord, Run, StateChangeRecord } from '../../../core/report/record.js';
import { listOpenQuestions, type OpenRunQuestion } from '../../../review/run-questions.js';
import { type CommitNote, type Progress, recordOfDead } from '../../../runs/progress.js';
import { runOf } from '../../../runs/run-list.js';
import type { Workspace } from '../../../workspace/workspace.js';
import type { RunItem, RunStatus } from '../api.js';

/** A run as far as it is: its record, or what the journal of a run under way says. */
export interface RunState {
  run: Omit<Run, 'overall'>;
  item: RunItem;
  /** Its open question. */
  open: OpenRunQuestion | undefined;
  /** The actions that have ended, by number. */
  records: ReadonlyMap<number, ActionRecord>;
  /** The action that was started last, if it has not ended. */
  running: number | undefined;
  /** The state changes that were decided. */
  stateChanges: readonly StateChangeRecord[];
}

/** This user's runs, newest first. */
export function listRunItems(workspace: Workspace): RunItem[] {
  const questions = listOpenQuestions(workspace);
  const live = new Set(workspace.liveRuns());
  return workspace
    .runs()
    .reverse()
    .flatMap((id) => {
      const state = live.has(id) ? readLive(workspace, id, questions) : readEnded(workspace, id);
      return state ? [state.item] : [];
    });
}

/** Undefined where this user has no such run, or where its process died. */
export function readRunState(workspace: Workspace, id: string): RunState | undefined {
  if (!workspace.runs().includes(id)) return undefined;
  const isLive = workspace.liveRuns().includes(id);
  return isLive ? readLive(workspace, id, listOpenQuestions(workspace)) : readEnded(workspace, id);
}

function readEnded(workspace: Workspace, id: string): RunState | undefined {
  const read = runOf(workspace, id);
  if (read?.origin !== 'own') return undefined;
  const { run } = read;
  const status: RunStatus = run.refused ? 'refused' : run.interrupted === null ? 'ended' : 'interrupted';
  return {
    run,
    item: {
      id,
      title: run.plan.title,
      startedAt: run.startedAt,
      status,
      overall: run.overall,
      undone: workspace.readUndone(id) !== undefined,
    },
    open: undefined,
    records: new Map(run.actions.map((record, at) => [at + 1, record])),
    running: undefined,
    stateChanges: run.stateChanges,
  };
}

function readLive(
  workspace: Workspace,
  id: string,
  questions: readonly OpenRunQuestion[],
): RunState | undefined {
  const notes = workspace.runNotes(id);
  const progress = notes.progress as Progress[];
  const commits = notes.commits as CommitNote[];
  const run = recordOfDead(progress, commits);
  if (run === undefined) return undefined;
  const open = questions.find((question) => question.run === id);
  const { records, running } = readProgress(progress, commits);
  const decided = new Set(
    [...progress, ...commits].flatMap((note) => (note.kind === 'state' ? [note.record.section] : [])),
  );
  return {
    run: { ...run, interrupted: null },
    item: {
      id,
      title: run.plan.title,
      startedAt: run.startedAt,
      status: open ? 'waiting' : 'running',
      overall: null,
      undone: false,
    },
    open,
    records,
    running: open ? undefined : running,
    stateChanges: run.stateChanges.filter(({ section }) => decided.has(section)),
  };
}

function readProgress(progress: readonly Progress[], commits: readonly CommitNote[]) {
  const records = new Map<number, ActionRecord>();
  let running: number | undefined;
  for (const entry of progress) {
    if (entry.kind === 'started' || entry.kind === 'decided') running = entry.number;
    else if (entry.kind === 'ended') records.set(entry.number, entry.record);
  }
  for (const note of commits)
    if (note.kind === 'actions') for (const { number, record } of note.ended) records.set(number, record);
  // A run that continues another one starts with its outcomes.
  const begun = progress.find((entry) => entry.kind === 'begun');
  for (const [at, record] of begun?.run.actions.entries() ?? [])
    if (record.outcome.status !== 'not-run' && !records.has(at + 1)) records.set(at + 1, record);
  return { records, running: running !== undefined && records.has(running) ? undefined : running };
}
