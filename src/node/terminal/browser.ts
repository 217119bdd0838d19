import { findProgram } from '../find-program.js';
import { environment, systemName } from './terminal.js';

/** Opens a link in the user's browser. False if no browser is found. */
export function openBrowser(url: string, outside: readonly string[]): boolean {
  const opener = browserOpener(url, { system: systemName(), variable: environment });
  const found = opener && findProgram(opener.program, environment('PATH') ?? '', outside);
  if (!found || found.status === 'missing') return false;
  const { words, input } = opener;
  const child = process
    .getBuiltinModule('node:child_process')
    .spawn(found.file, words, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  child.unref();
  return true;
}

interface Opener {
  program: string;
  words: string[];
  /** Its standard input. */
  input: string;
}

/**
 * Other users can see a process's arguments. On macOS nothing else would keep them from using the link, so it is
 * in the input; on Linux the server knows who opened a connection.
 */
export function browserOpener(
  url: string,
  { system, variable }: { system: string; variable(name: string): string | undefined },
): Opener | undefined {
  if (system === 'darwin')
    return { program: 'osascript', words: ['-'], input: `open location ${JSON.stringify(url)}\n` };
  const hasDesktop = variable('DISPLAY') || variable('WAYLAND_DISPLAY');
  const program = variable('BROWSER') || (hasDesktop ? 'xdg-open' : undefined);
  return program ? { program, words: [url], input: '' } : undefined;
}
