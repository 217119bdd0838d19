import { stateOf } from './agents.js';
import { SHOWN_IN_HOME, SHOWN_WITHOUT_SECRETS, secretsInHome } from './home.js';

// The same rules as a profile for macOS's sandbox-exec. Nobody has tried it on a Mac yet, so nothing uses it.

export interface MacConfinement {
  /** What the program may write: its copy, and a temporary folder of its own. Absolute and real. */
  writable: readonly string[];
  home: string;
  agent?: string;
  hide: readonly string[];
  network: boolean;
}

/** Later rules win. A path is a literal of the profile's language, so that no name can add a rule. */
export function writeMacProfile({ writable, home, agent, hide, network }: MacConfinement): string {
  const inHome = (paths: readonly string[]) => paths.map((path) => `${home}/${path}`);
  const { state, settings } = stateOf(agent);
  const shown = inHome([...SHOWN_IN_HOME, ...SHOWN_WITHOUT_SECRETS]);
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork sysctl-read mach-lookup signal (target same-sandbox))',
    rule('allow', 'file-read*', ['/']),
    rule('deny', 'file-read*', ['/Users', '/private/tmp', '/private/var/folders', home]),
    '(allow file-read-metadata)',
    rule('allow', 'file-read*', shown),
    rule('allow', 'file-read* file-write*', [...writable, ...inHome(state)]),
    '(allow file-read* file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))',
    rule('deny', 'file-write*', inHome(settings)),
    rule('deny', 'file-read* file-write*', [...inHome(secretsInHome(agent)), ...hide]),
    network ? '(allow network*)' : '(deny network*)',
    '',
  ]
    .filter((line, at, all) => line !== '' || at === all.length - 1)
    .join('\n');
}

function rule(verdict: 'allow' | 'deny', operations: string, paths: readonly string[]): string {
  if (paths.length === 0) return '';
  return `(${verdict} ${operations}\n${paths.map((path) => `  (subpath ${quote(path)})`).join('\n')})`;
}

function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`;
}
