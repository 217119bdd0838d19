import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeRepository } from './context-repository.js';
import { executeAction, planOf } from './execute.js';
import type { Check } from './table.js';
import type { ScanTimes } from './undo-scan.js';

const TEDDY = resolve('bin/teddy.cjs');
const FILES = 6_500;
const MANY_FILES = 100_000;
const ROUNDS = 9;
/** Files that were just written are read again. */
const RACY_MS = 2_500;

/** What it costs that undo covers commands: the files are looked at before a command and after it. */
export async function benchUndo(): Promise<Check[]> {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'teddy-bench-')));
  try {
    const { writeBundle } = await import(pathToFileURL(resolve('scripts/bundle.mjs')).href);
    const program: string = await writeBundle('bench/undo-scan.ts');
    return [...scans(folder, program), ...memory(folder)];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** The least of each, in turns, each in a process of its own. */
function scans(folder: string, program: string): Check[] {
  const root = join(folder, 'project');
  const list = join(folder, 'list');
  fs.mkdirSync(root);
  makeRepository(root, FILES);
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
  fs.writeFileSync(list, git('ls-files', '--cached', '--others', '--exclude-standard'));
  wait(RACY_MS);
  const least = {
    status: Infinity,
    warm: Infinity,
    before: Infinity,
    after: Infinity,
    read: Infinity,
    cold: Infinity,
  };
  const note = (name: keyof typeof least, ms: number) => {
    least[name] = Math.min(least[name], ms);
  };
  let runs = 0;
  const scan = () =>
    run(folder, program, ['scan', root, `20260101-000000-${String(runs++).padStart(4, '0')}`]) as ScanTimes;
  for (let round = 0; round < ROUNDS; round++) {
    fs.rmSync(join(root, '.teddy/contents'), { recursive: true, force: true });
    note('read', run(folder, program, ['read', root, list]) as number);
    note('cold', scan().before);
    const start = performance.now();
    git('status', '--porcelain');
    note('status', performance.now() - start);
    const { before, after } = scan();
    note('before', before);
    note('after', after);
    note('warm', before + after);
  }
  const ms = (...names: (keyof typeof least)[]) =>
    names.map((name) => `${least[name].toFixed(0)} ms`).join(', ');
  const check = { bound: 'at most', unit: '×' } as const;
  return [
    {
      ...check,
      name: `both scans of ${FILES} files, warm / git status`,
      value: least.warm / least.status,
      limit: 1.5,
      detail: `${ms('warm', 'status')}; before ${ms('before')}, after ${ms('after')}`,
    },
    {
      ...check,
      name: 'first scan / reading every file',
      value: least.cold / least.read,
      limit: 1.5,
      detail: ms('cold', 'read'),
    },
  ];
}

/** The most memory that `teddy execute` holds, with the first scan and with a later one. */
function memory(folder: string): Check[] {
  if (!fs.existsSync('dist')) {
    console.log('memory skipped: not built yet (npm run build)');
    return [];
  }
  const root = join(folder, 'many');
  fs.mkdirSync(root);
  makeRepository(root, MANY_FILES);
  wait(RACY_MS);
  return ['first', 'later'].map((which) => ({
    name: `memory with ${MANY_FILES} files, ${which} command, MB`,
    value: peakOf(folder, root),
    limit: 150,
    bound: 'at most',
    unit: '',
  }));
}

function peakOf(folder: string, root: string): number {
  const peak = join(folder, 'peak');
  const ask = join(folder, 'ask.cjs');
  fs.writeFileSync(
    ask,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
  );
  const words = ['--require', ask, TEDDY, 'execute', '-', '-y', '--no-copy', '--root', root];
  const { status, stderr } = spawnSync(process.execPath, words, {
    cwd: root,
    env: environmentOf(folder),
    encoding: 'utf8',
    input: planOf([executeAction('true\n')]),
  });
  if (status !== 0) throw new Error(`teddy execute ends with ${status}: ${stderr}`);
  return Number(fs.readFileSync(peak, 'utf8')) / 1024;
}

function run(folder: string, program: string, words: string[]): unknown {
  const output = execFileSync(process.execPath, [program, ...words], {
    env: environmentOf(folder),
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

function environmentOf(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: folder };
}

function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
