import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { makePlans, PLANS, TASKS } from './orchestrate-plans.js';
import { readGraph } from './read-graph.js';
import type { Check } from './table.js';

const ROUNDS = 25;

/** The graph of many plans, against reading their files and parsing their frontmatter. */
export function benchGraph(): Check[] {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'teddy-bench-')));
  try {
    const paths = makePlans(root);
    return [compareTime(root, paths), memory(root)];
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

const NAME = `the graph of ${PLANS * TASKS} tasks in ${PLANS} plans`;

/** The least time of each, taken in turns. Every round has plans that nobody has read before. */
function compareTime(root: string, paths: readonly string[]): Check {
  let [ours, theirs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of paths) fs.appendFileSync(join(root, path), `\n<!-- Round ${round}. -->\n`);
    theirs = Math.min(
      theirs,
      time(() => readFrontmatters(root, paths)),
    );
    ours = Math.min(
      ours,
      time(() => readGraph(root, PLANS * TASKS)),
    );
  }
  return {
    name: `${NAME} / reading the files and parsing their frontmatter with yaml`,
    value: ours / theirs,
    // The library takes 0.9 of it for the frontmatter alone.
    limit: 2.5,
    bound: 'at most',
    unit: '×',
    detail: `${Math.round(ours)} ms`,
  };
}

function readFrontmatters(root: string, paths: readonly string[]): void {
  for (const path of paths) {
    const text = fs.readFileSync(join(root, path), 'utf8');
    const { wave } = parse(text.slice('---\n'.length, text.indexOf('\n---\n')));
    if (typeof wave !== 'number') throw new Error(`${path} has no wave`);
  }
}

function time(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** All that a process of its own has taken at most. */
function memory(root: string): Check {
  const script = `
    import { loadBundle } from './scripts/bundle.mjs';
    const { readGraph } = await loadBundle('bench/read-graph.ts');
    readGraph(process.argv[1], Number(process.argv[2]));
    console.log(process.resourceUsage().maxRSS / 1024);`;
  const words = ['--input-type=module', '-e', script, root, String(PLANS * TASKS)];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`it ends with ${status}: ${stderr}`);
  return { name: `memory for ${NAME}, MB`, value: Number(stdout), limit: 300, bound: 'at most', unit: '' };
}
