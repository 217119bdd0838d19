import {
  type Action,
  type Plan,
  type PlanIssue,
  simulateRead,
  writeAction,
  writeChanges,
} from '../formats/plan/index.js';
import type {
  ActionRecord,
  Decider,
  Decision,
  Done,
  Outcome,
  StateChangeRecord,
} from '../formats/report/index.js';
import type { Tree } from '../formats/tree.js';
import { isoUtcMs, now } from '../platform/index.js';
import type { RunFolder, Workspace } from '../workspace/index.js';
import { captureText } from './capture-text.js';
import type { RunListener } from './events.js';
import { runCommand } from './execute/index.js';
import { failure } from './failure.js';
import type { Hands } from './hands.js';
import { type Interrupts, watchInterrupts } from './interrupts.js';
import type { ContextStep, Progress } from './progress.js';
import { proposeAction, proposeState } from './propose.js';
import { readUrl } from './read-url/index.js';
import { labelOf, recordOf, success } from './records.js';
import { research } from './research/index.js';
import type { ActionQuestion, Answer, Reviewer } from './review.js';
import { Stretch } from './stretch.js';
import type { TurnState } from './turn-state.js';

/** Everything that a run works with. */
export interface RunWork {
  plan: Plan;
  /** What is known of the plan, for whoever decides. */
  issues: readonly PlanIssue[];
  reviewer: Reviewer;
  hands: Omit<Hands, 'signal' | 'onOutput'>;
  tree: Tree;
  workspace: Workspace;
  folder: RunFolder;
  state: TurnState;
  interrupts: Interrupts;
  /** Go on after a failure although no person decides. */
  keepGoing: boolean;
  emit: RunListener;
}

export interface RunResult {
  stateChanges: StateChangeRecord[];
  actions: ActionRecord[];
  /** Why the run ended before its plan did. */
  interrupted: string | null;
}

/**
 * Decides on and carries out a plan, action by action: each is proposed as the files are by then, and done as it was
 * approved or not at all. Never throws; a failure of ours is that action's failure.
 */
export async function runPlan(work: RunWork): Promise<RunResult> {
  const run = new PlanRun(work);
  try {
    work.reviewer.begin?.({ plan: work.plan, issues: work.issues });
    await run.decideState();
    for (let number = 1; number <= work.plan.actions.length; number++) await run.step(number);
    await run.finish();
    return run.result();
  } finally {
    run.close();
  }
}

type Approval = {
  decision: Extract<Decision, { status: 'approved' }>;
  answer: Extract<Answer, { decision: 'approve' }>;
};

class PlanRun {
  private readonly stretch: Stretch;
  private readonly records: (ActionRecord | undefined)[] = [];
  private readonly stateChanges: StateChangeRecord[] = [];
  private readonly context: ContextStep[] = [];
  private readonly watch: ReturnType<typeof watchInterrupts>;
  /** Why nothing more is done unless a person says so. */
  private halted: string | undefined;
  /** Why nothing more is even asked. */
  private quit: { reason: string | null; by: Decider } | undefined;

