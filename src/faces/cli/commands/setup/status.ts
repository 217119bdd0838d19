import { join } from 'node:path';
import { loadProject } from '../../../../config/project.js';
import { listFirst, shorten } from '../../../../core/text.js';
import { listOpenRequests } from '../../../../inbox/agent-requests.js';
import { UserError } from '../../../../node/errors.js';
import { lookAtFile } from '../../../../node/files.js';
import { currentFolder } from '../../../../node/terminal/terminal.js';
import { listOpenQuestions } from '../../../../review/run-questions.js';
import { listRuns, type RunSummary } from '../../../../runs/run-list.js';
import type { TurnStage } from '../../../../sessions/turns/turn.js';
import { openCapture } from '../../../../tasks/project.js';
import { listWork, type WorkRecord } from '../../../../workspace/copy/work.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { TeddyCommand, teddyVersion } from '../../command.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from '../../output.js';
import { openProject, type Project } from '../../project.js';
import { plural } from '../../words.js';
import { readLeft, readPlans, separateQuestions } from '../tasks/outlook.js';
import { describeHints } from '../tasks/task-lines.js';

export const statusCommand = new TeddyCommand('status')
  .description('show what to do next in this folder (the same as teddy on its own)')
  .run(status)
  .helpText(`Examples:
  teddy
  teddy status --root ../shop      the same for another project
  teddy status --json              for scripts: plan, last run, session, tasks`);

const PLAN = 'plan.md';
/** Ten lines in total, with the title, the last line and the blank lines. */
const MOST_LINES = 6;
/** The number of task ids to name for each state. */
const MOST_NAMED = 3;
/** How much of a title is shown, so that it fits on its line. */
const LONGEST_TITLE = 50;

/** One thing found in this folder, and what you can do about it: the most useful first. */
interface Finding {
  line: string;
  steps: readonly Step[];
}

type Step = readonly [command: string, purpose: string];

export async function status(options: GlobalOptions): Promise<number> {
  const project = await openProject(options);
  const { root, workspace } = project;
  const hasPlan = lookAtFile(join(currentFolder(), PLAN)) !== 'missing';
  const lastRun = listRuns(workspace).find(({ undone, foreign }) => !undone && !foreign);
  const questions = listOpenQuestions(workspace).length + listOpenRequests(workspace).length;
  const works = findUnreviewedWork(workspace);
  const tasks = await findTasks(project);
  const session = await glanceAtSession(workspace);
  const findings = [
    ...(questions > 0 ? [describeQuestions(questions)] : []),
    ...(works.length > 0 ? [describeWork(works)] : []),
    ...(session ? [describeSession(session)] : []),
    ...(hasPlan ? [PLAN_IS_HERE] : []),
    ...(tasks.some ? [describeTasks(tasks.glance)] : []),
    ...(lastRun ? [describeLastRun(lastRun)] : []),
  ];
  const shown = fitLines(findings.length === 0 ? [await describeStart(root)] : findings);
  const next = shown.flatMap(({ steps }) => steps.map(([command]) => command));
  const json = {
    version: teddyVersion(),
    plan: hasPlan ? PLAN : null,
    lastRun: lastRun?.id ?? null,
    questions,
    changes: works.map(({ id }) => id),
    session,
    tasks: tasks.glance,
    next,
  };
  printResult(root, options, json, (paint) => [
    `${paint('bold', `teddy ${teddyVersion()}`)}: review, run and undo the changes that your AI agents propose.`,
    '',
    ...findingLines(shown, paint),
    '',
    'teddy --help lists all commands.',
  ]);
  return 0;
}

async function describeStart(root: string): Promise<Finding> {
  const project = await loadProject(root);
  const hasModel = project.status !== 'refused' && project.config.model !== null;
  return {
    line: 'There is nothing to review in this folder. Ways to start:',
    steps: [
      ...(hasModel ? [['teddy chat', 'say what you want; your model proposes a plan'] as const] : []),
      ['teddy wrap -- claude', 'let any agent work in a copy; you decide on its changes'],
      ['teddy demo', 'try it out in a throwaway folder'],
      ['teddy get-prompt', 'copy the instructions for the AI in your chat window'],
      ['teddy execute', 'review the plan that you copied from it'],
      ...(hasModel ? [] : [['teddy setup', 'connect a model of your own; then: teddy chat'] as const]),
    ],
  };
}

