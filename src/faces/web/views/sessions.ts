import { maskerFor } from '../../../config/redactor.js';
import { readPlan } from '../../../core/plan/read.js';
import { environmentVariables } from '../../../node/terminal/terminal.js';
import { writeFileDiff } from '../../../runs/diff/unified-diff.js';
import { listSessions, type SessionSummary } from '../../../sessions/session-history.js';
import { Sessions } from '../../../sessions/turns/sessions.js';
import { sumUp, type Turn, turnId } from '../../../sessions/turns/turn.js';
import type { Workspace } from '../../../workspace/workspace.js';
import type { SessionItem, SessionState, SessionView, TurnView } from '../api.js';

/** The one last worked in first. */
export async function listSessionItems(workspace: Workspace): Promise<SessionItem[]> {
  return (await listSessions(workspace)).map(toItem);
}

function toItem({ name, turns, agent, lastAt }: SessionSummary): SessionItem {
  return { name, turns, agent, changedAt: lastAt };
}

/** A session as a conversation; undefined where there is none of that name. */
export async function viewSession(
  workspace: Workspace,
  name: string,
  describeState: (name: string) => SessionState,
): Promise<SessionView | undefined> {
  const summary = (await listSessions(workspace)).find((each) => each.name === name);
  if (summary === undefined) return undefined;
  const sessions = new Sessions(workspace);
  const conversation: TurnView[] = [];
  let before: string | null = null;
  for (const number of sessions.turns(name)) {
    const turn = sessions.readTurn(name, number);
    conversation.push(viewTurn(sessions, turn, before));
    before = turn.plan ?? before;
  }
  return { ...toItem(summary), ...describeState(name), conversation };
}

function viewTurn(sessions: Sessions, turn: Turn, before: string | null): TurnView {
  const { meta, plan } = turn;
  const mask = maskerFor(null, environmentVariables());
  const { tokens, costUsd } = sumUp(meta.attempts);
  const prose = sessions.agentMessages(turn).at(-1)?.text ?? null;
  return {
    turn: turnId(meta.session, meta.turn),
    message: meta.message === null ? null : mask(meta.message),
    prose: prose === null ? null : mask(prose),
    planTitle: plan === null ? null : mask(readPlan(plan).plan?.title ?? ''),
    planDiff: plan === null || before === null ? null : mask(diffPlans(before, plan)),
    run: meta.run?.id ?? null,
    overall: meta.run?.overall ?? null,
    inputTokens: tokens?.input ?? null,
    outputTokens: tokens?.output ?? null,
    costUsd,
  };
}

function diffPlans(before: string, after: string): string {
  const text = (plan: string) => ({ text: plan, executable: false });
  return writeFileDiff('plan.md', text(before), text(after));
}
