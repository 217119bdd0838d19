import { expect, test } from 'vitest';
import { judgeReport, judgeValue } from '../../../../src/core/agent-report/judge.js';
import { mergeReports } from '../../../../src/core/agent-report/merge/merge.js';
import { renderMerged } from '../../../../src/core/agent-report/merge/render.js';
import type { AgentReport } from '../../../../src/core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/values.js';
import { contextOf, input, inputOfText, reportWith, WITHOUT_MANUAL, warning } from './inputs.js';

const rowsOf = ({ findings }: AgentReport) => findings.reports as JsonObject[];

const failed = (error_message: string) => reportWith({ metadata: { status: 'failed', error_message } });
const blocked = (...blockers: string[]) => reportWith({ metadata: { status: 'blocked' }, blockers });

test('two good reports are one good report', () => {
  const good = reportWith({ recommendations: ['Go on.'], findings: { answer: 'yes' } });
  const merged = mergeReports([
    input('a.json', good),
    input(
      'b.json',
      reportWith({ metadata: { agent_name: 'reviewer', confidence_level: 0.8, verbosity_level: 'summary' } }),
    ),
  ]);
  expect(merged).toEqual({
    report_metadata: {
      agent_name: 'merge',
      task_id: 'shop-7',
      status: 'completed',
      verbosity_level: 'summary',
      confidence_level: 0.8,
    },
    findings: {
      reports: [
        {
          source: 'a.json',
          agent_name: 'investigator',
          task_id: 'shop-7',
          status: 'completed',
          route: 'accept',
          compliant: true,
          measured: { inputTokens: null, outputTokens: null, costUsd: null, durationMs: null },
          claimed: { tokens: null, seconds: null },
          issues: [expect.objectContaining({ code: 'agent-unknown', severity: 'warning' })],
          report: good,
        },
        expect.objectContaining({ source: 'b.json', agent_name: 'reviewer' }),
      ],
    },
    recommendations: ['Go on.'],
  });
});

test.each([
  ['completed', [reportWith()]],
  ['blocked', [reportWith(), blocked('No key.')]],
  ['failed', [blocked('No key.'), failed('Out of memory.'), reportWith()]],
])('the status is %s', (status, reports) => {
  const merged = mergeReports(reports.map((report, i) => input(`${i}.json`, report)));
  expect(merged.report_metadata.status).toBe(status);
});

test('what failed is said with its reason, and what is not compliant is listed with its issues', () => {
  const merged = mergeReports([
    input('good.json', reportWith()),
    input('failed.json', failed('Out\n  of memory.')),
    inputOfText('prose.txt', 'Here is my report!'),
    inputOfText(
      'half.json',
      '{"report_metadata": {"agent_name": "reviewer", "status": "completed"}, "findings": []}',
    ),
  ]);
  expect(merged.report_metadata.status).toBe('failed');
  expect(merged.report_metadata.confidence_level).toBe(0);
  const lines = merged.report_metadata.error_message!.split('\n');
  expect(lines.slice(0, 2)).toEqual(['Failed: 3 of 4 reports.', 'failed.json: Out of memory.']);
  expect(lines[2]).toMatch(/^prose\.txt \(not compliant\): ./);
  expect(lines[3]).toMatch(/^half\.json \(not compliant\): ./);
  const [, , prose, half] = rowsOf(merged);
  expect(prose).toMatchObject({ agent_name: null, task_id: null, status: 'failed', compliant: false });
  expect(prose!.issues).toEqual([expect.objectContaining({ severity: 'error', path: '$' })]);
  // It says of itself that it was completed, and that is not believed; all that it says is kept.
  expect(half).toMatchObject({
    agent_name: 'reviewer',
    task_id: null,
    status: 'failed',
    report: { report_metadata: { agent_name: 'reviewer', status: 'completed' }, findings: [] },
  });
});

test.each([
  ['one for all', ['t-1', 't-1'], 't-1'],
  ['each once', ['t-1', 't-2', 't-1'], 't-1+t-2'],
])('the task id: %s', (_, ids, expected) => {
  const inputs = ids.map((task_id, i) => input(`${i}.json`, reportWith({ metadata: { task_id } })));
  expect(mergeReports(inputs).report_metadata.task_id).toBe(expected);
});

