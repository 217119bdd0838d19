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
  const merged = mergeReports([
    input('a.json', reportWith({ recommendations: ['Go on.'], findings: { answer: 'yes' } })),
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
      counts: {
        reports: 2,
        compliant: 2,
        status: { completed: 2, blocked: 0, failed: 0 },
        route: { accept: 2, 'human-review': 0, blocked: 0, failed: 0 },
      },
      reports: [
        {
          source: 'a.json',
          agent_name: 'investigator',
          task_id: 'shop-7',
          status: 'completed',
          verbosity_level: 'detailed',
          confidence_level: 0.9,
          route: 'accept',
          compliant: true,
          problems: [expect.objectContaining({ code: 'agent-unknown', severity: 'warning' })],
          findings: { answer: 'yes' },
        },
        expect.objectContaining({ source: 'b.json', agent_name: 'reviewer', findings: {} }),
      ],
      sources: { context_map: [], recommendations: [['a.json']], identified_gaps: [], blockers: [] },
      totals: {
        token_usage: { measured: 0, claimed: 0, unknown: 2 },
        execution_time_seconds: { measured: 0, claimed: 0, unknown: 2 },
      },
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
  expect(merged.findings.counts).toMatchObject({
    reports: 4,
    compliant: 2,
    status: { completed: 1, blocked: 0, failed: 3 },
    route: { accept: 1, failed: 3 },
  });
  const [, , prose, half] = rowsOf(merged);
  expect(prose).toMatchObject({ agent_name: null, task_id: null, status: 'failed', compliant: false });
  expect(prose!.problems).toEqual([expect.objectContaining({ severity: 'error', path: '$' })]);
  // It says of itself that it was completed, and that is not believed; all that it says is kept.
  expect(half).toMatchObject({
    agent_name: 'reviewer',
    task_id: null,
    status: 'failed',
    confidence_level: null,
    value: { report_metadata: { agent_name: 'reviewer', status: 'completed' }, findings: [] },
  });
});

test('many long errors make a message that can be read', () => {
  const inputs = Array.from({ length: 9 }, (_, i) => input(`${i}.json`, failed(`${'😀'.repeat(200)}${i}`)));
  const lines = mergeReports(inputs).report_metadata.error_message!.split('\n');
  expect(lines).toHaveLength(7);
  expect(lines[1]).toBe(`0.json: ${'😀'.repeat(149)}…`);
  expect(lines.at(-1)).toBe('And 4 more.');
});

