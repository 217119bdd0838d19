import type { ProjectView } from '../../confine/types.js';
import type { Task } from '../../core/task-plan/types.js';
import { writeResult } from '../../core/task-result/write.js';
import { now } from '../../node/clock.js';
import { listPaths } from '../../node/git/listing.js';
import { randomId, sha256 } from '../../node/ids.js';
import type { ProcessMark } from '../../node/process/process-table.js';
import { NO_OUTPUT } from '../../runs/run-command.js';
import { captureResult } from '../../tasks/capture-results.js';
import { unmarkTask } from '../../tasks/plans/change-task.js';
import { findPlan } from '../../tasks/plans/tasks.js';
import type { VerificationRun } from '../../tasks/types.js';
import { verifyCommands } from '../../tasks/verify-commands.js';
import { describeDenial } from '../../tasks/verify-result.js';
import { settingsFor } from '../confinement.js';
import type { FailureKind } from '../events.js';
import type { GraphTask } from '../graph/types.js';
import { viewProject } from '../isolation/own-git.js';
import type { Candidate } from '../isolation/types.js';
import { timestamp } from '../journal.js';
import type { Attempt, Orchestration } from '../orchestration.js';
import { type AttemptVerdict, failed, type NeedsHuman, NOTHING, RENAMED, type TaskClaim } from './claim.js';
import { reviewCandidate } from './review.js';

type Success = Extract<TaskClaim, { status: 'success' }>;

/** The outcome of a claimed success. */
type Checked =
  /** The project has it. `verification` null: there is no command to run. `landed`: the files, if not all that were changed. */
  | { status: 'done'; verification: VerificationRun | null; landed?: string[] | null }
  | { status: 'failed'; kind: FailureKind; reason: string; verification: VerificationRun | null }
  | ({ status: 'needs-human' } & NeedsHuman)
  | { status: 'interrupted' };

/** A claimed success, merged, verified and landed. */
export async function landClaim(
  attempt: Attempt,
  claim: Success,
  o: Orchestration,
): Promise<AttemptVerdict | 'interrupted'> {
  const { text, filesChanged, remarks, claimed, evidence } = claim;
  const said = { text, filesChanged, remarks, claimed };
  const command = claim.task.verify?.command ?? null;
  const checked = await verifyAndLand(attempt, claim, o);
  switch (checked.status) {
    case 'done': {
      const { verification, landed } = checked;
      const has = landed ? { ...said, filesChanged: landed } : said;
      return { ...NOTHING, ...has, outcome: 'done', command, verification };
    }
    case 'failed': {
      const { kind, verification } = checked;
      const reason = [checked.reason, ...remarks].join('\n');
      const refused = verification ? null : reason;
      return failed(kind, reason, attempt, { ...said, evidence, command, verification, refused });
    }
    case 'needs-human':
      return { ...NOTHING, ...said, needsHuman: checked };
    case 'interrupted':
      return 'interrupted';
  }
}

/** How often other attempts may land first, before this one excludes them. */
const SHARED_ROUNDS = 2;

/** Verifies the project with the attempt merged, and lands it. If others land first, it is merged and verified again. */
async function verifyAndLand(attempt: Attempt, claim: Success, o: Orchestration): Promise<Checked> {
  const landed = await landAgain(attempt, o);
  if (landed) return landed;
  for (let round = 1; round <= SHARED_ROUNDS; round++) {
    const checked = await prepareLanding(attempt, claim.task, o);
    if (checked.status !== 'verified') return checked;
    const end = await o.landing.run(() => land(attempt, claim, checked, o));
    if (end) return end;
  }
  return o.landing.run(async () => {
    const checked = await prepareLanding(attempt, claim.task, o);
    if (checked.status !== 'verified') return checked;
    const end = await land(attempt, claim, checked, o);
    return end ?? { status: 'failed', kind: 'conflict', reason: MOVED, verification: null };
  });
}

const MOVED = 'This could not land: another program kept moving the branch.';

/** It was merged and verified, and can land. `litters`: there are new files that are not in it. */
type Verified = {
  status: 'verified';
  candidate: Candidate;
  verification: VerificationRun | null;
  litters: boolean;
  /** The files that the user kept a change of, if they dropped others. */
  kept?: string[];
};

