import { ACTIONS, contextStepOf, hasEffect, labelAction } from '../core/plan/actions.js';
import { writeStateChanges } from '../core/plan/state-changes.js';
import type { Action, Plan, PlanIssue } from '../core/plan/types.js';
import { writeAction } from '../core/plan/write.js';
import { secretValues } from '../core/redact/environment.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { ActionRecord, Decision, Done, Outcome, StateChangeRecord } from '../core/report/record.js';
import { realPathIn, type Tree } from '../core/tree.js';
import { isoUtcMs, now } from '../node/clock.js';
import { errorCode } from '../node/errors.js';
import type { ProcessMark } from '../node/process/process-table.js';
import type { ActionQuestion, Preview, Reviewer } from '../review/question.js';
import { listProjectFiles } from '../workspace/files/project-files.js';
import type { RunFolder } from '../workspace/runs/run-folder.js';
import type { Workspace } from '../workspace/workspace.js';
import { perform } from './actions.js';
import type { Continuation } from './continue-run.js';
import type { RunListener } from './events.js';
import { type Interrupts, watchInterrupts } from './interrupts.js';
import type { ContextStep, Progress } from './progress.js';
import {
  type Approval,
  askAboutAction,
  askAboutState,
  chooseWrite,
  NO_TERMINAL_TO_ANSWER,
  previewPlan,
  proposeAction,
  proposeState,
  type Refusal,
  type StateAnswer,
} from './propose.js';
import type { RunContext, RunSettings } from './run-context.js';
import { canDecideAgain, failure, recordOf, success } from './run-record.js';
import type { Applied, NoteOf, TurnState } from './turn-state.js';
import { WriteBatch } from './write-batch.js';

/** What whoever starts a run gives it to work with. */
export interface RunOptions {
  workspace: Workspace;
  tree: Tree;
  reviewer: Reviewer;
  settings: RunSettings;
  environment: RunContext['environment'];
  interrupts: Interrupts;
  /** Go on after failures, and in spite of predictions, although nobody is asked. */
  keepGoing: boolean;
  emit: RunListener;
  /** The run that this one continues. */
  continued?: Continuation | undefined;
  /** Called with every command's processes before the command starts. */
  onProcess?: (mark: ProcessMark) => void;
}

/** Everything that a run works with. */
interface RunWork extends RunOptions {
  plan: Plan;
  /** What is known of the plan, for whoever decides. */
  issues: readonly PlanIssue[];
  redactor: Redactor;
  folder: RunFolder;
  state: TurnState;
}

export interface RunResult {
  stateChanges: StateChangeRecord[];
  actions: ActionRecord[];
  /** Why the run ended before its plan did. */
  interrupted: string | null;
}

/**
 * Decides on and carries out a plan, action by action: each is proposed as the files are by then, and done as it was
 * approved or not at all. What cannot be done is that action's failure. Never throws.
 */
export async function runPlan(work: RunWork): Promise<RunResult> {
  const run = new PlanRun(work);
  try {
    work.reviewer.begin?.({ plan: work.plan, issues: work.issues, previews: run.previews() });
    await run.changeState();
    for (let number = 1; number <= work.plan.actions.length; )
      number = work.continued?.actions.has(number) ? number + 1 : await run.step(number);
    await run.finish();
    return run.result();
  } finally {
    run.close();
  }
}

/** An approved action on its way. */
interface Job {
  number: number;
  action: Action;
  question: ActionQuestion;
  approval: Approval;
  /** What is noted of it before it is done, masked as its record is. */
  start: { decision: Decision; ranAs?: string };
  /** Its record, once it is known what came of it. */
  record(outcome: Outcome): ActionRecord;
}

