import { redactorOf } from '../config/redactor.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { ProcessMark } from '../node/process/process-table.js';
import { UserError } from '../node/user-error.js';
import { runCheck } from '../runs/execute/run-command.js';
import { completeTask } from '../tasks/complete-task.js';
import { type Assignments, openAssignments } from '../tasks/plans/assignments.js';
import { findBlockers } from '../tasks/plans/blockers.js';
import { resolveTask, unmarkTask } from '../tasks/plans/change-task.js';
import { describeDenial } from '../tasks/verify-result.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Context } from './context.js';
import { Coordinator } from './coordinator.js';
import type { Desk, Happening } from './desk.js';
import type { Summary } from './events.js';
import { createExecutor } from './executors/create-executor.js';
import { createTeddyExecutor } from './executors/teddy.js';
import type { Executor, ExecutorEnd, TaskAssignment } from './executors/types.js';
import { hashVerify } from './frozen.js';
import type { TaskGraph } from './graph/task-graph.js';
import { handOut } from './hand-out.js';
import { handOver } from './hand-over.js';
import type { Intent, OrchestrateOptions } from './intent.js';
import { openIsolation } from './isolation/open-isolation.js';
import type { Isolation } from './isolation/types.js';
import { AttemptJournal } from './journal.js';
import { recordLate } from './late.js';
import { Mutex } from './mutex.js';
import { markAsked } from './overview.js';
import type { Hands, Limits } from './parts.js';
import { endLeftProcesses, openProcessList, type Processes } from './processes.js';
import { ProjectState } from './project-state.js';
import { openLocalQueue } from './queue/local-queue.js';
import { Records } from './records.js';
import { findQuestion, resumeRun } from './resume.js';
import { openSite } from './site.js';
import { pruneOutputs, STATE, updateStateFile } from './state-files.js';
import { UnderWay } from './under-way.js';
import { watchFiles } from './watch.js';
import { runWorker } from './worker.js';

/** Everything that a run is made of, once the project is ours. */
export async function runGraph(
  run: string,
  intent: Intent,
  options: OrchestrateOptions,
  emit: (event: Happening) => void,
): Promise<Summary> {
  const { workspace, signal } = options;
  const { project, graph, overview } = intent;
  const { ended } = await endLeftProcesses(workspace);
  await pruneOutputs(workspace);
  const journal = AttemptJournal.open(workspace);
  const state = new ProjectState(project, intent.named, intent.facts);
  const processes = openProcessList(workspace);
  const handed = handedBefore(workspace, journal);
  const queue = await openLocalQueue<TaskAssignment, ExecutorEnd>(workspace);
  try {
    const redactor = redactorOf(options.config, options.environment);
    const { isolation, past, plain, notes } = await openPlaces(intent, options, redactor, processes);
    const context: Context = {
      ...{ run, intent, options, emit, journal, state, processes, queue, isolation, past, plain, redactor },
      ...{ handed, underWay: new Map() },
    };
    const desk = openDesk(context);
    const executor = openExecutor(context);
    const coordinator = new Coordinator({
      ...{ graph, desk, queue, state },
      hands: openHands(context, desk, executor),
      limits: limitsOf(overview.jobs, options),
      person: options.person,
      byPeople: executor.kind === 'person',
      beginsAtOnce: isolation.kind === 'none',
    });
    const resumed = ended > 0 || journal.open.size > 0;
    const asked = (id: string) => findQuestion(graph.tasks.get(id)!, { journal, state, coordinator });
    const shown = {
      ...overview,
      plans: markAsked(overview.plans, asked),
      notes: [...overview.notes, ...notes],
    };
    emit({ type: 'began', run, overview: shown, resumed });
    for (const message of await resumeRun({ ...context, desk, coordinator, ended }))
      emit({ type: 'note', message });
    return await drive(context, coordinator, executor, signal);
  } finally {
    await queue.close();
    processes.close();
    await handed.end();
  }
}

