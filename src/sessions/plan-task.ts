import { keyNames, type ModelMasks, modelMasks, redactorFor } from '../config/redactor.js';
import type { Config } from '../config/types.js';
import { hasEffect } from '../core/plan/actions.js';
import { validatePlan } from '../core/plan/check.js';
import type { PlanIssue } from '../core/plan/types.js';
import { renderMirrored } from '../core/report/mirrored.js';
import type { Run } from '../core/report/record.js';
import type { Verify } from '../core/task-plan/types.js';
import type { TaskResult } from '../core/task-result/types.js';
import type { ProcessMark } from '../node/process/process-table.js';
import type { OutputName } from '../node/process/types.js';
import type { Reviewer } from '../review/question.js';
import type { RunEvent } from '../runs/events.js';
import { executePlan } from '../runs/execute-plan.js';
import { interruptsOf } from '../runs/interrupts.js';
import type { RunSettings } from '../runs/run-context.js';
import type { TurnState } from '../runs/turn-state.js';
import { verifyCommands } from '../tasks/verify-commands.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import { askForPlan, type JudgedAnswer, type PlanAnswer } from './ask-plan.js';
import { createModelClient } from './model/client.js';
import type { ModelAnswer, ModelClient, ModelMessage } from './model/types.js';
import { requireModel } from './plan-turn.js';

/** The exit code of `timeout`; the summary has the details. */
const NO_EXIT_CODE = 124;
/** A command that passes without running a test counts as a failure. */
const NOTHING_SHOWN = 1;

export interface PlanTaskOptions {
  /** Its root is the folder to work in. */
  workspace: Workspace;
  config: Config;
  /** What its plans and the verification may do. */
  settings: RunSettings;
  system: string;
  /** The task. */
  prompt: string;
  /** Must decide everything except CHAT_WITH_USER: there is no terminal. */
  reviewer: Reviewer;
  /** Run at the end, whatever the outcome; null if there is nothing to run. */
  verify: Verify | null;
  environment: Readonly<Record<string, string | undefined>>;
  /** Aborts the current question or command; nothing starts after that. */
  signal: AbortSignal;
  emit(event: PlanTaskEvent): void;
  /** Called before each command starts. */
  onProcess(mark: ProcessMark): void;
}

/** Known secrets are masked. */
export type PlanTaskEvent =
  | { kind: 'asking'; model: string; attempt: number }
  | { kind: 'text'; text: string }
  | { kind: 'waiting'; reason: string }
  /** `reason` is null if the answer is a plan. */
  | { kind: 'answered'; reason: string | null }
  /** The output of the verification. */
  | { kind: 'verifying'; stream: 'stdout' | 'stderr'; text: string }
  | RunEvent;

/** The sum over all answers. `costUsd` is null if the cost of one of them is unknown. */
interface TaskSpent {
  inputTokens: number;
  outputTokens: number;
  costUsd: number | null;
}

/** `runs` is in order. `verification` is null if nothing was run. */
export type PlanTaskEnd = { runs: Run[]; spent: TaskSpent } & (
  | ({ verification: TaskResult['verification'] | null } & (
      | { status: 'carried-out'; run: Run }
      /** Every plan only read things, up to the limit. */
      | { status: 'only-looked' }
      /** No answer was a usable plan. `reason` refers to the last one. */
      | { status: 'refused'; issues: PlanIssue[]; reason: string }
    ))
  /** The model did not answer. `reason` is one or more sentences; `limited`: the rate limit was reached. */
  | { status: 'failed'; reason: string; limited: boolean }
  | { status: 'interrupted' }
);

/** How many plans may only read: the model sees the results and must write the next plan. */
const MOST_LOOKS = 3;

/**
 * Asks the configured model for a plan for a task and runs it without asking anyone. Throws `UserError` if no
 * model is configured or the folder cannot be used.
 */
export async function planTask(options: PlanTaskOptions): Promise<PlanTaskEnd> {
  return new TaskPlanning(options).run();
}

class TaskPlanning {
  private readonly client: ModelClient;
  private readonly masks: ModelMasks;
  private readonly runs: Run[] = [];
  private readonly answers: ModelAnswer[] = [];

  constructor(private readonly options: PlanTaskOptions) {
    const { config, environment } = options;
    const { named, key } = requireModel(config, environment);
    this.client = createModelClient(named, key, { keyName: named.keyEnv });
    this.masks = modelMasks(environment, keyNames(config));
  }

  async run(): Promise<PlanTaskEnd> {
    const opening: ModelMessage[] = [{ role: 'user', text: this.masks.mask(this.options.prompt) }];
    for (let looks = 0; looks <= MOST_LOOKS; looks++) {
      const asked = await this.askForPlan(opening);
      if (asked.status !== 'planned') return this.endWithout(asked);
      const run = await this.carryOut(asked.plan);
      this.runs.push(run);
      if (run.interrupted !== null || this.options.signal.aborted) return this.end({ status: 'interrupted' });
      if (!onlyLooked(run)) return this.endVerified({ status: 'carried-out', run });
      opening.push({ role: 'assistant', text: asked.answer }, { role: 'user', text: this.describeLook(run) });
    }
    return this.endVerified({ status: 'only-looked' });
  }

