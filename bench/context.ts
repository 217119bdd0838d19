import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULTS } from '../src/config/config-file.js';
import { assemble, type Choice } from './context-input.js';
import { makeRepository } from './context-repository.js';
import type { Check } from './table.js';

const FILES = 20_000;
const ROUNDS = 60;
const LARGE_ROUNDS = 3;

const SOME: Choice = {
  turn: ['packages/package-01/src/part-02', 'packages/package-02/docs', 'README.md'].join('\n'),
  session: 'packages/package-03/**/*.ts\n!packages/package-03/src/part-0*/\n',
  global: 'packages/*/package.json\n',
  budget: 0,
};
const ALL: Choice = { turn: '**\n', session: '', global: '', budget: 0 };

/** What a model is told, against listing a repository's files and reading those that are chosen. */
export async function benchContext(): Promise<Check[]> {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'teddy-bench-')));
  try {
    makeRepository(root, FILES);
    const checks = [...(await compareSome(root)), await compareAll(root), ...compareMemory(root)];
    // git knows it still.
    fs.rmSync(join(root, '.gitignore'));
    return [...checks, (await compareSome(root, ', one file deleted', null))[0]!];
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

const LISTED = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
const TRACKED = ['ls-files', '-z'];

async function compareSome(root: string, remark = '', limit: number | null = 3): Promise<Check[]> {
  const { chosen, text } = await assemble(root, SOME);
  const best = await race(ROUNDS, {
    ours: () => assemble(root, SOME),
    listed: () => readAfter(root, LISTED, chosen),
    tracked: () => readAfter(root, TRACKED, chosen),
  });
  const against = (base: string) =>
    `input.md with ${chosen.length} of ${FILES} files / ${base} and reading them`;
  const detail = `${Math.round(best.ours!)} ms, ${Math.round(text.length / 1000)} KB${remark}`;
  return [
    ratio(against('git ls-files, untracked ones too,'), best.ours! / best.listed!, limit, detail),
    ratio(against('git ls-files alone'), best.ours! / best.tracked!, null),
  ];
}

async function compareAll(root: string): Promise<Check> {
  const { chosen, text } = await assemble(root, ALL);
  const best = await race(LARGE_ROUNDS, {
    ours: () => assemble(root, ALL),
    listed: () => readAfter(root, LISTED, chosen),
  });
  const detail = `${Math.round(best.ours!)} ms, ${Math.round(text.length / 1_000_000)} MB`;
  return ratio(
    'input.md with all of them, without a budget / the same',
    best.ours! / best.listed!,
    null,
    detail,
  );
}

/** A text of so many characters is itself as large as most of it. */
function compareMemory(root: string): Check[] {
  const { budget } = DEFAULTS.context;
  return [
    memory('memory for some of them, MB', root, SOME, 300),
    memory(`memory for all of them in ${budget} tokens, MB`, root, { ...ALL, budget }, 300),
    memory('memory for all of them without a budget, MB', root, ALL, null),
  ];
}

function ratio(name: string, value: number, limit: number | null, detail?: string): Check {
  return { name, value, limit, bound: 'at most', unit: '×', ...(detail === undefined ? {} : { detail }) };
}

function readAfter(root: string, words: string[], chosen: readonly string[]): void {
  const { status } = spawnSync('git', words, { cwd: root, maxBuffer: 1_000_000_000 });
  if (status !== 0) throw new Error(`git ${words[0]} ends with ${status}`);
  for (const path of chosen) fs.readFileSync(join(root, path));
}

/** The least time of each in ms, taken in turns so that all meet the same weather. */
async function race(rounds: number, runners: Record<string, () => unknown>): Promise<Record<string, number>> {
  const best: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(runners)) {
      const start = performance.now();
      await run();
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, performance.now() - start);
    }
  }
  return best;
}

/** By how much a process of its own grows at most. */
function memory(name: string, root: string, choice: Choice, limit: number | null): Check {
  const script = `
    import { loadBundle } from './scripts/bundle.mjs';
    const { assemble } = await loadBundle('bench/context-input.ts');
    const before = process.memoryUsage.rss();
    await assemble(process.argv[1], JSON.parse(process.argv[2]));
    console.log(process.resourceUsage().maxRSS * 1024 - before);`;
  const words = ['--input-type=module', '-e', script, root, JSON.stringify(choice)];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`it ends with ${status}: ${stderr}`);
  return { name, value: Number(stdout) / 1024 / 1024, limit, bound: 'at most', unit: '' };
}
