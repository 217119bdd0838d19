import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the package gives what it promises by name, and no more', () => {
  const script = "import('teddy-cli').then((library) => console.log(Object.keys(library).sort().join(' ')))";
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
  expect(stdout.trim().split(' ')).toEqual([
    'MemoryTree',
    'Overlay',
    'PLAN_ISSUES',
    'RUN_SCHEMA',
    'applyEdit',
    'checkPlan',
    'findEdit',
    'parsePlan',
    'parseReport',
    'readPlan',
    'renderContract',
    'renderMirrored',
    'repairPlan',
    'writePlan',
  ]);
});

test('the library brings its types, and touches no built-in', () => {
  expect(readFileSync(`${root}/dist/types/index.d.ts`, 'utf8')).toContain('PlanIssue');
  expect(readFileSync(`${root}/dist/index.js`, 'utf8')).not.toMatch(/^import /m);
});
