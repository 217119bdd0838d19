// A person at a terminal decides. Questions enter and are shown whole, with nothing in them that could act on the
// terminal; answers leave, one key each. It never answers for the person, and what it shows it does not change.
import type { Tree } from '../../../core/tree.js';
import type { Reviewer } from '../../../review/question.js';
import type { RunListener } from '../../../runs/events.js';
import { openScreen } from '../terminal/screen.js';
import { Conversation } from './conversation.js';
import { createLive } from './live.js';

export interface TerminalReview {
  reviewer: Reviewer;
  listen: RunListener;
  close(): void;
  /** Whether the review was ended with Ctrl-C. */
  interrupted(): boolean;
}

interface Options {
  root: string;
  color: boolean;
  keepGoing: boolean;
  /** The project: what paths in an edited action mean. */
  tree: Tree;
  /** Where drafts of what is typed are kept: an absolute path of a folder that exists by then. */
  draftFolder: () => string;
}

/** Undefined where there is no controlling terminal to ask at. */
export function openTerminalReview(options: Options): TerminalReview | undefined {
  const screen = openScreen(options);
  if (screen === undefined) return undefined;
  const conversation = new Conversation(screen, options);
  const live = createLive(screen, () => conversation.showOverview());
  return {
    reviewer: {
      begin: (overview) => conversation.begin(overview),
      settle: (question) => conversation.settle(question),
      ask: (question) => conversation.ask(question),
    },
    listen: live.listen,
    close: () => {
      live.end();
      screen.close();
    },
    interrupted: () => conversation.interrupted,
  };
}
