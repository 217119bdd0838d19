import { findProgram } from '../find-program.js';
import { environment, systemName } from './terminal.js';

/** Opens a link in the user's browser. False where there is no browser to open it with. */
export function openBrowser(url: string, outside: readonly string[]): boolean {
  const program = browserProgram();
  const found = program && findProgram(program, environment('PATH') ?? '', outside);
  if (!found || found.status === 'missing') return false;
  const child = process
    .getBuiltinModule('node:child_process')
    .spawn(found.file, [url], { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
  return true;
}

function browserProgram(): string | undefined {
  if (systemName() === 'darwin') return 'open';
  const hasDesktop = environment('DISPLAY') || environment('WAYLAND_DISPLAY');
  return environment('BROWSER') || (hasDesktop ? 'xdg-open' : undefined);
}
