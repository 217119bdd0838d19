import { listPrices } from '../config/prices.js';
import { keyNames, type ModelMasks, modelMasks } from '../config/redactor.js';
import type { Config, ModelConfig } from '../config/types.js';
import { type Validation, validatePlan } from '../core/plan/check.js';
import type { PlanIssue } from '../core/plan/types.js';
import type { Tree } from '../core/tree.js';
import { isoUtc, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import type { Interrupts } from '../runs/interrupts.js';
import { readMemos } from '../runs/turn-state.js';
import type { Workspace } from '../workspace/workspace.js';
import {
  askForPlan,
  describeCutOff,
  describeUnanswered,
  describeUnwanted,
  type JudgedAnswer,
} from './ask-plan.js';
import { countTokens } from './context/input-parts.js';
import type { AssembledInput } from './context/types.js';
import { createModelClient } from './model/client.js';
import {
  costOf,
  type ModelAnswer,
  type ModelClient,
  type ModelMessage,
  type ModelSettings,
  worstCostOf,
} from './model/types.js';
import { requirePrompt, takeTurn } from './running-turn.js';
import { assembleTurn } from './turn-input.js';
import type { Sessions } from './turns/sessions.js';
import type { OverBudget, PlanAttempt, Turn } from './turns/turn.js';

export interface PlanTurnOptions {
  workspace: Workspace;
  tree: Tree;
  config: Config;
  sessions: Sessions;
  /** The turn to plan. The caller holds the lock of its session. */
  turn: Turn;
  message: string | null;
  /** Overrides the turn's planner. */
  agent: string | null;
  /** Overrides the configured model. */
  model: string | null;
  /** The limit for the session in US dollars; null uses the config. */
  budgetUsd: number | null;
  /** Asks the user to exceed the budget for this turn. Undefined: nobody could be asked, and the turn keeps the question. */
  mayPassBudget?(budget: BudgetReached): Promise<boolean | undefined>;
  environment: Readonly<Record<string, string | undefined>>;
  interrupts: Interrupts;
  emit(event: PlanEvent): void;
}

export interface BudgetReached extends Omit<OverBudget, 'at'> {
  session: string;
}

/** Progress while a turn is planned. Secrets are masked. */
export type PlanEvent =
  /** Counts files and pages of the context. */
  | { kind: 'assembling'; done: number; of: number }
  | { kind: 'assembled'; input: AssembledInput }
  /** `attempt` counts from 1. */
  | { kind: 'asking'; model: string; attempt: number; inputTokens: number }
  | { kind: 'text'; text: string }
  | { kind: 'waiting'; reason: string; waitMs: number }
  /**
   * An answer was judged and saved. `pricesOf`: the cost is an estimate from the price list of that month.
   */
  | { kind: 'answered'; attempt: PlanAttempt; issues: PlanIssue[]; pricesOf?: string };

export type PlanTurnEnd =
  /** The turn has its plan. Issues may include predicted failures. */
  | { status: 'planned'; turn: Turn; issues: PlanIssue[] }
  /** No answer was a usable plan. */
  | { status: 'refused'; turn: Turn; issues: PlanIssue[] }
  /** The agent wrote prose instead of a plan; the next message of this turn is the reply. */
  | { status: 'message'; turn: Turn; text: string }
  /** `reason` is a sentence. */
  | { status: 'failed' | 'over-budget' | 'interrupted'; turn: Turn; reason: string };

/**
 * Asks a model for the plan of a turn, and asks again if the answer is refused or cut off. Saves every answer
 * before using it. Throws `UserError` if no model is configured.
 */
export async function planTurn(options: PlanTurnOptions): Promise<PlanTurnEnd> {
  const client = openModel(options);
  const planning = new Planning(options, client);
  const stop = options.interrupts(() => planning.interrupt());
  try {
    return await planning.run();
  } finally {
    stop();
  }
}

/** The configured model and its key. Throws `UserError` if either is missing. */
export function requireModel(
  { model }: Pick<Config, 'model'>,
  environment: PlanTurnOptions['environment'],
): { named: ModelConfig; key: string | null } {
  if (model === null) {
    throw new UserError(
      'No model is configured. Choose one with teddy setup, or use your chat window: teddy context.',
    );
  }
  const key = model.keyEnv === null ? null : environment[model.keyEnv];
  if (key === undefined || key === '') {
    throw new UserError(
      `${model.keyEnv} is not set. It must hold the key for ${model.name}: export ${model.keyEnv}=…`,
    );
  }
  return { named: model, key };
}

function openModel({ config, model, environment }: PlanTurnOptions): ModelClient {
  const { named, key } = requireModel(config, environment);
  // The configured prices apply only to the configured model.
  const other =
    model === null || model === named.name ? {} : { name: model, prices: listPrices(named.provider, model) };
  return createModelClient({ ...named, ...other }, key, { keyName: named.keyEnv });
}

class Planning {
  private turn: Turn;
  private readonly aborter = new AbortController();
  private readonly masks: ModelMasks;
  private isBudgetLifted = false;

  constructor(
    private readonly options: PlanTurnOptions,
    private readonly client: ModelClient,
  ) {
    this.turn = options.turn;
    this.masks = modelMasks(options.environment, keyNames(options.config));
  }

  interrupt(): void {
    this.aborter.abort();
  }

  async run(): Promise<PlanTurnEnd> {
    const input = await this.assemble();
    const asked = await askForPlan({
      opening: [{ role: 'user', text: input.text }, ...this.listReplies()],
      before: this.lookBack(),
      replans: this.options.config.replan.limit,
      masks: this.masks,
      hasPerson: true,
      refuse: (messages) => this.refuseCost(messages),
      ask: (messages, attempt) => this.ask(messages, attempt),
      validate: (text) => this.validate(text),
      describeCutOff,
      keep: (answer, judged) => this.keep(answer, judged),
    });
    const { turn } = this;
    switch (asked.status) {
      case 'planned':
      case 'refused':
        return { status: asked.status, turn, issues: asked.issues };
      default:
        return { ...asked, turn };
    }
  }

  /** The agent's messages in this turn and the user's replies. */
  private listReplies(): ModelMessage[] {
    return this.options.sessions.agentMessages(this.turn).flatMap(({ text, reply }): ModelMessage[] => [
      { role: 'assistant', text: this.masks.maskKnown(text) },
      { role: 'user', text: reply ?? describeUnanswered() },
    ]);
  }

  /** The previous plan of this turn and why it will not be run. */
  private lookBack(): ModelMessage[] {
    const { answer, plan } = this.turn;
    const unwanted = answer ?? plan;
    const before =
      unwanted === null
        ? this.options.sessions.refusedAnswer(this.turn)
        : { text: unwanted, feedback: describeUnwanted() };
    if (!before) return [];
    return [
      { role: 'assistant', text: this.masks.maskKnown(before.text) },
      { role: 'user', text: before.feedback },
    ];
  }

  private async assemble(): Promise<AssembledInput> {
    const { sessions, agent, workspace, emit } = this.options;
    const message = this.options.message === null ? null : this.masks.mask(this.options.message);
    const other = agent === null ? undefined : requirePrompt(workspace, agent);
    const turn = other ? { ...this.turn, meta: { ...this.turn.meta, agent: other.agent } } : this.turn;
    const { tree, config } = this.options;
    const budget = config.context.budget;
    const input = await assembleTurn(sessions, turn, {
      workspace,
      tree,
      budget,
      message,
      mask: this.masks.mask,
      onRead: (done, of) => emit({ kind: 'assembling', done, of }),
    });
    this.turn = await sessions.keepInput(this.turn, {
      input: input.text,
      message,
      ...(other ? { agent: { name: other.agent, prompt: other.prompt } } : {}),
    });
    emit({ kind: 'assembled', input });
    return input;
  }

  /**
   * Refuses a question that could cost more than the rest of the budget. A question in progress may finish.
   */
  private async refuseCost(messages: readonly ModelMessage[]): Promise<string | undefined> {
    const { config, sessions, mayPassBudget } = this.options;
    const budgetUsd = this.options.budgetUsd ?? config.model?.budgetUsd ?? null;
    if (budgetUsd === null || this.isBudgetLifted) return undefined;
    const { settings } = this.client;
    const nextUsd = worstCostOf(settings, this.countInput(messages));
    if (nextUsd === null) {
      return `The budget cannot be kept: the price of ${settings.name} is not known. Set model.inputPrice and model.outputPrice in config.yaml.`;
    }
    const { session } = this.turn.meta;
    const spentUsd = sumCosts(sessions, session, settings);
    if (spentUsd + nextUsd <= budgetUsd) return undefined;
    const amounts = { spentUsd, nextUsd, budgetUsd };
    const reached = { session, ...amounts };
    const answer = await mayPassBudget?.(reached);
    if (answer === undefined)
      this.turn = await sessions.keepOverBudget(this.turn, { at: isoUtc(now()), ...amounts });
    this.isBudgetLifted = answer ?? false;
    if (this.isBudgetLifted) return undefined;
    // Who answered has read the amounts.
    const why = answer === undefined ? describeBudget(reached) : 'The budget is reached.';
    return `${why} Raise --budget or model.budget to continue.`;
  }

  private countInput(messages: readonly ModelMessage[]): number {
    return messages.reduce((sum, { text }) => sum + countTokens(text), countTokens(this.turn.prompt));
  }

  private async ask(messages: readonly ModelMessage[], attempt: number): Promise<ModelAnswer> {
    const { sessions, emit } = this.options;
    const inputTokens = this.countInput(messages);
    emit({ kind: 'asking', model: this.client.settings.name, attempt, inputTokens });
    const draft = sessions.openDraft(this.turn);
    const masked = this.masks.streamKnown();
    const tell = (text: string) => {
      if (text === '') return;
      draft.write(text);
      emit({ kind: 'text', text });
    };
    try {
      return await this.client.ask({
        system: this.masks.mask(this.turn.prompt),
        messages,
        signal: this.aborter.signal,
        onText: (text) => tell(masked.push(text)),
        onRetry: (reason, waitMs) => emit({ kind: 'waiting', reason, waitMs }),
      });
    } finally {
      tell(masked.end());
      draft.close();
    }
  }

  private validate(text: string): Promise<Validation> {
    const { workspace, tree, sessions, config } = this.options;
    return validatePlan(text, {
      tree,
      memos: () => readMemos(tree),
      session: takeTurn(workspace, sessions, this.turn, config.context.budget).nextTurn,
      show: () => this.masks.mask,
    });
  }

  private async keep({ text, tokens, costUsd, pricesOf }: ModelAnswer, judged: JudgedAnswer): Promise<void> {
    const { provider, name } = this.client.settings;
    const at = isoUtc(now());
    const { outcome, reason, plan } = judged;
    // Feedback on the plan that this one replaces.
    const replaced = plan === null || this.turn.plan === null ? null : describeUnwanted();
    const attempt = { outcome, reason, at, tokens, costUsd };
    this.turn = await this.options.sessions.keepAnswer(this.turn, {
      text: text === '' ? null : this.masks.maskKnown(text),
      attempt,
      model: { provider, name },
      feedback: judged.feedback ?? replaced,
      at,
      plan,
    });
    this.options.emit({
      kind: 'answered',
      attempt: this.turn.meta.attempts.at(-1)!,
      issues: judged.issues,
      ...(pricesOf !== undefined && { pricesOf }),
    });
  }
}

/** The known cost of a session, estimated from tokens if the service did not report it. */
function sumCosts(sessions: Sessions, session: string, settings: ModelSettings): number {
  return sessions
    .metas(session)
    .flatMap(({ attempts }) => attempts)
    .reduce((sum, { costUsd, tokens }) => sum + (costUsd ?? (tokens && costOf(settings, tokens)) ?? 0), 0);
}

export function describeBudget({ session, spentUsd, nextUsd, budgetUsd }: BudgetReached): string {
  return `The budget of session ${session} is not enough: ${dollars(spentUsd)} of ${dollars(budgetUsd)} spent, and the next question may cost up to ${dollars(nextUsd)}.`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(4)}`;
}
