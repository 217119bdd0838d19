import { join } from 'node:path';
import { setUserSetting } from '../../../../config/user-config.js';
import { readRequest } from '../../../../inbox/agent-requests.js';
import { refuseReviewed } from '../../../../inbox/changes-questions.js';
import { answerInbox, type InboxProject, listInbox } from '../../../../inbox/inbox.js';
import { isRequestQuestion, type RequestInboxQuestion } from '../../../../inbox/request-questions.js';
import type { SessionInboxQuestion } from '../../../../inbox/session-questions.js';
import type { InboxQuestion } from '../../../../inbox/types.js';
import { UserError } from '../../../../node/errors.js';
import { files } from '../../../../node/file-calls.js';
import { hasTerminal } from '../../../../node/terminal/tty.js';
import { watchFolder } from '../../../../node/watch.js';
import { RestApproval } from '../../../../review/compose.js';
import {
  giveAnswer,
  listOpenQuestions,
  type OpenRunQuestion,
  questionId,
} from '../../../../review/run-questions.js';
import { openTree } from '../../../../workspace/tree.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult, visible, visibleLine } from '../../output.js';
import { openToInspect, type Project, requireTrustedConfig } from '../../project.js';
import { cell, tableLines } from '../../table.js';

export const inboxCommand = new TeddyCommand('inbox')
  .description('show what is waiting for you, and answer it')
  .argument('[id]', 'the id of a question, or its end')
  .option('--refuse [reason]', 'refuse what an agent submitted: a plan, a result or a question')
  .run(showInbox)
  .helpText(`Examples:
  teddy inbox                        list the open questions of this project
  teddy inbox k3x9                   review the plan that an agent submitted
  teddy inbox 20260115-093000-k3x9.2
  teddy inbox k3x9 --refuse "Split it into two plans."

A question can be answered here, where it is asked and on the page (teddy web):
the first answer counts. Ctrl-C leaves it open.`);

const NO_TERMINAL = 'There is no terminal to answer at. Use teddy web.';

interface Options extends GlobalOptions {
  refuse?: string | true;
}

async function showInbox(named: string | undefined, options: Options): Promise<number> {
  const place = await openToInspect(options);
  const { root, workspace, config } = place;
  const tree = openTree(root);
  const requireTrusted = () => requireTrustedConfig(place);
  const project: InboxProject = { workspace, tree, config, requireTrusted };
  const questions = listInbox(project);
  if (named === undefined) {
    printResult(root, options, questions, (paint) =>
      questions.length === 0
        ? ['Nothing is waiting for you.']
        : [...tableLines(questions.map(toRow), { flexible: 2, paint }), 'Answer one with: teddy inbox ID'],
    );
    return 0;
  }
  const question = choose(place, questions, named);
  if (options.refuse !== undefined) return refuse(project, question, options);
  const request = isRequestQuestion(question) ? readRequest(workspace, question.id) : undefined;
  if (request !== undefined && !options.json) {
    const { answerRequestAtTerminal } = await import('./agent-request.js');
    return answerRequestAtTerminal(place, request, options);
  }
  if (question.kind === 'changes' && !options.json) {
    if (!hasTerminal()) throw new UserError(NO_TERMINAL);
    const { reviewChanges } = await import('../changes/changes.js');
    return reviewChanges(question.work, { ...options, copy: true });
  }
  const open = listOpenQuestions(workspace).find((each) => questionId(each) === question.id);
  if (open !== undefined && !options.json) return answerAtTerminal(place, open, options);
  printResult(root, options, question, () => describe(question));
  return 0;
}

async function refuse(project: InboxProject, question: InboxQuestion, options: Options): Promise<number> {
  if (!isRequestQuestion(question))
    throw new UserError('--refuse is for what an agent submitted: a plan, a result or a question.');
  const reason = options.refuse === true ? '' : options.refuse!;
  const answer = { hash: question.hash, decision: 'skip', reason } as const;
  const { status } = await answerInbox(project, question.id, answer, 'inbox');
  const isFirst = status === 'accepted';
  printResult(project.workspace.root, options, { id: question.id, status }, () =>
    isFirst ? 'Refused. The agent gets your reason.\n' : 'It was answered elsewhere.\n',
  );
  return isFirst ? 0 : 1;
}

