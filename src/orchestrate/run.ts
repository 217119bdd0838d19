import { redactorOf } from '../config/redactor.js';
import type { Redactor } from '../core/redact/redactor.js';
import { UserError } from '../node/errors.js';
import type { ProcessMark } from '../node/process/process-table.js';
import { runCheck } from '../runs/run-command.js';
import { openAssignments } from '../tasks/plans/assignments.js';
import { findBlockers } from '../tasks/plans/blockers.js';
import { releaseTask } from '../tasks/plans/change-task.js';
import type { Workspace } from '../workspace/workspace.js';
import { endedLine } from './attempt/record.js';
import { hashVerify } from './attempt/verify.js';
import { workOnAttempts } from './attempt/worker.js';
import { viewAttempts } from './attempt-records.js';
import { chooseChanges } from './choose-changes.js';
import { Background, Mutex } from './concurrency.js';
import { Coordinator, isExhausted } from './coordinator.js';
import { type OverviewPlan, type Summary, Tally, type UntimedEvent } from './events.js';
import { createExecutor } from './executors/create-executor.js';
import { type Executor, type ExecutorEnd, NOTHING_USED, type TaskAssignment } from './executors/types.js';
import type { GraphTask } from './graph/types.js';
import { openIsolation } from './isolation/open-isolation.js';
import type { Isolation } from './isolation/types.js';
import { type AskedLine, AttemptJournal, Records, type StartedLine } from './journal.js';
import {
  type Attempt,
  isLandingReviewed,
  type Limits,
  type OrchestrateOptions,
  type Orchestration,
  type OrchestrationPlan,
  type RunConfinement,
} from './orchestration.js';
import { endLeftProcesses, openProcessList, type Processes } from './processes.js';
import { ProjectState, watchFiles } from './project-state.js';
import { openLocalQueue } from './queue/local-queue.js';
import { pruneOutputs, STATE } from './state-files.js';

/** A run, once the project is locked: leftovers are stopped, unfinished attempts resumed, and all tasks driven to their end. */
export async function runGraph(
  run: string,
  plan: OrchestrationPlan,
  confinement: RunConfinement | null,
  options: OrchestrateOptions,
  emit: (event: UntimedEvent) => void,
): Promise<Summary> {
  const { ended } = await endLeftProcesses(options.workspace);
  await pruneOutputs(options.workspace);
  const { o, notes, close } = await openOrchestration(run, plan, confinement, options, emit);
  try {
    const resumed = ended > 0 || o.journal.open.size > 0;
    const asked = (id: string) => findQuestion(o.graph.tasks.get(id)!, o);
    const overview = {
      ...o.overview,
      confinement: confinement && { network: confinement.network },
      plans: markAsked(o.overview.plans, asked),
      notes: [...o.overview.notes, ...notes],
    };
    options.onOpen?.({
      ...viewAttempts(o),
      choose: (task, reviewer) => chooseChanges(task, reviewer, o),
    });
    await options.approve?.(overview);
    emit({ type: 'began', run, overview, resumed });
    const coordinator = new Coordinator(o);
    for (const message of await resumeRun(o, coordinator, ended)) emit({ type: 'note', message });
    return await drive(o, coordinator);
  } finally {
    await close();
  }
}

/** Marks the tasks with an open question. */
function markAsked(plans: readonly OverviewPlan[], asked: (id: string) => unknown): OverviewPlan[] {
  return plans.map((plan) => ({
    ...plan,
    tasks: plan.tasks.map((task) => (asked(task.id) ? { ...task, status: 'asking' } : task)),
  }));
}