/** Who has which task of an orchestrator that died, as far as it came back, and of this one. */
function handedBefore(workspace: Workspace, journal: AttemptJournal): Assignments {
  const handed = openAssignments(workspace);
  for (const [task, { executor, attempt }] of journal.open) handed.add(task, { executor, attempt });
  journal.onEnded((task) => handed.remove(task));
  return handed;
}

async function drive(
  context: Context,
  coordinator: Coordinator,
  executor: Executor,
  signal: AbortSignal,
): Promise<Summary> {
  const { intent, queue, emit } = context;
  const working = new AbortController();
  const stop = AbortSignal.any([signal, working.signal]);
  const workers = Array.from({ length: intent.overview.jobs }, (_, i) =>
    runWorker({
      queue,
      name: `worker-${i + 1}`,
      run: ({ payload }, ends) => workOn(context, executor, payload, ends),
      signal: stop,
    }),
  );
  const stopWatching = watchFiles(context.options.workspace.root, watchedFiles(intent), () =>
    coordinator.look(),
  );
  const stopAbandoning = onAbort(signal, async () => {
    await Promise.allSettled(workers);
    // Whoever waits for a worker to begin waits for nobody.
    for (const { begun, over } of context.underWay.values()) for (const each of [begun, over]) each.reach();
    await coordinator.abandon();
  });
  try {
    const summary = await Promise.race([coordinator.run(signal), failureOf(workers)]);
    emit({ type: 'ended', summary });
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

/** An end that is told after the beginning was recorded. */
async function workOn(
  context: Context,
  executor: Executor,
  assignment: TaskAssignment,
  signal: AbortSignal,
): Promise<ExecutorEnd> {
  const underWay = context.underWay.get(assignment.taskId);
  try {
    return await execute(context, executor, assignment, signal);
  } finally {
    await underWay?.recorded.reached;
  }
}

async function execute(
  { options, redactor, processes, emit, underWay: all }: Context,
  executor: Executor,
  assignment: TaskAssignment,
  signal: AbortSignal,
): Promise<ExecutorEnd> {
  const underWay = all.get(assignment.taskId) ?? new UnderWay();
  all.set(assignment.taskId, underWay);
  const { workspace, environment } = options;
  const task = { id: assignment.taskId, name: assignment.taskName };
  const until = AbortSignal.any([signal, underWay.cancelling.signal]);
  try {
    const about = { workspace, environment, redactor, processes, emit };
    const { site, open, close } = openSite(task, assignment.attempt, about, until);
    const end = executor.run(assignment, site).finally(close);
    // Its process is on its way by now, and whatever it prints comes later.
    try {
      open();
    } catch (error) {
      underWay.cancelling.abort();
      await end;
      throw error;
    }
    underWay.begun.reach();
    return await end;
  } finally {
    all.delete(assignment.taskId);
    underWay.begun.reach();
    underWay.over.reach();
  }
}

function openDesk(context: Context): Desk {
  const { run, intent, options, emit, journal, handed, redactor, processes } = context;
  const { workspace, config, environment, signal } = options;
  const { graph, project } = intent;
  return {
    ...{ project, journal, handed, run, emit },
    merging: new Mutex(),
    records: new Records({ workspace, project, journal, session: run }),
    approvals: new Map([...graph.tasks.values()].map(({ id, task }) => [id, hashVerify(task)])),
    littering: new Set(),
    unmark: (task) => unmarkTask(project, task),
    mask: (text) => redactor.mask(text),
    async note(...lines) {
      await updateStateFile(workspace, STATE.journal, (view) => ({
        changes: [journal.change(view, lines)],
        value: null,
      }));
      journal.took(lines);
    },
    hands: (task) => ({
      ...{ root: workspace.root, settings: config, environment, redactor, signal },
      onOutput: () => {},
      onStart: (mark) => processes.note(mark, `the verification of ${task}`),
    }),
    findDenial(task) {
      const denials = task.verify?.commands.map((command) => describeDenial(options.policy, task, command));
      return denials?.find((denial) => denial !== undefined);
    },
    postpone(task, error) {
      const named = findBlockers(error, task.plan, graph.plans);
      const postponed = graph.postpone(task.id, named);
      if (postponed.status === 'ok') return { behind: postponed.behind, isOver: false };
      const isAgain = journal.of(task.id).ended.at(-1)?.outcome === 'blocked';
      const areDone = named.length > 0 && named.every((id) => isCompleted(id, graph));
      return { behind: [], isOver: postponed.status === 'nothing' && areDone && !isAgain };
    },
  };
}

/** A task or a plan of which nothing is open and nothing was given up. */
function isCompleted(id: string, graph: TaskGraph): boolean {
  const left = [...graph.open(), ...graph.skipped()];
  return !left.some((task) => task.id === id || task.plan.id === id);
}

function openHands(context: Context, desk: Desk, executor: Executor): Hands {
  const { intent, options, state, isolation, queue } = context;
  const { workspace, config } = options;
  const { project } = intent;
  const site = {
    ...{ desk, state, isolation, queue, underWay: context.underWay },
    ...{ executor: executor.name, root: workspace.root },
    maxAttempts: limitsOf(intent.overview.jobs, options).maxAttempts,
    timeoutMs: config.orchestrate.taskTimeMs,
  };
  return {
    start: (task, number) => handOut(task, number, site),
    give: (task, number, signal) =>
      handOver(task, number, site, (given) => execute(context, executor, given, signal)),
    cancel: (task) => context.underWay.get(task.id)?.cancelling.abort(),
    recordLate: (task, event) => recordLate(task, event, desk, executor.name),
    async decide(task, answer) {
      const mask = (text: string) => desk.mask(text);
      const done = /^\s{0,20}done(?::(.*))?$/is.exec(answer);
      if (!done) await resolveTask(project, task.id, answer, { mask });
      else await state.vouching(task.id, () => complete(task.id, done[1]?.trim() || null, options));
    },
  };
}

/** Throws `UserError` where what they say does not hold, so that they are asked again. */
async function complete(task: string, words: string | null, options: OrchestrateOptions): Promise<void> {
  const { captured } = await completeTask({ ...options, task, words });
  if (captured.effectiveStatus === 'success') return;
  const { command = '', exitCode = null, outputSummary = '' } = captured.verification ?? {};
  throw new UserError(
    `${task} is not done: \`${command}\` ends with ${exitCode ?? 'no exit code'}, and printed: ${outputSummary}`,
  );
}

function openExecutor({ intent, options, emit, state }: Context): Executor {
  const { workspace, config, policy } = options;
  const { graph, overview } = intent;
  return createExecutor(overview.executor, config, {
    human: {
      onHanded({ taskId }) {
        const { id, name, plan, task } = graph.tasks.get(taskId)!;
        const how = `Work in the project itself. Then: teddy result submit FILE --plan ${plan.id}, or teddy task resolve ${id} done`;
        emit({ type: 'handed', task: { id, name }, planPath: plan.path, text: `${task.source}\n\n${how}` });
      },
      submitted: (taskId, signal) => state.whenResult(taskId, signal),
    },
    createTeddy: () => createTeddyExecutor({ workspace, config, policy }),
  });
}

interface Places {
  isolation: Isolation;
  past: Isolation;
  plain: Isolation;
  notes: string[];
}

async function openPlaces(
  { facts, overview, project, programs }: Intent,
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

function limitsOf(jobs: number, { config, maxAttempts, budgetUsd }: OrchestrateOptions): Limits {
  const { orchestrate } = config;
  return {
    jobs,
    maxAttempts: maxAttempts ?? orchestrate.maxAttempts,
    taskBudgetUsd: orchestrate.taskBudgetUsd,
    budgetUsd: budgetUsd ?? orchestrate.budgetUsd,
    timeMs: orchestrate.timeMs,
  };
}

/** Where people's decisions and results appear, and what they edit. */
function watchedFiles({ project, graph }: Intent): string[] {
  return [
    `${project.dir}/resolutions.jsonl`,
    `${project.dir}/ledger.jsonl`,
    ...graph.plans.map(({ path }) => path),
  ];
}