  constructor(private readonly work: RunWork) {
    this.watch = watchInterrupts(work.interrupts, work.reviewer.ask !== undefined);
    this.stretch = new Stretch(work.tree, (changes, note) =>
      work.workspace.commit(changes, { door: 'plan', run: work.folder.id, note }),
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

  async decideState(): Promise<void> {
    const { activeContext, memos } = this.work.plan;
    const { state } = this.work;
    const lines = activeContext.map(({ op, path, comment }) => ({ op, text: path, comment }));
    if (activeContext.length > 0) {
      await this.changeState('Active Context', writeChanges(lines), (note) =>
        state.changeContext(activeContext, note),
      );
    }
    if (memos.length > 0) {
      await this.changeState('Memos', writeChanges(memos), (note) => state.changeMemos(memos, note));
    }
  }

  async step(number: number): Promise<void> {
    const planned = this.work.plan.actions[number - 1]!;
    const { action, modified, question, answer } = await this.review(planned, number);
    if (answer.decision === 'skip') return this.skip(number, answer.by, answer.reason);
    await this.carryOut(number, action, modified, question, {
      decision: { status: 'approved', by: answer.by },
      answer,
    });
  }

  /** Commits what waits, and lets the next turn know what was read and pruned. */
  async finish(): Promise<void> {
    await this.flush();
    if (this.context.length === 0) return;
    const applied = await this.work.state.changeContext(this.context, () => ({ kind: 'context' }));
    if (applied.status === 'failed') this.noteOnContext(applied.reason);
  }

  // ── decisions ────────────────────────────────────────────────────────────────────────────────────────────────────

  private async review(planned: Action, number: number) {
    let action = planned;
    let modified = false;
    for (;;) {
      let question = this.propose(action, number, modified);
      const stop = this.quit ?? this.watch.stop();
      if (stop) return { action, modified, question, answer: skipAnswer(stop) };
      let answer = this.work.reviewer.settle(question);
      // An edited action is shown again, whoever would say yes to it unseen; a no stands.
      if (modified && answer?.decision !== 'skip') answer = undefined;
      if (!answer && this.work.reviewer.ask) {
        await this.flush();
        question = this.propose(action, number, modified);
        answer = await this.work.reviewer.ask(question);
      }
      if (!answer) return { action, modified, question, answer: skipAnswer(NOBODY) };
      if (answer.decision === 'replace') {
        action = { ...answer.action, line: planned.line, metadata: planned.metadata };
        modified = true;
        continue;
      }
      if (answer.decision === 'quit') {
        this.quit = { reason: answer.reason, by: 'person' };
        return { action, modified, question, answer: skipAnswer(this.quit) };
      }
      return { action, modified, question, answer };
    }
  }

  private propose(action: Action, number: number, modified: boolean): ActionQuestion {
    const place = { number, total: this.work.plan.actions.length, modified };
    return proposeAction(action, place, this.stretch.files, (path) => this.work.workspace.locate(path));
  }

  private async changeState(
    section: StateChangeRecord['section'],
    changes: string,
    apply: (note: (notApplied: string[]) => unknown) => ReturnType<TurnState['changeMemos']>,
  ): Promise<void> {
    const question = proposeState(section, changes);
    const stop = this.quit ?? this.watch.stop();
    const answer = stop
      ? skipAnswer(stop)
      : (this.work.reviewer.settle(question) ??
        (await this.work.reviewer.ask?.(question)) ??
        skipAnswer(NOBODY));
    const record = (decision: Decision, notApplied: string[]): StateChangeRecord =>
      this.mask({ section, changes, decision, notApplied });
    if (answer.decision === 'approve' && answer.hash === question.hash) {
      const decision: Decision = { status: 'approved', by: answer.by };
      const applied = await apply((notApplied) => ({ kind: 'state', record: record(decision, notApplied) }));
      this.endState(record(decision, applied.status === 'applied' ? applied.notApplied : [applied.reason]));
      return;
    }
    if (answer.decision === 'quit') this.quit = { reason: answer.reason, by: 'person' };
    const by = answer.decision === 'skip' ? answer.by : 'person';
    const reason = answer.decision === 'skip' || answer.decision === 'quit' ? answer.reason : null;
    this.endState(record({ status: 'skipped', by, reason }, []));
  }

  private endState(record: StateChangeRecord): void {
    this.stateChanges.push(record);
    this.note({ kind: 'state', record });
    this.work.emit({ kind: 'state-changed', record });
  }

  private skip(number: number, by: Decider, reason: string | null): void {
    const action = this.work.plan.actions[number - 1]!;
    this.end(number, recordOf(action, { status: 'skipped', by, reason }, { status: 'not-run' }));
  }

  // ── doing ────────────────────────────────────────────────────────────────────────────────────────────────────────

  private async carryOut(
    number: number,
    action: Action,
    modified: boolean,
    question: ActionQuestion,
    { decision, answer }: Approval,
  ): Promise<void> {
    const done = (outcome: Outcome) => {
      const planned = this.work.plan.actions[number - 1]!;
      const ranAs = modified && outcome.status !== 'not-run' ? { ranAs: `${writeAction(action)}\n` } : {};
      return this.mask(recordOf(planned, decision, { ...outcome, ...ranAs } as Outcome));
    };
    const mustWait = !this.canJoin(action, question);
    if (mustWait) await this.flush();
    const halted = decision.by === 'person' ? undefined : this.halted;
    if (halted !== undefined) return this.skip(number, 'teddy', halted);
    if (answer.hash !== question.hash) {
      return this.end(number, done(failure('It has changed since review. Nothing was done.')));
    }
    if (question.preview.kind === 'doomed') {
      return this.end(number, done(failure(question.preview.reasons.join('\n\n'))));
    }
    if (question.preview.kind === 'write') {
      const { preview } = question;
      if (decision.by === 'person') this.note({ kind: 'decided', number, decision });
      this.stretch.stage(number, preview, done(describeWrite(action, preview)));
      if (decision.by === 'person') await this.flush();
      return;
    }
    if (action.type === 'CHAT_WITH_USER' && answer.reply === undefined) {
      return this.skip(number, 'teddy', 'Not run: nobody to answer.');
    }
    this.note({ kind: 'started', number, decision });
    this.announce(number, action);
    const outcome = await this.perform(number, action, decision, answer.reply);
    this.end(number, done(outcome), {
      context: outcome.status === 'success' ? contextStep(action) : undefined,
    });
  }

  /** Whether an action can be done in the middle of a stretch: it writes, or looks at nothing that waits. */
  private canJoin(action: Action, question: ActionQuestion): boolean {
    if (question.preview.kind === 'write') return true;
    if (action.type === 'READ')
      return action.resource.kind === 'file' && !this.stretch.touches(action.resource.target);
    return action.type === 'PRUNE' || question.preview.kind === 'doomed';
  }

  private async perform(number: number, action: Action, decision: Decision, reply?: string): Promise<Done> {
    const { signal, end } = this.watch.begin();
    const hands: Hands = {
      ...this.work.hands,
      signal,
      onOutput: (stream, text) => this.work.emit({ kind: 'output', number, stream, text }),
    };
    try {
      switch (action.type) {
        case 'READ':
          return action.resource.kind === 'url'
            ? await readUrl(action.resource.target, number, hands)
            : this.readFile(number, action, hands);
        case 'EXECUTE':
          return await runCommand(action, number, hands, (process) =>
            this.note({ kind: 'started', number, decision, process }),
          );
        case 'RESEARCH':
          return await research(action, hands);
        case 'CHAT_WITH_USER':
          return { ...success('The user replied.'), reply: reply! };
        case 'PRUNE':
          return success(`'${action.resource.target}' is taken out of the next turn's context.`);
        case 'INVOKE':
          return success(`Handed over to ${action.agent}.`);
        case 'CONCLUDE':
          return success('Concluded.');
        case 'CREATE':
        case 'EDIT':
          return failure('It was not prepared.');
      }
    } catch (error) {
      return failure(
        `Something went wrong in teddy itself: ${error instanceof Error ? error.message : error}`,
      );
    } finally {
      end();
    }
  }

  private readFile(number: number, action: Extract<Action, { type: 'READ' }>, hands: Hands): Done {
    const reading = simulateRead(action, this.stretch.files);
    if (reading.status === 'doomed')
      return failure(reading.problems.map(({ message }) => message).join('\n'));
    const path = action.resource.target;
    const output = captureText(reading.text, `${number}-content.txt`, hands);
    return { ...success(`Read '${path}'.`), output };
  }

  private async flush(): Promise<void> {
    if (this.stretch.isEmpty) return;
    for (const { number, record, failed } of await this.stretch.end()) {
      this.announce(number, this.work.plan.actions[number - 1]!);
      if (failed === undefined) this.end(number, record, { noted: true });
      else this.end(number, this.mask({ ...record, outcome: failure(failed) }));
    }
  }

  // ── telling ──────────────────────────────────────────────────────────────────────────────────────────────────────

  private announce(number: number, action: Action): void {
    const label = this.work.hands.redactor.mask(labelOf(action));
    const total = this.work.plan.actions.length;
    this.work.emit({ kind: 'action-started', number, total, type: action.type, label });
  }

  /** The last word on an action. What a commit has noted itself need not be noted again. */
  private end(number: number, record: ActionRecord, { noted = false, context }: Ending = {}): void {
    this.records[number - 1] = record;
    const action = this.work.plan.actions[number - 1]!;
    if (record.outcome.status === 'failure' && !this.work.keepGoing && !isTolerated(action)) {
      this.halted ??= `Not run: action ${number} (${record.type}) failed.`;
    }
    if (context) this.context.push(context);
    if (!noted) this.note({ kind: 'ended', number, record, context });
    this.work.emit({ kind: 'action-ended', number, total: this.work.plan.actions.length, record });
  }

  private note(entry: DistributiveOmit<Progress, 'at'>): void {
    this.work.folder.note({ at: isoUtcMs(now()), ...entry });
  }

  private noteOnContext(reason: string): void {
    const note = `The next turn's context could not be changed: ${reason}`;
    for (const [i, record] of this.records.entries()) {
      if (record?.outcome.status !== 'success' || (record.type !== 'READ' && record.type !== 'PRUNE'))
        continue;
      const outcome = { ...record.outcome, notes: [...(record.outcome.notes ?? []), note] };
      this.records[i] = this.mask({ ...record, outcome });
    }
  }

  private mask<T>(value: T): T {
    return this.work.hands.redactor.maskAll(value);
  }
}

interface Ending {
  noted?: boolean;
  context?: ContextStep | undefined;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const NOBODY = { by: 'teddy', reason: 'Not run: nobody to ask.' } as const;

function skipAnswer({
  by,
  reason,
}: {
  by: Decider;
  reason: string | null;
}): Extract<Answer, { decision: 'skip' }> {
  return { decision: 'skip', by, reason };
}

/** What a successful action changes of the next turn's context. */
function contextStep(action: Action): ContextStep | undefined {
  if (action.type !== 'READ' && action.type !== 'PRUNE') return undefined;
  return { op: action.type === 'READ' ? '+' : '-', path: action.resource.target };
}

function isTolerated(action: Action): boolean {
  return action.type === 'EXECUTE' && action.allowFailure;
}

function describeWrite(
  action: Action,
  { path, before, matched }: { path: string; before: string | null; matched: string | null },
): Done {
  const verb = action.type === 'EDIT' ? 'edited' : before === null ? 'created' : 'replaced';
  return { ...success(`File '${path}' ${verb}.`), ...(matched === null ? {} : { matched }) };
}
