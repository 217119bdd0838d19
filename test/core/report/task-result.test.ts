import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderResult } from '../../../src/core/report/envelopes.js';
import { readResult } from '../../../src/core/task-result/read.js';
import { anyRun } from './arbitrary-run.js';
import { approved, runWith, skipped } from './sample-run.js';

const TASK = { taskName: 'Task 2: Show prices', attempt: 2, executorId: 'exec-7' };

test('a completed run is a success with its files, its last command and its evidence', () => {
  const run = runWith({
    actions: [
      approved(
        'CREATE',
        { 'File Path': '[src/a.ts](/src/a.ts)' },
        { status: 'success', summary: 'Created.' },
      ),
      approved('EDIT', { 'File Path': '[src/a.ts](/src/a.ts)' }),
      approved(
        'EXECUTE',
        { Description: 'Run the tests' },
        { status: 'success', summary: 'The command succeeded.', exitCode: 0 },
      ),
    ],
  });
  expect(readResult(renderResult(run, TASK)).result).toEqual({
    status: 'success',
    taskName: 'Task 2: Show prices',
    filesModified: ['src/a.ts'],
    verification: { command: 'Run the tests', exitCode: 0, outputSummary: 'The command succeeded.' },
    doneCriteriaMet: true,
    evidence:
      'Run 20260314-092653-k3x9: Completed.\n1. CREATE src/a.ts: Created.\n2. EDIT src/a.ts: Done.\n3. EXECUTE Run the tests: The command succeeded.',
    error: null,
    metadata: { durationMs: 5230, attempt: 2, executorId: 'exec-7' },
  });
});

test('a run of which something was skipped or failed is a failure that says what', () => {
  const run = runWith({
    overall: 'Partial',
    actions: [
      approved('CREATE', { 'File Path': 'src/a.ts' }),
      approved('EDIT', { 'File Path': 'src/b.ts' }, { status: 'failure', summary: 'FIND is not there.' }),
      skipped('EXECUTE', { Description: 'Deploy' }, 'not today'),
    ],
  });
  const { result } = readResult(renderResult(run, TASK));
  expect(result).toMatchObject({ status: 'failure', filesModified: ['src/a.ts'], doneCriteriaMet: false });
  expect(result?.error?.split('\n')).toEqual([
    'The plan was not completed (Partial).',
    '2. EDIT src/b.ts: FIND is not there.',
    '3. EXECUTE Deploy: skipped. not today',
  ]);
});

test('a verification that failed makes a completed run a failure', () => {
  const verification = { command: 'npm test', exitCode: 1, outputSummary: '1 failed' };
  const { result } = readResult(renderResult(runWith(), { ...TASK, verification }));
  expect(result).toMatchObject({
    status: 'failure',
    verification,
    error: 'The verification failed with exit code 1.',
  });
});

test('every run gives a result that keeps the rules of its status', () => {
  fc.assert(
    fc.property(anyRun, (run) => {
      const { result } = readResult(renderResult(run, TASK));
      expect(result?.status).toBe(run.overall === 'Completed' ? 'success' : 'failure');
      expect(result?.doneCriteriaMet).toBe(result?.status === 'success');
      expect(result?.error === null).toBe(result?.status === 'success');
    }),
    { numRuns: 100 },
  );
});
