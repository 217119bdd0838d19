import type { Task } from '../core/task-plan/types.js';
import { findPlan } from '../tasks/plans/tasks.js';
import type { VerificationRun } from '../tasks/types.js';
import { verifyCommands } from '../tasks/verify-commands.js';
import type { Attempt } from './attempt.js';
import type { Desk } from './desk.js';
import type { FailureKind, TaskQuestion } from './events.js';
import { hashVerify } from './frozen.js';
import type { GraphTask } from './graph/types.js';
import { listPaths } from './isolation/place-folder.js';
import type { Candidate } from './isolation/types.js';
import { timestamp } from './journal.js';

/** What a claimed success came to. */
export type Checked =
  /** The project has it. `verification` null: there is no command to run. */
  | { status: 'done'; verification: VerificationRun | null }
  | { status: 'failed'; kind: FailureKind; reason: string; verification: VerificationRun | null }
  /** `shown`: stands for a verification that the message shows. */
  | { status: 'stuck'; why: TaskQuestion['why']; message: string; shown?: string }
  | { status: 'interrupted' };

/** So often others may come first before the way is closed to them. */
const ROUNDS_IN_THE_OPEN = 2;

/**
 * Verifies what the project would be with the attempt in it, and makes it so. Where others landed meanwhile it is
 * merged and verified again, at last with nobody else landing in between.
 */
export async function verifyAttempt(
  attempt: Attempt,
  now: Task | undefined,
  filesChanged: string[] | null,
  desk: Desk,
): Promise<Checked> {
  const landed = await landAgain(attempt, desk);
  if (landed) return landed;
  const landing = (candidate: Candidate, verification: VerificationRun | null) =>
    land(attempt, candidate, verification, filesChanged, desk);
  for (let round = 1; round <= ROUNDS_IN_THE_OPEN; round++) {
    const checked = await check(attempt, now, desk);
    if (checked.status !== 'held') return checked;
    const end = await desk.merging.run(() => landing(checked.candidate, checked.verification));
    if (end) return end;
  }
  return desk.merging.run(async () => {
    const checked = await check(attempt, now, desk);
    if (checked.status !== 'held') return checked;
    const end = await landing(checked.candidate, checked.verification);
    return end ?? { status: 'failed', kind: 'conflict', reason: MOVED, verification: null };
  });
}

const MOVED = 'Another program moved the branch each time before this could be landed.';

export const RENAMED =
  'The plan has another task in its place by now. Look at it, and start teddy orchestrate again: it takes the plan as it is then.';

type Check = Checked | { status: 'held'; candidate: Candidate; verification: VerificationRun | null };

/** `isRepeated`: it passed before, and left files behind. */
async function check(
  attempt: Attempt,
  now: Task | undefined,
  desk: Desk,
  isRepeated = false,
): Promise<Check> {
  const { task, place } = attempt;
  const merged = await place.merge();
  if (merged.status === 'refused') return refuse(merged.reason);
  if (merged.status === 'failed') return { status: 'stuck', why: 'unusable', message: merged.reason };
  if (merged.status === 'conflict') {
    const reason = `What was done conflicts with what others landed meanwhile, in ${merged.files.join(', ')}.\n${merged.text}`;
    return { status: 'failed', kind: 'conflict', reason, verification: null };
  }
  const { candidate } = merged;
  const checked = await verifyTask(task, now, place.root, desk);
  if (checked.status !== 'done') return checked;
  const { verification } = checked;
  if (!verification) return { status: 'held', candidate, verification };
  const seen = await place.compare(candidate);
  if (seen.status === 'refused') return refuse(seen.reason);
  if (seen.changed.length > 0) return refuse(describeChanged(seen.changed));
  // Who else made these files cannot be told, but whether it passes without them.
  const hash = hashVerify(now);
  if (seen.added.length > 0 && !isRepeated && !desk.littering.has(hash))
    return check(attempt, now, desk, true);
  if (seen.added.length > 0) desk.littering.add(hash);
  return { status: 'held', candidate, verification };
}

