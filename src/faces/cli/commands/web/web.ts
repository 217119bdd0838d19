import { loadProject } from '../../../../config/project.js';
import { UserError } from '../../../../node/errors.js';
import { openBrowser } from '../../../../node/terminal/browser.js';
import { onInputLine, onSignals, writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { TeddyCommand, teddyVersion } from '../../command.js';
import { type GlobalOptions, paintFor } from '../../output.js';
import { isProjectTrusted, openProject } from '../../project.js';

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
  teddy web --port 4711 --no-open   for another machine: ssh -L 4711:127.0.0.1:4711

The link works once. Press Enter for another one, for a second tab or browser.
Ctrl-C ends the server; so do 8 hours without use.`);

const IDLE_MS = 8 * 60 * 60 * 1000;
/** Other users of this machine can see the words that a program was started with. */
const OPENED_LINK_MS = 60_000;

export async function web(options: WebOptions): Promise<number> {
  const place = await openProject(options);
  const { root, workspace } = place;
  const port = options.port === undefined ? await configuredPort(root) : parsePort(options.port);
  const { openWebServer } = await import('../../../web/server.js');
  const server = await openWebServer({
    project: { workspace, isTrusted: () => isProjectTrusted(place) },
    version: teddyVersion(),
    port,
    idleMs: IDLE_MS,
    onNotice: (sentence) => writeError(`${paintFor('stderr', options)('yellow', sentence)}\n`),
  });
  const announce = () => printLink(server.newLink(), server.port, options);
  announce();
  if (options.open && openBrowser(server.newLink(OPENED_LINK_MS), [root]))
    writeError('Opened it in your browser.\n');
  writeError('Press Enter for another link, Ctrl-C to stop.\n');
  const endLines = onInputLine(announce);
  const signal = await new Promise<string>((resolve) => {
    onSignals(resolve);
    void server.idle.then(() => resolve('idle'));
  });
  endLines();
  await server.close();
  if (signal === 'idle') writeError('Stopped after 8 hours without use.\n');
  return signal === 'SIGINT' ? 130 : 0;
}

function printLink(url: string, port: number, { json }: WebOptions): void {
  writeOutput(json ? `${JSON.stringify({ url, port })}\n` : `${url}\n`);
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65535) return port;
  throw new UserError('--port needs a number from 1 to 65535.', { isUsage: true });
}

/** Needs no trust: a port cannot do anything. */
async function configuredPort(root: string): Promise<number> {
  const loaded = await loadProject(root);
  return loaded.status === 'loaded' ? loaded.config.web.port : 0;
}
