import { redactorFor } from '../config/redactor.js';
import { secretValues } from '../core/redact/environment.js';
import { isoUtcMs, monotonicMs, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import type { Incoming, Offered } from '../workspace/incoming.js';
import type { Workspace } from '../workspace/workspace.js';
import { type CaptureEnd, captureResults, LOCKED } from './capture-results.js';
import { readAssignments } from './plans/assignments.js';
import { openCapture } from './project.js';
import type { CapturedResult, CaptureItem, SubmitOptions, SubmitRequest } from './types.js';

/**
 * Has a result captured: by this process, or by another that is at it, which then captures all that wait in one commit.
 * So many that submit at once do not all need what it takes to read plans and results. Throws `UserError` where it could
 * not be captured.
 */
export async function submitResult(options: SubmitOptions): Promise<CapturedResult> {
  const { workspace, text } = options;
  requireWord('--id', options.id);
  requireWord('--session', options.session);
  const held = options.held ?? workspace.keepIncoming(new TextEncoder().encode(text), { isCopy: true });
  try {
    const end = await submitHeld(held, options);
    if (end.status === 'captured') return end.result;
    throw new UserError(end.reason);
  } catch (error) {
    // It came from a file, and is still there.
    if (!options.held) held.discard();
    throw error;
  } finally {
    if (!options.held) held.release();
  }
}

const LONGEST_WORD = 200;

/**
 * Throws `UserError` where an option has a word that can be no name. A variable that was never set is no key: all that is
 * sent under it would be one result.
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
  // Secrets of this process's environment are known to no other, which could not mask them.
  if (!holdsSecret(options)) held.offer(JSON.stringify(request));
  const leader = await workspace.lead(() => held.answer() !== undefined);
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

/** While an orchestrator lives, what is submitted is verified; what it has handed to executors is not to be submitted. */
async function asAssigned(options: SubmitOptions): Promise<SubmitOptions> {
  const assigned = readAssignments(options.workspace);
  if (!assigned) return options;
  const { findAssignment } = await import('./verify-result.js');
  const task = findAssignment(options, assigned);
  // Whoever says who they are has looked whether it can be verified.
  const verify = options.verify || options.executor === undefined;
  if (!task) return { ...options, verify };
  if (task.executor === 'human') {
    // The same words may come again with the next attempt, and are another result then.
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

/** For so long whoever leads goes on with what others offer meanwhile: it has at hand what they would have to load. */
const LEADS_FOR_MS = 2000;

/** Captures all results that wait, ours among them, and answers the others. The caller leads. */
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
  // One that failed stays where it is until its process has read why.
  const seenTo = new Set([held.path]);
  const others = () =>
    workspace.offered().flatMap((offered) => (seenTo.has(offered.path) ? [] : readOffered(offered, mask)));
  // By the time at which they came, which their names begin with.
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

/** Who cannot be told submits again, and then it is known. */
function answer(workspace: Workspace, path: string, end: CaptureEnd): void {
  try {
    workspace.answerOffered(path, JSON.stringify(end));
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
