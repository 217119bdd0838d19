import { checkTrust, loadProject } from '../../../../config/project.js';
import { openBrowser } from '../../../../node/terminal/browser.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import type { WebServer } from '../../../web/server.js';
import type { WebProject } from '../../../web/web-project.js';
import { teddyVersion } from '../../command.js';
import { type GlobalOptions, paintFor } from '../../output.js';
import { isProjectTrusted, type Project, requireTrustedConfig } from '../../project.js';

const IDLE_MS = 8 * 60 * 60 * 1000;
/** Other users of this machine can see a program's arguments. */
const OPENED_LINK_MS = 60_000;

interface ServeOptions {
  /** Default: the one in the config. */
  port?: number | undefined;
  /** Shows a link. */
  announce(url: string, port: number): void;
  /** Whether to open the browser, too. */
  open: boolean;
}

/** Starts the server and shows its link. Loaded only here. */
export async function servePage(
  project: Project,
  { color }: GlobalOptions,
  { port, announce, open }: ServeOptions,
): Promise<WebServer> {
  const { openWebServer } = await import('../../../web/server.js');
  const server = await openWebServer({
    project: webProject(project),
    version: teddyVersion(),
    port: port ?? (await configuredPort(project.root)),
    idleMs: IDLE_MS,
    onNotice: (sentence) => writeError(`${paintFor('stderr', { color })('yellow', sentence)}\n`),
  });
  announce(server.newLink(), server.port);
  if (open) {
    const isOpened = openBrowser(server.newLink(OPENED_LINK_MS), [project.root]);
    writeError(isOpened ? 'Opened it in your browser.\n' : 'No browser was found: open the link yourself.\n');
  }
  return server;
}

/** Read for every request, because trust may change while the server runs. */
function webProject(project: Project): WebProject {
  return {
    workspace: project.workspace,
    isTrusted: () => isProjectTrusted(project),
    async readConfig() {
      const loaded = await loadProject(project.root);
      return loaded.status === 'loaded' ? loaded.config : undefined;
    },
    requireTrusted: () => requireTrustedConfig(project),
  };
}

/** A port that a stranger's repository chose could be one that something else waits for. */
async function configuredPort(root: string): Promise<number> {
  const loaded = await loadProject(root);
  return loaded.status === 'loaded' && checkTrust(loaded).trusted ? loaded.config.web.port : 0;
}
