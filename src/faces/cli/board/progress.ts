import type { NamedTask, OrchestrateEvent, Summary, TaskState } from '../../../orchestrate/events.js';
import { waveTitle } from './overview-lines.js';

type Usage = Extract<OrchestrateEvent, { type: 'finished' }>['usage'];

/** A task as the board knows it. */
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
  /** Its last line of output, or what explains its state. */
  line: string;
  /** All of its attempts. */
  usage: Usage;
}

const RECENT = 3;
const NOTHING: Usage = { inputTokens: null, outputTokens: null, costUsd: null };

/** The state of a run, built from its events. */
export class BoardProgress {
  readonly tasks = new Map<string, TaskProgress>();
  beganAt: number | undefined;
  usage: Usage = NOTHING;
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

  /** The tasks that are skipped by now. */
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

function stateAfter(answer: string): TaskState {
  if (answer === 'skip') return 'skipped';
  // The event comes once it is verified and captured.
  if (answer === 'done') return 'done';
  return answer === 'abort' ? 'failed' : 'ready';
}

/** What is unknown adds nothing; all unknown stays so. */
function addUsage(one: Usage, other: Usage): Usage {
  const add = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  return {
    inputTokens: add(one.inputTokens, other.inputTokens),
    outputTokens: add(one.outputTokens, other.outputTokens),
    costUsd: add(one.costUsd, other.costUsd),
  };
}