class PlanRun {
  private readonly batch: WriteBatch;
  /** By the number of the action, from 0; what was taken over from another run is there from the start. */
  private readonly records: (ActionRecord | undefined)[] = [];
  private readonly stateChanges: StateChangeRecord[] = [];
  private readonly context: ContextStep[] = [];
  /** What the run has added to the context or taken out of it, by path. */
  private readonly contextOps = new Map<string, ContextStep['op']>();
  private readonly watch: ReturnType<typeof watchInterrupts>;
  /** The actions as they are carried out: planned, or as a person changed them. */
  private readonly actions: Action[];
  private redactor: Redactor;
  private readonly outputs: RunContext['outputs'];
  /** Why nothing more is done unless a person says so. */
  private halted: string | undefined;
  /** Why nothing more is even asked. */
  private quit: Refusal | undefined;

  constructor(private readonly work: RunWork) {
    this.actions = [...work.plan.actions];
    for (const [number, record] of work.continued?.actions ?? []) this.records[number - 1] = record;
    this.redactor = work.redactor;
    this.outputs = work.folder.makeFolder('output');
    this.watch = watchInterrupts(work.interrupts, work.reviewer.ask !== undefined);
    this.batch = new WriteBatch(work.tree, (changes, note) =>
      work.workspace.commit(changes, { origin: 'plan', run: work.folder.id, note }),
    );
  }

  close(): void {
    this.watch.end();
  }

  result(): RunResult {
    return {
      stateChanges: this.stateChanges,
      actions: this.records.map((record) => record!),
      interrupted: this.watch.reason(),
    };
  }

  async changeState(): Promise<void> {
    const { plan, state } = this.work;
    for (const { section, changes } of writeStateChanges(plan)) {
      const taken = this.work.continued?.stateChanges.get(section);
      if (taken) this.stateChanges.push(taken);
      else
        await this.changeSection(section, changes, (note) =>
          section === 'Memos'
            ? state.changeMemos(plan.memos, note)
            : state.changeContext(plan.activeContext, note),
        );
    }
  }

  /** What each action would do, for the user's first look at the plan. */
  previews(): Preview[] {
    const { plan, tree, workspace, reviewer, continued } = this.work;
    if (!reviewer.ask) return [];
    const previews: Preview[] = plan.actions.map(() => ({ kind: 'none' }));
    const show = (text: string) => this.redactor.mask(text);
    const isDone = (number: number) => continued?.actions.has(number) ?? false;
    for (const question of previewPlan(plan, tree, workspace, show, isDone))
      if (question.kind === 'action') previews[question.number - 1] = question.preview;
    return previews;
  }

  /** Decides on one action and runs it. Gives the number of the action to continue with. */
  async step(number: number): Promise<number> {
    const planned = this.work.plan.actions[number - 1]!;
    const stop = this.quit ?? this.watch.stop() ?? this.refuseHandover(planned, number);
    if (stop) {
      this.skip(number, stop);
      return number + 1;
    }
    const { action, modified, asked, question, answer } = await askAboutAction(planned, {
      reviewer: this.work.reviewer,
      propose: (each, isModified) => this.propose(each, number, isModified),
      beforePerson: () => this.flush(),
    });
    // Who goes on after a failure has seen it.
    if (asked) this.halted = undefined;
    if (answer.decision === 'back') return this.reopen(number - 1) ? number - 1 : number;
    if (answer.decision === 'quit') this.quit = answer;
    if (answer.decision !== 'approve') {
      this.skip(number, answer);
      return number + 1;
    }
    if (modified) this.useEdited(number, action);
    const decision: Decision = { status: 'approved', by: answer.by };
    const ranAs = modified ? { ranAs: `${writeAction(action)}\n` } : {};
    const record = (outcome: Outcome) =>
      this.mask(
        recordOf(planned, decision, outcome.status === 'not-run' ? outcome : { ...outcome, ...ranAs }),
      );
    const start = this.mask({ decision, ...ranAs });
    await this.runApproved({ number, action, question, approval: answer, start, record });
    return number + 1;
  }

  /** INVOKE and CONCLUDE need a session. */
  private refuseHandover(planned: Action, number: number): Refusal | undefined {
    if (!hasEffect(planned, 'hands-over') || this.work.state.nextTurn) return undefined;
    const answer = this.work.reviewer.resolve(this.propose(planned, number, false));
    return answer?.decision === 'skip' ? answer : NO_SESSION;
  }