  private askForPlan(opening: readonly ModelMessage[]): Promise<PlanAnswer> {
    return askForPlan({
      opening,
      replans: this.options.config.replan.limit,
      masks: this.masks,
      hasPerson: false,
      ask: (messages, attempt) => this.ask(messages, attempt),
      validate: (text) => this.validate(text),
      describeCutOff,
      keep: async (answer, judged) => this.keep(answer, judged),
    });
  }

  private async ask(messages: readonly ModelMessage[], attempt: number): Promise<ModelAnswer> {
    const { system, signal, emit } = this.options;
    emit({ kind: 'asking', model: this.client.settings.name, attempt });
    const masked = this.masks.streamKnown();
    const tell = (text: string) => text !== '' && emit({ kind: 'text', text });
    try {
      return await this.client.ask({
        system: this.masks.mask(system),
        messages,
        signal,
        onText: (text) => tell(masked.push(text)),
        onRetry: (reason) => emit({ kind: 'waiting', reason }),
      });
    } finally {
      tell(masked.end());
    }
  }

  private validate(text: string) {
    return validatePlan(text, {
      tree: openTree(this.options.workspace.root),
      memos: async () => [],
      show: () => this.masks.mask,
    });
  }

  private keep(answer: ModelAnswer, { reason }: JudgedAnswer): void {
    this.answers.push(answer);
    this.options.emit({ kind: 'answered', reason });
  }

  private carryOut(plan: string): Promise<Run> {
    const { workspace, config, settings, reviewer, environment, signal, emit, onProcess } = this.options;
    return executePlan(plan, {
      workspace,
      tree: openTree(workspace.root),
      path: null,
      state: NO_NEXT_TURN,
      reviewer,
      settings,
      keepGoing: false,
      tip: config.report.tip,
      keep: config.runs.keep,
      environment,
      keyNames: keyNames(config),
      interrupts: interruptsOf(signal),
      emit,
      onProcess,
    });
  }

  private describeLook(run: Run): string {
    const report = renderMirrored(run, { lines: 0, characters: 0 });
    return this.masks.mask(`Your plan only looked at things. The result:\n\n${report}\n${NOW_DO_IT}`);
  }

  private async endWithout(asked: Exclude<PlanAnswer, { status: 'planned' }>): Promise<PlanTaskEnd> {
    const { status } = asked;
    const reason = status === 'message' ? asked.text : asked.reason;
    if (status === 'interrupted') return this.end({ status });
    if (status === 'refused') return this.endVerified({ status, reason, issues: asked.issues });
    const last = this.answers.at(-1);
    return this.end({
      status: 'failed',
      reason,
      limited: last?.status === 'failed' && last.limited === true,
    });
  }

  private async endVerified<T extends object>(how: T) {
    const verification = await this.verify();
    if (this.options.signal.aborted) return this.end({ status: 'interrupted' as const });
    return this.end({ ...how, verification });
  }

  private async verify(): Promise<TaskResult['verification'] | null> {
    const { verify, workspace, config, settings, environment, signal, emit, onProcess } = this.options;
    if (verify === null) return null;
    const hands = {
      root: workspace.root,
      settings,
      environment,
      redactor: redactorFor(null, environment, keyNames(config)),
      signal,
      onOutput: (stream: OutputName, text: string) => emit({ kind: 'verifying', stream, text }),
      onStart: onProcess,
    };
    const verified = await verifyCommands(verify, hands, { repeat: false });
    if (verified.status !== 'run') return null;
    const { command, exitCode, outputSummary, vacuous } = verified.run;
    return { command, exitCode: vacuous ? NOTHING_SHOWN : (exitCode ?? NO_EXIT_CODE), outputSummary };
  }

  private end<T extends object>(how: T): T & { runs: Run[]; spent: TaskSpent } {
    return { ...how, runs: this.runs, spent: sumUp(this.answers) };
  }
}

/** Memos and context are for the next turn, and there is none. */
const NO_NEXT_TURN: TurnState = {
  changeMemos: async () => ({ status: 'applied', notApplied: [] }),
  changeContext: async () => ({ status: 'applied', notApplied: [] }),
  isInContext: () => true,
};

const NOW_DO_IT =
  'Now write the plan that does the whole task. Look again only where you cannot do without. Answer with the plan and nothing else.\n';

function describeCutOff(reason: string): string {
  return [
    `Your answer was cut off: ${reason} An incomplete plan is not run, not even in part.`,
    'Write a shorter plan that still does the whole task: EDIT instead of replacing files, and say less around it.',
    'Answer with the plan and nothing else.',
    '',
  ].join('\n');
}

function onlyLooked({ refused, actions }: Run): boolean {
  return !refused && actions.every((action) => hasEffect(action, 'looks'));
}

function sumUp(answers: readonly ModelAnswer[]): TaskSpent {
  const add = (of: (answer: ModelAnswer) => number) => answers.reduce((sum, each) => sum + of(each), 0);
  const isKnown = answers.every(({ costUsd }) => costUsd !== null);
  return {
    inputTokens: add(({ tokens }) => tokens.input),
    outputTokens: add(({ tokens }) => tokens.output),
    costUsd: isKnown ? add(({ costUsd }) => costUsd ?? 0) : null,
  };
}
