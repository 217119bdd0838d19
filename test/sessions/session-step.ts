import { DEFAULTS } from '../../src/config/config-file.js';
import type { Config } from '../../src/config/types.js';
import type { Run } from '../../src/core/report/record.js';
import { environmentVariables } from '../../src/node/terminal/terminal.js';
import { yesReviewer } from '../../src/review/compose.js';
import {
  type PlanEvent,
  type PlanTurnEnd,
  type PlanTurnOptions,
  planTurn,
} from '../../src/sessions/plan-turn.js';
import { recoverRuns } from '../../src/sessions/recover-runs.js';
import { executeTurn, newSession, openLastTurn } from '../../src/sessions/sessions.js';
import { Sessions } from '../../src/sessions/turns/sessions.js';
import { openTree } from '../../src/workspace/tree.js';
import { Workspace } from '../../src/workspace/workspace.js';

export const SESSION = 'kill';

export interface Step
  extends Partial<Pick<PlanTurnOptions, 'message' | 'agent' | 'budgetUsd' | 'mayPassBudget' | 'interrupts'>> {
  root: string;
  /** Of the model server. */
  url: string;
  model?: Partial<Config['model']>;
  replanLimit?: number;
  /** Ask for a plan, although there is one. */
  replace?: boolean;
  emit?(event: PlanEvent): void;
}

export interface StepEnd {
  recovered: Run[];
  planned?: PlanTurnEnd;
  run?: Run;
}

export async function beginSession(root: string): Promise<void> {
  const workspace = new Workspace(root);
  await newSession(workspace, new Sessions(workspace), SESSION, 'developer');
}

/** What `teddy resume --yes -m` does, without the words: a plan is carried out, and where there is none it is asked for. */
export async function goOn(step: Step): Promise<StepEnd> {
  const { root, replace = false, interrupts = () => () => {} } = step;
  const workspace = new Workspace(root);
  const recovered = await recoverRuns(workspace);
  const sessions = new Sessions(workspace);
  const held = sessions.hold(SESSION);
  try {
    const turn = await openLastTurn(workspace, sessions, SESSION);
    const common = { workspace, tree: openTree(root), environment: environmentVariables(), interrupts };
    if (turn.stage !== 'planned' || replace)
      return { recovered, planned: await planTurn({ ...common, ...planOptions(step), sessions, turn }) };
    const run = await executeTurn(
      sessions,
      turn,
      {
        ...common,
        reviewer: yesReviewer(),
        settings: DEFAULTS,
        keepGoing: false,
        tip: DEFAULTS.report.tip,
        keep: DEFAULTS.runs.keep,
        emit: () => {},
      },
      DEFAULTS.context.budget,
    );
    return { recovered, run };
  } finally {
    held.release();
  }
}

function planOptions(step: Step) {
  const { url, model, message = 'Go on.', agent = null, budgetUsd = null, replanLimit = 3 } = step;
  const config = {
    ...DEFAULTS,
    model: { ...MODEL, baseURL: url, ...model } as Config['model'],
    replan: { limit: replanLimit },
  };
  const { mayPassBudget } = step;
  const asking = mayPassBudget === undefined ? {} : { mayPassBudget };
  return { config, message, agent, budgetUsd, ...asking, model: null, emit: step.emit ?? (() => {}) };
}

const MODEL = {
  provider: 'openai-compatible',
  api: 'openai-compatible',
  name: 'test-model',
  keyEnv: null,
  maxOutputTokens: 1000,
  timeoutMs: 20_000,
  idleMs: 20_000,
  prices: null,
  budgetUsd: null,
};