async function openOrchestration(
  run: string,
  plan: OrchestrationPlan,
  confinement: RunConfinement | null,
  options: OrchestrateOptions,
  emit: (event: UntimedEvent) => void,
): Promise<{ o: Orchestration; notes: string[]; close(): Promise<void> }> {
  const { workspace, config, environment } = options;
  const { project, graph } = plan;
  const journal = AttemptJournal.open(workspace);
  const state = new ProjectState(project, plan.named, plan.facts);
  const processes = openProcessList(workspace);
  // Tasks that are being worked on, also by an orchestrator that died.
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
    const { notes, ...places } = await openPlaces(plan, options, redactor, processes, confinement !== null);
    const o: Orchestration = {
      ...plan,
      run,
      options,
      emit,
      redactor,
      journal,
      state,
      processes,
      assignments,
      queue,
      ...places,
      confinement,
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
    // No worker is left to wait for.
    for (const { taken, over } of o.running.values()) for (const each of [taken, over]) each.reach();
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

/** Never resolves; rejects when a worker fails. */
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
      onAssigned({ taskId }) {
        const { id, name, plan, task } = graph.tasks.get(taskId)!;
        const how = `Work directly in the project. When it is done: teddy result submit FILE --plan ${plan.id}, or teddy task resolve ${id} done`;
        emit({ type: 'handed', task: { id, name }, planPath: plan.path, text: `${task.source}\n\n${how}` });
      },
      submitted: (taskId, signal) => state.whenResult(taskId, signal),
    },
    // Loaded on demand: only this executor needs planners, sessions and the model client.
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
  options: OrchestrateOptions,
  redactor: Redactor,
  processes: Processes,
  confined: boolean,
): Promise<Places> {
  const { workspace, config, environment, signal } = options;
  const states = project.state === null ? STATE_FILES : [project.state];
  const open = (kind: Isolation['kind']) =>
    openIsolation(kind, {
      workspace,
      setup: config.orchestrate.setup,
      async runSetup(command, cwd) {
        const context = { root: cwd, settings: config, environment, redactor, signal, onOutput: () => {} };
        const onStart = (mark: ProcessMark) => processes.note(mark, 'orchestrate.setup');
        const check = await runCheck(command, context, { onStart });
        if (check.status === 'run' && check.exitCode === 0) return { status: 'ok' };
        const why = check.status === 'run' ? `Output:\n${check.summary}` : check.reason;
        const reason = `The setup command for worktrees, ${JSON.stringify(command)}, failed. ${why}`;
        return { status: 'failed', reason };
      },
      confined,
      reviewed: isLandingReviewed(options),
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
    isolation,
    notes,
    past: past.status === 'ok' ? past.isolation : isolation,
    plain: plain.status === 'ok' ? plain.isolation : isolation,
  };
}

function hasWorktrees(workspace: Workspace): boolean {
  return workspace.view((view) => view.list(STATE.worktrees).length > 0);
}

/** Where STATE.md may be by default. */
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

/** Where decisions and results appear, and the task files that people edit. */
function watchedFiles({ project, graph }: OrchestrationPlan): string[] {
  return [
    `${project.dir}/resolutions.jsonl`,
    `${project.dir}/ledger.jsonl`,
    ...graph.plans.map(({ path }) => path),
  ];
}

/**
 * Resumes after an orchestrator that died: finished but unrecorded attempts are completed, interrupted ones do not count
 * and are removed, and open questions are asked again. Returns sentences about what was found.
 */
async function resumeRun(o: Orchestration, coordinator: Coordinator, ended: number): Promise<string[]> {
  const adopted = await adoptAttempts(o, coordinator);
  for (const task of o.graph.tasks.values()) {
    if (!adopted.tasks.has(task.id)) resumeTask(task, o, coordinator);
  }
  const left = `${ended === 1 ? 'A leftover process' : `${ended} leftover processes`} of an earlier run ${ended === 1 ? 'was' : 'were'} stopped.`;
  return [...(ended > 0 ? [left] : []), ...adopted.notes];
}

async function adoptAttempts(
  o: Orchestration,
  coordinator: Coordinator,
): Promise<{ tasks: Set<string>; notes: string[] }> {
  const { journal, queue, plain, past, graph, state } = o;
  const jobs = new Map((await queue.list()).map((job) => [job.task, job]));
  const isBack = ({ task, attempt }: StartedLine) => {
    const job = jobs.get(task);
    return job?.state === 'completed' && job.attempt === attempt;
  };
  const open = [...journal.open.values()];
  const notes = await past.recover(open.filter(isBack).map(({ place }) => place));
  const tasks = new Set<string>();
  for (const started of open) {
    const task = graph.tasks.get(started.task);
    // A result for another task file waits for a run that includes it.
    if (!task && isBack(started) && isInProject(started, o)) {
      tasks.add(started.task);
      continue;
    }
    const origin = started.place.branch === null ? plain : past;
    const place = isBack(started) ? await origin.reopen(started.place) : undefined;
    if (task && place) {
      const { attempt: number, key, executor, decisions } = started;
      state.claim(task.id);
      const attempt: Attempt = { task, number, key, executor, place, decisions };
      if (await isSuperseded(task, started, o)) attempt.superseded = true;
      coordinator.adopt(attempt);
      tasks.add(task.id);
    } else {
      await cutOff(started, o);
      notes.push(`Attempt ${started.attempt} at ${started.task} was interrupted and does not count.`);
    }
  }
  for (const { task } of jobs.values()) if (!tasks.has(task)) await queue.cancel(task);
  return { tasks, notes };
}

function isInProject({ task }: StartedLine, { facts }: Orchestration): boolean {
  return facts.plans.some(({ tasks }) => tasks.some(({ id }) => id === task));
}

/** Whether the user decided otherwise since. What is already in the project stays there and is recorded. */
async function isSuperseded(
  { id, name, status }: GraphTask,
  { decisions, name: before }: StartedLine,
  { state, journal, past }: Orchestration,
): Promise<boolean> {
  const isEnded = status === 'completed' || status === 'skipped' || state.isAborted(id);
  if (!isEnded && name === before && state.decisions(id) === decisions) return false;
  const decision = state.lastDecision(id);
  const isReviewed = decision === 'land' || decision === 'drop';
  if (isReviewed && !isEnded && name === before) return false;
  const { landing } = journal.of(id);
  if (!landing) return true;
  // retry, after it could not land, means: land it.
  const isWanted = !isEnded && name === before && decision === 'retry';
  return !isWanted && !(await past.has(landing.candidate));
}

async function cutOff(started: StartedLine, o: Orchestration): Promise<void> {
  const { state, journal, project } = o;
  const { task, name, attempt, executor } = started;
  const about = { task: { id: task, name }, number: attempt, executor, decisions: state.decisions(task) };
  const line = endedLine(
    about,
    { durationMs: 0, usage: NOTHING_USED },
    { outcome: 'cut-off', failure: null, behind: [] },
  );
  state.claim(task);
  if (!isInProject(started, o)) return journal.write(line);
  await releaseTask(project, task, { also: (view) => [journal.change(view, [line])] });
  journal.took([line]);
}

/** These are solved by a new start, or asked again when they recur. */
const ASKED_ANEW = new Set(['cannot-land', 'review', 'unusable', 'checkpoint']);

/** The question about a task from an earlier run that is still open. */
function findQuestion(task: GraphTask, o: Orchestration): AskedLine | undefined {
  const { journal, state } = o;
  const { asked } = journal.of(task.id);
  if (!asked || asked.decisions !== state.decisions(task.id) || asked.name !== task.name) return undefined;
  if (ASKED_ANEW.has(asked.why) || task.status === 'completed' || task.status === 'skipped') return undefined;
  // More attempts may be allowed by now.
  const isOver = asked.why === 'attempts-exhausted' && !isExhausted(task, o);
  return isOver || state.isAborted(task.id) ? undefined : asked;
}

function resumeTask(task: GraphTask, o: Orchestration, coordinator: Coordinator): void {
  const { journal, state, graph } = o;
  const { ended } = journal.of(task.id);
  const asked = findQuestion(task, o);
  if (asked) coordinator.askAgain(task, asked.why, asked.message);
  if (asked || state.isAborted(task.id)) return;
  if (task.status !== 'blocked') return;
  const error = state.lastResult(task)?.error ?? '';
  const behind = ended.at(-1)?.behind ?? findBlockers(error, task.plan, graph.plans);
  const postponed = graph.postpone(task.id, behind);
  if (postponed.status === 'ok') return;
  const last = ended.at(-1);
  // What it waited for is done by now.
  if (last?.outcome === 'blocked' && last.behind.length > 0 && postponed.status === 'nothing') return;
  coordinator.askAgain(task, 'blocked', error);
}
