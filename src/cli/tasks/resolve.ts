import { openCapture, resolveTask as resolve } from '../../capture/index.js';
import { environmentVariables, writeError, writeOutput } from '../../platform/index.js';
import { type CompletedTask, completeTask, maskerFor } from '../../turn/index.js';
import { issueJson } from '../issue-json.js';
import { indent } from '../issue-lines.js';
import type { GlobalOptions } from '../options.js';
import { type Paint, paintFor } from '../paint.js';
import { findPlace } from '../place.js';
import { visible, visibleJson, visibleLine } from '../visible.js';
import { listIds, nextLines } from './next-lines.js';
import { noteLines } from './note-lines.js';
import { openTasks, taskFromRoot } from './open.js';
import { capturedJson, describeVerification, isTrue, outcomeLines } from './submit-lines.js';
import { Verifying } from './verifying.js';

type Resolved = Awaited<ReturnType<typeof resolve>>;

export async function resolveTask(named: string, answer: string, options: GlobalOptions): Promise<number> {
  const done = /^\s{0,20}done\s{0,20}(?::(.*))?$/is.exec(answer);
  if (done) return complete(named, done[1]?.trim() || null, options);
  const { root, workspace, config } = await openTasks(findPlace(options), options);
  const mask = await maskerFor(null, environmentVariables());
  const resolved = await resolve(openCapture(workspace, config), taskFromRoot(root, named), answer, { mask });
  const paint = paintFor('stdout', options);
  writeOutput(
    options.json
      ? `${visibleJson({ ...resolved, notes: resolved.notes.map(issueJson) })}\n`
      : [
          `${paint('bold', visibleLine(resolved.id))}  ${visibleLine(resolved.name)}: ${describe(resolved)}`,
          ...noteLines(resolved.notes, paint),
          '',
        ].join('\n'),
  );
  return 0;
}

function describe({ id, decision, instruction, blocks }: Resolved): string {
  const without =
    blocks.length === 0
      ? ''
      : ` ${listIds(blocks)} ${blocks.length === 1 ? 'waits' : 'wait'} on it, and cannot begin.`;
  switch (decision) {
    case 'retry':
      return 'it can begin again.';
    case 'fix':
      return `it can begin again. For its executor, teddy task show ${visibleLine(id)} keeps this:\n${indent(visible(instruction ?? ''))}`;
    case 'skip':
      return `given up.${without}`;
    case 'abort':
      return `it is failed, and does not begin again before you resolve it in another way.${without}`;
  }
}

/** A person's word that it is done is a result in their name, and is verified like any other. */
async function complete(named: string, words: string | null, options: GlobalOptions): Promise<number> {
  const { root, workspace, config, policy } = await openTasks(findPlace(options), options);
  const verifying = new Verifying(paintFor('stderr', options));
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
    writeOutput(
      options.json
        ? `${visibleJson(completedJson(completed))}\n`
        : completedWords(completed, paintFor('stdout', options)),
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

function isDone({ captured }: CompletedTask): boolean {
  return captured.status !== 'rejected' && isTrue(captured);
}

function completedJson({ task, captured, unverified }: CompletedTask) {
  return { ...task, decision: 'done', ...capturedJson(captured), unverified };
}

function completedWords(completed: CompletedTask, paint: Paint): string {
  const { task, captured, unverified } = completed;
  const verified =
    unverified === null
      ? describeVerification(captured, true, paint, 'You say that it is done')
      : [`Verified  ${paint('yellow', 'no')}: ${visibleLine(unverified)}`];
  return [
    `${paint('bold', visibleLine(task.id))}  ${visibleLine(task.name)}: ${isDone(completed) ? 'done.' : 'not done.'}`,
    ...outcomeLines(captured, paint),
    ...verified,
    '',
    ...nextLines(captured, paint),
    '',
  ].join('\n');
}
