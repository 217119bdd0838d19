import { maskerFor } from '../../../../config/redactor.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, exit, writeError } from '../../../../node/terminal/terminal.js';
import { findHeldUp } from '../../../../orchestrate/graph/build-graph.js';
import {
  type CompletedTask,
  completeTask,
  resolveTask as resolve,
} from '../../../../tasks/plans/change-task.js';
import { openCapture } from '../../../../tasks/project.js';
import type { TaskRef } from '../../../../tasks/types.js';
import { TeddyCommand } from '../../command.js';
import { taskFromRoot } from '../../input.js';
import {
  type GlobalOptions,
  issueJson,
  type Paint,
  paintFor,
  printResult,
  visible,
  visibleLine,
} from '../../output.js';
import { findProject, openTasks } from '../../project.js';
import { indent } from '../../table.js';
import {
  capturedJson,
  captureLines,
  describeVerification,
  isTrue,
  noteLines,
  Verifying,
} from '../results/result-lines.js';
import { readOutlook } from './outlook.js';
import { listIds, nextLines, type Outlook, taskTitle } from './task-lines.js';

interface Resolved extends Awaited<ReturnType<typeof resolve>> {
  /** Independent tasks that orchestrate still does not start before this one. */
  heldUp: string[];
}

interface ResolveOptions extends GlobalOptions {
  yes?: boolean;
}

export const resolveTaskCommand = new TeddyCommand('resolve')
  .description('answer for a task that failed, is blocked, was abandoned or is a checkpoint')
  .argument('<id>', 'task file and position from 1: 03-01:2')
  .argument('<answer>', 'retry, skip, abort, done, "fix: what to do" or "back: what must change"')
  .option('-y, --yes', "with done: run the task's <verify> command without asking")
  .run(resolveTask)
  .helpText(`Examples:
  teddy task resolve 03-01:2 retry
  teddy task resolve 03-01:2 skip
  teddy task resolve 03-01:2 'fix: use the second port'
  teddy task resolve 03-01:3 done
  teddy task resolve 03-01:3 'back: the header is too large'
  teddy task resolve 03-01:3 'done: the page looks as it should' --yes

retry   makes it ready again, also after its worker died
fix: …  the same, with your instruction for the next executor
back: … a completed task returns to its executor with your feedback; for a
        checkpoint, the task that it checks
skip    leaves it out; tasks that depend on it stay waiting
abort   marks it failed until you resolve it again
land    with --landing review: its changes land as they were shown
drop: … the same without some of them: one id per line, then the reason
done    records it as done in your name: a checkpoint, or work that you did.
        teddy shows its <verify> command, asks, and runs it first;
        done: … keeps your words as evidence

Exit codes: 0 resolved, 1 done but the verify command fails, 2 not approved,
or no such task.`);

async function resolveTask(named: string, answer: string, options: ResolveOptions): Promise<number> {
  const done = /^\s{0,20}done\s{0,20}(?::(.*))?$/is.exec(answer);
  if (done) return complete(named, done[1]?.trim() || null, options);
  const { root, workspace, config } = await openTasks(findProject(options), options);
  const mask = maskerFor(null, environmentVariables());
  const project = openCapture(workspace, config);
  const decided = await resolve(project, taskFromRoot(root, named), answer, { mask });
  const { status, blocks, notes, ...rest } = decided;
  const isStuck = status === 'skipped' || status === 'failed';
  const all = isStuck ? findHeldUp(project, decided.id, status) : [];
  const heldUp = all.filter((id) => !blocks.includes(id));
  const resolved: Resolved = { ...rest, status, blocks, heldUp, notes };
  printResult(root, options, { ...resolved, notes: notes.map(issueJson) }, (paint) => [
    `${taskTitle(resolved, paint)}: ${describe(resolved)}`,
    ...noteLines(notes, paint),
  ]);
  return 0;
}