test('where no report says which task it is about, there is an id all the same', () => {
  expect(mergeReports([inputOfText('x', 'no')]).report_metadata).toMatchObject({
    task_id: 'unknown',
    verbosity_level: 'detailed',
  });
});

test('texts are listed once, as first written and in order', () => {
  const merged = mergeReports([
    input(
      'a.json',
      reportWith({ identified_gaps: ['No  tests\nfor prices.', 'Old docs.', 'Old docs.', '  '] }),
    ),
    input('b.json', reportWith({ identified_gaps: ['No CI.', ' No tests for prices. '] })),
    input('c.json', reportWith({ identified_gaps: ['No tests for prices.', 'no ci.'] })),
  ]);
  expect(merged.identified_gaps).toEqual(['No  tests\nfor prices.', 'Old docs.', 'No CI.', 'no ci.']);
});

test('blockers stand where the contract has them, else in the findings', () => {
  const one = input('a.json', blocked('No key.', 'No schema.'));
  const isBlocked = mergeReports([one, input('b.json', reportWith())]);
  expect(isBlocked.blockers).toEqual(['No key.', 'No schema.']);
  expect(isBlocked.findings).not.toHaveProperty('blockers');
  const isFailed = mergeReports([one, input('b.json', failed('Out of memory.'))]);
  expect(isFailed).not.toHaveProperty('blockers');
  expect(isFailed.findings.blockers).toEqual(['No key.', 'No schema.']);
  const unexpected = mergeReports([input('c.json', reportWith({ blockers: ['Odd.'] }))]);
  expect(unexpected.findings.blockers).toEqual(['Odd.']);
});

test('what was measured counts before what was claimed, report by report', () => {
  const claims = { token_usage: 1000, execution_time_seconds: 60 };
  const merged = mergeReports([
    input('a.json', reportWith({ metadata: claims }), {
      measured: { inputTokens: 300, outputTokens: 50, costUsd: 0.1, durationMs: 10_400 },
    }),
    input('b.json', reportWith({ metadata: { ...claims, task_id: 'shop-8' } })),
    // Half a measurement is none.
    input('c.json', reportWith({ metadata: claims }), { measured: { inputTokens: 5, costUsd: 0.2 } }),
    input('d.json', reportWith()),
  ]);
  // 350 + 1000 + 1000; 10.4 + 60 + 60 = 130.4
  expect(merged.report_metadata).toMatchObject({ token_usage: 2350, execution_time_seconds: 130 });
});

test('sums that are too large to count are left out', () => {
  const huge = reportWith({ metadata: { token_usage: 1e308 } });
  const merged = mergeReports([input('a.json', huge), input('b.json', huge)]);
  expect(merged.report_metadata).not.toHaveProperty('token_usage');
  expect(judgeReport(JSON.stringify(merged), WITHOUT_MANUAL).compliant).toBe(true);
});

test('context maps are one, place by place', () => {
  const map = (...context_map: JsonValue[]) => reportWith({ findings: { context_map } });
  const merged = mergeReports([
    input(
      'a.json',
      map(
        ['Prices are in cents.', null],
        ['Adds up.', 'repo://src/sum.ts:5-9'],
        ['Entry.', 'repo://src/main.ts'],
      ),
    ),
    input(
      'b.json',
      map(
        { text: 'Rounds  wrongly.', file: 'src/sum.ts', lines: '5-9' },
        ['Prices are\nin cents.'],
        ['Adds up.', '/src/sum.ts#L5-L9'],
        ['Adds up.', 'repo://src/sum.ts:5'],
      ),
    ),
  ]);
  expect(contextOf(merged)).toEqual([
    ['Prices are in cents.', null],
    ['Adds up.', 'repo://src/sum.ts:5-9'],
    ['Rounds  wrongly.', 'repo://src/sum.ts:5-9'],
    ['Entry.', 'repo://src/main.ts'],
    ['Adds up.', 'repo://src/sum.ts:5'],
  ]);
});

