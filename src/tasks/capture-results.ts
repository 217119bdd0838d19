import { redactorFor } from '../config/redactor.js';
import { secretValues } from '../core/redact/redactor.js';
import { setTaskStatus } from '../core/task-plan/edit.js';
import { isoUtc, isoUtcMs, monotonicMs, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import type { Incoming, Offered } from '../workspace/incoming.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import { type CaptureContext, type Decided, decideResult, type StatusMark } from './decide-result.js';
import { rotateLogs } from './logs/rotate.js';
import { readAssignments } from './plans/assignments.js';
import { readPlanAt } from './plans/find-plans.js';
import { ProjectSnapshot } from './plans/project-snapshot.js';
import { type CaptureProject, changesTo, describeCommit, logConflict, openCapture } from './project.js';
import type { CapturedResult, CaptureItem, SubmitOptions, SubmitRequest } from './types.js';

/** The outcome of one of several results. With a `reason`, a full sentence, it changed nothing. */
export type CaptureEnd =
  | { status: 'captured'; result: CapturedResult }
  | { status: 'failed'; reason: string };

const MOST_CONFLICTS = 3;
const NOT_CAPTURED = 'The result was not recorded';
const DAY = 'YYYY-MM-DD'.length;
/** The lock was not released in time. */
const LOCKED: Extract<CaptureEnd, { status: 'failed' }> = {
  status: 'failed',
  reason: describeCommit(NOT_CAPTURED, { status: 'locked' }),
};

/**
 * Judges a result and records it in one commit: PLAN.md, STATE.md, log, session, summaries and ledger. An INVALID result is
 * saved with the reasons. Submitters wait for each other; if another program changes a file in between, everything is done
 * again, at most three times. Throws `UserError` if nothing was captured; then nothing was changed.
 */
export async function captureResult(project: CaptureProject, item: CaptureItem): Promise<CapturedResult> {
  const ends = await captureResults(project, () => [item]);
  const end = ends?.get(item) ?? LOCKED;
  if (end.status === 'captured') return end.result;
  throw new UserError(end.reason);
}

/**
 * The same for all results that `collect` finds once the lock is held, one after the other, in one commit. Undefined if the
 * lock was not released in time.
 */
export async function captureResults<T extends CaptureItem>(
  project: CaptureProject,
  collect: () => readonly T[],
): Promise<Map<T, CaptureEnd> | undefined> {
  for (let conflicts = 0; ; conflicts++) {
    let items: readonly T[] = [];
    const captured = await project.workspace.update((view) => {
      items = collect();
      const decided = decideAll(project, view, items);
      return { changes: view.changes, value: decided };
    });
    if (captured.status === 'committed') {
      return conclude(project, captured.value, captured.lost, conflicts);
    }
    if (captured.status === 'locked') return undefined;
    if (captured.status === 'conflict') {
      const plans = [...new Set(items.map(({ submission }) => submission.plan))];
      await logConflict(project, items[0]!.now, plans, captured.conflicts, conflicts + 1);
      if (conflicts < MOST_CONFLICTS) continue;
    }
    if (items.length > 1) return captureApart(project, items);
    const reason = describeCommit(NOT_CAPTURED, captured);
    return new Map(items.map((item) => [item, { status: 'failed', reason }]));
  }
}

/** One bad result can make the whole group fail, so each is tried alone. */
async function captureApart<T extends CaptureItem>(
  project: CaptureProject,
  items: readonly T[],
): Promise<Map<T, CaptureEnd>> {
  const ends = new Map<T, CaptureEnd>();
  for (const item of items) {
    // A process that held the lock for a minute will not release it for the next one.
    const isLocked = [...ends.values()].at(-1) === LOCKED;
    const end = isLocked ? LOCKED : (await captureResults(project, () => [item]))?.get(item);
    ends.set(item, end ?? LOCKED);
  }
  return ends;
}

type Decisions<T> = Map<T, Decided | UserError>;

/** Each result is applied on top of those before it; one that cannot be judged changes nothing. */
function decideAll<T extends CaptureItem>(
  project: CaptureProject,
  view: CaptureContext['view'],
  items: readonly T[],
): Decisions<T> {
  const tree = openTree(project.workspace.root);
  const decisions: Decisions<T> = new Map();
  let snapshot = new ProjectSnapshot(view, project);
  for (const item of items) {
    try {
      const decided = view.staging(() => {
        const { changes, value } = decideResult({ view, project, snapshot, tree }, item);
        view.stage(changes);
        view.stage(item.removal ? [item.removal] : []);
        view.stage(item.also?.(view, value.result) ?? []);
        return value;
      });
      decisions.set(item, decided);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      decisions.set(item, error);
      snapshot = new ProjectSnapshot(view, project);
    }
  }
  return decisions;
}

/** The work that remains after the commit. */
async function conclude<T extends CaptureItem>(
  project: CaptureProject,
  decisions: Decisions<T>,
  lost: readonly string[],
  conflicts: number,
): Promise<Map<T, CaptureEnd>> {
  const ends = new Map<T, CaptureEnd>();
  for (const [item, decided] of decisions) {
    if (decided instanceof Error) {
      ends.set(item, { status: 'failed', reason: `${NOT_CAPTURED}. ${decided.message}` });
      continue;
    }
    const { result, mark, firstOfDay } = decided;
    const reason = mark && lost.includes(mark.path) ? await markAgain(project, mark, item.now) : undefined;
    ends.set(
      item,
      reason === undefined
        ? { status: 'captured', result: { ...result, conflicts } }
        : { status: 'failed', reason },
    );
    if (firstOfDay) await rotateLogs(project, isoUtc(item.now).slice(0, DAY), { dryRun: false });
  }
  return ends;
}

/**
 * Another program overwrote PLAN.md right after the commit: the result is logged, but the plan does not show it. Makes the
 * same edit in the current text. Returns the reason if that fails.
 */
async function markAgain(
  project: CaptureProject,
  { path, index, change }: StatusMark,
  now: Date,
): Promise<string | undefined> {
  for (let attempt = 1; attempt <= MOST_CONFLICTS; attempt++) {
    await logConflict(
      project,
      now,
      [path],
      [{ path, reason: 'was overwritten by another program' }],
      attempt,
    );
    const marked = await project.workspace.update((view) => {
      const found = readPlanAt(view, path);
      const edit = found && setTaskStatus(found.plan, index, change);
      return { changes: edit ? changesTo(view, path, edit.text) : [], value: undefined };
    });
    if (marked.status === 'committed' && marked.lost.length === 0) return undefined;
  }
  return `The result is logged, but another program keeps overwriting ${path}, so the file does not show it. Submit it again when that program has finished.`;
}

/**
 * Captures a result, in this process or in another one that is capturing already: that one then takes all waiting results
 * in one commit, so that not every submitter has to load and read the plans. Throws `UserError` if it was not captured.
 */
export async function submitResult(options: SubmitOptions): Promise<CapturedResult> {
  const { workspace, text } = options;
  requireWord('--id', options.id);
  requireWord('--session', options.session);
  const held = options.held ?? workspace.incoming.keep(new TextEncoder().encode(text), { isCopy: true });
  try {
    const end = await submitHeld(held, options);
    if (end.status === 'captured') return end.result;
    throw new UserError(end.reason);
  } catch (error) {
    // It came from a file, which still exists.
    if (!options.held) held.discard();
    throw error;
  } finally {
    if (!options.held) held.release();
  }
}

const LONGEST_WORD = 200;

/**
 * Throws `UserError` if an option is not a valid name. An unset shell variable must not become a key: everything sent under it
 * would count as one result.
 */
export function requireWord(option: string, word: string | undefined): void {
  if (word === undefined) return;
  if (word.trim() === '') throw new UserError(`${option} is empty. Give a value, or leave it out.`);
  if (word.length > LONGEST_WORD || /[\u0000-\u001f\u007f]/.test(word)) {
    throw new UserError(`${option} must be one line of at most ${LONGEST_WORD} characters.`);
  }
}

async function submitHeld(held: Incoming, given: SubmitOptions): Promise<CaptureEnd> {
  const options = await asAssigned(given);
  const { workspace, plan, state, session, id, executor, expectedIndex } = options;
  const verified = options.verify
    ? await (await import('./verify-result.js')).verifyResult(options)
    : undefined;
  const at = isoUtcMs(now());
  const request: SubmitRequest = { plan, now: at, state, session, id, executor, expectedIndex, verified };
  // Another process could not mask the secrets of this one's environment.
  if (!holdsSecret(options)) held.offer(JSON.stringify(request));
  const leader = await workspace.incoming.lead(() => held.answer() !== undefined);
  try {
    const answer = held.answer();
    if (answer !== undefined) return JSON.parse(answer) as CaptureEnd;
    if (!leader) throw new UserError(NOT_LEADING);
    return await captureOffered(held, request, options);
  } finally {
    leader?.release();
  }
}

const NOT_LEADING =
  'The result was not recorded: another teddy process has been recording results here for a minute. Try again when it has finished.';

/** While an orchestrator runs, submitted results are verified, and tasks that it has assigned cannot be submitted. */
async function asAssigned(options: SubmitOptions): Promise<SubmitOptions> {
  const assigned = readAssignments(options.workspace);
  if (!assigned) return options;
  const { findAssignment } = await import('./verify-result.js');
  const task = findAssignment(options, assigned);
  // A caller that names the executor has already checked this.
  const verify = options.verify || options.executor === undefined;
  if (!task) return { ...options, verify };
  if (task.executor === 'human') {
    // The next attempt may send the same text, and that is another result.
    const id = options.id ?? `${task.id}#${task.attempt}.${sha256(options.text).slice(0, 16)}`;
    return { ...options, id, verify, executor: task.executor };
  }
  throw new UserError(
    `${task.id} is being worked on by teddy orchestrate (${task.executor}), which records its result. Nothing was recorded; wait until it has finished, or stop it first.`,
  );
}

/** An escape in the YAML may hide one. */
function holdsSecret({ text, id, session, environment }: SubmitOptions): boolean {
  const secrets = secretValues(environment);
  if (secrets.length === 0) return false;
  const all = `${text}\n${id ?? ''}\n${session ?? ''}`;
  return text.includes('\\') || secrets.some((secret) => all.includes(secret));
}

interface OfferedItem extends CaptureItem {
  /** Whose it is; null for our own. */
  offered: string | null;
}

/** How long the leader keeps capturing for others: it has already loaded what they would need. */
const LEADS_FOR_MS = 2000;

/** Captures all waiting results, including this process's own, and answers the others. Only the leader calls it. */
async function captureOffered(
  held: Incoming,
  request: SubmitRequest,
  { workspace, config, text, environment }: SubmitOptions,
): Promise<CaptureEnd> {
  const started = monotonicMs();
  const project = openCapture(workspace, config);
  const redactor = redactorFor(null, environment);
  const mask = (each: string) => redactor.mask(each);
  const own: OfferedItem = { ...itemOf(request, text, mask), offered: null, removal: held.removal };
  // A failed one stays until its process has read the reason.
  const seenTo = new Set([held.path]);
  const others = () =>
    workspace.incoming
      .offered()
      .flatMap((offered) => (seenTo.has(offered.path) ? [] : readOffered(offered, mask)));
  // In order of arrival: their names start with the time.
  const nameOf = ({ offered }: OfferedItem) => offered ?? held.path;
  const capture = async (collect: () => OfferedItem[]) => {
    const ends = await captureResults(project, collect);
    for (const [{ offered }, end] of ends ?? []) {
      if (offered === null) continue;
      seenTo.add(offered);
      answer(workspace, offered, end);
    }
    return ends;
  };
  const ends = await capture(() =>
    [...others(), own].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
  );
  while (others().length > 0 && monotonicMs() - started < LEADS_FOR_MS) await capture(others);
  return ends?.get(own) ?? LOCKED;
}

/** A process that gets no answer submits again; that is then a duplicate. */
function answer(workspace: Workspace, path: string, end: CaptureEnd): void {
  try {
    workspace.incoming.answer(path, JSON.stringify(end));
  } catch {}
}

function itemOf(
  { now, state, ...submission }: SubmitRequest,
  text: string,
  mask: CaptureItem['mask'],
): CaptureItem {
  return { submission: { ...submission, text }, now: new Date(now), mask, state };
}

function readOffered({ path, text, request, removal }: Offered, mask: CaptureItem['mask']): OfferedItem[] {
  try {
    return [{ ...itemOf(JSON.parse(request) as SubmitRequest, text, mask), offered: path, removal }];
  } catch {
    return [];
  }
}