  /** Whether the user can decide on an action again; then it is as planned again. */
  private reopen(number: number): boolean {
    const record = this.records[number - 1];
    if (record === undefined || !canDecideAgain(record) || this.work.continued?.actions.has(number))
      return false;
    this.actions[number - 1] = this.work.plan.actions[number - 1]!;
    return true;
  }

  /** What a person wrote into an action may be secret, too. */
  private useEdited(number: number, action: Action): void {
    this.actions[number - 1] = action;
    if ('env' in action) this.redactor = this.redactor.knowing(secretValues(action.env));
  }

  /** Commits what waits, and lets the next turn know what was read and pruned. */
  async finish(): Promise<void> {
    await this.flush();
    if (this.context.length === 0) return;
    const applied = await this.work.state.changeContext(this.context, () => ({ kind: 'context' }));
    if (applied.status === 'failed') this.noteOnContext(applied.reason);
  }

  private propose(action: Action, number: number, modified: boolean): ActionQuestion {
    const place = { number, total: this.work.plan.actions.length, modified };
    return proposeAction(action, place, {
      tree: this.batch.files,
      admit: (path) => this.work.workspace.locate(path),
      show: (text) => this.redactor.mask(text),
    });
  }

  private async changeSection(
    section: StateChangeRecord['section'],
    changes: string,
    apply: (note: NoteOf) => Promise<Applied>,
  ): Promise<void> {
    const question = proposeState(section, changes);
    const stop = this.quit ?? this.watch.stop();
    const answer: StateAnswer = stop
      ? { decision: 'skip', ...stop }
      : await askAboutState(question, this.work.reviewer);
    if (answer.decision === 'quit') this.quit = answer;
    const record = (decision: Decision, notApplied: string[]): StateChangeRecord =>
      this.mask({ section, changes, decision, notApplied });
    if (answer.decision !== 'approve') {
      this.endState(record({ status: 'skipped', by: answer.by, reason: answer.reason }, []));
      return;
    }
    const decision: Decision = { status: 'approved', by: answer.by };
    const applied: Applied =
      answer.hash === question.hash
        ? await apply((notApplied) => ({ kind: 'state', record: record(decision, notApplied) }))
        : { status: 'failed', reason: CHANGED };
    if (section === 'Active Context') this.noteContext(this.work.plan.activeContext);
    this.endState(record(decision, applied.status === 'applied' ? applied.notApplied : [applied.reason]));
  }

  private async runApproved(job: Job): Promise<void> {
    const { number, action, question, approval, start, record } = job;
    const { preview } = question;
    if (!this.canJoin(job)) await this.flush();
    const stop = this.watch.stop();
    if (stop) return this.skip(number, stop);
    if (approval.by !== 'person' && this.halted !== undefined) {
      return this.skip(number, { by: 'teddy', reason: this.halted });
    }
    if (approval.hash !== question.hash) return this.end(number, record(failure(CHANGED)));
    if (preview.kind === 'will-fail') return this.end(number, record(failure(preview.reasons.join('\n\n'))));
    if (preview.kind === 'write') {
      if (preview.before === preview.after) return this.end(number, record(UNCHANGED));
      const write = chooseWrite(preview, approval);
      if (write === undefined) return this.end(number, record(failure(CHANGED)));
      const { after, ...facts } = write;
      if (approval.by === 'person') this.note({ kind: 'decided', number, ...start });
      this.batch.stage(
        number,
        { ...preview, after },
        record({ ...describeWrite(action, preview), ...facts }),
      );
      if (approval.by === 'person') await this.flush();
      return;
    }
    if (hasEffect(action, 'asks') && approval.reply === undefined)
      return this.skip(number, NO_TERMINAL_TO_ANSWER);
    for (let attempt = 1; ; attempt++) {
      const outcome = this.begin(job) ? await this.perform(job, attempt) : failure(UNNOTED);
      this.end(
        number,
        record(attempt === 1 ? outcome : { ...outcome, attempts: attempt }),
        outcome.status === 'success' ? contextStepOf(action, this.work.tree) : undefined,
      );
      if (outcome.status === 'success' || !(await this.wantsRerun(job, attempt))) return;
    }
  }

