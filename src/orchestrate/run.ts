import { redactorOf } from '../config/redactor.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { ProcessMark } from '../node/process/process-table.js';
import { UserError } from '../node/user-error.js';
import { runCheck } from '../runs/execute/run-command.js';
import { openAssignments } from '../tasks/plans/assignments.js';
import type { Workspace } from '../workspace/workspace.js';
import { hashVerify } from './attempt/verify.js';
import { workOnAttempts } from './attempt/worker.js';
import { Background, Mutex } from './concurrency.js';
import { Coordinator } from './coordinator.js';
import type { OverviewPlan, Summary, UntimedEvent } from './events.js';
import { createExecutor } from './executors/create-executor.js';
import type { Executor, ExecutorEnd, TaskAssignment } from './executors/types.js';
import { openIsolation } from './isolation/open-isolation.js';
import type { Isolation } from './isolation/types.js';
import { AttemptJournal } from './journal.js';
import type { Limits, OrchestrateOptions, Orchestration, OrchestrationPlan } from './orchestration.js';
import { endLeftProcesses, openProcessList, type Processes } from './processes.js';
import { ProjectState, watchFiles } from './project-state.js';
import { openLocalQueue } from './queue/local-queue.js';
import { Records } from './records.js';
import { findQuestion, resumeRun } from './resume.js';
import { pruneOutputs, STATE } from './state-files.js';
import { Tally } from './tally.js';

/** A run, once the project is ours: what was left is ended, what was begun is resumed, and all is driven to its end. */
export async function runGraph(
  run: string,
  plan: OrchestrationPlan,
  options: OrchestrateOptions,
  emit: (event: UntimedEvent) => void,
): Promise<Summary> {
  const { ended } = await endLeftProcesses(options.workspace);
  await pruneOutputs(options.workspace);
  const { o, notes, close } = await openOrchestration(run, plan, options, emit);
  try {
    const resumed = ended > 0 || o.journal.open.size > 0;
    const asked = (id: string) => findQuestion(o.graph.tasks.get(id)!, o);
    const overview = {
      ...o.overview,
      plans: markAsked(o.overview.plans, asked),
      notes: [...o.overview.notes, ...notes],
    };
    emit({ type: 'began', run, overview, resumed });
    const coordinator = new Coordinator(o);
    for (const message of await resumeRun(o, coordinator, ended)) emit({ type: 'note', message });
    return await drive(o, coordinator);
  } finally {
    await close();
  }
}

/** Shows which tasks wait for an answer rather than for their turn. */
function markAsked(plans: readonly OverviewPlan[], asked: (id: string) => unknown): OverviewPlan[] {
  return plans.map((plan) => ({
    ...plan,
    tasks: plan.tasks.map((task) => (asked(task.id) ? { ...task, status: 'asking' } : task)),
  }));
}

