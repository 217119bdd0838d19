import { describe, expect, test } from 'vitest';
import { REPORT_ISSUES, type ReportIssueCode } from '../../../src/core/agent-report/issue-codes.js';
import { judgeReport, judgeValue } from '../../../src/core/agent-report/judge.js';
import type { JudgeOptions } from '../../../src/core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';
import { CONTRACT_EXAMPLE, CONTRACT_TEXT } from './fixtures/contract-example.js';
import { MUTATIONS } from './mutations.js';
import { change, makeManual, manualOf, NOTHING_ASKED, OPTIONS } from './subject.js';

const withAsked = (asked: Partial<JudgeOptions['asked']>): JudgeOptions => ({
  ...OPTIONS,
  asked: { ...NOTHING_ASKED, ...asked },
});
const told = (value: JsonValue, options = OPTIONS) =>
  judgeValue(value, options).issues.map(({ code, path }) => [code, path]);

describe("one fault in the contract's example", () => {
  test.each(MUTATIONS)('$fault: $code', ({ text, code, path, says, asked = {}, lenient = false }) => {
    const judgement = judgeReport(text, { ...withAsked(asked), lenient });
    const { severity } = REPORT_ISSUES[code];
    const issue = judgement.issues.find((each) => each.code === code);
    expect(issue?.path).toBe(path);
    // A key with another name is also an unknown key, and a list of blank entries has blank entries.
    const others = judgement.issues.filter((each) => each !== issue).map((each) => each.code);
    expect(others.filter((each) => each !== 'key-unknown' && each !== 'entry-blank')).toEqual([]);
    expect(issue).toMatchObject({ severity, message: expect.stringMatching(/^[`A-Z\d].*[.]$/s) });
    expect(judgement.compliant).toBe(severity !== 'error');
    expect(judgement.report).toEqual(judgement.compliant ? judgement.value : null);
    const said = judgement.issues.map(({ message, hint }) => `${message} ${hint ?? ''}`).join('\n');
    if (says) expect(said).toMatch(says);
  });

  test('there are many, and every code that a report alone can have is among them', () => {
    expect(MUTATIONS.filter(({ code }) => REPORT_ISSUES[code].severity === 'error').length).toBeGreaterThan(
      100,
    );
    const elsewhere = /^(client-(?!output)|reference-|claim|change-|briefing-|manual-|merged-)/;
    const here = [
      'verbosity-unavailable',
      'findings-shape',
      'findings-value',
      'findings-pattern',
    ] satisfies ReportIssueCode[] as string[];
    const seen = new Set<string>([...MUTATIONS.map(({ code }) => code), ...here]);
    const unseen = Object.keys(REPORT_ISSUES).filter((code) => !seen.has(code) && !elsewhere.test(code));
    expect(unseen).toEqual([]);
  });
});

describe('reports in order', () => {
  const asked = {
    agent: 'Investigator',
    taskId: CONTRACT_EXAMPLE.report_metadata.task_id,
    verbosity: 'detailed',
  } as const;

  test.each<[string, JsonObject, JudgeOptions]>([
    ['the example', CONTRACT_EXAMPLE, OPTIONS],
    ['as it was asked for', CONTRACT_EXAMPLE, withAsked(asked)],
    [
      'with a name in other letters',
      change(CONTRACT_EXAMPLE, ['report_metadata', 'agent_name'], 'INVESTIGATOR'),
      withAsked(asked),
    ],
    [
      'failed',
      {
        ...CONTRACT_EXAMPLE,
        report_metadata: { ...CONTRACT_EXAMPLE.report_metadata, status: 'failed', error_message: 'no disk' },
      },
      OPTIONS,
    ],
    [
      'blocked',
      {
        ...CONTRACT_EXAMPLE,
        report_metadata: { ...CONTRACT_EXAMPLE.report_metadata, status: 'blocked' },
        blockers: ['a key'],
      },
      OPTIONS,
    ],
    [
      'the bounds of confidence',
      change(CONTRACT_EXAMPLE, ['report_metadata', 'confidence_level'], 0),
      OPTIONS,
    ],
    ['the other bound', change(CONTRACT_EXAMPLE, ['report_metadata', 'confidence_level'], 1), OPTIONS],
    [
      'nulls where they may stand',
      {
        ...CONTRACT_EXAMPLE,
        report_metadata: {
          ...CONTRACT_EXAMPLE.report_metadata,
          token_usage: null,
          execution_time_seconds: null,
        },
      },
      OPTIONS,
    ],
    ['an empty message', change(CONTRACT_EXAMPLE, ['report_metadata', 'error_message'], ''), OPTIONS],
    ['a summary', change(CONTRACT_EXAMPLE, ['report_metadata', 'verbosity_level'], 'summary'), OPTIONS],
    [
      'a summary that speaks of fences',
      change(change(CONTRACT_EXAMPLE, ['report_metadata', 'verbosity_level'], 'summary'), ['blockers'], []),
      OPTIONS,
    ],
    [
      'all that is needed',
      {
        report_metadata: {
          agent_name: 'investigator',
          task_id: 't',
          status: 'completed',
          verbosity_level: 'comprehensive',
          confidence_level: 0.5,
        },
        findings: { context_map: [] },
      },
      OPTIONS,
    ],
  ])('%s', (_, value, options) => {
    const judgement = judgeReport(JSON.stringify(value), options);
    expect(judgement.issues).toEqual([]);
    expect(judgement).toMatchObject({ compliant: true, report: value, value });
  });

  test('without any manual the example is compliant, with one warning', () => {
    const judgement = judgeReport(CONTRACT_TEXT, { ...OPTIONS, manualOf: () => null });
    expect(judgement.issues.map(({ code }) => code)).toEqual(['agent-unknown']);
    expect(judgement).toMatchObject({ compliant: true, report: CONTRACT_EXAMPLE });
  });

  test('the summary rules hold only with a manual, and only for a summary', () => {
    const long = { ...CONTRACT_EXAMPLE, recommendations: [`\`\`\`\n${'x'.repeat(9000)}\n\`\`\``] };
    expect(told(long)).toEqual([]);
    const summary = change(long, ['report_metadata', 'verbosity_level'], 'summary');
    expect(told(summary)).toEqual([
      ['summary-too-long', '$'],
      ['summary-holds-contents', '$.recommendations[0]'],
    ]);
    expect(told(summary, { ...OPTIONS, manualOf: () => null })).toEqual([
      ['agent-unknown', '$.report_metadata.agent_name'],
    ]);
  });

  test('a budget is kept to the last character', () => {
    const base = manualOf('investigator')!;
    const report = change(CONTRACT_EXAMPLE, ['report_metadata', 'verbosity_level'], 'summary');
    const { length } = JSON.stringify(report);
    const at = (summaryBudget: number) =>
      told(report, { ...OPTIONS, manualOf: () => ({ ...base, summaryBudget }) });
    expect(at(length)).toEqual([]);
    expect(at(length - 1)).toEqual([['summary-too-long', '$']]);
  });
});

describe('more than one fault', () => {
  test('all are told at once, in the order of the contract', () => {
    const value = {
      report_metadata: {
        agent_name: ' ',
        status: 'done',
        verbosity_level: 'detailed',
        confidence_level: 7,
        model: 'x',
      },
      findings: { context_map: [[1]] },
      recommendations: [1, ''],
      blockers: 'none',
      more: true,
    };
    expect(told(value, withAsked({ agent: 'investigator', taskId: 't', verbosity: 'summary' }))).toEqual([
      ['field-empty', '$.report_metadata.agent_name'],
      ['field-missing', '$.report_metadata.task_id'],
      ['status-unknown', '$.report_metadata.status'],
      ['confidence-range', '$.report_metadata.confidence_level'],
      ['field-type', '$.recommendations[0]'],
      ['entry-blank', '$.recommendations[1]'],
      ['field-type', '$.blockers'],
      ['key-unknown', '$.more'],
      ['key-unknown', '$.report_metadata.model'],
      ['verbosity-differs', '$.report_metadata.verbosity_level'],
      ['findings-range', '$.findings.context_map[0]'],
      ['findings-type', '$.findings.context_map[0][0]'],
    ]);
  });

  test('what only follows from another fault is not told', () => {
    const { status: _, ...metadata } = CONTRACT_EXAMPLE.report_metadata;
    const value = {
      ...CONTRACT_EXAMPLE,
      report_metadata: { ...metadata, error_message: 'x' },
      blockers: ['y'],
    };
    expect(told(value)).toEqual([['field-missing', '$.report_metadata.status']]);
    expect(told({})).toEqual([
      ['field-missing', '$.report_metadata'],
      ['field-missing', '$.findings'],
    ]);
  });

  test('a level that is not known refuses and misses nothing of any level', () => {
    const value = change(CONTRACT_EXAMPLE, ['report_metadata', 'verbosity_level'], 'all');
    const findings = { context_map: [], excerpts: [], searches: 5 };
    expect(told({ ...value, findings })).toEqual([
      ['verbosity-unknown', '$.report_metadata.verbosity_level'],
      ['findings-type', '$.findings.searches'],
    ]);
  });

  test('of one kind no more are told than can be read, and how many there are', () => {
    const value = { ...CONTRACT_EXAMPLE, recommendations: Array(5000).fill('') };
    const { issues, compliant } = judgeValue(value, OPTIONS);
    expect(issues).toHaveLength(21);
    expect(issues.at(-1)?.message).toMatch(/4980 more/);
    expect(compliant).toBe(true);
    const wrong = { ...value, identified_gaps: Array(5000).fill(1) };
    expect(judgeValue(wrong, OPTIONS)).toMatchObject({ compliant: false, issues: { length: 42 } });
  });

  test('of the findings a hundred faults are told, and that there are more', () => {
    const value = { ...CONTRACT_EXAMPLE, findings: { context_map: Array(3000).fill([1, null]) } };
    const { issues } = judgeValue(value, OPTIONS);
    expect(issues).toHaveLength(101);
    expect(issues[99]).toMatchObject({ code: 'findings-type', path: '$.findings.context_map[99][0]' });
    expect(issues[100]).toMatchObject({
      code: 'findings-type',
      path: '$.findings',
      message: expect.stringMatching(/first 100/),
    });
    const exact = { ...CONTRACT_EXAMPLE, findings: { context_map: Array(100).fill([1, null]) } };
    expect(judgeValue(exact, OPTIONS).issues).toHaveLength(100);
  });
});

describe('by a manual of its own', () => {
  const manual = makeManual(
    {
      type: 'object',
      required: ['verdict'],
      properties: {
        verdict: { enum: ['good', 'bad'] },
        version: { const: 1 },
        count: { type: 'integer', minimum: 1, exclusiveMaximum: 10 },
        even: { multipleOf: 2 },
        code: { type: 'string', pattern: '^[A-Z]{2}$', minLength: 2 },
        tags: { type: 'array', uniqueItems: true, maxItems: 3, contains: { const: 'a' } },
        size: { oneOf: [{ type: 'integer' }, { type: 'number' }] },
        place: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        other: { not: { type: 'string' } },
        names: { type: 'object', propertyNames: { maxLength: 2 }, minProperties: 1 },
        never: false,
        pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
        deps: { type: 'object', dependentRequired: { a: ['b'] } },
      },
      additionalProperties: false,
    },
    {
      levels: [
        { level: 'detailed', holds: '' },
        { level: 'comprehensive', holds: '' },
      ],
    },
  );
  const options: JudgeOptions = { ...OPTIONS, manualOf: () => manual };

  test.each<[JsonObject, ReportIssueCode, string]>([
    [{}, 'findings-missing', '$.findings.verdict'],
    [{ verdict: 'fine' }, 'findings-value', '$.findings.verdict'],
    [{ verdict: 5 }, 'findings-value', '$.findings.verdict'],
    [{ verdict: 'good', version: 2 }, 'findings-value', '$.findings.version'],
    [{ verdict: 'good', count: '2' }, 'findings-type', '$.findings.count'],
    [{ verdict: 'good', count: 2.5 }, 'findings-type', '$.findings.count'],
    [{ verdict: 'good', count: 0 }, 'findings-range', '$.findings.count'],
    [{ verdict: 'good', count: 10 }, 'findings-range', '$.findings.count'],
    [{ verdict: 'good', even: 3 }, 'findings-range', '$.findings.even'],
    [{ verdict: 'good', code: 'ab' }, 'findings-pattern', '$.findings.code'],
    [{ verdict: 'good', tags: ['a', 'b', 'a'] }, 'findings-range', '$.findings.tags'],
    [{ verdict: 'good', tags: ['a', 'b', 'c', 'd'] }, 'findings-range', '$.findings.tags'],
    [{ verdict: 'good', tags: ['b'] }, 'findings-range', '$.findings.tags'],
    [{ verdict: 'good', size: 1 }, 'findings-shape', '$.findings.size'],
    [{ verdict: 'good', other: 'x' }, 'findings-shape', '$.findings.other'],
    [{ verdict: 'good', names: { abc: 1 } }, 'findings-unknown', '$.findings.names.abc'],
    [{ verdict: 'good', names: {} }, 'findings-range', '$.findings.names'],
    [{ verdict: 'good', never: 1 }, 'findings-unknown', '$.findings.never'],
    [{ verdict: 'good', pair: ['a', 'b'] }, 'findings-range', '$.findings.pair'],
    [{ verdict: 'good', deps: { a: 1 } }, 'findings-shape', '$.findings.deps.b'],
    [{ verdict: 'good', 'a b': 1 }, 'findings-unknown', "$.findings['a b']"],
  ])('%j: %s', (findings, code, path) => {
    expect(told({ ...CONTRACT_EXAMPLE, findings }, options)).toEqual([[code, path]]);
  });

  test('a level that the manual does not offer', () => {
    const value = {
      ...change(CONTRACT_EXAMPLE, ['report_metadata', 'verbosity_level'], 'summary'),
      findings: { verdict: 'good' },
    };
    expect(told(value, options)).toEqual([['verbosity-unavailable', '$.report_metadata.verbosity_level']]);
    const asked = { ...options, asked: { ...NOTHING_ASKED, verbosity: 'detailed' as const } };
    expect(told(value, asked)).toEqual([['verbosity-differs', '$.report_metadata.verbosity_level']]);
  });

  test('the manual of the agent that was asked counts, whoever answers', () => {
    const names: string[] = [];
    const asking: JudgeOptions = {
      manualOf: (name) => {
        names.push(name);
        return null;
      },
      asked: { ...NOTHING_ASKED, agent: 'reviewer' },
      lenient: false,
    };
    expect(told(CONTRACT_EXAMPLE, asking)).toEqual([
      ['agent-unknown', '$.report_metadata.agent_name'],
      ['agent-differs', '$.report_metadata.agent_name'],
    ]);
    expect(names).toEqual(['reviewer']);
  });
});

describe('a task that was not completed', () => {
  const blocked = { ...CONTRACT_EXAMPLE, blockers: ['No access to the repository.'] } as JsonObject;
  const at = (status: string, findings: JsonObject) =>
    change(change(blocked, ['report_metadata', 'status'], status), ['findings'], findings);

  test('need not have found all', () => {
    expect(told(at('blocked', {}))).toEqual([]);
    expect(told(at('completed', {}))).toEqual([
      ['blockers-unexpected', '$.blockers'],
      ['findings-missing', '$.findings.context_map'],
    ]);
  });

  test('what it did find keeps the schema', () => {
    expect(told(at('blocked', { context_map: [[1, null]], guess: 1 })).map(([code]) => code)).toEqual([
      'findings-type',
      'findings-unknown',
    ]);
  });

  test('a schema that is its own part requires the same at the top as below', () => {
    const findings: JsonObject = {
      type: 'object',
      properties: { name: { type: 'string' }, parts: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
    };
    const options = { ...OPTIONS, manualOf: () => makeManual(findings) };
    expect(told(at('blocked', {}), options)).toEqual([['findings-missing', '$.findings.name']]);
    expect(told(at('blocked', { name: 'a', parts: [{}] }), options)).toEqual([
      ['findings-missing', '$.findings.parts[0].name'],
    ]);
  });
});

test('in a summary code within a line is no fence', () => {
  const summary = change(CONTRACT_EXAMPLE, ['report_metadata', 'verbosity_level'], 'summary');
  const saying = (text: string) => told(change(summary, ['recommendations'], [text])).map(([code]) => code);
  expect(saying('```--fast``` is the flag.')).toEqual([]);
  expect(saying('See:\n```js\na()\n```')).toEqual(['summary-holds-contents']);
  expect(saying('See:\n   ~~~')).toEqual(['summary-holds-contents']);
  expect(saying('```')).toEqual(['summary-holds-contents']);
});

test('whoever writes no map, or no object, is told what one looks like', () => {
  const hints = (value: JsonValue) => judgeValue(value, OPTIONS).issues.map(({ hint }) => hint);
  const map = change(CONTRACT_EXAMPLE, ['findings', 'context_map'], 'none');
  expect(hints(map)).toEqual([expect.stringContaining('[["A fact with a place.", "repo://path:n-m"]')]);
  const answers = change(CONTRACT_EXAMPLE, ['findings', 'answers'], ['In jwt.ts.']);
  expect(hints(answers)).toEqual(['Write an object: {"question": …, "answer": …}']);
});