const PLAN_IS_HERE: Finding = {
  line: `There is a ${PLAN} in this folder.`,
  steps: [
    [`teddy execute ${PLAN}`, 'review it and run what you approve'],
    [`teddy validate ${PLAN}`, 'only check it'],
  ],
};

function describeSession({ session, turn, agent, stage }: SessionGlance): Finding {
  const name = `Session ${visibleLine(session)}, turn ${turn} (${visibleLine(agent)})`;
  if (stage === 'planned')
    return {
      line: `${name}: a plan is waiting for your review.`,
      steps: [
        ['teddy chat', 'review it and continue the conversation'],
        ['teddy resume', 'only review it and run what you approve'],
        ['teddy history', 'show the turns so far'],
      ],
    };
  return {
    line: `${name} is waiting for your next message.`,
    steps: [
      ['teddy chat', 'write it and continue the conversation'],
      ['teddy context', 'or copy what your chat window needs; then: teddy execute'],
      ['teddy history', 'show the turns so far'],
    ],
  };
}

function describeQuestions(count: number): Finding {
  return {
    line: `${count === 1 ? 'A question is' : `${count} questions are`} waiting for your answer.`,
    steps: [['teddy inbox', 'list what is open, and answer it here']],
  };
}

/** What agents left in their copies of the project, newest last. */
function findUnreviewedWork(workspace: Workspace): WorkRecord[] {
  return listWork(workspace)
    .filter(({ record, status }) => (status === 'pending' || status === 'interrupted') && !record.feedback)
    .map(({ record }) => record);
}

function describeWork(works: readonly WorkRecord[]): Finding {
  const command = shorten(visibleLine(works.at(-1)!.command.join(' ')), LONGEST_TITLE);
  const others = works.length === 1 ? '' : ` and ${works.length - 1} more`;
  return {
    line: `Changes that wait for your review: by ${command}${others}.`,
    steps: [
      ['teddy changes review', 'decide on them, file by file'],
      ['teddy changes', 'list them'],
    ],
  };
}

function describeLastRun({ id, title, overall, interrupted }: RunSummary): Finding {
  const name = title === null ? 'Unreadable plan' : shorten(visibleLine(title), LONGEST_TITLE);
  return {
    line: `Last run: ${name} (${interrupted ? 'interrupted' : overall}).`,
    steps: [
      ...(interrupted
        ? [[`teddy execute --continue ${id.slice(-4)}`, 'run the rest of its plan'] as const]
        : []),
      ...(overall === 'Skipped' ? [] : [['teddy undo', 'restore the files that it changed'] as const]),
      ['teddy report', 'show its report'],
    ],
  };
}

function describeTasks(glance: TaskSummary | null): Finding {
  const overview: Step = ['teddy task next', 'show which tasks are ready and which are waiting'];
  if (glance === null) return { line: 'There are task files in this folder.', steps: [overview] };
  const { plans, tasks, completed, ready, asking, inProgress, interrupted, failed, blocked } = glance;
  const isFree = (id: string) => !asking.includes(id);
  const states = (
    [
      ['ready', ready.map(({ id }) => id).filter((id) => !failed.includes(id))],
      ['waiting for your answer', asking],
      ['in progress', inProgress.filter((id) => isFree(id) && !interrupted.includes(id))],
      ['interrupted', interrupted],
      ['failed', failed.filter(isFree)],
      ['blocked', blocked.filter(isFree)],
    ] as const
  )
    .filter(([, ids]) => ids.length > 0)
    .map(([word, ids]) => `; ${word}: ${listFirst(ids, { say: visibleLine, most: MOST_NAMED })}`);
  const toDecide = asking[0] ?? failed[0] ?? blocked[0];
  return {
    line: `${plural(plans, 'task file')}, ${completed} of ${plural(tasks, 'task')} done${states.join('')}.`,
    steps: [
      ...(toDecide === undefined
        ? []
        : [[`teddy task show ${visibleLine(toDecide)}`, 'see why it stopped, and what you can do'] as const]),
      ...(completed < tasks ? [overview] : []),
      ...(interrupted.length > 0
        ? [['teddy orchestrate', 'continue the interrupted run'] as const]
        : ready.length > 0
          ? [['teddy orchestrate', 'run the ready tasks with a coding agent'] as const]
          : []),
      ...(completed > 0 ? [['teddy metrics', 'show the results in numbers'] as const] : []),
    ],
  };
}

