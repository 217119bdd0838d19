import { UserError } from '../../../../node/errors.js';
import {
  environmentVariables,
  isTerminal,
  onSignals,
  writeError,
  writeOutput,
} from '../../../../node/terminal/terminal.js';
import {
  type BudgetReached,
  describeBudget,
  type PlanEvent,
  type PlanTurnEnd,
  planTurn,
} from '../../../../sessions/plan-turn.js';
import type { PlanAttempt, Turn } from '../../../../sessions/turns/turn.js';
import { openTree } from '../../../../workspace/tree.js';
import { SESSION, TeddyCommand } from '../../command.js';
import { planIssueText } from '../../issue-lines.js';
import {
  type GlobalOptions,
  issueJson,
  type Paint,
  paintFor,
  resultJson,
  visible,
  visibleLine,
} from '../../output.js';
import { countWords, plural } from '../../words.js';
import { accountJson, accountLines } from './context.js';
import { openProjectSessions, requireMessage, type SessionAtWork, workInSession } from './session-turn.js';

export interface PlanOptions extends GlobalOptions {
  message?: string;
  session?: string;
  agent?: string;
  model?: string;
  budget?: string;
}

export const planCommand = new TeddyCommand('plan')
  .description('ask the model of your config for the next plan, until it can be carried out')
  .option('-m, --message <text>', 'what you want')
  .option('--session <name>', SESSION)
  .option('--agent <name>', 'go on with another planner')
  .option('--model <name>', "another model than the config's")
  .option('--budget <usd>', 'what the session may cost in all')
  .run(plan)
  .helpText(`Examples:
  teddy plan -m "Lock accounts after five wrong passwords."
  teddy plan                        go on from the last report
  teddy plan -m "Smaller steps." --session login --budget 0.50
  teddy resume                      then: decide on the plan

Nothing is carried out by this. Every answer is kept. A plan that cannot be
carried out goes back to the model with what is wrong (replan.limit times).

Exit codes: 0 there is a plan, 1 no answer was one, or the budget is too small,
2 the model cannot be asked, 130 interrupted.`);

export async function plan(options: PlanOptions): Promise<number> {
  requireMessage(options);
  return workInSession(options.session, await openProjectSessions(options), (at) => {
    requireSomething(at.turn, options);
    return planInSession(at, options.message ?? null, options);
  });
}

/** A model that is told nothing at all has nothing to plan. */
function requireSomething({ meta, folder }: Turn, { message }: PlanOptions): void {
  if (message === undefined && meta.message === null && meta.parent === null)
    throw new UserError(`${folder} is the first turn of its session: say with -m what you want.`);
}

/** Asks the model for the plan of a turn that is held, and tells of it. */
export async function planInSession(
  { project, sessions, turn }: SessionAtWork,
  message: string | null,
  options: PlanOptions,
): Promise<number> {
  const teller = new Teller(project.root, options);
  const end = await planTurn({
    workspace: project.workspace,
    tree: openTree(project.root),
    config: project.config,
    sessions,
    turn,
    message,
    agent: options.agent ?? null,
    model: readModel(options.model),
    budgetUsd: readBudget(options.budget),
    mayPassBudget: (reached) => askBeyondBudget(reached, project.root, options),
    environment: environmentVariables(),
    interrupts: onSignals,
    emit: (event) => teller.tell(event),
  });
  teller.end(end);
  return { planned: 0, refused: 1, 'over-budget': 1, failed: 2, interrupted: 130 }[end.status];
}

/** A variable of a script that is not set comes as an empty word. */
function readModel(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/\S/.test(text)) throw new UserError('--model is empty; write the name of a model.');
  return text.trim();
}

/** False without a terminal: the turn then stops, and says why. */
async function askBeyondBudget(
  reached: BudgetReached,
  root: string,
  options: GlobalOptions,
): Promise<boolean> {
  const { confirm } = await import('../../review/terminal-review.js');
  const about = `${describeBudget(reached)} What you have so far is saved.`;
  const question = { root, title: 'Continue beyond the budget?', about, texts: [] };
  return (await confirm({ ...question, yes: 'continue this turn', no: 'stop here' }, options)) === 'yes';
}

function readBudget(text: string | undefined): number | null {
  if (text === undefined) return null;
  const amount = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(amount))
    throw new UserError(`--budget ${JSON.stringify(text)} is no amount; write US dollars such as 0.50.`);
  return amount;
}

