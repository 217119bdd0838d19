import { maskerFor } from '../config/redactor.js';
import type { Config, InertConfig, Policy } from '../config/types.js';
import { checkedTasks } from '../core/task-plan/order.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { type AttemptRecords, readAttempts } from '../orchestrate/attempt-records.js';
import type { TaskQuestion } from '../orchestrate/events.js';
import { readReview } from '../orchestrate/review-files.js';
import { outputFile } from '../orchestrate/state-files.js';
import { completeTask, requireSuccess, resolveTask } from '../tasks/plans/change-task.js';
import { findTaskById, readProjectTasks } from '../tasks/plans/tasks.js';
import { type CaptureProject, openCapture } from '../tasks/project.js';
import type { Workspace } from '../workspace/workspace.js';
import type { InboxQuestion } from './types.js';

const TASK_PREFIX = 'task:';

type TaskInboxQuestion = Extract<InboxQuestion, { kind: 'task' }>;

/** The questions of `teddy orchestrate`, open until they are answered, also after it has ended. */
export function listTaskQuestions(workspace: Workspace, config: InertConfig): TaskInboxQuestion[] {
  const records = readAttempts(workspace);
  if (!records.hasAsked) return [];
  const project = openCapture(workspace, config);
  return readProjectTasks(project).plans.flatMap(({ found, tasks }) =>
    tasks.flatMap(({ id, task, condition }) => {
      const named = { id, name: task.name };
      const open = records.questionOn(named, condition, checkedTasks(found.plan, task).length);
      if (open === null) return [];
      const { why, message, answers, askedAt, review } = open;
      const outputs = listOutputs(named, records, project);
      const asked = {
        ...named,
        why,
        message,
        detail: review ? readReview(workspace, review) : task.source,
        answers,
        blocks: [],
        outputs,
      };
      return [describe(asked, askedAt)];
    }),
  );
}

/** Files with the output of its attempts. */
function listOutputs(
  named: { id: string; name: string },
  records: AttemptRecords,
  { workspace }: CaptureProject,
): string[] {
  const outputs = records.of(named).map(({ attempt }) => outputFile(named.id, attempt));
  const isThere = (path: string) => workspace.view((view) => view.look(path) === 'file');
  return [...new Set(outputs)].filter(isThere);
}

function describe(question: TaskQuestion, askedAt: string): TaskInboxQuestion {
  return {
    kind: 'task',
    id: `${TASK_PREFIX}${question.id}`,
    hash: sha256(JSON.stringify([question, askedAt])),
    askedAt,
    title: question.name,
    subject: `Task ${question.id}`,
    question,
  };
}

/**
 * Records an answer in the words of `teddy task resolve`. Throws `UserError` where the answer is not valid or not true, and
 * where the question was answered meanwhile.
 */
export async function answerTask(
  workspace: Workspace,
  { config, policy }: { config: Config; policy: Policy },
  asked: TaskInboxQuestion,
  words: string,
): Promise<void> {
  const task = asked.question.id;
  const environment = environmentVariables();
  const isOpen = () => listTaskQuestions(workspace, config).some(({ hash }) => hash === asked.hash);
  const done = /^\s{0,20}done\s{0,20}(?::(.*))?$/is.exec(words);
  if (!done) {
    const mask = maskerFor(null, environment);
    await resolveTask(openCapture(workspace, config), task, words, { mask, isOpen });
    return;
  }
  const said = done[1]?.trim() || null;
  const completed = await completeTask({
    workspace,
    config,
    policy,
    task,
    words: said,
    isOpen,
    shownCommand: readShownCommand(openCapture(workspace, config), asked.question),
    environment,
  });
  requireSuccess(task, completed.captured);
}

/** The verify command of a task as it was shown. */
function readShownCommand(project: CaptureProject, { id, detail }: TaskQuestion): string | null {
  const { task } = findTaskById(project, id);
  if (task.source !== detail) throw new UserError('The task has changed. Look at it again.');
  return task.verify?.command ?? null;
}
