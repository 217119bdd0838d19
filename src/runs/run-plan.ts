import { ACTIONS, contextStepOf, hasEffect } from '../core/plan/actions.js';
import { writeStateChanges } from '../core/plan/state-changes.js';
import type { Action, Plan, PlanIssue } from '../core/plan/types.js';
import { writeAction } from '../core/plan/write.js';
import type { Redactor } from '../core/redact/redactor.js';
import type {
  ActionRecord,
  Decision,
  Done,
  Outcome,
  StateChangeRecord,
  UnrestorableFile,
} from '../core/report/record.js';
import { realPathIn, type Tree } from '../core/tree.js';
import type { ProcessMark } from '../node/process/process-table.js';
import type { ActionQuestion, Preview, Reviewer } from '../review/question.js';
import { listProjectFiles } from '../workspace/files/project-files.js';
import type { RunFolder } from '../workspace/runs/run-folder.js';
import type { Workspace } from '../workspace/workspace.js';
import { describeWrite, perform } from './actions.js';
import type { RunListener } from './events.js';
import { type Interrupts, watchInterrupts } from './interrupts.js';
import type { ContextStep } from './progress.js';
import {
  type Approval,
  askAboutAction,
  askAboutState,
  chooseWrite,
  decisionOf,
  NO_TERMINAL_TO_ANSWER,
  previewPlan,
  proposeAction,
  proposeState,
} from './propose.js';
import type { RunContext, RunSettings } from './run-context.js';
import {
  type ActionEnd,
  type Continuation,
  canDecideAgain,
  failedRecord,
  failure,
  type Refusal,
  RunLog,
  recordOf,
} from './run-record.js';
import type { Applied, TurnState } from './turn-state.js';
import { WriteBatch } from './write-batch.js';

export interface RunOptions {
  workspace: Workspace;
  tree: Tree;
  reviewer: Reviewer;
  settings: RunSettings;
  environment: RunContext['environment'];
  interrupts: Interrupts;
  /** Continue after failures, predicted ones included, without asking. */
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
  /** The plan's known problems, for the reviewer. */
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
 * Decides on a plan and runs it, step by step: each is proposed on the current files, and done as it was approved or not
 * at all. A step that cannot be done is that step's failure. Never throws.
 */
export async function runPlan(work: RunWork): Promise<RunResult> {
  const run = new PlanRun(work);
  try {
    const { plan, issues, continued } = work;
    work.reviewer.begin?.({ plan, issues, continued, previews: run.previews() });
    const steps = stepsOf(plan);
    for (let at = 0; at < steps.length; ) {
      if ((await run.decide(steps[at]!)) === 'decided') at += 1;
      else if (run.canReopen(steps[at - 1])) at -= 1;
    }
    await run.finish();
    return run.result();
  } finally {
    run.close();
  }
}

/** What a reviewer decides on, in this order: changes of Memos and Active Context, then the actions. */
type Step =
  | { kind: 'state'; section: StateChangeRecord['section']; changes: string }
  | { kind: 'action'; number: number };

function stepsOf(plan: Plan): Step[] {
  return [
    ...writeStateChanges(plan).map((change): Step => ({ kind: 'state', ...change })),
    ...plan.actions.map((_, i): Step => ({ kind: 'action', number: i + 1 })),
  ];
}

/** An approved action. */
interface Job {
  number: number;
  action: Action;
  question: ActionQuestion;
  approval: Approval;
  /** Goes into the journal before the action runs; masked. */
  start: { decision: Decision; ranAs?: string };
  record(outcome: Outcome): ActionRecord;
}

class PlanRun {
  private readonly log: RunLog;
  private readonly batch: WriteBatch;
  private readonly watch: ReturnType<typeof watchInterrupts>;
  private readonly outputs: RunContext['outputs'];
  /** As planned, or as the user edited them. */
  private readonly actions: Action[];
  /** Resources that the run has added to the context or removed from it. */
  private readonly contextOps = new Map<string, ContextStep['op']>();
  private unrestorable: readonly UnrestorableFile[] = [];
  /** Why nothing more is run without the user's own approval. */
  private halted: string | undefined;
  /** Why nothing more is even asked. */
  private quit: Refusal | undefined;

