import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PLAN_ISSUES } from '../../src/core/plan/issues.js';
import { ROOT, readPage } from './page.js';

test('docs/issues.md is what npm run docs writes', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('it lists every code once', () => {
  const codes = [...readPage('docs/issues.md').matchAll(/^- `([a-z-]+)`: /gm)].map((row) => row[1]);
  expect(codes.toSorted()).toEqual(Object.keys(PLAN_ISSUES).sort());
});
