import { isTerminal, writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand, teddyVersion } from '../../command.js';
import type { GlobalOptions } from '../../output.js';
import { findRootFor, requireClock } from '../../project.js';

export const acpCommand = new TeddyCommand('acp')
  .description('be an agent in your editor: your model proposes, and you review there')
  .run(acp)
  .helpText(`Examples:
  teddy acp                          what Zed, JetBrains and neovim start
  teddy acp --root ~/work/app        only for this project
  teddy setup && teddy trust         once before, in your project: model and trust

The editor starts it itself: it speaks the Agent Client Protocol on standard input
and output. Your message becomes a plan, each action is shown with its diff, and
nothing runs before you approve it in the editor, in teddy inbox or on the page.
/undo, /runs, /resume and /skip are commands there.

Exit codes: 0 the editor has ended it, 1 the connection broke.`);

async function acp(options: GlobalOptions): Promise<number> {
  requireClock();
  const root = options.root === undefined ? undefined : findRootFor(options);
  if (isTerminal('stdin'))
    writeError('Your editor starts this by itself: see docs/connect.md. Press Ctrl-D to end.\n');
  const { serveAcp } = await import('../../../acp/server.js');
  const isWhole = await serveAcp({ root, version: teddyVersion() });
  return isWhole ? 0 : 1;
}