/** Merges and verifies it, and has the user look at it if they want that; what they keep a part of is verified again. */
async function prepareLanding(attempt: Attempt, now: Task, o: Orchestration): Promise<Checked | Verified> {
  const checked = await mergeAndVerify(attempt, now, o);
  if (checked.status !== 'verified' || attempt.superseded) return checked;
  const reviewed = await reviewCandidate(attempt, checked.candidate, o);
  switch (reviewed.status) {
    case 'all':
      return checked;
    case 'none':
      return refuse(reviewed.dropped);
    case 'needs-human':
      return reviewed;
    case 'some': {
      const rest = await verifyFolder(attempt, now, reviewed.candidate, o);
      if (rest.status === 'failed') return { ...rest, reason: `${rest.reason}\n${reviewed.dropped}` };
      return rest.status === 'verified' ? { ...rest, kept: reviewed.files } : rest;
    }
  }
}

/** `isRepeated`: it passed once, and left files behind. */
async function mergeAndVerify(
  attempt: Attempt,
  now: Task,
  o: Orchestration,
  isRepeated = false,
): Promise<Checked | Verified> {
  const merged = await attempt.place.merge();
  if (merged.status === 'refused') return refuse(merged.reason);
  if (merged.status === 'failed') return { status: 'needs-human', why: 'unusable', message: merged.reason };
  if (merged.status === 'conflict') {
    const reason = `The work conflicts with other work that landed in the meantime, in ${merged.files.join(', ')}.\n${merged.text}`;
    return { status: 'failed', kind: 'conflict', reason, verification: null };
  }
  const checked = await verifyFolder(attempt, now, merged.candidate, o);
  if (checked.status !== 'verified' || !checked.litters) return checked;
  // The attempt or the verification may have made these files: it must pass without them.
  const hash = hashVerify(now);
  if (!isRepeated && !o.littering.has(hash)) return mergeAndVerify(attempt, now, o, true);
  o.littering.add(hash);
  return checked;
}

/** Verifies what is in the folder, which must be the candidate then, too. */
async function verifyFolder(
  { task, place }: Attempt,
  now: Task,
  candidate: Candidate,
  o: Orchestration,
): Promise<Checked | Verified> {
  const checked = await verifyTask(task, now, { root: place.root, view: place.view('verification') }, o);
  if (checked.status !== 'done') return checked;
  const { verification } = checked;
  if (!verification) return { status: 'verified', candidate, verification, litters: false };
  const seen = await place.compare(candidate);
  if (seen.status === 'refused') return refuse(seen.reason);
  if (seen.changed.length > 0) return refuse(describeChanged(seen.changed));
  return { status: 'verified', candidate, verification, litters: seen.added.length > 0 };
}

/** Identifies the commands that verify a task: what was shown is what runs. */
export function hashVerify(task: Task | undefined): string {
  return sha256(JSON.stringify(task?.verify?.commands ?? []));
}

/** Runs the approved verification of a task in a folder. `done`: it passed, or there is nothing to run. */
async function verifyTask(
  task: GraphTask,
  now: Task | undefined,
  { root, view }: { root: string; view: ProjectView },
  o: Orchestration,
): Promise<Checked> {
  const hash = hashVerify(now);
  if (hash !== o.approvals.get(task.id)) {
    return { status: 'needs-human', why: 'verify-changed', message: describeChange(now), shown: hash };
  }
  const verify = now?.verify;
  if (!now || !verify || verify.commands.length === 0) return { status: 'done', verification: null };
  const { policy, environment, signal } = o.options;
  const denials = verify.commands.map((command) => describeDenial(policy, now, command));
  const denial = denials.find((each) => each !== undefined);
  if (denial !== undefined) {
    return { status: 'needs-human', why: 'unusable', message: `Its verification did not run: ${denial}.` };
  }
  const command = verify.command ?? verify.text;
  o.emit({ type: 'verifying', task: { id: task.id, name: task.name }, command });
  const context = {
    root,
    settings: settingsFor(view, o),
    environment,
    redactor: o.redactor,
    signal,
    onOutput: () => {},
    onStart: (mark: ProcessMark) => o.processes.note(mark, `the verification of ${task.id}`),
  };
  const verified = await verifyCommands(verify, context, { repeat: true });
  if (verified.status === 'interrupted') return { status: 'interrupted' };
  if (verified.status === 'not-run')
    return { status: 'needs-human', why: 'unusable', message: verified.reason };
  const { run } = verified;
  const failure = describeFailure(run);
  return failure
    ? { status: 'failed', ...failure, verification: run }
    : { status: 'done', verification: run };
}

function refuse(reason: string): Checked {
  return { status: 'failed', kind: 'verification', reason, verification: null };
}