/** Says what happens while a model is asked: to a person as it comes, to others line by line. */
class Teller {
  private readonly paint: Paint;
  private readonly live = isTerminal('stderr');
  private account: ReturnType<typeof accountJson> | undefined;
  private isMidLine = false;
  /** The answers that came, and why the last of them is none. */
  private came = 0;
  private told: string | null = null;

  constructor(
    private readonly root: string,
    private readonly options: PlanOptions,
  ) {
    this.paint = paintFor('stderr', options);
  }

  tell(event: PlanEvent): void {
    switch (event.kind) {
      case 'assembled':
        this.account = accountJson(event.input);
        if (this.live || event.input.leftOut.length > 0)
          this.say(accountLines(event.input, this.paint).join('\n'));
        break;
      case 'asking': {
        const again = event.attempt === 1 ? '' : `, for the ${ordinal(event.attempt)} time`;
        this.say(
          `Asking ${visibleLine(event.model)}${again}: about ${countWords(event.inputTokens)} tokens …`,
        );
        break;
      }
      case 'text':
        if (!this.live) break;
        writeError(this.paint('dim', visible(event.text)));
        this.isMidLine = !event.text.endsWith('\n');
        break;
      case 'waiting':
        this.say(
          this.paint(
            'yellow',
            `${visible(event.reason)} Trying again in ${Math.ceil(event.waitMs / 1000)} s.`,
          ),
        );
        break;
      case 'answered':
        // Of what never came, the end says why.
        if (event.attempt.answer === null) break;
        this.came++;
        this.told = event.attempt.reason;
        this.say(describeAttempt(event.attempt, event.pricesOf, this.paint));
        break;
    }
  }

  end(end: PlanTurnEnd): void {
    const { meta, folder } = end.turn;
    const { session, turn, agent, attempts } = meta;
    if (this.options.json) {
      const path = end.status === 'planned' ? `${folder}/plan.md` : null;
      const issues = 'issues' in end ? end.issues.map(issueJson) : [];
      const reason = 'reason' in end ? end.reason : null;
      const { status } = end;
      const input = this.account;
      writeOutput(
        resultJson(this.root, { status, session, turn, agent, plan: path, reason, issues, attempts, input }),
      );
      return;
    }
    if ('issues' in end && end.issues.length > 0)
      this.say(end.issues.map((issue) => planIssueText(issue, null, this.paint)).join('\n'));
    if (end.status === 'planned') {
      writeOutput(`${visibleLine(folder)}/plan.md\n`);
      if (end.issues.some(({ severity }) => severity === 'error'))
        this.say(
          this.paint('yellow', 'Some of it will fail as things are; the model was asked often enough.'),
        );
      this.say('Next: teddy resume lets you decide on it, action by action.');
    } else if (end.status === 'refused') {
      this.say(
        `${this.paint('red', 'No plan:')} ${plural(this.came, 'answer')} came, and none can be carried out. They are in ${visibleLine(folder)}; teddy plan asks again.`,
      );
    } else {
      // The terminal has written ^C there.
      if (this.live && end.status === 'interrupted') this.isMidLine = true;
      const why = end.reason === this.told ? 'teddy plan asks again.' : visible(end.reason);
      this.say(`${this.paint('red', 'No plan:')} ${why}`);
    }
  }

  private say(text: string): void {
    writeError(`${this.isMidLine ? '\n' : ''}${text}\n`);
    this.isMidLine = false;
  }
}

function describeAttempt(
  { answer, outcome, reason, tokens, costUsd }: PlanAttempt,
  pricesOf: string | undefined,
  paint: Paint,
): string {
  const size =
    tokens === null ? [] : [`${countWords(tokens.input)} tokens in, ${countWords(tokens.output)} out`];
  const estimate = pricesOf === undefined ? '' : ` at prices of ${pricesOf}`;
  const cost = costUsd === null ? [] : [`$${costUsd.toFixed(4)}${estimate}`];
  const facts = [...size, ...cost].join(', ');
  const head = outcome === 'passed' ? paint('green', 'A plan came') : paint('yellow', WORDS[outcome]);
  const kept = answer === null ? '' : ` Kept as ${answer}.`;
  return `${head}${facts === '' ? '' : ` (${facts})`}${reason === null ? '.' : `: ${visible(reason)}`}${kept}`;
}

const WORDS: Record<PlanAttempt['outcome'], string> = {
  passed: 'A plan came',
  refused: 'The plan was refused',
  'cut-off': 'The answer was cut off',
  'broken-off': 'The answer broke off',
  interrupted: 'Interrupted',
  replaced: 'Replaced',
};

function ordinal(count: number): string {
  return ['first', 'second', 'third', 'fourth', 'fifth'][count - 1] ?? `${count}th`;
}
