import { isTerminal, writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand, teddyVersion } from '../../command.js';
import type { GlobalOptions } from '../../output.js';
import { findRootFor, requireClock } from '../../project.js';

export const acpCommand = new TeddyCommand('acp')
  .description('be an agent in your editor: your model proposes, and you review there')
  .option('--agent <name>', 'a coding agent proposes instead: an executor, such as claude or gemini-acp')
  .option('--unconfined', 'do not confine that agent: it can read and change all that you can')
  .run(acp)
  .helpText(`Examples:
  teddy acp                          what Zed, JetBrains and neovim start
  teddy acp --agent claude           your messages go to claude
  teddy setup && teddy trust         once before, in your project: model and trust

The editor starts it itself: it speaks the Agent Client Protocol on standard input
and output. Your message becomes a plan, each action is shown with its diff, and
nothing runs before you approve it in the editor, in teddy inbox or on the page.
/undo, /runs, /resume and /skip are commands there. With --agent, the agent works
confined in a copy, and you decide on each file that it changed before any lands.

Exit codes: 0 the editor has ended it, 1 the connection broke.`);

interface Options extends GlobalOptions {
  agent?: string;
  unconfined?: boolean;
}

async function acp({ agent: executor, unconfined = false, ...options }: Options): Promise<number> {
  requireClock();
  const root = options.root === undefined ? undefined : findRootFor(options);
  if (isTerminal('stdin'))
    writeError('Your editor starts this by itself: see docs/connect.md. Press Ctrl-D to end.\n');
  const { serveAcp } = await import('../../../acp/server.js');
  const agent = executor === undefined ? undefined : { executor, unconfined };
  const isWhole = await serveAcp({ root, agent, version: teddyVersion() });
  return isWhole ? 0 : 1;
}
