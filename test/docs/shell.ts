import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { makeFolder } from '../folder.js';
import { copyExamples } from './copy-examples.js';
import { type Example, ROOT, readExamples } from './page.js';

/**
 * A new folder as a reader of the docs has it: the examples, the model that serves one of them, `teddy` on the PATH, the
 * library to import.
 */
export function makeReadersFolder(): string {
  const folder = makeFolder({});
  copyExamples(ROOT, folder);
  mkdirSync(join(folder, 'test'));
  copyFileSync(join(ROOT, 'test/model-server.mjs'), join(folder, 'test/model-server.mjs'));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/teddy-cli'), 'dir');
  const launcher = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin/teddy.cjs')}' "$@"\n`;
  writeFileSync(join(folder, 'node_modules/.bin/teddy'), launcher, { mode: 0o755 });
  return folder;
}

/**
 * Runs a `console` block, a `$ command` and what it prints after it, and gives the block as it really comes out.
 * Standard output and standard error count alike, and there is no terminal. Every command has to end with 0: one that is
 * meant to fail says so on the page, with `|| echo "exit $?"`. What is printed may differ from the page in three ways: ids of
 * runs, the root in JSON, sessions and processes, the letters of masks, days, times, how long something took and about how many tokens a
 * question has are others, a line `…` on the page stands for any number of lines, and the line that names the root, with
 * which every command ends, is left out, provided that it names a folder of the reader's.
 */
export function replayConsole(block: string, folder: string): string {
  return block
    .split(/^(?=\$ )/m)
    .map((part) => {
      const { command, shown } = splitCommand(part);
      const printed = leaveOutRoot(runShell(command.slice(2), folder), folder);
      return `${command}\n${fits(shown, printed) ? shown : printed}`;
    })
    .join('');
}

function leaveOutRoot(printed: string, folder: string): string {
  const root = realpathSync(folder).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return printed.replace(new RegExp(`^Root: ${root}(?:/.*)?\\n`, 'gm'), '');
}

/** A command goes on in the next line behind a `\` or a `|`. */
function splitCommand(part: string): { command: string; shown: string } {
  const lines = part.split('\n');
  const end = lines.findIndex((line) => !/[\\|]$/.test(line)) + 1;
  return { command: lines.slice(0, end).join('\n'), shown: lines.slice(end).join('\n') };
}

/** Whether a page may show `printed` as `shown`. */
function fits(shown: string, printed: string): boolean {
  const pattern = hideIds(shown)
    .split(/^…\n/m)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('(?:.*\\n)*?');
  return new RegExp(`^${pattern}$`).test(hideIds(printed));
}

function hideIds(text: string): string {
  return text
    .replace(/\b\d{8}-\d{6}-[a-z0-9]{4}\b/g, 'RUN')
    .replace(/^( {2}"root": )"\/.*",$/gm, '$1"ROOT",')
    .replace(/\[masked:[0-9a-f]{8}\]/g, '[masked:HASH]')
    .replace(/\bsess-[a-z0-9]{6}\b/g, 'SESSION')
    .replace(/\b20\d\d-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{3})?Z| \d\d:\d\d)?/g, 'DAY')
    .replace(/\((?:\d+ ms|\d+\.\d s)\)/g, '(TIME)')
    .replace(/\b(?:\d+ ms|\d+\.\d s) each$/gm, 'TIME each')
    .replace(/^\d\d:\d\d:\d\d {2}/gm, 'CLOCK  ')
    .replace(/\b(done|failed|blocked) in (?:\d+ ms|\d+s)/g, '$1 in TIME')
    .replace(/^Time {6}.* \(longest chain of tasks .*\)$/gm, 'Time      TIMES')
    .replace(/\bprocess \d+, since\b/g, 'process PID, since')
    .replace(/\babout [\d,]+ tokens\b/g, 'about N tokens')
    .replace(/\bup to \$\d+\.\d+/g, 'up to COST');
}

/**
 * Goes through a page from its first example to its last, in one folder: what has `file: PATH` behind its fence is saved
 * there, and a `console` block must print what it shows. Gives the examples that are neither.
 */
export function walkPage(page: string, folder: string): Example[] {
  return readExamples(page).filter(({ language, note, text, line }) => {
    const path = /^file: (\S+)$/.exec(note)?.[1];
    if (path !== undefined) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    } else if (language === 'console') {
      expect(replayConsole(text, folder), `${page}, line ${line}`).toBe(text);
    }
    return path === undefined && language !== 'console';
  });
}

/** Runs a command as a reader would, and gives what it prints. */
export function runShell(command: string, folder: string): string {
  const { status, stdout } = spawnSync('sh', ['-c', `{ ${command}\n} 2>&1`], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: [...programFolders(folder), process.env.PATH].join(delimiter),
      HOME: homeOf(folder),
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    },
    timeout: 300_000,
    // A session of its own: no terminal of whoever runs the tests is asked.
    detached: true,
  } as SpawnSyncOptionsWithStringEncoding);
  return status === 0 ? stdout : `${stdout}[exit ${status}]\n`;
}

/** Where the reader's programs are: outside of the example that a command is run in. */
function homeOf(folder: string): string {
  const programs = programFolders(folder).find((each) => existsSync(each));
  return programs === undefined ? folder : dirname(dirname(programs));
}

/** Those of a folder and of all that it stands in. */
function programFolders(folder: string): string[] {
  const above = dirname(folder);
  return [join(folder, 'node_modules/.bin'), ...(above === folder ? [] : programFolders(above))];
}

/** Runs a script, and gives what it prints. */
export function runScript(text: string, folder: string, name = 'example.mjs'): string {
  writeFileSync(join(folder, name), text);
  return runShell(`'${process.execPath}' ${name}`, folder);
}
