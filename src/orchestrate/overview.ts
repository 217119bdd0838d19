import type { OrchestrationOverview, OverviewPlan, TaskState } from './events.js';
import type { TaskGraph } from './graph/task-graph.js';
import type { GraphTask } from './graph/types.js';

/** What is going to be done, in which order, and which commands are approved by starting it. */
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

/** Each once, with the tasks that it verifies. Those of tasks that are done are not run. */
function commandsOf(tasks: readonly GraphTask[]): OrchestrationOverview['commands'] {
  const commands = new Map<string, string[]>();
  for (const { id, status, task } of tasks) {
    if (status === 'completed' || status === 'skipped') continue;
    for (const command of task.verify?.commands ?? []) {
      const known = commands.get(command);
      if (known) known.push(id);
      else commands.set(command, [id]);
    }
  }
  return [...commands].map(([command, ids]) => ({ command, tasks: ids }));
}

/** Shows which tasks wait for an answer rather than for their turn. */
export function markAsked(plans: readonly OverviewPlan[], asked: (id: string) => unknown): OverviewPlan[] {
  return plans.map((plan) => ({
    ...plan,
    tasks: plan.tasks.map((task) => (asked(task.id) ? { ...task, status: 'asking' } : task)),
  }));
}
