import type { AgentDecisions } from '../../orchestrate/executors/types.js';
import type { Workspace } from '../../workspace/workspace.js';

type Ask = NonNullable<AgentDecisions['ask']>;

/** What an agent asks during its work: any face answers it. Loaded with the first question. */
export async function askInInbox(
  workspace: Workspace,
  asked: Parameters<Ask>[0],
  signal: AbortSignal,
): ReturnType<Ask> {
  const { askAndWait } = await import('../../inbox/user-questions.js');
  return askAndWait(workspace, asked, signal);
}