test.each([
  ['one for all', ['t-1', 't-1'], 't-1'],
  ['each once', ['t-1', 't-2', 't-1'], 't-1+t-2'],
  ['a long one for all', ['x'.repeat(500), 'x'.repeat(500)], 'x'.repeat(500)],
  ['as many as there is room for', ['a', 'b'.repeat(300), 'c'], 'a+2 more'],
  ['room for none', ['a'.repeat(300), 'b'.repeat(300)], '2 tasks'],
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

test('texts stand once, as first written and in order, with who said them', () => {
  const merged = mergeReports([
    input(
      'a.json',
      reportWith({ identified_gaps: ['No  tests\nfor prices.', 'Old docs.', 'Old docs.', '  '] }),
    ),
    input('b.json', reportWith({ identified_gaps: ['No CI.', ' No tests for prices. '] })),
    input('c.json', reportWith({ identified_gaps: ['No tests for prices.', 'no ci.'] })),
  ]);
  expect(merged.identified_gaps).toEqual(['No  tests\nfor prices.', 'Old docs.', 'No CI.', 'no ci.']);
  expect((merged.findings.sources as JsonObject).identified_gaps).toEqual([
    ['a.json', 'b.json', 'c.json'],
    ['a.json'],
    ['b.json'],
    ['c.json'],
  ]);
});

test('blockers stand where the contract has them, else in the findings', () => {
  const one = input('a.json', blocked('No key.', 'No schema.'));
  const isBlocked = mergeReports([one, input('b.json', reportWith())]);
  expect(isBlocked.blockers).toEqual(['No key.', 'No schema.']);
  expect(isBlocked.findings).not.toHaveProperty('blockers');
  const isFailed = mergeReports([one, input('b.json', failed('Out of memory.'))]);
  expect(isFailed).not.toHaveProperty('blockers');
  expect(isFailed.findings.blockers).toEqual(['No key.', 'No schema.']);
  expect((isFailed.findings.sources as JsonObject).blockers).toEqual([['a.json'], ['a.json']]);
  const unexpected = mergeReports([input('c.json', reportWith({ blockers: ['Odd.'] }))]);
  expect(unexpected.findings.blockers).toEqual(['Odd.']);
});

test('what was measured counts before what was claimed, report by report', () => {
  const claims = { token_usage: 1000, execution_time_seconds: 60 };
  const merged = mergeReports([
    input('a.json', reportWith({ metadata: claims }), {
      measured: { inputTokens: 300, outputTokens: 50, costUsd: 0.1, durationMs: 10_400 },
    }),
    input('b.json', reportWith({ metadata: claims })),
    // Half a measurement is none.
    input('c.json', reportWith({ metadata: claims }), { measured: { inputTokens: 5, costUsd: 0.2 } }),
    input('d.json', reportWith()),
  ]);
  // 350 + 1000 + 1000; 10.4 + 60 + 60 = 130.4
  expect(merged.report_metadata).toMatchObject({ token_usage: 2350, execution_time_seconds: 130 });
  expect(merged.findings.totals).toEqual({
    token_usage: { measured: 1, claimed: 2, unknown: 1 },
    execution_time_seconds: { measured: 1, claimed: 2, unknown: 1 },
    measured: { input_tokens: 305, output_tokens: 50, cost_usd: 0.3, duration_ms: 10_400 },
    claimed: { tokens: 3000, seconds: 180 },
  });
  expect(rowsOf(merged)[2]).toMatchObject({
    measured: { input_tokens: 5, cost_usd: 0.2 },
    claimed: { tokens: 1000, seconds: 60 },
  });
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
  expect((merged.findings.sources as JsonObject).context_map).toEqual([
    ['a.json', 'b.json'],
    ['a.json', 'b.json'],
    ['b.json'],
    ['a.json'],
    ['b.json'],
  ]);
  // The second map says the same in other forms, which are kept as they came.
  expect(rowsOf(merged)[0]!.findings).toEqual({});
  expect(rowsOf(merged)[1]!.findings).toHaveProperty('context_map');
});

test('a context map that cannot be read stays with its report', () => {
  const findings = { context_map: 'see above', constructor: 'mine' };
  const merged = mergeReports([input('a.json', reportWith({ findings }))]);
  expect(merged.findings).not.toHaveProperty('context_map');
  expect(rowsOf(merged)[0]!.findings).toEqual(findings);
});

test('of a reference that was checked twice the worse status stands', () => {
  const reference = (uri: string, status: 'ok' | 'missing-lines', reason: string | null = null) => ({
    ...{ text: 'x', uri, status, reason },
    ...{ file: null, lines: null },
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
    { uri: 'repo://b.ts', status: 'ok' },
  ]);
});

test('keys that the contract does not know, hints and error messages of reports that did not fail are kept', () => {
  const report = {
    ...reportWith({ metadata: { error_message: 'One retry.', ...{ model: 'x-1' } } }),
    gaps: ['Misnamed.'],
  };
  const [row] = rowsOf(
    mergeReports([input('a.json', report, { issues: [warning('claim-unchanged', 'Not so.')] })]),
  );
  expect(row).toMatchObject({
    error_message: 'One retry.',
    route: 'human-review',
    other_keys: { gaps: ['Misnamed.'], report_metadata: { model: 'x-1' } },
  });
  const problems = row!.problems as JsonObject[];
  expect(problems.map(({ code }) => code)).toContain('claim-unchanged');
  expect(problems.find(({ code }) => code === 'key-unknown')).toHaveProperty('hint');
});

test('a report that a merged one has already counts once', () => {
  const a = input('a.json', reportWith({ metadata: { token_usage: 100 }, recommendations: ['Go on.'] }));
  const b = input('b.json', reportWith({ metadata: { task_id: 'shop-8', token_usage: 50 } }));
  const once = input('m.json', mergeReports([a, b]));
  const twice = input(
    'n.json',
    mergeReports([once, input('c.json', reportWith({ metadata: { task_id: 't' } }))]),
  );
  for (const whole of [once, twice]) {
    for (const inputs of [
      [whole, a],
      [a, whole],
      [whole, { ...b, name: 'elsewhere.json' }, a],
    ]) {
      const merged = mergeReports(inputs);
      expect(merged.report_metadata.token_usage).toBe(150);
      expect(rowsOf(merged).map(({ source }) => source)).toEqual([whole.name]);
    }
  }
  const other = input('a.json', reportWith({ metadata: { token_usage: 100 }, recommendations: ['Stop.'] }));
  expect(rowsOf(mergeReports([once, other]))).toHaveLength(2);
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
  expect(merged.findings.counts).toMatchObject({ reports: 2, compliant: 2 });
  expect(renderMerged(inputs)).toMatch(/^# Merged report: completed \(2 reports: /);
});

test('two answers of the same words, each with a cost of its own, are two', () => {
  const inputs = [10, 20].map((outputTokens) =>
    input('a.json', reportWith(), { measured: { inputTokens: 1, outputTokens } }),
  );
  expect(mergeReports(inputs).report_metadata.token_usage).toBe(32);
});

test('files of one name are told apart', () => {
  const names = ['r.json', 'r.json', 'r.json (2)', 'r.json'];
  const rows = rowsOf(mergeReports(names.map((name, i) => input(name, reportWith({ findings: { i } })))));
  expect(rows.map(({ source }) => source)).toEqual(['r.json', 'r.json (2)', 'r.json (2) (2)', 'r.json (3)']);
});

test('findings that are nested as deep as may be can still be read in a merge, and in a merge of merges', () => {
  const nest = (levels: number): JsonObject => (levels === 1 ? {} : { in: nest(levels - 1) });
  let report = reportWith({ findings: nest(199) });
  for (let i = 0; i < 100; i++) {
    const text = JSON.stringify(report);
    const judged = judgeReport(text, WITHOUT_MANUAL);
    expect(judged.compliant).toBe(true);
    if (i === 1) expect(rowsOf(report)[0]!.findings).toBe(JSON.stringify(nest(199)));
    report = mergeReports([inputOfText('one.json', text)]);
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
