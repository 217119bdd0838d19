import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

function run(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/stress.mjs', ...args], {
    encoding: 'utf8',
  });
  const lines = stdout.trimEnd().split('\n');
  return { status, stderr, lines, figures: JSON.parse(lines.at(-1)!) };
}

test('processes that commit to the same files and are killed lose, tear and leave nothing', () => {
  const { status, stderr, lines, figures } = run('--seconds', '5', '--processes', '8', '--seed', '3');
  expect(lines.slice(0, -1)).toEqual([]);
  expect(stderr).toBe('');
  expect(figures).toMatchObject({ violations: 0 });
  expect(figures.commits).toBeGreaterThan(0);
  expect(figures.kills).toBeGreaterThan(0);
  expect(status).toBe(0);
});

test.runIf(process.platform === 'linux')('links swapped in by another process lead nowhere', () => {
  const { status, stderr, lines, figures } = run('--race', '--seconds', '2.5', '--seed', '3');
  expect(lines.slice(0, -1)).toEqual([]);
  expect(stderr).toBe('');
  expect(figures).toMatchObject({ violations: 0 });
  expect(figures.swaps).toBeGreaterThan(0);
  expect(figures.reads).toBeGreaterThan(0);
  expect(status).toBe(0);
});
