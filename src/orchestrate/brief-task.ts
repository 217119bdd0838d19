import { redactorOf } from '../config/redactor.js';
import type { Config } from '../config/types.js';
import { UserError } from '../node/errors.js';
import { taskId } from '../tasks/plans/next-tasks.js';
import { findPlan, findTask, readProjectTasks, readTaskId } from '../tasks/plans/tasks.js';
import { openCapture } from '../tasks/project.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import type { NamedTask } from './events.js';
import { nextAttemptNumber, writePrompt } from './executors/prompt.js';
import { AttemptJournal } from './journal.js';
import { chooseIsolation, requireGraph } from './orchestrate.js';
import { ProjectState } from './project-state.js';

interface BriefOptions {
  workspace: Workspace;
  config: Config;
  environment: Readonly<Record<string, string | undefined>>;
}

/** The prompt of the next attempt at a task, as `teddy orchestrate` would write it now. Changes nothing. */
export async function briefTask(
  id: string,
  { workspace, config, environment }: BriefOptions,
): Promise<NamedTask & { attempt: number; prompt: string }> {
  const project = openCapture(workspace, config);
  const { plan, task: written } = findTask(readTaskId(id), (named) => findPlan(project, named));
  const facts = readProjectTasks(project, [plan]);
  const graph = requireGraph(project, facts, [plan.id]);
  const task = graph.tasks.get(taskId(plan.id, written.index))!;
  if (task.isCheckpoint)
    throw new UserError(
      `${task.id} is a checkpoint: you answer it yourself, so no executor gets a prompt for it.`,
    );
  const { isolation } = await chooseIsolation(workspace.root, undefined, config.orchestrate.jobs);
  const redactor = redactorOf(config, environment);
  const context = {
    journal: AttemptJournal.open(workspace),
    state: new ProjectState(project, [plan], facts),
    limits: config.orchestrate,
    isolation: { kind: isolation },
    mask: (text: string) => redactor.mask(text),
  };
  const attempt = nextAttemptNumber(task, context);
  const decisions = context.state.decisions(task.id);
  const prompt = writePrompt({ task, number: attempt, decisions }, openTree(workspace.root), context);
  return { id: task.id, name: task.name, attempt, prompt };
}
