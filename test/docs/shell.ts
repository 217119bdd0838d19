import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { makeFolder } from '../folder.js';
import { ROOT } from './page.js';

/** A new folder as a reader of the docs has it: the examples, `teddy` on the PATH, the library to import. */
export function makeReadersFolder(): string {
  const folder = makeFolder({});
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/teddy-cli'), 'dir');
  const launcher = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin/teddy.cjs')}' "$@"\n`;
  writeFileSync(join(folder, 'node_modules/.bin/teddy'), launcher, { mode: 0o755 });
  return folder;
}

/**
 * Runs a `console` block, a `$ command` and what it prints after it, and gives the block as it really comes out.
 * Standard output and standard error count alike. Every command has to end with 0: one that is meant to fail
 * says so on the page, with `|| echo "exit $?"`.
 */
export function replayConsole(block: string, folder: string): string {
  return block
    .split('\n')
    .filter((line) => line.startsWith('$ '))
    .map((line) => `${line}\n${runShell(line.slice(2), folder)}`)
    .join('');
}

function runShell(command: string, folder: string): string {
  const { status, stdout } = spawnSync('sh', ['-c', `{ ${command}\n} 2>&1`], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: [join(folder, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      HOME: folder,
    },
    timeout: 30_000,
  });
  return status === 0 ? stdout : `${stdout}[exit ${status}]\n`;
}

/** Runs a script, and gives what it prints. */
export function runScript(text: string, folder: string, name = 'example.mjs'): string {
  writeFileSync(join(folder, name), text);
  return runShell(`'${process.execPath}' ${name}`, folder);
}
