import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeReport, judgeValue } from '../../../src/core/agent-report/judge.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';
import { renderAgentReport } from '../../../src/core/report/envelopes.js';
import type { Run } from '../../../src/core/report/record.js';
import { anyRun } from './arbitrary-run.js';
import { approved, runWith, skipped } from './sample-run.js';

const ABOUT = { agentName: 'teddy', taskId: 'shop-7' };
const WITHOUT_MANUAL = {
  manualOf: () => null,
  asked: { agent: null, taskId: 'shop-7', verbosity: null },
  lenient: false,
};

const RUN = runWith({
  actions: [
    approved(
      'CREATE',
      { 'File Path': '[src/a.ts](/src/a.ts)' },
      { status: 'success', summary: "File 'src/a.ts' created." },
    ),
    approved(
      'EXECUTE',
      { Description: 'Run the tests\nof the shop' },
      {
        status: 'success',
        summary: 'The command succeeded.',
        exitCode: 0,
        output: { text: '```\n3 passed\n', whole: { file: 'out.txt', bytes: 9000, lines: 400 } },
        notes: ['It took long.'],
      },
    ),
  ],
});

test('a completed run is a completed report with its files and actions', () => {
  expect(renderAgentReport(RUN, { ...ABOUT, tokenUsage: 1200 })).toEqual({
    report_metadata: {
      agent_name: 'teddy',
      task_id: 'shop-7',
      status: 'completed',
      verbosity_level: 'detailed',
      confidence_level: 1,
      token_usage: 1200,
      // 5230 ms
      execution_time_seconds: 5,
      error_message: null,
    },
    findings: {
      run_id: '20260314-092653-k3x9',
      overall: 'Completed',
      counts: { total: 2, approved: 2, skipped: 0, succeeded: 2, failed: 0 },
      plan: { title: 'Show prices', path: 'plan.md' },
      changed_files: [{ path: 'src/a.ts', change: 'created' }],
      actions: [
        {
          number: 1,
          type: 'CREATE',
          target: 'src/a.ts',
          decision: 'approved',
          decided_by: 'person',
          outcome: 'success',
          summary: "File 'src/a.ts' created.",
        },
        {
          number: 2,
          type: 'EXECUTE',
          target: 'Run the tests',
          decision: 'approved',
          decided_by: 'person',
          outcome: 'success',
          summary: 'The command succeeded.',
          exit_code: 0,
        },
      ],
    },
  });
});

test('a summary has counts and files; a comprehensive report has what was captured', () => {
  const summary = renderAgentReport(RUN, { ...ABOUT, verbosity: 'summary', confidence: 0.5 });
  expect(summary.report_metadata).toMatchObject({ verbosity_level: 'summary', confidence_level: 0.5 });
  expect(summary.findings).toEqual({
    run_id: '20260314-092653-k3x9',
    overall: 'Completed',
    counts: { total: 2, approved: 2, skipped: 0, succeeded: 2, failed: 0 },
    changed_files: [{ path: 'src/a.ts', change: 'created' }],
  });
  const whole = renderAgentReport(RUN, { ...ABOUT, verbosity: 'comprehensive' });
  expect((whole.findings.actions as JsonObject[])[1]).toMatchObject({
    facts: {
      output: { text: '```\n3 passed\n', whole: { file: 'out.txt', bytes: 9000, lines: 400 } },
      notes: ['It took long.'],
    },
  });
  expect(whole.findings.issues).toEqual([]);
});

test('what was written, each file once, as it came to be', () => {
  const wrote = (verb: string, path: string) => ({
    status: 'success' as const,
    summary: `File '${path}' ${verb}.`,
  });
  const at = (path: string) => ({ 'File Path': `[${path}](/${path})` });
  const run = runWith({
    actions: [
      approved('CREATE', at('new.ts'), wrote('created', 'new.ts')),
      approved('EDIT', at('new.ts'), wrote('edited', 'new.ts')),
      approved('EDIT', at('old.ts'), wrote('edited', 'old.ts')),
      approved('CREATE', at('over.ts'), { ...wrote('replaced', 'over.ts'), replaced: true }),
      approved('CREATE', at('same.ts'), {
        status: 'success',
        summary: 'Nothing to write.',
        unchanged: 'the file already had this content',
      }),
      approved('EDIT', at('failed.ts'), { status: 'failure', summary: 'FIND is not there.' }),
      skipped('CREATE', at('skipped.ts'), null),
      approved('READ', { Resource: '[read.ts](/read.ts)' }),
      // A person gave it another name.
      approved('CREATE', at('planned.ts'), {
        ...wrote('created', 'lib/really.ts'),
        ranAs:
          '### `CREATE`\n- **File Path:** [lib/really.ts](/lib/really.ts)\n\n````\n- **File Path:** x\n````\n',
      }),
      approved('CREATE', { 'File Path': '../outside.ts' }, wrote('created', '../outside.ts')),
    ],
  });
  const { findings } = renderAgentReport(run, ABOUT);
  expect(findings.changed_files).toEqual([
    { path: 'new.ts', change: 'created' },
    { path: 'old.ts', change: 'modified' },
    { path: 'over.ts', change: 'modified' },
    { path: 'lib/really.ts', change: 'created' },
  ]);
  expect((findings.actions as JsonObject[])[8]).toMatchObject({ target: 'lib/really.ts' });
});