async function openOrchestration(
  run: string,
  plan: OrchestrationPlan,
  options: OrchestrateOptions,
  emit: (event: UntimedEvent) => void,
): Promise<{ o: Orchestration; notes: string[]; close(): Promise<void> }> {
  const { workspace, config, environment } = options;
  const { project, graph } = plan;
  const journal = AttemptJournal.open(workspace);
  const state = new ProjectState(project, plan.named, plan.facts);
  const processes = openProcessList(workspace);
  // Who has which task of an orchestrator that died, as far as it came back, and of this one.
  const assignments = openAssignments(workspace);
  for (const [task, { executor, attempt }] of journal.open) assignments.add(task, { executor, attempt });
  journal.onEnded((task) => assignments.remove(task));
  const queue = await openLocalQueue<TaskAssignment, ExecutorEnd>(workspace);
  const close = async () => {
    await queue.close();
    processes.close();
    await assignments.end();
  };
  try {
    const redactor = redactorOf(config, environment);
    const { notes, ...places } = await openPlaces(plan, options, redactor, processes);
    const o: Orchestration = {
      ...plan,
      ...{ run, options, emit, redactor, journal, state, processes, assignments, queue, ...places },
      limits: limitsOf(plan, options),
      mask: (text) => redactor.mask(text),
      executor: await openExecutor(plan, options, state, emit),
      records: new Records({ workspace, project, journal, session: run }),
      tally: new Tally(),
      running: new Map(),
      unrecorded: new Map(),
      done: new Set(),
      examined: new Set(),
      retryAt: new Map(),
      background: new Background(),
      landing: new Mutex(),
      approvals: new Map([...graph.tasks.values()].map(({ id, task }) => [id, hashVerify(task)])),
      littering: new Set(),
    };
    return { o, notes, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function drive(o: Orchestration, coordinator: Coordinator): Promise<Summary> {
  const { signal, workspace } = o.options;
  const working = new AbortController();
  const stop = AbortSignal.any([signal, working.signal]);
  const workers = Array.from({ length: o.overview.jobs }, (_, i) =>
    workOnAttempts(`worker-${i + 1}`, stop, o),
  );
  const stopWatching = watchFiles(workspace.root, watchedFiles(o), () => coordinator.sync());
  const stopAbandoning = onAbort(signal, async () => {
    await Promise.allSettled(workers);
    // Whoever waits for a worker to begin waits for nobody.
    for (const { begun, over } of o.running.values()) for (const each of [begun, over]) each.reach();
    await coordinator.abandon();
  });
  try {
    const summary = await Promise.race([coordinator.run(signal), failureOf(workers)]);
    o.emit({ type: 'ended', summary });
    return summary;
  } finally {
    stopWatching();
    stopAbandoning();
    working.abort();
    await Promise.allSettled(workers);
  }
}

function onAbort(signal: AbortSignal, then: () => Promise<void>): () => void {
  const listener = () => void then();
  signal.addEventListener('abort', listener, { once: true });
  if (signal.aborted) listener();
  return () => signal.removeEventListener('abort', listener);
}

/** Never resolves: only a worker that cannot go on is of interest. */
function failureOf(workers: readonly Promise<void>[]): Promise<never> {
  return new Promise((_, reject) => {
    for (const worker of workers) worker.catch(reject);
  });
}

function openExecutor(
  { graph, overview }: OrchestrationPlan,
  { workspace, config, policy }: OrchestrateOptions,
  state: ProjectState,
  emit: (event: UntimedEvent) => void,
): Promise<Executor> {
  return createExecutor(overview.executor, config, {
    human: {
      onHanded({ taskId }) {
        const { id, name, plan, task } = graph.tasks.get(taskId)!;
        const how = `Work in the project itself. Then: teddy result submit FILE --plan ${plan.id}, or teddy task resolve ${id} done`;
        emit({ type: 'handed', task: { id, name }, planPath: plan.path, text: `${task.source}\n\n${how}` });
      },
      submitted: (taskId, signal) => state.whenResult(taskId, signal),
    },
    // It needs planners, sessions and the model client, and nothing else here does.
    async createTeddy() {
      const { createTeddyExecutor } = await import('./executors/teddy.js');
      return createTeddyExecutor({ workspace, config, policy });
    },
  });
}

interface Places {
  isolation: Isolation;
  past: Isolation;
  plain: Isolation;
  notes: string[];
}

async function openPlaces(
  { facts, overview, project, programs }: OrchestrationPlan,
  { workspace, config, environment, signal }: OrchestrateOptions,
  redactor: Redactor,
  processes: Processes,
): Promise<Places> {
  const states = project.state === null ? STATE_FILES : [project.state];
  const open = (kind: Isolation['kind']) =>
    openIsolation(kind, {
      workspace,
      setup: config.orchestrate.setup,
      async runSetup(command, cwd) {
        const hands = { root: cwd, settings: config, environment, redactor, signal, onOutput: () => {} };
        const onStart = (mark: ProcessMark) => processes.note(mark, 'orchestrate.setup');
        const check = await runCheck(command, hands, { onStart });
        if (check.status === 'run' && check.exitCode === 0) return { status: 'ok' };
        const why = check.status === 'run' ? `It printed:\n${check.summary}` : check.reason;
        const reason = `The setup of a worktree, ${JSON.stringify(command)}, failed. ${why}`;
        return { status: 'failed', reason };
      },
      writers: overview.jobs,
      programs,
      ownFiles: [...facts.plans.map(({ found }) => found.path), ...states],
    });
  const opened = await open(overview.isolation);
  if (opened.status === 'refused') throw new UserError(opened.reason);
  const { isolation, notes } = opened;
  const hasPast = isolation.kind === 'none' && hasWorktrees(workspace);
  const past = hasPast ? await open('worktree') : opened;
  const plain = isolation.kind === 'none' ? opened : await open('none');
  return {
    ...{ isolation, notes },
    past: past.status === 'ok' ? past.isolation : isolation,
    plain: plain.status === 'ok' ? plain.isolation : isolation,
  };
}

function hasWorktrees(workspace: Workspace): boolean {
  return workspace.view((view) => view.list(STATE.worktrees).length > 0);
}

/** Where STATE.md may be, if nobody says. */
const STATE_FILES = ['STATE.md', '.planning/STATE.md', '.ultraplan/STATE.md'];

function limitsOf(
  { overview }: OrchestrationPlan,
  { config, maxAttempts, budgetUsd }: OrchestrateOptions,
): Limits {
  const { orchestrate } = config;
  return {
    jobs: overview.jobs,
    maxAttempts: maxAttempts ?? orchestrate.maxAttempts,
    taskBudgetUsd: orchestrate.taskBudgetUsd,
    budgetUsd: budgetUsd ?? orchestrate.budgetUsd,
    timeMs: orchestrate.timeMs,
  };
}

/** Where people's decisions and results appear, and what they edit. */
function watchedFiles({ project, graph }: OrchestrationPlan): string[] {
  return [
    `${project.dir}/resolutions.jsonl`,
    `${project.dir}/ledger.jsonl`,
    ...graph.plans.map(({ path }) => path),
  ];
}