  constructor(private readonly work: RunWork) {
    this.actions = [...work.plan.actions];
    this.log = new RunLog(work);
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
    return { ...this.log.records(), interrupted: this.watch.reason() };
  }

  /** What each action would do, for the user's first look at the plan. */
  previews(): Preview[] {
    const { plan, issues, tree, workspace, reviewer, continued } = this.work;
    if (!reviewer.ask) return [];
    const previews: Preview[] = plan.actions.map(() => ({ kind: 'none' }));
    const show = (text: string) => this.log.redactor.mask(text);
    const isDone = (number: number) => continued?.actions.has(number) ?? false;
    for (const question of previewPlan(plan, workspace, { tree, show, issues, isDone }))
      if (question.kind === 'action') previews[question.number - 1] = question.preview;
    return previews;
  }

  /** Decides on a step and runs it; or the user wants to go back to the step before it. */
  async decide(step: Step): Promise<'decided' | 'back'> {
    if (this.isContinued(step)) return 'decided';
    return step.kind === 'state'
      ? this.decideState(step.section, step.changes)
      : this.decideAction(step.number);
  }

  /** Whether the user can decide on a step again. */
  canReopen(step: Step | undefined): boolean {
    if (step === undefined || this.isContinued(step)) return false;
    const record = step.kind === 'state' ? this.log.stateChange(step.section) : this.log.action(step.number);
    return record !== undefined && canDecideAgain(record);
  }

  /** Commits what is staged, and changes the next turn's context. */
  async finish(): Promise<void> {
    await this.flush();
    const { contextSteps } = this.log;
    if (contextSteps.length === 0) return;
    const applied = await this.work.state.changeContext(contextSteps, () => ({ kind: 'context' }));
    if (applied.status === 'failed') this.log.noteContextFailure(applied.reason);
  }

  private isContinued(step: Step): boolean {
    const { continued } = this.work;
    if (!continued) return false;
    return step.kind === 'state'
      ? continued.stateChanges.has(step.section)
      : continued.actions.has(step.number);
  }

  /** Why nothing more is decided or run. */
  private get stop(): Refusal | undefined {
    return this.quit ?? this.log.unwritable ?? this.watch.stop();
  }

  private async decideState(
    section: StateChangeRecord['section'],
    changes: string,
  ): Promise<'decided' | 'back'> {
    const { stop } = this;
    const question = proposeState(section, changes);
    const answer = stop
      ? { decision: 'skip' as const, ...stop }
      : await askAboutState(question, this.work.reviewer);
    if (answer.decision === 'back') return 'back';
    if (answer.decision === 'quit') this.quit = answer;
    const record = (decision: Decision, notApplied: string[]): StateChangeRecord =>
      this.log.mask({ section, changes, decision, notApplied });
    if (answer.decision !== 'approve') {
      this.log.endState(record(decisionOf(answer), []));
      return 'decided';
    }
    const decision = decisionOf(answer);
    const note = (notApplied: string[]) => ({ kind: 'state', record: record(decision, notApplied) });
    const applied: Applied =
      answer.hash === question.hash
        ? await this.changeState(section, note)
        : { status: 'failed', reason: CHANGED };
    this.log.endState(record(decision, applied.status === 'applied' ? applied.notApplied : [applied.reason]));
    return 'decided';
  }

  private changeState(
    section: StateChangeRecord['section'],
    note: (notApplied: string[]) => unknown,
  ): Promise<Applied> {
    const { plan, state } = this.work;
    if (section === 'Memos') return state.changeMemos(plan.memos, note);
    for (const { op, path } of plan.activeContext) this.contextOps.set(path, op);
    return state.changeContext(plan.activeContext, note);
  }