  /** Whether the user runs a failed command again. Every attempt is in the journal; the last is the outcome. */
  private async wantsRerun({ number, action, approval }: Job, attempts: number): Promise<boolean> {
    const { reviewer, plan } = this.work;
    if (action.type !== 'EXECUTE' || action.allowFailure || approval.by !== 'person') return false;
    if (!reviewer.askRerun || this.quit || this.watch.stop()) return false;
    const answer = await reviewer.askRerun({ number, total: plan.actions.length, action, attempts });
    this.halted = undefined;
    if (answer.decision === 'quit') this.quit = { by: 'person', reason: answer.reason };
    return answer.decision === 'rerun';
  }

  /** Whether it can be done in the middle of a batch: it writes, or looks at nothing that waits. */
  private canJoin({ action, question: { preview } }: Job): boolean {
    if (preview.kind === 'write') return true;
    if (preview.kind === 'will-fail') return this.work.keepGoing;
    const { contextOp } = ACTIONS[action.type];
    if (contextOp === undefined || !('resource' in action)) return false;
    if (contextOp === '-') return true;
    const path = realPathIn(this.work.tree, action.resource.target);
    if (action.resource.kind !== 'file' || this.batch.files.stat(path)?.kind === 'folder') return false;
    return !this.batch.touches(path);
  }

  private async perform({ number, action, approval, start }: Job, attempt: number): Promise<Done> {
    const { workspace, settings, environment } = this.work;
    const { signal, end } = this.watch.begin(approval.by === 'person');
    try {
      return await perform(action, {
        number,
        attempt,
        reply: approval.reply,
        tree: this.batch.files,
        nextTurn: this.work.state.nextTurn,
        handsOver: this.work.plan.actions.some((each) => hasEffect(each, 'hands-over')),
        isInContext: (path) =>
          (this.contextOps.get(path) ?? (this.work.state.isInContext(path) ? '+' : '-')) === '+',
        context: {
          root: workspace.root,
          outputs: this.outputs,
          settings,
          environment,
          redactor: this.redactor,
          listFiles: () => listProjectFiles(workspace.root),
          signal,
          onOutput: (stream, text) => this.work.emit({ kind: 'output', number, stream, text }),
        },
        onProcess: (process) => {
          this.work.onProcess?.(process);
          this.note({ kind: 'started', number, ...start, process });
        },
      });
    } finally {
      end();
    }
  }

  private async flush(): Promise<void> {
    if (this.batch.isEmpty) return;
    for (const { number, path, record, failed, context } of await this.batch.end()) {
      this.announce(number, this.actions[number - 1]!);
      if (failed !== undefined) this.conclude(number, this.mask(failedRecord(record, failed)));
      else if (path !== null) this.conclude(number, record, { noted: true });
      else this.conclude(number, this.unlessHalted(number, record), { context });
    }
  }

  /** What only kept its place behind a write that failed after all counts as not run. */
  private unlessHalted(number: number, record: ActionRecord): ActionRecord {
    if (this.halted === undefined || record.decision.status === 'skipped') return record;
    const action = this.work.plan.actions[number - 1]!;
    const decision: Decision = { status: 'skipped', by: 'teddy', reason: this.halted };
    return this.mask(recordOf(action, decision, NOT_RUN));
  }

  private skip(number: number, { by, reason }: Refusal): void {
    const action = this.work.plan.actions[number - 1]!;
    this.end(number, this.mask(recordOf(action, { status: 'skipped', by, reason }, NOT_RUN)));
  }

  /** The last word on an action: now, or behind what waits for its commit. */
  private end(number: number, record: ActionRecord, context?: ContextStep): void {
    if (context) this.noteContext([context]);
    if (this.batch.isEmpty) this.conclude(number, record, { context });
    else this.batch.follow(number, record, context);
  }