function describe({ decision, instruction, blocks, heldUp }: Resolved): string {
  const waits =
    blocks.length === 0
      ? ''
      : ` ${listIds(blocks)} ${blocks.length === 1 ? 'depends' : 'depend'} on it and cannot start.`;
  const without =
    heldUp.length === 0
      ? waits
      : `${waits} teddy orchestrate does not start ${listIds(heldUp)} either, because ${heldUp.length === 1 ? 'its phase comes' : 'their phases come'} later.`;
  switch (decision) {
    case 'retry':
      return 'ready again.';
    case 'land':
      return 'lands with the next start of teddy orchestrate, or now if it runs.';
    case 'drop':
      return `lands without these changes, if the rest is verified:\n${indent(visible(instruction ?? ''))}`;
    case 'fix':
      return `ready again. Its next executor gets this instruction:\n${indent(visible(instruction ?? ''))}`;
    case 'back':
      return `sent back. Its next executor gets this feedback:\n${indent(visible(instruction ?? ''))}`;
    case 'skip':
      return `skipped.${without}`;
    case 'abort':
      return `failed. It does not start again until you give another answer, such as retry.${without}`;
  }
}

/** `done` is a result in the user's name, verified like any other. */
async function complete(named: string, words: string | null, options: ResolveOptions): Promise<number> {
  const { root, workspace, config, policy } = await openTasks(findProject(options), options);
  const approve = (task: TaskRef, command: string) => askToRun(root, task, command, options);
  const verifying = new Verifying(paintFor('stderr', options), options.yes ? undefined : approve);
  try {
    const completed = await completeTask({
      workspace,
      config,
      policy,
      task: taskFromRoot(root, named),
      words,
      environment: environmentVariables(),
      ...verifying.options,
    });
    const outlook = readOutlook(openCapture(workspace, config), completed.captured);
    printResult(root, options, completedJson(completed, outlook), (paint) =>
      completedWords(completed, outlook, paint),
    );
    return isDone(completed) ? 0 : 1;
  } catch (error) {
    if (!verifying.interrupted) throw error;
    writeError('Interrupted; nothing was changed.\n');
    return 130;
  } finally {
    verifying.end();
  }
}

/** Shows the command, and returns once the user agrees. */
async function askToRun(
  root: string,
  { id, name }: TaskRef,
  command: string,
  options: GlobalOptions,
): Promise<void> {
  const { confirm } = await import('../../review/terminal-review.js');
  const answer = await confirm(
    {
      root,
      title: `Run the verify command of ${id}?`,
      about: 'The task is done only if this command succeeds.',
      texts: [{ name, text: command }],
      yes: 'run it',
      no: 'stop here',
    },
    options,
  );
  if (answer === 'yes') return;
  if (answer === 'interrupted') exit(130);
  throw new UserError(
    answer === 'no'
      ? `The verify command of ${visibleLine(id)} was not run, and nothing was changed.`
      : `Approval needed to run the verify command of ${visibleLine(id)}, but there is no terminal. Read it with teddy task show ${visibleLine(id)}, then use --yes.`,
  );
}

function isDone({ captured }: CompletedTask): boolean {
  return captured.status !== 'rejected' && isTrue(captured);
}

function completedJson({ task, captured, unverified }: CompletedTask, outlook: Outlook) {
  return { ...task, decision: 'done', ...capturedJson(captured, outlook), unverified };
}

function completedWords(completed: CompletedTask, outlook: Outlook, paint: Paint): string[] {
  const { task, captured, unverified } = completed;
  const verified =
    unverified === null
      ? describeVerification(captured, true, paint, 'You reported it as done')
      : [`Verified  ${paint('yellow', 'no')}: ${visibleLine(unverified)}`];
  return [
    `${taskTitle(task, paint)}: ${isDone(completed) ? 'done.' : 'not done.'}`,
    ...captureLines(captured, paint),
    ...verified,
    '',
    ...nextLines(outlook, paint, captured.allDone),
  ];
}
