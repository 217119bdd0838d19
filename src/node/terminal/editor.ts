import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { errorCode } from '../errors.js';
import { environment } from './terminal.js';

const FALLBACKS = ['vi', 'nano'];

/** Editors that open a window and return at once, with the option that makes them wait. */
const WAITING: Record<string, readonly string[]> = {
  atom: ['--wait', '-w'],
  bbedit: ['--wait', '-w'],
  code: ['--wait', '-w'],
  'code-insiders': ['--wait', '-w'],
  codium: ['--wait', '-w'],
  cursor: ['--wait', '-w'],
  gedit: ['--wait', '-w'],
  gvim: ['-f', '--nofork'],
  idea: ['--wait'],
  kate: ['--block', '-b'],
  mate: ['--wait', '-w'],
  mvim: ['-f', '--nofork'],
  pycharm: ['--wait'],
  subl: ['--wait', '-w'],
  webstorm: ['--wait'],
  windsurf: ['--wait', '-w'],
  zed: ['--wait', '-w'],
  zeditor: ['--wait', '-w'],
};

export type EditorEnd =
  | { status: 'exited'; code: number }
  | { status: 'signalled'; signal: string }
  /** `reason` is a whole sentence. */
  | { status: 'not-started'; reason: string };

/** The command of the user's editor, made to wait; undefined if none is set or found. */
export function findEditor(): string | undefined {
  const chosen = environment('VISUAL')?.trim() || environment('EDITOR')?.trim();
  if (chosen) return makeWait(chosen);
  return FALLBACKS.find(isOnPath);
}

/** Exported for tests. */
export function makeWait(command: string): string {
  const [program = '', ...words] = command.split(/\s+/);
  const flags = WAITING[basename(program.replace(/["']/g, ''))];
  if (flags === undefined || flags.some((flag) => words.includes(flag))) return command;
  return `${command} ${flags[0]}`;
}

/**
 * Runs the editor on `file` in the controlling terminal, and restores the terminal's modes. The command goes through a
 * shell, as with other tools, so it may have arguments and quotes. Ctrl-C belongs to the editor meanwhile.
 */
export async function runEditor(command: string, file: string): Promise<EditorEnd> {
  let terminal: number | undefined;
  const ignore = () => {};
  process.on('SIGINT', ignore);
  process.on('SIGQUIT', ignore);
  try {
    terminal = openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY);
    const modes = stty(terminal, ['-g'])?.trim();
    const end = await start(command, file, terminal);
    if (modes) stty(terminal, [modes]);
    return end;
  } catch (error) {
    return { status: 'not-started', reason: `The editor could not be started (${errorCode(error)}).` };
  } finally {
    process.off('SIGINT', ignore);
    process.off('SIGQUIT', ignore);
    if (terminal !== undefined) closeSync(terminal);
  }
}

function start(command: string, file: string, terminal: number): Promise<EditorEnd> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn('/bin/sh', ['-c', `trap : INT; ${command} "$@"`, 'editor', file], {
    stdio: [terminal, terminal, terminal],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { status: 'exited', code: code ?? 0 } : { status: 'signalled', signal }),
    );
  });
}

function stty(terminal: number, words: string[]): string | undefined {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { status, stdout } = spawnSync('stty', words, {
    stdio: [terminal, 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return status === 0 ? stdout : undefined;
}

function isOnPath(program: string): boolean {
  return (environment('PATH') ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
