import { maskerFor } from '../config/redactor.js';
import type { Config, InertConfig, Policy } from '../config/types.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { type AttemptRecords, readAttempts } from '../orchestrate/attempt-records.js';
import type { TaskQuestion } from '../orchestrate/events.js';
import { outputFile, STATE_FOLDER } from '../orchestrate/state-files.js';
import { completeTask, requireSuccess, resolveTask } from '../tasks/plans/change-task.js';
import { readProjectTasks } from '../tasks/plans/tasks.js';
import { type CaptureProject, openCapture } from '../tasks/project.js';
import type { Workspace } from '../workspace/workspace.js';
import type { InboxQuestion } from './types.js';

const TASK_PREFIX = 'task:';

type TaskInboxQuestion = Extract<InboxQuestion, { kind: 'task' }>;

/** The questions of `teddy orchestrate`, open until they are answered, also after it has ended. */
export function listTaskQuestions(workspace: Workspace, config: InertConfig): TaskInboxQuestion[] {
  return findOpen(workspace, config).map(({ question }) => question);
}

/** `decisions`: how many there are on the task; an answer adds one. */
function findOpen(
  workspace: Workspace,
  config: InertConfig,
): { question: TaskInboxQuestion; decisions: number }[] {
  const records = readAttempts(workspace);
  if (!records.hasAsked) return [];
  const project = openCapture(workspace, config);
  return readProjectTasks(project).plans.flatMap(({ tasks }) =>
    tasks.flatMap(({ id, task, condition }) => {
      const named = { id, name: task.name };
      const open = records.questionOn(named, condition);
      if (open === null) return [];
      const { why, message, askedAt } = open;
      const asked = { ...named, why, message, detail: task.source, ...more(named, why, records, project) };
      return [{ question: describe(asked, askedAt), decisions: condition.resolutions.length }];
    }),
  );
}

function more(
  named: { id: string; name: string },
  why: TaskQuestion['why'],
  records: AttemptRecords,
  project: CaptureProject,
): Pick<TaskQuestion, 'answers' | 'blocks' | 'outputs'> {
  const outputs = records.of(named).map(({ attempt }) => outputFile(named.id, attempt));
  const isThere = (path: string) => project.workspace.view((view) => view.look(path) === 'file');
  return {
    answers:
      why === 'checkpoint' ? ['done', 'back', 'skip', 'abort'] : ['retry', 'fix', 'done', 'skip', 'abort'],
    blocks: [],
    outputs: [...new Set(outputs)].filter(isThere),
  };
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
 * Records an answer in the words of `teddy task resolve`; false where the question was answered meanwhile. Throws
 * `UserError` where the answer is not valid or not true, or while another one is being recorded.
 */
export async function answerTask(
  workspace: Workspace,
  trusted: { config: Config; policy: Policy },
  asked: TaskInboxQuestion,
  words: string,
): Promise<boolean> {
  // `done` runs a command first, which takes time.
  const held = workspace.hold(`${STATE_FOLDER}/answer-${sha256(asked.id).slice(0, 16)}.lock`);
  if (!held) throw new UserError('Another answer to this question is being recorded.');
  try {
    const open = findOpen(workspace, trusted.config).find(({ question }) => question.hash === asked.hash);
    if (open === undefined) return false;
    await recordAnswer(workspace, trusted, asked.question.id, words, open.decisions);
    return true;
  } finally {
    held.release();
  }
}

async function recordAnswer(
  workspace: Workspace,
  { config, policy }: { config: Config; policy: Policy },
  task: string,
  words: string,
  decisions: number,
): Promise<void> {
  const environment = environmentVariables();
  const done = /^\s{0,20}done\s{0,20}(?::(.*))?$/is.exec(words);
  if (!done) {
    const mask = maskerFor(null, environment);
    await resolveTask(openCapture(workspace, config), task, words, { mask, decisions });
    return;
  }
  const said = done[1]?.trim() || null;
  const { captured } = await completeTask({ workspace, config, policy, task, words: said, environment });
  requireSuccess(task, captured);
}