  private async decideAction(number: number): Promise<'decided' | 'back'> {
    const planned = this.work.plan.actions[number - 1]!;
    const stop = this.stop ?? this.refuseHandover(planned, number);
    if (stop) {
      this.skip(number, stop);
      return 'decided';
    }
    const { action, modified, asked, question, answer } = await askAboutAction(planned, {
      reviewer: this.work.reviewer,
      propose: (each, isModified) => this.propose(each, number, isModified),
      beforePerson: (each) => this.prepareQuestion(each),
    });
    // The user has seen the failure, and continues.
    if (asked) this.halted = undefined;
    if (answer.decision === 'back') return 'back';
    if (answer.decision === 'quit') this.quit = answer;
    if (answer.decision !== 'approve') {
      this.skip(number, answer);
      return 'decided';
    }
    this.actions[number - 1] = action;
    if (modified) this.log.learnSecrets(action);
    const decision = decisionOf(answer);
    const ranAs = modified ? { ranAs: `${writeAction(action)}\n` } : {};
    const record = (outcome: Outcome) =>
      this.log.mask(
        recordOf(planned, decision, outcome.status === 'not-run' ? outcome : { ...outcome, ...ranAs }),
      );
    const start = this.log.mask({ decision, ...ranAs });
    await this.runApproved({ number, action, question, approval: answer, start, record });
    return 'decided';
  }

  /** Before a command, the user learns what undo could not restore. */
  private async prepareQuestion(action: Action): Promise<void> {
    await this.flush();
    if (action.type !== 'EXECUTE') return;
    const { workspace, settings } = this.work;
    this.unrestorable = await workspace.findUnrestorable(this.work.folder.id, settings.undo);
  }

  /** INVOKE and CONCLUDE need a session. */
  private refuseHandover(planned: Action, number: number): Refusal | undefined {
    if (!hasEffect(planned, 'hands-over') || this.work.state.nextTurn) return undefined;
    const answer = this.work.reviewer.resolve(this.propose(planned, number, false));
    return answer?.decision === 'skip' ? answer : NO_SESSION;
  }

  private propose(action: Action, number: number, modified: boolean): ActionQuestion {
    const place = { number, total: this.work.plan.actions.length, modified };
    return proposeAction(action, place, {
      tree: this.batch.files,
      admit: (path) => this.work.workspace.locate(path),
      show: (text) => this.log.redactor.mask(text),
      caller: this.work.state.nextTurn?.caller,
      unrestorable: this.unrestorable,
      issues: this.work.issues,
    });
  }

  private async runApproved(job: Job): Promise<void> {
    const { number, action, question, approval, record } = job;
    if (!this.canJoin(job)) await this.flush();
    const stop = this.watch.stop() ?? this.refuseHalted(approval);
    if (stop) return this.skip(number, stop);
    const { preview } = question;
    if (approval.hash !== question.hash) return this.end(number, record(failure(CHANGED)));
    if (preview.kind === 'will-fail') return this.end(number, record(failure(preview.reasons.join('\n\n'))));
    if (preview.kind === 'write') return this.write(job, preview);
    if (hasEffect(action, 'asks') && approval.reply === undefined)
      return this.skip(number, NO_TERMINAL_TO_ANSWER);
    for (let attempt = 1; ; attempt++) {
      const outcome = this.noteStart(job) ? await this.perform(job, attempt) : failure(UNNOTED);
      const context = outcome.status === 'success' ? contextStepOf(action, this.work.tree) : undefined;
      this.end(number, record(attempt === 1 ? outcome : { ...outcome, attempts: attempt }), context);
      if (outcome.status === 'success' || !(await this.wantsRerun(job, attempt))) return;
    }
  }

  private refuseHalted({ by }: Approval): Refusal | undefined {
    if (by === 'person' || this.halted === undefined) return undefined;
    return { by: 'teddy', reason: this.halted };
  }

  /** Whether an action can be done while writes are staged: it writes, or sees nothing of them. */
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

  /** Stages a write. What the user approved is committed at once. */
  private async write(
    { number, action, approval, start, record }: Job,
    preview: Extract<Preview, { kind: 'write' }>,
  ): Promise<void> {
    if (preview.before === preview.after) return this.end(number, record(describeWrite(action, preview)));
    const write = chooseWrite(preview, approval);
    if (write === undefined) return this.end(number, record(failure(CHANGED)));
    const { after, ...facts } = write;
    if (approval.by === 'person') this.log.note({ kind: 'decided', number, ...start });
    const done = record({ ...describeWrite(action, preview), ...facts });
    this.batch.stage(number, { ...preview, after }, done);
    if (approval.by === 'person') await this.flush();
  }

