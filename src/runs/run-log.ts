import { ACTIONS, labelAction } from '../core/plan/actions.js';
import { writeStateChanges } from '../core/plan/state-changes.js';
import type { Action, Plan } from '../core/plan/types.js';
import { type Redactor, secretValues } from '../core/redact/redactor.js';
import type { ActionRecord, StateChangeRecord } from '../core/report/record.js';
import { isoUtcMs, now } from '../node/clock.js';
import { errorCode } from '../node/errors.js';
import type { RunFolder } from '../workspace/runs/run-folder.js';
import type { Continuation } from './continue-run.js';
import type { RunListener } from './events.js';
import type { ContextStep, Progress } from './progress.js';
import type { Refusal } from './propose.js';

interface LogOptions {
  plan: Plan;
  folder: RunFolder;
  redactor: Redactor;
  emit: RunListener;
  continued?: Continuation | undefined;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The outcomes of a run so far, masked: kept for its record, written to its journal, and announced to listeners. */
export class RunLog {
  /** By the number of the action, from 0. Outcomes of the continued run are there from the start. */
  readonly #actions: (ActionRecord | undefined)[] = [];
  readonly #stateChanges = new Map<StateChangeRecord['section'], StateChangeRecord>();
  readonly #contextSteps: ContextStep[] = [];
  readonly #plan: Plan;
  readonly #folder: RunFolder;
  readonly #emit: RunListener;
  #redactor: Redactor;
  #unwritable: Refusal | undefined;

  constructor({ plan, folder, redactor, emit, continued }: LogOptions) {
    this.#plan = plan;
    this.#folder = folder;
    this.#redactor = redactor;
    this.#emit = emit;
    for (const [number, record] of continued?.actions ?? []) this.#actions[number - 1] = record;
    for (const [section, record] of continued?.stateChanges ?? []) this.#stateChanges.set(section, record);
  }

  /** Set once the journal cannot be written: what could not be recovered after a crash is not started. */
  get unwritable(): Refusal | undefined {
    return this.#unwritable;
  }

  get redactor(): Redactor {
    return this.#redactor;
  }

  get contextSteps(): readonly ContextStep[] {
    return this.#contextSteps;
  }

  action(number: number): ActionRecord | undefined {
    return this.#actions[number - 1];
  }

  stateChange(section: StateChangeRecord['section']): StateChangeRecord | undefined {
    return this.#stateChanges.get(section);
  }

  /** Every record, in the plan's order, once every step has one. */
  records(): { stateChanges: StateChangeRecord[]; actions: ActionRecord[] } {
    return {
      stateChanges: writeStateChanges(this.#plan).map(({ section }) => this.#stateChanges.get(section)!),
      actions: this.#actions.map((record) => record!),
    };
  }

  mask<T>(value: T): T {
    return this.#redactor.maskAll(value);
  }

  /** An action that the user edited may contain new secrets. */
  learnSecrets(action: Action): void {
    if ('env' in action) this.#redactor = this.#redactor.knowing(secretValues(action.env));
  }

  /** Writes to the journal. Throws only for an action that is about to start. */
  note(entry: DistributiveOmit<Progress, 'at'>): void {
    try {
      this.#folder.note({ at: isoUtcMs(now()), ...entry });
    } catch (error) {
      const reason = `Not run: the run's folder ${this.#folder.shown} is gone or not writable (${errorCode(error)}).`;
      this.#unwritable ??= { by: 'teddy', reason };
      if (entry.kind === 'started') throw error;
    }
  }

  endState(record: StateChangeRecord): void {
    this.#stateChanges.set(record.section, record);
    this.note({ kind: 'state', record });
    this.#emit({ kind: 'state-changed', record });
  }

  announceStart(number: number, action: Action): void {
    this.#emit({ kind: 'action-started', ...this.#headOf(number, action), type: action.type });
  }

  /** `noted`: the commit that ended the action has put it into the journal. */
  endAction(number: number, action: Action, record: ActionRecord, end: ActionEnd = {}): void {
    this.#actions[number - 1] = record;
    const step = record.outcome.status === 'success' ? end.context : undefined;
    if (step) this.#contextSteps.push(step);
    if (!end.noted) this.note({ kind: 'ended', number, record, ...(step && { context: step }) });
    this.#emit({ kind: 'action-ended', ...this.#headOf(number, action), record });
  }

  /** Notes on every READ and PRUNE that the next turn's context could not be changed. */
  noteContextFailure(reason: string): void {
    const note = `The next turn's context could not be changed: ${reason}`;
    for (const [i, record] of this.#actions.entries()) {
      if (record?.outcome.status !== 'success' || !ACTIONS[record.type].contextOp) continue;
      const outcome = { ...record.outcome, notes: [...(record.outcome.notes ?? []), note] };
      this.#actions[i] = this.mask({ ...record, outcome });
    }
  }

  #headOf(number: number, action: Action): { number: number; total: number; label: string } {
    return { number, total: this.#plan.actions.length, label: this.mask(labelAction(action)) };
  }
}

export interface ActionEnd {
  noted?: boolean;
  context?: ContextStep | undefined;
}