/** As many findings as fit with one step each; more steps if there is room. */
function fitLines(findings: readonly Finding[]): Finding[] {
  const kept = findings.slice(0, MOST_LINES / 2);
  let room = MOST_LINES - 2 * kept.length;
  return kept.map(({ line, steps }) => {
    const shown = steps.slice(0, 1 + room);
    room -= shown.length - 1;
    return { line, steps: shown };
  });
}

function findingLines(findings: readonly Finding[], paint: Paint): string[] {
  const width = Math.max(...findings.flatMap(({ steps }) => steps.map(([command]) => command.length)));
  return findings.flatMap(({ line, steps }) => [
    line,
    ...steps.map(([command, purpose]) => `  ${paint('cyan', command.padEnd(width))}   ${purpose}`),
  ]);
}

/** Whether there are tasks, and their status if it is known. */
async function findTasks(project: Project): Promise<{ some: boolean; glance: TaskSummary | null }> {
  const place = findUsualPlace(project.workspace);
  if (place === 'none') return { some: false, glance: null };
  const glance = await summarizeTasks(project);
  if (glance === null) return { some: place === 'usual', glance };
  return glance.plans === 0 ? { some: false, glance: null } : { some: true, glance };
}

/** Whether there are task files in the default places; the config may name others. */
function findUsualPlace(workspace: Workspace): 'usual' | 'perhaps' | 'none' {
  try {
    return workspace.view((view) => {
      const isUsual =
        view.look('.planning') === 'folder' ||
        view.look('.ultraplan/plans') === 'folder' ||
        view.list('').some((name) => name.endsWith('-PLAN.md'));
      if (isUsual) return 'usual';
      return view.look('.teddy/config.yaml') === 'file' ? 'perhaps' : 'none';
    });
  } catch {
    return 'none';
  }
}

/** The session that you last worked in. */
interface SessionGlance {
  session: string;
  turn: number;
  agent: string;
  stage: TurnStage;
}

/** Null if there is none, or it cannot be read. */
async function glanceAtSession(workspace: Workspace): Promise<SessionGlance | null> {
  try {
    if (workspace.view((view) => view.look('.teddy/sessions') !== 'folder')) return null;
    // It reads YAML, which is costly to load.
    const { Sessions } = await import('../../../../sessions/turns/sessions.js');
    const sessions = new Sessions(workspace);
    const session = sessions.current();
    if (session === undefined) return null;
    const { meta, stage } = sessions.lastTurn(session);
    return { session, turn: meta.turn, agent: meta.agent, stage };
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** The status of a project's tasks. */
interface TaskSummary {
  plans: number;
  tasks: number;
  completed: number;
  /** Names include hints, such as `(failed before)`. */
  ready: { id: string; name: string }[];
  /** Ids of tasks that are waiting for your answer. */
  asking: string[];
  /** Ids, by the status in the task files. */
  inProgress: string[];
  /** Those in progress whose process died. */
  interrupted: string[];
  failed: string[];
  blocked: string[];
}

/** Null if unknown; the task commands say why. */
async function summarizeTasks({ root, workspace }: Project): Promise<TaskSummary | null> {
  try {
    const project = await loadProject(root);
    if (project.status === 'refused') return null;
    const capture = openCapture(workspace, project.config);
    const listing = readPlans(capture, undefined);
    const { plans } = listing;
    const { questions, interrupted } = readLeft(capture, listing);
    const tasks = plans.flatMap((plan) => plan.tasks);
    const byId = new Map(tasks.map((task) => [task.id, task]));
    const idsOf = (wanted: string) => tasks.filter(({ status }) => status === wanted).map(({ id }) => id);
    return {
      plans: plans.length,
      tasks: tasks.length,
      completed: idsOf('completed').length,
      ready: separateQuestions(listing.next, questions).next.map(({ id, name }) => ({
        id,
        name: `${name}${describeHints(byId.get(id) ?? {})}`,
      })),
      asking: tasks.filter(({ id }) => questions.has(id)).map(({ id }) => id),
      inProgress: idsOf('in_progress'),
      interrupted: [...interrupted],
      failed: idsOf('failed'),
      blocked: idsOf('blocked'),
    };
  } catch {
    return null;
  }
}
