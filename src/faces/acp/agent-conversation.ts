import { redactorOf } from '../../config/redactor.js';
import type { Config } from '../../config/types.js';
import { agentOf } from '../../confine/agents.js';
import { checkConfinement } from '../../confine/check.js';
import type { ConfinementTools } from '../../confine/types.js';
import { shortenCounted } from '../../core/text.js';
import { takeWork } from '../../inbox/changes-questions.js';
import { isoUtc, now } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { environmentVariables } from '../../node/terminal/terminal.js';
import { createClientExecutor, requireUsable } from '../../orchestrate/executors/create-executor.js';
import type { Executor, ExecutorEnd } from '../../orchestrate/executors/types.js';
import { runInCopy } from '../../orchestrate/run-in-copy.js';
import { readChanges } from '../../runs/wrap.js';
import type { Sessions } from '../../sessions/turns/sessions.js';
import type { AttemptOutcome, Turn } from '../../sessions/turns/turn.js';
import { dropWork, listWork, startWork, type Work } from '../../workspace/copy/work.js';
import type { Workspace } from '../../workspace/workspace.js';
import { visible, visibleLine } from '../cli/output.js';
import type { SessionConversation } from '../conversation.js';
import { reviewWorkIn } from '../open-review.js';
import { askForAgentInEditor } from './agent-questions.js';
import type { EditorChannel } from './channel.js';
import { describeRun, EditorReview, type PromptGate } from './editor-review.js';
import { PlanSteps } from './plan-steps.js';

// A session with an agent in place of the model: message, its work in a copy, review of its changes, report. Messages and
// answers are those of the session's turn; the copy is a work with the session's name.

/** The agent that gets the messages. */
export interface WrappedAgent {
  /** The name of an executor. */
  executor: string;
  unconfined: boolean;
}

interface AgentTalk extends SessionConversation {
  agent: WrappedAgent;
  channel: EditorChannel;
  gate: PromptGate;
}

/** What a session waits for: a review, an answer of the agent, or a message. */
export function nextOfAgent(workspace: Workspace, sessions: Sessions, turn: Turn): 'review' | 'ask' | 'none' {
  const record = findWork(workspace, turn.meta.session)?.record;
  if (record?.end !== undefined && record.reviewed === undefined) return 'review';
  return sessions.unansweredMessage(turn) === null ? 'none' : 'ask';
}

function findWork(workspace: Workspace, session: string) {
  return listWork(workspace).findLast(({ record }) => record.session === session);
}

/** Throws `UserError` if the agent cannot start. */
export async function converseWithAgent(
  talk: AgentTalk,
  next: 'ask' | 'review',
  message: string | null,
): Promise<void> {
  const { workspace, turn } = talk;
  if (turn.stage === 'planned')
    throw new UserError('A plan of your model waits in this session: review it with `teddy resume`.');
  const found = findWork(workspace, turn.meta.session);
  if (next === 'review') {
    if (found === undefined) throw new UserError('These changes are no longer there.');
    return reviewChanges(talk, await takeWork(workspace, found.record.id));
  }
  const { executor, tools } = await requireAgent(talk);
  const work = found ? await takeWork(workspace, found.record.id) : await beginWork(talk);
  try {
    const end = await ask(talk, work, { executor, tools, message });
    if (end.status === 'returned') return await reviewChanges(talk, work);
    if (found === undefined && end.status === 'unusable') dropWork(work);
    say(talk, describeFailure(end, work));
  } finally {
    work.close();
  }
}

async function requireAgent({
  agent,
  config,
  workspace,
}: AgentTalk): Promise<{ executor: Executor; tools: ConfinementTools | undefined }> {
  const environment = environmentVariables();
  const executor = createClientExecutor(agent.executor, config);
  if (executor === undefined)
    throw new UserError(`${visibleLine(agent.executor)} is not a coding agent: choose another with --agent.`);
  const tools = agent.unconfined ? undefined : await requireTools(workspace.root, config, environment);
  requireUsable(agent.executor, config, environment, tools !== undefined);
  return { executor, tools };
}

async function requireTools(
  root: string,
  { confine: { on } }: Config,
  environment: ReturnType<typeof environmentVariables>,
): Promise<ConfinementTools | undefined> {
  if (!on) return undefined;
  const checked = await checkConfinement({ root, environment });
  if (checked.available) return checked.tools;
  throw new UserError(
    `The agent cannot be confined: ${checked.cause}. ${checked.remedy}, or start teddy acp with --unconfined.`,
  );
}

async function beginWork({ workspace, config, turn, agent }: AgentTalk): Promise<Work> {
  const started = await startWork(workspace, { ...factsOf(agent, turn), bring: config.confine.bring });
  if (started.status === 'failed') throw new UserError(started.reason);
  return started.work;
}

function factsOf({ executor }: WrappedAgent, { meta }: Turn) {
  const command = [executor];
  const known = agentOf(command);
  return { command, ...(known !== undefined && { agent: known }), session: meta.session };
}

const LONGEST_SHOWN = 200_000;