  private noteContext(steps: readonly ContextStep[]): void {
    for (const { op, path } of steps) this.contextOps.set(path, op);
  }

  /** What a commit has noted itself need not be noted again. */
  private conclude(number: number, record: ActionRecord, { noted = false, context }: Ending = {}): void {
    this.records[number - 1] = record;
    const action = this.actions[number - 1]!;
    if (record.outcome.status === 'failure' && !this.work.keepGoing && !isTolerated(action)) {
      this.halted ??= `Not run: action ${number} (${record.type}) failed.`;
    }
    const isDone = record.outcome.status === 'success';
    if (context && isDone) this.context.push(context);
    if (!noted) this.note({ kind: 'ended', number, record, ...(context && isDone ? { context } : {}) });
    const label = this.labelOf(action);
    this.work.emit({ kind: 'action-ended', number, total: this.work.plan.actions.length, label, record });
  }

  /** Says that it begins, on disk first. What only looks at files within a batch has no need to. */
  private begin({ number, action, start }: Job): boolean {
    if (!this.batch.isEmpty) return true;
    try {
      this.note({ kind: 'started', number, ...start });
      this.announce(number, action);
      return true;
    } catch {
      return false;
    }
  }

  private endState(record: StateChangeRecord): void {
    this.stateChanges.push(record);
    this.note({ kind: 'state', record });
    this.work.emit({ kind: 'state-changed', record });
  }

  private announce(number: number, action: Action): void {
    const label = this.labelOf(action);
    const total = this.work.plan.actions.length;
    this.work.emit({ kind: 'action-started', number, total, type: action.type, label });
  }

  private labelOf(action: Action): string {
    return this.mask(labelAction(action));
  }

  /** What cannot be noted any more must not be done either: nobody could tell of it if this process died. */
  private note(entry: DistributiveOmit<Progress, 'at'>): void {
    try {
      this.work.folder.note({ at: isoUtcMs(now()), ...entry });
    } catch (error) {
      const code = errorCode(error);
      this.quit ??= {
        by: 'teddy',
        reason: `Not run: the run's folder ${this.work.folder.shown} is gone or not writable (${code}).`,
      };
      if (entry.kind === 'started') throw error;
    }
  }

  private noteOnContext(reason: string): void {
    const note = `The next turn's context could not be changed: ${reason}`;
    for (const [i, record] of this.records.entries()) {
      if (record?.outcome.status !== 'success' || !ACTIONS[record.type].contextOp) continue;
      const outcome = { ...record.outcome, notes: [...(record.outcome.notes ?? []), note] };
      this.records[i] = this.mask({ ...record, outcome });
    }
  }

  private mask<T>(value: T): T {
    return this.redactor.maskAll(value);
  }
}

interface Ending {
  noted?: boolean;
  context?: ContextStep | undefined;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const CHANGED = 'It has changed since review. Nothing was done.';
const UNNOTED = "Not started: the run's folder is no longer writable.";
const NOT_RUN: Outcome = { status: 'not-run' };
const UNCHANGED: Done = {
  ...success('Nothing to write.'),
  unchanged: 'the file already had this content',
};
const NO_SESSION: Refusal = { by: 'teddy', reason: 'Not run: this plan is not part of a session.' };

/** A record that was made for a success which did not come. */
function failedRecord(record: ActionRecord, why: string): ActionRecord {
  const ranAs = record.outcome.status === 'not-run' ? undefined : record.outcome.ranAs;
  return { ...record, outcome: { ...failure(why), ...(ranAs === undefined ? {} : { ranAs }) } };
}

function isTolerated(action: Action): boolean {
  return 'allowFailure' in action && action.allowFailure;
}

function describeWrite(
  action: Action,
  { path, before, matched }: { path: string; before: string | null; matched: string | null },
): Done {
  const verb = before === null ? 'created' : 'content' in action ? 'replaced' : 'edited';
  return { ...success(`File '${path}' ${verb}.`), ...(matched === null ? {} : { matched }) };
}
