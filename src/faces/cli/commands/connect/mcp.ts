import { isTerminal, writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand, teddyVersion } from '../../command.js';
import { type GlobalOptions, visibleLine } from '../../output.js';
import { findProject, requireClock } from '../../project.js';

export const mcpCommand = new TeddyCommand('mcp')
  .description('serve agents over MCP: they propose here, and you decide')
  .run(mcp)
  .helpText(`Examples:
  teddy mcp                          serve the project of this folder
  teddy mcp --root ~/work/app        serve another project
  claude mcp add teddy -- teddy mcp  what teddy connect claude does for you

Agents start it themselves: it speaks MCP on standard input and output. Its tools
propose plans, hand in results and ask you questions. None of them approves
anything: what needs you is in teddy inbox and on the page (teddy web).`);

async function mcp(options: GlobalOptions): Promise<number> {
  requireClock();
  const { root, workspace } = findProject(options);
  if (isTerminal('stdin'))
    writeError(`Serving ${visibleLine(root)} to an agent on standard input. Press Ctrl-D to end.\n`);
  const { serveMcp } = await import('../../../mcp/server.js');
  await serveMcp({ workspace, version: teddyVersion() });
  return 0;
}
