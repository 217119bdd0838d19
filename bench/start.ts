import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { planId, planPath, planText, resultText } from './capture.js';
import { create, planOf } from './execute.js';
import type { Check } from './table.js';

const TEDDY = resolve('bin/teddy.cjs');
const ROUNDS = 25;

/** A command with the files that it finds; `limit` is how often `node -e 0` may run in its time. */
interface Start {
  name: string;
  words: string[];
  files: Record<string, string>;
  /** What somebody did in the project before. */
  before?: string[];
  limit: number;
}

const NODE: Start = { name: 'node -e 0', words: ['-e', '0'], files: {}, limit: 1 };

/** What a person waits for: commands that do little, against a Node that does nothing. The least time of each, in turns. */
export function benchStart(): Check[] {
  const home = fs.mkdtempSync(join(tmpdir(), 'teddy-bench-'));
  const best = new Map<Start, number>();
  const starts = [NODE, ...commands()];
  try {
    // The first of them makes the user's key and compiles the code.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const start of starts) {
        const time = timeOf(start, home);
        if (round > 0) best.set(start, Math.min(time, best.get(start) ?? time));
      }
    }
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
  return starts.slice(1).map((start) => ({
    name: `${start.name} / ${NODE.name}`,
    value: best.get(start)! / best.get(NODE)!,
    limit: start.limit,
    bound: 'at most',
    unit: '×',
    detail: `${best.get(start)!.toFixed(0)} ms`,
  }));
}

function timeOf({ words, files, before }: Start, home: string): number {
  const cwd = fs.mkdtempSync(join(tmpdir(), 'teddy-bench-'));
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: '', XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '' };
  const run = (words: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, words, { cwd, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${words.join(' ')} ends with ${status}: ${stderr}`);
  };
  try {
    for (const [path, text] of Object.entries({ '.teddy/.keep': '', ...files })) {
      fs.mkdirSync(dirname(join(cwd, path)), { recursive: true });
      fs.writeFileSync(join(cwd, path), text);
    }
    if (before) run(before);
    const begin = performance.now();
    run(words);
    return performance.now() - begin;
  } finally {
    fs.rmSync(cwd, { recursive: true, force: true });
  }
}

function commands(): Start[] {
  return [
    { name: '--version', words: [TEDDY, '--version'], files: {}, limit: 1.2 },
    {
      name: 'validate of 10 KB',
      words: [TEDDY, 'validate', 'plan.md'],
      files: { 'plan.md': planOf([0, 1, 2, 3, 4].map(create)) },
      limit: 1.4,
    },
    {
      name: 'execute of one CREATE',
      words: [TEDDY, 'execute', 'plan.md', '--yes', '--no-copy'],
      files: { 'plan.md': planOf([create(0)]) },
      limit: 1.8,
    },
    submit(12, 2),
    submit(500, 2.5),
  ];
}

function submit(tasks: number, limit: number): Start {
  const words = (file: string) => [TEDDY, 'result', 'submit', file, '--plan', planId(1)];
  return {
    name: `result submit into ${tasks} tasks`,
    before: words('first.yaml'),
    words: words('second.yaml'),
    files: {
      [planPath(1)]: planText(1, tasks),
      'first.yaml': resultText(1, 0),
      'second.yaml': resultText(2, 0),
    },
    limit,
  };
}
