import { UserError } from '../../../../node/errors.js';
import {
  isTerminal,
  onInputLine,
  onSignals,
  writeError,
  writeOutput,
} from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import type { GlobalOptions } from '../../output.js';
import { openProject } from '../../project.js';
import { servePage } from './serve-page.js';

interface WebOptions extends GlobalOptions {
  port?: string;
  open: boolean;
}

export const webCommand = new TeddyCommand('web')
  .description('open a page in your browser to review, watch and undo')
  .option('--port <number>', 'listen on this port (default: web.port in config.yaml, or any free one)')
  .option('--no-open', 'only print the link')
  .run(web)
  .helpText(`Examples:
  teddy web                         open the page of this project
  teddy web --no-open               print its link instead
  teddy web --port 4711 --no-open   through ssh -L 4711:127.0.0.1:4711

The link works once. Press Enter for another one, for a second tab or browser.
Ctrl-C ends the server; so do 8 hours without use.`);

export async function web(options: WebOptions): Promise<number> {
  const project = await openProject(options);
  const announce = (url: string, port: number) =>
    writeOutput(options.json ? `${JSON.stringify({ url, port })}\n` : `${url}\n`);
  const port = options.port === undefined ? undefined : parsePort(options.port);
  const server = await servePage(project, options, { port, announce, open: options.open });
  writeError('The link works once. Press Enter for another one, Ctrl-C to stop.\n');
  const endLines = onInputLine(() => announce(server.newLink(), server.port));
  const signal = await new Promise<string>((resolve) => {
    onSignals(resolve);
    void server.idle.then(() => resolve('idle'));
  });
  endLines();
  await server.close();
  // The terminal has written ^C.
  if (signal === 'SIGINT' && isTerminal('stderr')) writeError('\n');
  if (signal === 'idle') writeError('Stopped after 8 hours without use.\n');
  return signal === 'SIGINT' ? 130 : 0;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65535) return port;
  throw new UserError('--port needs a number from 1 to 65535.', { isUsage: true });
}
