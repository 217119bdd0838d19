import { join } from 'node:path';
import { loadProject } from '../../config/project.js';
import { checkTrust } from '../../config/trust.js';
import { shorten } from '../../core/text.js';
import { UserError } from '../../node/errors.js';
import { lookAtFile } from '../../node/files.js';
import { currentFolder } from '../../node/terminal/terminal.js';
import { listRuns } from '../../runs/run-list.js';
import type { TurnStage } from '../../sessions/turns/turn.js';
import { openCapture } from '../../tasks/project.js';
import type { Workspace } from '../../workspace/workspace.js';
import { readPlans, readQuestions, separateQuestions } from './commands/tasks/outlook.js';
import { describeHints } from './commands/tasks/task-lines.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from './output.js';
import { openProject, type Project } from './project.js';
import { plural } from './words.js';

const PLAN = 'plan.md';
/** How many tasks that can begin are shown, and how many ids of others. */
const MOST_READY = 2;
const MOST_NAMED = 4;
/** What of a task's name is shown, so that it stays on its line. */
const LONGEST_NAME = 50;

/** What to do next, given what is in this folder. */
export async function welcome(version: string, options: GlobalOptions): Promise<number> {
  const project = await openProject(options);
  const { root, workspace } = project;
  const hasPlan = lookAtFile(join(currentFolder(), PLAN)) !== 'missing';
  const lastRun = listRuns(workspace).find(({ undone, foreign }) => !undone && !foreign)?.id ?? null;
  const found = await findTasks(project, options);
  const session = await glanceAtSession(workspace);
  const taskSteps = found.some ? STEPS.tasks : [];
  const planSteps = session
    ? STEPS[session.stage === 'planned' ? 'planned' : 'inSession']
    : [...(hasPlan ? STEPS.withPlan : STEPS.withoutPlan), ...(lastRun ? STEPS.afterRun : [])];
  const next = [...taskSteps, ...planSteps].map(([command]) => command);
  const json = { version, plan: hasPlan ? PLAN : null, lastRun, session, tasks: found.glance, next };
  printResult(root, options, json, (paint) => [
    `${paint('bold', `teddy ${version}`)}: agents propose a plan, you decide, teddy acts and tells the truth.`,
    '',
    ...(found.some ? [...taskLines(found.glance, paint), ...stepLines(taskSteps, paint), ''] : []),
    session ? introduceSession(session) : introduce(hasPlan, found.some),
    ...(found.some ? [] : ['']),
    ...stepLines(planSteps, paint),
    '',
    'teddy --help lists every command; teddy execute --help has examples.',
  ]);
  return 0;
}

type Step = readonly [command: string, purpose: string];

const STEPS = {
  tasks: [
    ['teddy task next', 'what can begin now, and what waits'],
    ['teddy result submit FILE --plan ID', 'hand in what an executor did'],
    ['teddy task resolve ID retry', 'let what is stuck begin again'],
  ],
  withPlan: [
    [`teddy execute ${PLAN}`, 'decide on each action and carry it out'],
    [`teddy validate ${PLAN}`, 'only say whether it can be carried out here'],
  ],
  withoutPlan: [
    ['teddy execute', 'decide on each action of the plan that you copied'],
    ['teddy validate', 'only check it'],
  ],
  afterRun: [
    ['teddy report', 'what the last run did'],
    ['teddy undo', 'put its files back as they were'],
  ],
  planned: [
    ['teddy resume', 'decide on each action and carry it out'],
    ['teddy history', 'what happened so far'],
  ],
  inSession: [
    ['teddy resume', 'say what you want; your model plans it'],
    ['teddy context', 'the same with any chat: copies what it has to know'],
    ['teddy execute', 'and carries out the plan that you copied there'],
    ['teddy history', 'what happened so far'],
  ],
} as const satisfies Record<string, readonly Step[]>;

/** Whether there are tasks, and how they stand where that can be known without asking anybody. */
async function findTasks(
  project: Project,
  options: GlobalOptions,
): Promise<{ some: boolean; glance: TaskSummary | null }> {
  const place = findUsualPlace(project.workspace);
  if (place === 'none') return { some: false, glance: null };
  const glance = await summarizeTasks(project, options);
  if (glance === null) return { some: place === 'usual', glance };
  return glance.plans === 0 ? { some: false, glance: null } : { some: true, glance };
}