function describeChanged(paths: readonly string[]): string {
  return (
    `${listPaths(paths)} changed during the verification, so the verified state is not what would land. ` +
    'The verification must not change project files, and the attempt must not leave processes running.'
  );
}

function describeChange(task: Task | undefined): string {
  const now = task?.verify?.commands.join('\n') ?? 'nothing';
  return `Its <verify> command differs from the one you approved, so it did not run. retry approves this one:\n${now}`;
}

function describeFailure(run: VerificationRun): { kind: FailureKind; reason: string } | undefined {
  const { exitCode, outputSummary, vacuous } = run;
  if (exitCode === 0 && !vacuous) return undefined;
  if (exitCode === 0) {
    const reason = `The verification \`${run.command}\` passed, but no test ran. Output:\n${outputSummary}`;
    return { kind: 'vacuous', reason };
  }
  const how = exitCode === null ? 'did not end by itself' : `exited with ${exitCode}`;
  const output = outputSummary === NO_OUTPUT ? `, ${NO_OUTPUT}` : `. Output:\n${outputSummary}`;
  return { kind: 'verification', reason: `Verification failed: \`${run.command}\` ${how}${output}` };
}

/** Undefined if the branch has moved, and everything must be repeated. */
async function land(
  { task, number, place, superseded }: Attempt,
  { filesChanged }: Success,
  { candidate, verification, kept }: Verified,
  o: Orchestration,
): Promise<Checked | undefined> {
  if (superseded) return { status: 'interrupted' };
  // From here on it may be in the project, even if we die.
  if (candidate) {
    const { plan } = findPlan(o.project, task.plan.path);
    if (plan.tasks[task.task.index - 1]?.name !== task.name)
      return { status: 'needs-human', why: 'unusable', message: RENAMED };
    await o.journal.write({
      type: 'landing',
      at: timestamp(),
      task: task.id,
      attempt: number,
      candidate,
      verification,
      filesChanged: kept ?? filesChanged,
    });
  }
  const landed = await place.land(candidate);
  if (landed.status === 'moved') return undefined;
  if (landed.status === 'refused')
    return { status: 'needs-human', why: 'cannot-land', message: landed.reason };
  return { status: 'done', verification, ...(kept && { landed: kept }) };
}

/** An attempt that was being landed when its orchestrator died. */
async function landAgain({ task, number, place }: Attempt, o: Orchestration): Promise<Checked | undefined> {
  const { landing } = o.journal.of(task.id);
  if (landing?.attempt !== number || !landing.candidate) return undefined;
  const landed = await o.landing.run(() => place.land(landing.candidate));
  if (landed.status === 'moved') return undefined;
  if (landed.status === 'refused')
    return { status: 'needs-human', why: 'cannot-land', message: landed.reason };
  return { status: 'done', verification: landing.verification, landed: landing.filesChanged };
}

/** A success that was submitted from outside counts once its verification passes here. Otherwise it is a false claim. */
export async function verifySubmitted(task: GraphTask, o: Orchestration): Promise<Checked> {
  const written = findPlan(o.project, task.plan.path).plan.tasks[task.task.index - 1];
  const { root } = o.project.workspace;
  const checked = await verifyTask(task, written, { root, view: viewProject(root) }, o);
  if (checked.status === 'done') o.state.vouch(task.id);
  else if (checked.status === 'failed') await recordFalse(task, checked.verification, o);
  else await unmarkTask(o.project, task.id);
  return checked;
}

async function recordFalse(
  task: GraphTask,
  verification: VerificationRun | null,
  o: Orchestration,
): Promise<void> {
  const command = task.task.verify?.command ?? '';
  const attempt = Math.max(1, o.state.lastAttempt(task.id));
  await captureResult(o.project, {
    submission: {
      text: writeResult({
        status: 'success',
        taskName: task.name,
        filesModified: [],
        verification: { command, exitCode: 0, outputSummary: CLAIMED },
        doneCriteriaMet: true,
        evidence: o.state.lastResult(task)?.evidence ?? CLAIMED,
        error: null,
        metadata: { durationMs: null, attempt, executorId: null },
      }),
      plan: task.plan.path,
      id: `${task.id}#claim.${randomId(8)}`,
      session: o.run,
      expectedIndex: task.task.index,
      attempt,
      ...(verification && { verified: { taskIndex: task.task.index, command, run: verification } }),
    },
    now: now(),
    mask: o.mask,
  });
}

const CLAIMED = 'It was submitted as done while teddy orchestrate was running.';