function toRow({ id, subject, title }: InboxQuestion) {
  return [cell(visibleLine(id)), cell(visibleLine(subject)), cell(visibleLine(title), 'dim')];
}

function choose({ workspace }: Project, questions: readonly InboxQuestion[], named: string): InboxQuestion {
  const exact = questions.find(({ id }) => id === named);
  const fitting = questions.filter(({ id }) => id.endsWith(named));
  if (exact ?? (fitting.length === 1 && fitting[0])) return exact ?? fitting[0]!;
  if (fitting.length === 0) refuseReviewed(workspace, named);
  const why = fitting.length > 1 ? 'matches several questions' : 'is not an open question';
  throw new UserError(`${visibleLine(named)} ${why}. List them with: teddy inbox`);
}

/** Questions that have a command of their own. */
function describe(question: InboxQuestion): string[] {
  if (question.kind === 'task') {
    const { id, name, message, detail, answers } = question.question;
    const words = answers.map((word) =>
      word === 'fix' || word === 'back' || word === 'drop' ? `'${word}: …'` : word,
    );
    return [
      `${visibleLine(id)}  ${visibleLine(name)}`,
      visible(message.trimEnd()),
      '',
      visible(detail.trimEnd()),
      '',
      `Answer with: teddy task resolve ${visibleLine(id)} ${words.join('|')}`,
    ];
  }
  if ('session' in question) return describeSession(question);
  if (isRequestQuestion(question)) return describeRequest(question);
  if (question.kind !== 'report') return [`${visibleLine(question.subject)}: ${visibleLine(question.title)}`];
  const { taskId, agent, why, summary } = question;
  return [
    `${visibleLine(agent)} on ${visibleLine(taskId)}: ${visibleLine(why)}`,
    visible(summary.trimEnd()),
    `Answer with: teddy agent decide ${visibleLine(taskId)} accept|reject`,
  ];
}

function describeSession(question: SessionInboxQuestion): string[] {
  const { kind, session, title } = question;
  const name = visibleLine(session);
  switch (kind) {
    case 'plan':
      return [
        `Session ${name} has a plan to review: ${visibleLine(title)}`,
        `Review it with: teddy resume ${name}`,
      ];
    case 'budget':
      return [visibleLine(question.message), `Continue with: teddy chat --session ${name}`];
    case 'message':
      return [
        `Session ${name} is waiting for your reply:`,
        visible(question.asked.trimEnd()),
        `Reply with: teddy chat --session ${name}`,
      ];
  }
}

function describeRequest(question: RequestInboxQuestion): string[] {
  const { title, subject } = question;
  return [visibleLine(title), visibleLine(subject)];
}

/** Uses the screens of the review. Leaves the question when another face answers it. */
async function answerAtTerminal(
  { root, workspace }: Project,
  open: OpenRunQuestion,
  { color }: GlobalOptions,
): Promise<number> {
  const { openTerminalReview } = await import('../../review/terminal-review.js');
  const journal = join(root, '.teddy/runs', open.run, 'journal');
  const terminal = openTerminalReview({
    root,
    color,
    keepGoing: false,
    tree: openTree(root),
    rest: new RestApproval(),
    draftFolder: () => makeDrafts(journal),
    allowReads: () => setUserSetting('review.reads', 'allow'),
  });
  if (terminal === undefined) throw new UserError(NO_TERMINAL);
  const leave = new AbortController();
  const isOpen = () => listOpenQuestions(workspace).some((each) => questionId(each) === questionId(open));
  const endWatch = watchFolder(join(journal, 'questions'), () => {
    if (!isOpen()) leave.abort();
  });
  try {
    const { asked, hash } = open;
    const { ask, askRerun } = terminal.reviewer;
    const answer = await (asked.kind === 'rerun'
      ? askRerun!(asked, leave.signal)
      : ask!(asked, leave.signal));
    if (terminal.interrupted()) return 130;
    const isFirst =
      !leave.signal.aborted &&
      giveAnswer(workspace, open, { hash, face: 'inbox', answer }).status === 'accepted';
    if (!isFirst) terminal.show('It was answered elsewhere.');
    return isFirst ? 0 : 1;
  } finally {
    endWatch();
    terminal.close();
  }
}

function makeDrafts(journal: string): string {
  const drafts = join(journal, 'drafts');
  if (files.statAt(drafts) === undefined) files.mkdir(drafts, 0o700);
  return drafts;
}