/** Where plans are by default; config may name other places. */
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

/** Seven lines at most. */
function taskLines(glance: TaskSummary | null, paint: Paint): string[] {
  if (!glance) return ['There are plans with tasks in this folder.'];
  const { plans, tasks, completed, ready, asking, inProgress, failed, blocked } = glance;
  const head = `${plural(plans, 'PLAN.md file')}, ${completed} of ${plural(tasks, 'task')} done.`;
  const line = ({ id, name }: TaskSummary['ready'][number]) =>
    `  ${paint('bold', visibleLine(id))}  ${shorten(visibleLine(name), LONGEST_NAME)}`;
  const more = ready.length - MOST_READY;
  const isFree = (id: string) => !asking.includes(id);
  const others = (
    [
      ['Asks you', asking],
      ['In progress', inProgress.filter(isFree)],
      ['Failed', failed.filter(isFree)],
      ['Blocked', blocked.filter(isFree)],
    ] as const
  )
    .filter(([, ids]) => ids.length > 0)
    .map(([word, ids]) => `${paint('yellow', word)}: ${nameSome(ids)}`);
  const begin =
    ready.length > 0
      ? ` Ready now${more > 0 ? ` (${MOST_READY} of ${ready.length})` : ''}:`
      : completed < tasks
        ? ' Nothing can begin now.'
        : '';
  return [`${head}${begin}`, ...ready.slice(0, MOST_READY).map(line), ...others];
}

function nameSome(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED;
  return `${ids.slice(0, MOST_NAMED).map(visibleLine).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function introduceSession({ session, turn, agent, stage }: SessionGlance): string {
  const where = stage === 'planned' ? 'has a plan that waits for you' : 'waits for a plan';
  return `Turn ${turn} of the session ${visibleLine(session)} (${visibleLine(agent)}) ${where}:`;
}

function introduce(hasPlan: boolean, behindTasks: boolean): string {
  if (behindTasks) return hasPlan ? `There is a ${PLAN} too:` : 'For a plan that you copied from your agent:';
  return hasPlan
    ? `There is a ${PLAN} in this folder. Next:`
    : `There is no ${PLAN} in this folder. Ask your agent for one and copy its answer; then:`;
}

function stepLines(steps: readonly Step[], paint: Paint): string[] {
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, purpose]) => `  ${paint('cyan', command.padEnd(width))}   ${purpose}`);
}

/** Where the session last worked in is. */
interface SessionGlance {
  session: string;
  turn: number;
  agent: string;
  stage: TurnStage;
}

/** Null where there is none, or it cannot be read. */
async function glanceAtSession(workspace: Workspace): Promise<SessionGlance | null> {
  try {
    if (workspace.view((view) => view.look('.teddy/sessions') !== 'folder')) return null;
    // It reads YAML, which is costly to load.
    const { Sessions } = await import('../../sessions/turns/sessions.js');
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

/** How the tasks of a project stand, as plain values. */
interface TaskSummary {
  plans: number;
  tasks: number;
  completed: number;
  /** Names with what is to be known of them. */
  ready: { id: string; name: string }[];
  /** Ids of those that a person is asked about. */
  asking: string[];
  /** Ids, by what the plans say. */
  inProgress: string[];
  failed: string[];
  blocked: string[];
}

/** Null where it cannot be known without asking somebody, or at all: the commands about tasks say why. */
async function summarizeTasks(
  { root, workspace }: Project,
  options: GlobalOptions,
): Promise<TaskSummary | null> {
  try {
    const project = await loadProject(root);
    if (project.status === 'refused' || !(options.trust || checkTrust(project).trusted)) return null;
    const capture = openCapture(workspace, project.config);
    const listing = readPlans(capture, undefined);
    const { plans } = listing;
    const questions = readQuestions(capture, listing);
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
      failed: idsOf('failed'),
      blocked: idsOf('blocked'),
    };
  } catch {
    return null;
  }
}