/** Runs what verifies a task in a folder, if that is what was approved. `done`: it passed, or there is nothing to run. */
export async function verifyTask(
  task: GraphTask,
  now: Task | undefined,
  root: string,
  desk: Desk,
): Promise<Checked> {
  const hash = hashVerify(now);
  if (hash !== desk.approvals.get(task.id)) {
    return { status: 'stuck', why: 'verify-changed', message: describeChange(now), shown: hash };
  }
  const verify = now?.verify;
  if (!verify || verify.commands.length === 0) return { status: 'done', verification: null };
  const denial = desk.findDenial(now!);
  if (denial !== undefined) {
    return { status: 'stuck', why: 'unusable', message: `Its verification was not run: ${denial}.` };
  }
  desk.emit({
    type: 'verifying',
    task: { id: task.id, name: task.name },
    command: verify.command ?? verify.text,
  });
  const verified = await verifyCommands(verify, { ...desk.hands(task.id), root }, { repeat: true });
  if (verified.status === 'interrupted') return { status: 'interrupted' };
  if (verified.status === 'not-run') return { status: 'stuck', why: 'unusable', message: verified.reason };
  const { run } = verified;
  const failure = describeFailure(run);
  return failure
    ? { status: 'failed', ...failure, verification: run }
    : { status: 'done', verification: run };
}

function refuse(reason: string): Check {
  return { status: 'failed', kind: 'verification', reason, verification: null };
}

function describeChanged(paths: readonly string[]): string {
  return (
    `${listPaths(paths)} changed while the work was verified, so what passed is not what would land. ` +
    'The verification must not change files of the project, and no process of the attempt may still run.'
  );
}

function describeChange(task: Task | undefined): string {
  const now = task?.verify?.commands.join('\n') ?? 'nothing';
  return `Its <verify> in the plan is another one than was shown and approved, so it was not run. To retry approves this one:\n${now}`;
}

function describeFailure(run: VerificationRun): { kind: FailureKind; reason: string } | undefined {
  const { exitCode, outputSummary, vacuous } = run;
  if (exitCode === 0 && !vacuous) return undefined;
  if (exitCode === 0) {
    const reason = `The verification \`${run.command}\` passed, but no test ran, so it shows nothing. It printed:\n${outputSummary}`;
    return { kind: 'vacuous', reason };
  }
  const how = exitCode === null ? 'did not end by itself' : `failed with exit code ${exitCode}`;
  return {
    kind: 'verification',
    reason: `The verification \`${run.command}\` ${how}. It printed:\n${outputSummary}`,
  };
}

/** Undefined where the branch has moved, and all of it is to be done again. */
async function land(
  { task, number, place, overtaken }: Attempt,
  candidate: Candidate,
  verification: VerificationRun | null,
  filesChanged: string[] | null,
  desk: Desk,
): Promise<Checked | undefined> {
  if (overtaken) return { status: 'interrupted' };
  // From here on it may be in the project, whoever dies when.
  if (candidate) {
    const { plan } = findPlan(desk.project, task.plan.path);
    if (plan.tasks[task.task.index - 1]?.name !== task.name)
      return { status: 'stuck', why: 'unusable', message: RENAMED };
    await desk.note({
      ...{ type: 'landing', at: timestamp(), task: task.id, attempt: number },
      ...{ candidate, verification, filesChanged },
    });
  }
  const landed = await place.land(candidate);
  if (landed.status === 'moved') return undefined;
  if (landed.status === 'refused') return { status: 'stuck', why: 'cannot-land', message: landed.reason };
  return { status: 'done', verification };
}

/** An attempt that was being landed when its orchestrator died. */
async function landAgain({ task, number, place }: Attempt, desk: Desk): Promise<Checked | undefined> {
  const { landing } = desk.journal.of(task.id);
  if (landing?.attempt !== number || !landing.candidate) return undefined;
  const landed = await desk.merging.run(() => place.land(landing.candidate));
  if (landed.status === 'moved') return undefined;
  if (landed.status === 'refused') return { status: 'stuck', why: 'cannot-land', message: landed.reason };
  return { status: 'done', verification: landing.verification };
}