test('a context map that cannot be read stays with its report', () => {
  const findings = { context_map: 'see above', constructor: 'mine' };
  const merged = mergeReports([input('a.json', reportWith({ findings }))]);
  expect(merged.findings).not.toHaveProperty('context_map');
  expect(rowsOf(merged)[0]!.report).toMatchObject({ findings });
});

test('of a reference that was checked twice the worse status stands', () => {
  const reference = (uri: string, status: 'ok' | 'missing-lines', reason: string | null = null) => ({
    text: 'x',
    uri,
    status,
    reason,
    file: null,
    lines: null,
  });
  const report = reportWith({
    findings: {
      context_map: [
        ['x', 'repo://a.ts:1'],
        ['x', 'repo://b.ts'],
      ],
    },
  });
  const merged = mergeReports([
    input('a.json', report, { references: [reference('a.ts:1', 'ok'), reference('repo://b.ts', 'ok')] }),
    input('b.json', report, { references: [reference('repo://a.ts:1', 'missing-lines', 'has 3 lines')] }),
  ]);
  expect(merged.findings.references).toEqual([
    { uri: 'repo://a.ts:1', status: 'missing-lines', reason: 'has 3 lines' },
    { uri: 'repo://b.ts', status: 'ok', reason: null },
  ]);
});

test('a report is kept as it came, with what the check found', () => {
  const report = {
    ...reportWith({ metadata: { error_message: 'One retry.', ...{ model: 'x-1' } } }),
    gaps: ['Misnamed.'],
  };
  const [row] = rowsOf(
    mergeReports([input('a.json', report, { issues: [warning('claim-unchanged', 'Not so.')] })]),
  );
  expect(row).toMatchObject({ route: 'human-review', report });
  const issues = row!.issues as JsonObject[];
  expect(issues.map(({ code }) => code)).toContain('claim-unchanged');
  expect(issues.find(({ code }) => code === 'key-unknown')!.hint).not.toBeNull();
});

test('a report that comes twice counts once, under both names', () => {
  const report = reportWith({ metadata: { token_usage: 100 }, recommendations: ['Go on.'] });
  const other = reportWith({ metadata: { token_usage: 100, task_id: 'shop-8' } });
  const inputs = [
    input('a.json', report),
    input('b.json', other),
    input('a.json', report),
    input('c.json', report),
  ];
  const merged = mergeReports(inputs);
  expect(rowsOf(merged).map(({ source }) => source)).toEqual(['a.json, c.json', 'b.json']);
  expect(merged.report_metadata.token_usage).toBe(200);
  expect(renderMerged(inputs)).toMatch(/^# Merged report: completed \(2 reports: /);
});

test('two answers of the same words, each with a cost of its own, are two', () => {
  const inputs = [10, 20].map((outputTokens) =>
    input('a.json', reportWith(), { measured: { inputTokens: 1, outputTokens } }),
  );
  expect(mergeReports(inputs).report_metadata.token_usage).toBe(32);
});

test('a bare report is the one in the output of its client, whichever comes first', () => {
  const measured = { inputTokens: 1, outputTokens: 10 };
  const bare = input('a.txt', reportWith());
  const whole = input('b.json', reportWith(), { measured });
  for (const inputs of [
    [bare, whole],
    [whole, bare],
  ]) {
    const merged = mergeReports(inputs);
    expect(rowsOf(merged)).toHaveLength(1);
    expect(rowsOf(merged)[0]!.measured).toMatchObject(measured);
  }
});

test('a merged report is judged to keep the contract, with nothing to remark', () => {
  const merged = mergeReports([
    input('a.json', blocked('No key.', '')),
    input('b.json', failed('Out of memory.')),
    inputOfText('c.txt', '{'),
  ]);
  const { compliant, issues } = judgeValue(merged as unknown as JsonValue, WITHOUT_MANUAL);
  expect({ compliant, issues }).toEqual({ compliant: true, issues: [] });
});
