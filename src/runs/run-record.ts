import type { Issue } from '../core/issue.js';
import { ACTIONS, labelAction } from '../core/plan/actions.js';
import { writeStateChanges } from '../core/plan/state-changes.js';
import type { Action, Plan } from '../core/plan/types.js';
import { type Redactor, secretValues } from '../core/redact/redactor.js';
import type { TipLimits } from '../core/report/markdown.js';
import { renderMirrored } from '../core/report/mirrored.js';
import {
  type ActionRecord,
  type Decider,
  type Decision,
  type Done,
  type LineComment,
  type Outcome,
  overallOf,
  type Run,
  type StateChangeRecord,
} from '../core/report/record.js';
import { isoUtcMs, now } from '../node/clock.js';
import { errorCode } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import type { Change } from '../workspace/commit/change.js';
import type { RunFolder } from '../workspace/runs/run-folder.js';
import { RUN_RECORD } from '../workspace/runs/runs.js';
import type { Workspace } from '../workspace/workspace.js';
import type { RunListener } from './events.js';
import type { ContextStep, Progress, TurnMark } from './progress.js';

const REPORT = 'report.md';

/** A run of which everything is still to be decided: each action as `decision` has it. */
export function draftRun(
  facts: Pick<Run, 'id' | 'startedAt' | 'environment' | 'task'> & { path: string },
  plan: Plan | null,
  issues: readonly Issue[],
  decision: Decision,
): Omit<Run, 'overall'> {
  const { id, startedAt, environment, path, task } = facts;
  return {
    id,
    kind: 'plan',
    root: environment.cwd,
    plan: { title: plan === null || plan.title === '' ? null : plan.title, path },
    startedAt,
    endedAt: startedAt,
    durationMs: 0,
    environment,
    ...(task !== undefined && { task }),
    refused: false,
    interrupted: null,
    issues: [...issues],
    stateChanges:
      plan === null ? [] : writeStateChanges(plan).map((change) => ({ ...change, decision, notApplied: [] })),
    actions:
      plan === null ? [] : plan.actions.map((action) => recordOf(action, decision, { status: 'not-run' })),
  };
}

/** Makes the record of a run that is over. */
export function completeRun(draft: Omit<Run, 'overall'>): Run {
  const { id, kind, root, plan, startedAt, endedAt, durationMs, environment, ...rest } = draft;
  const overall = overallOf(draft);
  return { id, kind, root, plan, startedAt, endedAt, durationMs, environment, overall, ...rest };
}

/** Whether nothing of the plan was approved, and so nothing done: it can be decided on again. */
export function isUndecided({ refused, actions, stateChanges }: Run): boolean {
  return !refused && [...actions, ...stateChanges].every(({ decision }) => decision.status === 'skipped');
}

/** Whether the user can decide again: the action or state change had no effect, being skipped or only a reply. */
export function canDecideAgain({
  type,
  decision,
}: Pick<ActionRecord, 'decision'> & { type?: ActionRecord['type'] }): boolean {
  return decision.by === 'person' && (decision.status === 'skipped' || type === 'CHAT_WITH_USER');
}

/** Ends a run: its report, and last its record, which says that it is over. Throws what its folder throws. */
export function closeRun(folder: RunFolder, run: Run, tip: TipLimits): void {
  folder.write(REPORT, renderMirrored(run, tip));
  folder.writeRecord(RUN_RECORD, toText(run));
}

/** The same as changes, for a commit that ends more than the run. */
export function recordChanges(workspace: Workspace, run: Run, tip: TipLimits): Change[] {
  const change = (name: string, text: string): Change => {
    const old = workspace.readRunFile(run.id, name);
    return {
      path: `.teddy/runs/${run.id}/${name}`,
      before: old === undefined ? null : sha256(old),
      after: new TextEncoder().encode(text),
      mode: 0o600,
    };
  };
  const record = toText(run);
  const seal = workspace.sealRunRecord(run.id, record);
  return [change(REPORT, renderMirrored(run, tip)), ...(seal ? [seal] : []), change(RUN_RECORD, record)];
}

function toText(run: Run): string {
  return `${JSON.stringify(run, null, 2)}\n`;
}

export function recordOf(action: Action, decision: Decision, outcome: Outcome): ActionRecord {
  return { type: action.type, line: action.line, metadata: action.metadata, decision, outcome };
}

export function success(summary: string): Done {
  return { status: 'success', summary };
}

/** An action that came to nothing, and why: a sentence, and maybe more lines on it. */
export function failure(why: string): Done {
  return { status: 'failure', summary: why.split('\n', 1)[0]!, error: { text: `${why}\n` } };
}

/** The record of a write whose commit failed. */
export function failedRecord(record: ActionRecord, why: string): ActionRecord {
  const ranAs = record.outcome.status === 'not-run' ? undefined : record.outcome.ranAs;
  return { ...record, outcome: { ...failure(why), ...(ranAs === undefined ? {} : { ranAs }) } };
}

/** A run that did not finish its plan, and what succeeded in it: that is not run again. */
export interface Continuation {
  run: string;
  /** The plan, as the run received it. */
  text: string;
  /** The plan's own path, if it still has that text. */
  path: string | null;
  /** The turn of a session whose plan it was. */
  turn: TurnMark | undefined;
  /** By the number of the action. */
  actions: ReadonlyMap<number, ActionRecord>;
  stateChanges: ReadonlyMap<StateChangeRecord['section'], StateChangeRecord>;
}

/** Why something is not run, and who decided that. */
export interface Refusal {
  by: Decider;
  reason: string | null;
  comments?: LineComment[];
}

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
      if (record?.outcome.status !== 'success' || !hasContextOp(record.type)) continue;
      const outcome = { ...record.outcome, notes: [...(record.outcome.notes ?? []), note] };
      this.#actions[i] = this.mask({ ...record, outcome });
    }
  }

  #headOf(number: number, action: Action): { number: number; total: number; label: string } {
    return { number, total: this.#plan.actions.length, label: this.mask(labelAction(action)) };
  }
}

function hasContextOp(type: ActionRecord['type']): boolean {
  return type !== 'DELETE' && type !== 'RENAME' && ACTIONS[type].contextOp !== undefined;
}

export interface ActionEnd {
  noted?: boolean;
  context?: ContextStep | undefined;
}