  /** Whether the user runs a failed command again. Every attempt is in the journal; the last is the outcome. */
  private async wantsRerun({ number, action, approval }: Job, attempts: number): Promise<boolean> {
    const { reviewer, plan } = this.work;
    if (action.type !== 'EXECUTE' || action.allowFailure || approval.by !== 'person') return false;
    if (!reviewer.askRerun || this.stop) return false;
    const answer = await reviewer.askRerun({ number, total: plan.actions.length, action, attempts });
    this.halted = undefined;
    if (answer.decision === 'quit') this.quit = { by: 'person', reason: answer.reason };
    return answer.decision === 'rerun';
  }

  private async perform({ number, action, approval, start }: Job, attempt: number): Promise<Done> {
    const { workspace, settings, environment, state, folder } = this.work;
    const { signal, end } = this.watch.begin(approval.by === 'person');
    try {
      return await perform(action, {
        number,
        attempt,
        reply: approval.reply,
        tree: this.batch.files,
        nextTurn: state.nextTurn,
        handsOver: this.work.plan.actions.some((each) => hasEffect(each, 'hands-over')),
        isInContext: (path) => {
          const op = this.contextOps.get(path);
          return op === undefined ? state.isInContext(path) : op === '+';
        },
        context: {
          root: workspace.root,
          outputs: this.outputs,
          settings,
          environment,
          redactor: this.log.redactor,
          listFiles: () => listProjectFiles(workspace.root),
          signal,
          onOutput: (stream, text) => this.work.emit({ kind: 'output', number, stream, text }),
          recordState: () => workspace.recordState(folder.id, settings.undo),
        },
        onProcess: (process) => {
          this.work.onProcess?.(process);
          this.log.note({ kind: 'started', number, ...start, process });
        },
      });
    } finally {
      end();
    }
  }

  /** Announces an action, in the journal first. A READ or PRUNE while writes are staged needs no announcement. */
  private noteStart({ number, action, start }: Job): boolean {
    if (!this.batch.isEmpty) return true;
    try {
      this.log.note({ kind: 'started', number, ...start });
      this.log.announceStart(number, action);
      return true;
    } catch {
      return false;
    }
  }

  private skip(number: number, refusal: Refusal): void {
    const action = this.work.plan.actions[number - 1]!;
    this.end(number, this.log.mask(recordOf(action, decisionOf(refusal), NOT_RUN)));
  }

  /** Ends an action: now, or in its turn behind the writes that are staged. */
  private end(number: number, record: ActionRecord, context?: ContextStep): void {
    if (context) this.contextOps.set(context.path, context.op);
    if (this.batch.isEmpty) this.conclude(number, record, { context });
    else this.batch.follow(number, record, context);
  }

  private async flush(): Promise<void> {
    if (this.batch.isEmpty) return;
    for (const { number, path, record, failed, context } of await this.batch.end()) {
      this.log.announceStart(number, this.actions[number - 1]!);
      if (failed !== undefined) this.conclude(number, this.log.mask(failedRecord(record, failed)));
      else if (path !== null) this.conclude(number, record, { noted: true });
      else this.conclude(number, this.unlessHalted(number, record), { context });
    }
  }

  /** An action that came after a staged write counts as not run if that write failed. */
  private unlessHalted(number: number, record: ActionRecord): ActionRecord {
    if (this.halted === undefined || record.decision.status === 'skipped') return record;
    const action = this.work.plan.actions[number - 1]!;
    const decision: Decision = { status: 'skipped', by: 'teddy', reason: this.halted };
    return this.log.mask(recordOf(action, decision, NOT_RUN));
  }

  private conclude(number: number, record: ActionRecord, end?: ActionEnd): void {
    const action = this.actions[number - 1]!;
    const isTolerated = 'allowFailure' in action && action.allowFailure;
    if (record.outcome.status === 'failure' && !this.work.keepGoing && !isTolerated)
      this.halted ??= `Not run: action ${number} (${record.type}) failed.`;
    this.log.endAction(number, action, record, end);
  }
}

const CHANGED = 'It has changed since review. Nothing was done.';
const UNNOTED = "Not started: the run's folder is no longer writable.";
const NOT_RUN: Outcome = { status: 'not-run' };
const NO_SESSION: Refusal = { by: 'teddy', reason: 'Not run: this plan is not part of a session.' };
