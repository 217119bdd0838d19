import type { AttemptViews } from '../../../orchestrate/orchestration.js';
import { composeReviewers, RestApproval } from '../../../review/compose.js';
import { openTree } from '../../../workspace/tree.js';
import { Conversation } from '../review/conversation.js';
import type { Screen } from '../terminal/screen.js';

/** The review of an agent's changes, on the screen of the board. 'back': the user quit it. `reason` is a sentence. */
export async function reviewOnBoard(
  screen: Screen,
  task: string,
  views: AttemptViews,
  { root, draftFolder, signal }: { root: string; draftFolder: () => string; signal: AbortSignal },
): Promise<{ answer: string } | 'back' | 'interrupted' | { reason: string }> {
  const rest = new RestApproval();
  const conversation = new Conversation(screen, {
    root,
    rest,
    draftFolder,
    tree: openTree(root),
    keepGoing: false,
    onlyChooses: true,
    allowReads: () => Promise.reject(new Error('nothing is read here')),
  });
  const reviewer = composeReviewers(
    { begin: (overview) => rest.begin(overview), resolve: (question) => rest.resolve(question) },
    {
      begin: (overview) => conversation.begin(overview),
      resolve: (question) => conversation.resolve(question),
      ask: (question) => conversation.ask(question, signal),
    },
  );
  // The review opens the keyboard for each of its questions.
  const chosen = await screen.lend(() => views.choose(task, reviewer));
  if (conversation.interrupted) return 'interrupted';
  if (chosen.status === 'chosen') return { answer: chosen.answer };
  return chosen.status === 'quit' ? 'back' : { reason: chosen.reason };
}
