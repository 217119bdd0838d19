import { programLines, readGitPrograms } from '../config/project.js';
import type { Policy } from '../config/types.js';
import { addToGroup } from '../core/groups.js';
import { isoUtcMs, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { newRunId } from '../node/ids.js';
import { planIssues } from '../tasks/plans/next-tasks.js';
import { findPlan, type ProjectTasks, readProjectTasks } from '../tasks/plans/tasks.js';
import { type CaptureProject, openCapture } from '../tasks/project.js';
import { describeDenial } from '../tasks/verify-result.js';
import { openConfinement } from './confinement.js';
import type {
  OrchestrateEvent,
  OrchestrationOverview,
  OverviewPlan,
  Summary,
  TaskState,
  UntimedEvent,
} from './events.js';
import { chooseExecutorName, requireUsable } from './executors/create-executor.js';
import { buildGraph } from './graph/build-graph.js';
import type { TaskGraph } from './graph/task-graph.js';
import type { GraphProblem, GraphTask } from './graph/types.js';
import { canIsolate } from './isolation/open-isolation.js';
import { isLandingReviewed, type OrchestrateOptions, type OrchestrationPlan } from './orchestration.js';
import { runGraph } from './run.js';
import { holdProject } from './state-files.js';

/** What decides which tasks run, and how. */
type PreviewOptions = Pick<
  OrchestrateOptions,
  'workspace' | 'config' | 'policy' | 'plans' | 'executor' | 'jobs' | 'isolation' | 'landing'
>;

/** What would be done. Changes and runs nothing; throws `UserError` if it cannot be done. */
export async function previewOrchestration(options: PreviewOptions): Promise<OrchestrationOverview> {
  const { overview } = await planOrchestration(options);
  const isReviewed = isLandingReviewed(options) && overview.executor !== 'human';
  return isReviewed ? { ...overview, notes: [REVIEWED, ...overview.notes] } : overview;
}

const REVIEWED = 'Finished work lands once you have reviewed it.';

/**
 * Runs tasks until they are done: executes, verifies, lands and records them, retries and asks. Resumes a killed run.
 * Throws `UserError` if nothing can start.
 */
export async function runOrchestration(options: OrchestrateOptions): Promise<Summary> {
  const { workspace } = options;
  const planned = await planOrchestration(options);
  const confinement = await openConfinement(options);
  requireUsable(planned.overview.executor, options.config, options.environment, confinement !== null);
  const isolated = planned.overview.isolation === 'worktree';
  const plan = { ...planned, programs: isolated ? await requirePrograms(options) : [] };
  const held = await holdProject(workspace);
  try {
    const emit = (event: UntimedEvent) => options.emit({ at: isoUtcMs(now()), ...event } as OrchestrateEvent);
    return await runGraph(newRunId(now()), plan, confinement, options, emit);
  } finally {
    held.release();
  }
}

async function planOrchestration(options: PreviewOptions): Promise<OrchestrationPlan> {
  const { workspace, config, policy } = options;
  const project = openCapture(workspace, config);
  const named = options.plans.map((each) => findPlan(project, each));
  const facts = readProjectTasks(project, named);
  const graph = requireGraph(project, facts, named.length === 0 ? null : named.map(({ id }) => id));
  refuseDenied(graph, policy);
  const jobs = options.jobs ?? config.orchestrate.jobs;
  const executor = chooseExecutorName(options.executor, config);
  // A person works in the project itself.
  const where = executor === 'human' ? 'none' : options.isolation;
  const isReviewed = isLandingReviewed(options) && executor !== 'human';
  if (isReviewed && where === 'none')
    throw new UserError(
      'A review before landing needs worktrees: without them, changes are in the project already.',
    );
  const { isolation, notes } = await chooseIsolation(workspace.root, isReviewed ? 'worktree' : where, jobs);
  return {
    project,
    named,
    facts,
    graph,
    programs: [],
    overview: {
      ...describeGraph(graph),
      executor,
      jobs,
      isolation,
      notes: [...notes, ...noteUnverified(graph), ...noteWarnings(facts, graph)],
    },
  };
}

/** git runs programs that the repository's config names when it writes files: the user must know them first. */
async function requirePrograms({ workspace, approvePrograms }: OrchestrateOptions): Promise<string[]> {
  const programs = await readGitPrograms(workspace.root);
  if (programs === null) return [];
  if (approvePrograms === undefined)
    throw new UserError(`${programs.path} names programs that are not approved:\n${programs.text}`);
  await approvePrograms(programs);
  return programLines(programs);
}

/** Warnings about task files matter most before executors work on them. */
function noteWarnings(facts: ProjectTasks, { plans }: TaskGraph): string[] {
  const chosen = new Set(plans.map(({ path }) => path));
  return facts.plans.flatMap(({ found }) => {
    const count = chosen.has(found.path) ? planIssues(found).length : 0;
    if (count === 0) return [];
    const what = count === 1 ? '1 warning' : `${count} warnings`;
    return [
      `${found.path} has ${what}: teddy task list --plan ${found.id} shows ${count === 1 ? 'it' : 'them'}.`,
    ];
  });
}

const NAMED = 10;

/** Makes clear which claims nothing checks. */
function noteUnverified({ tasks }: TaskGraph): string[] {
  const believed = [...tasks.values()].filter(
    ({ status, isCheckpoint, task }) =>
      status !== 'completed' && status !== 'skipped' && !isCheckpoint && !task.verify?.commands.length,
  );
  if (believed.length === 0) return [];
  const more = believed.length > NAMED ? ` and ${believed.length - NAMED} more` : '';
  const named = believed
    .slice(0, NAMED)
    .map(({ id }) => id)
    .join(', ');
  const [have, their] = believed.length === 1 ? ['has', 'its'] : ['have', 'their'];
  return [
    `${named}${more} ${have} no verify command, so ${their} executor's claim counts. teddy task show ${believed[0]!.id} shows how to add one.`,
  ];
}

/** Starting approves the commands; a policy can only deny. */
function refuseDenied({ tasks }: TaskGraph, policy: Policy): void {
  for (const { id, status, task } of tasks.values()) {
    if (status === 'completed' || status === 'skipped') continue;
    for (const command of task.verify?.commands ?? []) {
      const denial = describeDenial(policy, task, command);
      if (denial === undefined) continue;
      throw new UserError(
        `Nothing was started: the verify command of ${id}, ${JSON.stringify(command)}, is ${denial}.`,
      );
    }
  }
}

/** Throws `UserError` if the task files make no graph. */
export function requireGraph(
  project: CaptureProject,
  facts: ProjectTasks,
  chosen: readonly string[] | null,
): TaskGraph {
  const built = buildGraph(facts, chosen);
  if (built.status === 'refused') throw new UserError(built.problems.map(describeProblem).join('\n'));
  if (built.graph.tasks.size === 0) {
    const globs = project.plans.map(({ text }) => text).join(', ');
    throw new UserError(
      `No tasks in ${project.workspace.root}: ${facts.plans.length === 0 ? `no task file was found at ${globs}` : 'no task file has a <task>'}.`,
    );
  }
  return built.graph;
}

function describeProblem({ path, line, message, hint }: GraphProblem): string {
  const place = line === undefined ? path : `${path}:${line}`;
  return `${place}: ${message}${hint === undefined ? '' : ` ${hint}`}`;
}

/** `worktree` if several tasks run at once and git can keep them apart, unless the user chose otherwise. */
export async function chooseIsolation(
  root: string,
  named: 'worktree' | 'none' | undefined,
  jobs: number,
): Promise<{ isolation: 'worktree' | 'none'; notes: string[] }> {
  if (named === 'none' || (named === undefined && jobs === 1)) return { isolation: 'none', notes: [] };
  const can = await canIsolate(root);
  if (can.status === 'yes') return { isolation: 'worktree', notes: [] };
  if (named === 'worktree') throw new UserError(`Worktrees cannot be used here. ${can.reason}`);
  return {
    isolation: 'none',
    notes: [`All tasks work in one folder and may see each other's unfinished work. ${can.reason}`],
  };
}

/** What will be done, in which order, and which commands starting approves. */
export function describeGraph(graph: TaskGraph): Pick<OrchestrationOverview, 'plans' | 'commands'> {
  const ready = new Set(graph.ready().map(({ id }) => id));
  const plans = graph.plans.map(
    (plan): OverviewPlan => ({
      id: plan.id,
      path: plan.path,
      phase: plan.phase,
      wave: plan.wave,
      tasks: plan.tasks.map((task) => ({
        id: task.id,
        name: task.name,
        status: stateOf(task, ready.has(task.id)),
        isCheckpoint: task.isCheckpoint,
        verify: task.task.verify?.command ?? null,
        waitsOn: ready.has(task.id) ? [] : graph.waitsOn(task.id),
      })),
    }),
  );
  return { plans, commands: commandsOf([...graph.tasks.values()]) };
}

const STATES = {
  completed: 'done',
  skipped: 'skipped',
  failed: 'failed',
  blocked: 'blocked',
  in_progress: 'waiting',
  pending: 'waiting',
} as const satisfies Record<GraphTask['status'], TaskState>;

function stateOf({ status }: GraphTask, isReady: boolean): TaskState {
  return isReady ? 'ready' : STATES[status];
}

/** Each command once, with the tasks that it verifies; not those of completed tasks. */
function commandsOf(tasks: readonly GraphTask[]): OrchestrationOverview['commands'] {
  const commands = new Map<string, string[]>();
  for (const { id, status, task } of tasks) {
    if (status === 'completed' || status === 'skipped') continue;
    for (const command of task.verify?.commands ?? []) addToGroup(commands, command, id);
  }
  return [...commands].map(([command, ids]) => ({ command, tasks: ids }));
}
