import type { NamedTask, OrchestrateEvent, Summary, TaskState } from '../../../orchestrate/events.js';
import { waveTitle } from './overview-lines.js';

type Usage = Extract<OrchestrateEvent, { type: 'finished' }>['usage'];

/** The state of a task on the board. */
export interface TaskProgress extends NamedTask {
  /** `Phase 03, wave 2` */
  wave: string;
  state: TaskState;
  /** An attempt failed, and another one follows. */
  again: boolean;
  /** The user postponed its question. */
  later: boolean;
  attempt: number;
  executor: string;
  /** When it entered its state, in ms since 1970. */
  since: number;
  /** Its last line of output, or an explanation of its state. */
  line: string;
  /** The sum over all attempts. */
  usage: Usage;
}

const RECENT = 3;
const NOTHING: Usage = { inputTokens: null, outputTokens: null, costUsd: null };

/** The state of a run, built from its events. */
export class BoardProgress {
  readonly tasks = new Map<string, TaskProgress>();
  beganAt: number | undefined;
  usage: Usage = NOTHING;
  /** The task whose output and changes the keys show. */
  selected: string | undefined;
  /** Set once nothing new starts. */
  stopping: { why: NonNullable<Summary['stopped']>; ending: boolean } | undefined;
  /** The tasks whose attempts ended last, newest first. */
  recent: TaskProgress[] = [];

  apply(event: OrchestrateEvent): void {
    const at = Date.parse(event.at);
    switch (event.type) {
      case 'began':
        this.beganAt = at;
        for (const plan of event.overview.plans) {
          const wave = waveTitle(plan);
          for (const { id, name, status } of plan.tasks)
            this.tasks.set(id, { ...this.#new({ id, name }, at), wave, state: status });
        }
        return;
      case 'started':
        this.#change(event.task, at, {
          state: 'running',
          attempt: event.attempt,
          executor: event.executor,
          line: '',
        });
        return;
      case 'output':
        this.#of(event.task, at).line = event.line;
        return;
      case 'verifying':
        this.#change(event.task, at, { state: 'verifying', line: event.command });
        return;
      case 'finished': {
        const task = this.#of(event.task, at);
        this.#change(event.task, at, {
          state: event.outcome,
          line: event.reason ?? '',
          usage: addUsage(task.usage, event.usage),
        });
        this.recent = [task, ...this.recent.filter((each) => each !== task)].slice(0, RECENT);
        this.usage = addUsage(this.usage, event.usage);
        return;
      }
      case 'state':
        this.#change(event.task, at, { state: event.state });
        return;
      case 'retry':
        this.#change(event.task, at, {
          state: 'ready',
          again: true,
          attempt: event.attempt,
          line: event.reason,
        });
        return;
      case 'handed':
        this.#change(event.task, at, { state: 'running', executor: 'you', line: event.planPath });
        return;
      case 'asked':
        this.#change(event.question, at, { state: 'asking', line: event.question.message });
        return;
      case 'answered':
        this.#change(event.task, at, { state: stateAfter(event.answer), line: '' });
        return;
      case 'stopping':
        this.stopping = { why: event.why, ending: event.ending };
        return;
      case 'late':
      case 'wave-stopped':
      case 'note':
      case 'ended':
        return;
    }
  }

  /** The user postpones a question, or comes back to it. */
  setLater(id: string, later: boolean): void {
    const task = this.tasks.get(id);
    if (task !== undefined) task.later = later;
  }

  /** Selects the next or the previous task of the board, in its order. */
  select(step: 1 | -1): void {
    const ids = this.#selectable();
    const at = ids.indexOf(this.selected ?? '');
    const next = at === -1 ? (step === 1 ? 0 : ids.length - 1) : at + step;
    this.selected = ids[Math.min(Math.max(next, 0), ids.length - 1)];
  }

  /** The selected task, otherwise the first one. */
  get shown(): string | undefined {
    return this.selected ?? this.#selectable()[0];
  }

  /** Every task that has or had an attempt, those of the board first. */
  #selectable(): string[] {
    const active = [...this.tasks.values()].filter(isActive).sort(byUrgency);
    const tried = [...this.tasks.values()].filter((task) => task.attempt > 0 && !active.includes(task));
    return [...active, ...tried].map(({ id }) => id);
  }

  /** The ids of skipped tasks. */
  get skipped(): string[] {
    return [...this.tasks.values()].filter(({ state }) => state === 'skipped').map(({ id }) => id);
  }

  #change(task: NamedTask, at: number, change: Partial<TaskProgress>): void {
    Object.assign(this.#of(task, at), { again: false, later: false, since: at, ...change });
  }

  #of(task: NamedTask, at: number): TaskProgress {
    const known = this.tasks.get(task.id) ?? this.#new(task, at);
    this.tasks.set(task.id, known);
    return known;
  }

  #new({ id, name }: NamedTask, at: number): TaskProgress {
    return {
      id,
      name,
      wave: '',
      state: 'waiting',
      again: false,
      later: false,
      attempt: 0,
      executor: '',
      since: at,
      line: '',
      usage: NOTHING,
    };
  }
}

export function isActive({ state, again }: TaskProgress): boolean {
  return again || state === 'running' || state === 'verifying' || state === 'asking';
}

/** Questions first, then what has been running longest; postponed questions last. */
export function byUrgency(one: TaskProgress, other: TaskProgress): number {
  const rank = ({ state, again, later }: TaskProgress) =>
    state === 'asking' ? (later ? 3 : 0) : again ? 2 : 1;
  return rank(one) - rank(other) || one.since - other.since;
}

function stateAfter(answer: string): TaskState {
  if (answer === 'skip') return 'skipped';
  // The event is sent after verification and merge.
  if (answer === 'done') return 'done';
  return answer === 'abort' ? 'failed' : 'ready';
}

/** Ignores unknown values; null if both are unknown. */
function addUsage(one: Usage, other: Usage): Usage {
  const add = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  return {
    inputTokens: add(one.inputTokens, other.inputTokens),
    outputTokens: add(one.outputTokens, other.outputTokens),
    costUsd: add(one.costUsd, other.costUsd),
  };
}