test('a run that was not completed failed, and says at what; what was skipped is a gap', () => {
  const run = runWith({
    overall: 'Partial',
    interrupted: 'The machine went down.',
    actions: [
      approved('EDIT', { 'File Path': 'src/b.ts' }, { status: 'failure', summary: 'FIND is not there.' }),
      skipped('EXECUTE', { Description: 'Deploy' }, 'not today'),
      skipped('PRUNE', {}, null, 'teddy'),
      { ...approved('READ', { Resource: 'docs/' }), outcome: { status: 'not-run' } },
    ],
    stateChanges: [
      {
        section: 'Memos',
        changes: '[+] a\n',
        decision: { status: 'approved', by: 'person' },
        notApplied: ['The memo is there already.'],
      },
      {
        section: 'Active Context',
        changes: '[+] b\n',
        decision: { status: 'skipped', by: 'person', reason: ' ' },
        notApplied: [],
      },
    ],
  });
  const report = renderAgentReport(run, ABOUT);
  expect(report.report_metadata).toMatchObject({
    status: 'failed',
    error_message:
      'The plan was not completed (Partial). It was interrupted: The machine went down. Action 1 (EDIT src/b.ts): FIND is not there.',
  });
  expect(report.identified_gaps).toEqual([
    'Action 2 (EXECUTE Deploy) was skipped: not today',
    'Action 3 (PRUNE) was skipped: No reason given.',
    'Action 4 (READ docs/) was approved but not reached.',
    'Not applied under Memos: The memo is there already.',
    'The changes under Active Context were skipped: No reason given.',
  ]);
  expect(report.findings.state_changes).toEqual([
    {
      section: 'Memos',
      changes: '[+] a\n',
      decision: 'approved',
      decided_by: 'person',
      not_applied: ['The memo is there already.'],
    },
    {
      section: 'Active Context',
      changes: '[+] b\n',
      decision: 'skipped',
      decided_by: 'person',
      reason: 'No reason given.',
      not_applied: [],
    },
  ]);
});

test('a summary names five gaps, and how many more there are', () => {
  const actions = Array.from({ length: 7 }, () => skipped('READ', { Resource: 'a' }, 'no'));
  const report = renderAgentReport(runWith({ actions }), { ...ABOUT, verbosity: 'summary' });
  expect(report.identified_gaps).toHaveLength(6);
  expect(report.identified_gaps?.at(-1)).toBe('2 more of this kind.');
});

test('a refused plan failed for the reasons of its refusal', () => {
  const run = runWith({
    overall: 'Failed',
    refused: true,
    issues: [
      { code: 'unknown-key', severity: 'warning', message: 'Odd.' },
      ...Array.from({ length: 7 }, (_, i) => ({
        code: 'no-title',
        severity: 'error' as const,
        message: `Wrong ${i}.`,
      })),
    ],
  });
  expect(renderAgentReport(run, ABOUT).report_metadata.error_message).toBe(
    'The plan was refused; nothing was run. Wrong 0. Wrong 1. Wrong 2. Wrong 3. Wrong 4. 2 more of this kind.',
  );
});

test('nothing approved is not a success', () => {
  const run = runWith({ overall: 'Skipped', actions: [skipped('READ', { Resource: 'a' }, 'no')] });
  expect(renderAgentReport(run, ABOUT).report_metadata).toMatchObject({
    status: 'failed',
    error_message: 'The plan was not completed (Skipped).',
  });
});

const many: Run['actions'] = Array.from({ length: 400 }, (_, i) =>
  approved('EDIT', { 'File Path': `src/some/folder/file-${i}.ts` }),
);

test('a summary of a large run is short, and says what it leaves out', () => {
  const report = renderAgentReport(runWith({ actions: many }), { ...ABOUT, verbosity: 'summary' });
  const listed = report.findings.changed_files as JsonObject[];
  expect(listed.length).toBeGreaterThan(10);
  expect(report.findings.changed_files_left_out).toBe(400 - listed.length);
  expect(JSON.stringify(report).length).toBeLessThan(4000);
});

test('every run gives a report that keeps the contract at every level, with nothing to remark on it', () => {
  const level = fc.constantFrom('summary' as const, 'detailed' as const, 'comprehensive' as const);
  fc.assert(
    fc.property(anyRun, level, (run, verbosity) => {
      const report = renderAgentReport(run, { ...ABOUT, verbosity });
      const { compliant, issues } = judgeValue(report as unknown as JsonValue, WITHOUT_MANUAL);
      expect(issues.map(({ code }) => code)).toEqual(['agent-unknown']);
      expect(compliant).toBe(true);
      const text = JSON.stringify(report);
      expect(JSON.parse(text)).toEqual(report);
      if (!/\\ud[89a-f]/i.test(text)) expect(judgeReport(text, WITHOUT_MANUAL).compliant).toBe(true);
      expect(report.report_metadata.status).toBe(run.overall === 'Completed' ? 'completed' : 'failed');
      if (verbosity !== 'summary') return;
      expect(text.length).toBeLessThan(4000);
      expect(text).not.toMatch(/(?:(?<!\\)"|\\n|\\r) {0,3}(?:```|~~~)/);
    }),
    { numRuns: 150 },
  );
});