/** What the agent says is on disk as it comes, and its answer before anything else happens. */
async function ask(
  talk: AgentTalk,
  work: Work,
  {
    executor,
    tools,
    message,
  }: { executor: Executor; tools: ConfinementTools | undefined; message: string | null },
): Promise<ExecutorEnd> {
  const { workspace, sessions, config, policy, interrupt, agent, channel, gate } = talk;
  const environment = environmentVariables();
  const masked = message === null ? null : redactorOf(config, environment).mask(message);
  const prompt = writePrompt(sessions, talk.turn, masked);
  const turn = await sessions.keepInput(talk.turn, { input: prompt, message: masked });
  work.restart(factsOf(agent, turn));
  const draft = sessions.openDraft(turn);
  let said = '';
  const end = await runInCopy(work, {
    executor,
    prompt,
    config,
    tools,
    environment,
    signal: interrupt.signal,
    decisions: {
      policy,
      hasUser: true,
      ask: (asked, signal) => askForAgentInEditor({ workspace, channel, gate }, asked, signal),
    },
    onText(text) {
      draft.write(text);
      if (said.length < LONGEST_SHOWN) channel.show({ kind: 'text', from: 'thought', text: visible(text) });
      said += text;
    },
  }).finally(() => draft.close());
  const isAnswer = end.status === 'returned';
  const text = isAnswer ? end.text : said;
  await keepAnswer(sessions, turn, isAnswer ? 'message' : 'interrupted', {
    text: text === '' ? null : text,
    reason: 'reason' in end ? end.reason : null,
    usage: end.usage,
  });
  showUsage(talk, end);
  if (isAnswer) say(talk, visible(shortenCounted(end.text.trimEnd(), LONGEST_SHOWN)));
  return end;
}

/** The agent starts anew with every message: it gets the conversation so far, and is in its copy again. */
function writePrompt(sessions: Sessions, turn: Turn, message: string | null): string {
  if (turn.input === null || message === null) return turn.input ?? message ?? '';
  const messages = sessions.agentMessages(turn);
  const replied = messages.findLastIndex(({ reply }) => reply !== null);
  const answers = messages.slice(replied + 1).map(({ text }) => text.trimEnd());
  return [
    turn.input.trimEnd(),
    ...answers.map((text) => `Your answer:\n\n${text}`),
    `The user:\n\n${message}`,
  ].join('\n\n---\n\n');
}

async function keepAnswer(
  sessions: Sessions,
  turn: Turn,
  outcome: AttemptOutcome,
  { text, reason, usage }: { text: string | null; reason: string | null; usage: ExecutorEnd['usage'] | null },
): Promise<void> {
  const at = isoUtc(now());
  const { inputTokens: input = null, outputTokens: output = null, costUsd = null } = usage ?? {};
  const isKnown = input !== null || output !== null;
  const tokens = isKnown ? { input: input ?? 0, output: output ?? 0, estimated: false } : null;
  const attempt = { outcome, reason, at, tokens, costUsd };
  await sessions.keepAnswer(turn, { text, attempt, model: null, feedback: null, at, plan: null });
}

function showUsage({ sessions, turn, channel, config }: AgentTalk, { usage }: ExecutorEnd): void {
  if (usage.inputTokens === null && usage.outputTokens === null) return;
  const used = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  const costs = sessions
    .metas(turn.meta.session)
    .flatMap(({ attempts }) => attempts.flatMap(({ costUsd }) => costUsd ?? []));
  const costUsd = costs.length === 0 ? null : costs.reduce((sum, each) => sum + each, 0);
  channel.show({ kind: 'usage', used, size: Math.max(config.context.budget, used), costUsd });
}

function describeFailure(end: ExecutorEnd, work: Work): string {
  const reason = 'reason' in end ? visible(end.reason) : 'Stopped.';
  if (end.status === 'unusable') return reason;
  return `${reason}\n\nWhat it has done so far is in its copy: /resume lets it continue there, and so does a message. To review it as it is: \`teddy changes review ${work.id}\`.`;
}

/** The report is the answer to the user, and a part of what the agent gets next. */
async function reviewChanges(talk: AgentTalk, work: Work): Promise<void> {
  const { workspace, sessions, turn, channel, gate } = talk;
  try {
    const changes = await readChanges(work);
    if (changes.status === 'unreadable') throw new UserError(changes.reason);
    if (changes.status === 'none') return say(talk, 'It changed no files.');
    const steps = new PlanSteps(channel);
    const review = new EditorReview({ root: workspace.root, channel, gate, steps });
    const reviewed = await reviewWorkIn(talk, review.face, work);
    if (reviewed.status === 'failed') throw new UserError(reviewed.reason);
    if (reviewed.status === 'nothing') return say(talk, 'The project has all of these changes already.');
    const { run, landed, feedback } = reviewed;
    if (!landed && feedback === undefined) return say(talk, CHANGES_WAIT);
    const text = describeRun(run, review.unexplained);
    const { session } = turn.meta;
    await keepAnswer(sessions, sessions.lastTurn(session), 'message', { text, reason: null, usage: null });
    say(talk, text);
  } finally {
    work.close();
  }
}

export const CHANGES_WAIT =
  'The changes of the agent are still waiting for your review: /resume continues it, and a message lets the agent continue.';

function say({ channel }: AgentTalk, text: string): void {
  channel.show({ kind: 'text', from: 'agent', text: `${text}\n\n` });
}
