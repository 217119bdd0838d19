import { describe, expect, test } from 'vitest';
import { judgeValue } from '../../../src/core/agent-report/judge.js';
import { leaveOutFences } from '../../../src/core/agent-report/reduce/fenced-blocks.js';
import { shorten } from '../../../src/core/agent-report/reduce/shorten.js';
import { type Reduced, reduceReport } from '../../../src/core/agent-report/reduce.js';
import type { AgentReport, Manual, Verbosity } from '../../../src/core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/types.js';
import { MANUALS, makeManual, manualOf, NOTHING_ASKED } from './subject.js';

const METADATA = {
  agent_name: 'surveyor',
  task_id: 't-1',
  status: 'completed',
  verbosity_level: 'comprehensive',
  confidence_level: 0.9,
} as const;

function makeReport(findings: JsonObject, more: Partial<AgentReport> = {}): AgentReport {
  return { report_metadata: { ...METADATA }, findings, ...more };
}

/** The report itself must keep the manual, or a test would show nothing. */
function reduce(report: AgentReport, manual: Manual, level: Verbosity): Reduced {
  const given = report as unknown as JsonValue;
  const options = { manualOf: () => manual, asked: NOTHING_ASKED, lenient: false };
  expect(judgeValue(given, options).issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  const before = structuredClone(given);
  const reduced = reduceReport(report, manual, level);
  expect(given).toEqual(before);
  return reduced;
}

function reduceTo(report: AgentReport, manual: Manual, level: Verbosity): AgentReport {
  const reduced = reduce(report, manual, level);
  if (reduced.status === 'refused') throw new Error(reduced.reason);
  return reduced.report;
}

const leftOutOf = (reduced: Reduced) => (reduced.status === 'reduced' ? reduced.leftOut : null);
const reasonOf = (reduced: Reduced) => (reduced.status === 'refused' ? reduced.reason : null);
const sizeOf = (report: AgentReport) => JSON.stringify(report).length;

const LOG: JsonObject = { 'x-verbosity': 'comprehensive', type: 'string' };
const MORE: JsonObject = { 'x-verbosity': 'detailed', type: 'string' };
const closed = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe('fields that belong to a higher level', () => {
  const CASES: {
    name: string;
    schema: JsonObject;
    findings: JsonObject;
    detailed: JsonObject;
    summary: JsonObject;
    leftOut: string[];
  }[] = [
    {
      name: 'required ones at the top',
      schema: closed({ a: { type: 'string' }, more: MORE, log: LOG }, ['a', 'more', 'log']),
      findings: { a: 'x', log: 'y', more: 'z' },
      detailed: { a: 'x', more: 'z' },
      summary: { a: 'x' },
      leftOut: ['$.findings.log', '$.findings.more'],
    },
    {
      name: 'in the entries of a list',
      schema: closed({
        list: { type: 'array', items: closed({ n: { type: 'integer' }, more: MORE, log: LOG }) },
      }),
      findings: { list: [{ n: 1, log: 'a' }, { n: 2, more: 'b', log: 'c' }, { n: 3 }] },
      detailed: { list: [{ n: 1 }, { n: 2, more: 'b' }, { n: 3 }] },
      summary: { list: [{ n: 1 }, { n: 2 }, { n: 3 }] },
      leftOut: ['$.findings.list[*].log', '$.findings.list[*].more'],
    },
    {
      name: 'by way of references, also where a schema refers to itself',
      schema: {
        ...closed({ tree: { $ref: '#/$defs/node' } }),
        $defs: {
          node: { $anchor: 'node', ...closed({ log: { $ref: '#/$defs/log' }, inner: { $ref: '#node' } }) },
          log: LOG,
        },
      },
      findings: { tree: { log: 'a', inner: { inner: { log: 'b' } } } },
      detailed: { tree: { inner: { inner: {} } } },
      summary: { tree: { inner: { inner: {} } } },
      leftOut: ['$.findings.tree.log', '$.findings.tree.inner.inner.log'],
    },
    {
      name: 'at places of a list: nothing behind them moves up',
      schema: closed({
        row: {
          type: 'array',
          prefixItems: [{ type: 'string' }, MORE, { type: 'string' }],
          items: { type: 'integer' },
        },
      }),
      findings: { row: ['a', 'b', 'c', 4] },
      detailed: { row: ['a', 'b', 'c', 4] },
      summary: { row: ['a'] },
      leftOut: ['$.findings.row[*]'],
    },
    {
      name: 'all entries of a list',
      schema: closed({ logs: { type: 'array', items: LOG } }),
      findings: { logs: ['a', 'b'] },
      detailed: { logs: [] },
      summary: { logs: [] },
      leftOut: ['$.findings.logs[*]'],
    },
    {
      name: 'under keys that the schema does not name',
      schema: {
        type: 'object',
        properties: { constructor: { type: 'string' } },
        patternProperties: { '^log_': LOG },
        additionalProperties: MORE,
      },
      findings: { constructor: 'a', log_1: 'b', toString: 'c', catalog_1: 'd' },
      detailed: { constructor: 'a', toString: 'c', catalog_1: 'd' },
      summary: { constructor: 'a' },
      leftOut: ['$.findings.log_1', '$.findings.toString', '$.findings.catalog_1'],
    },
    {
      name: 'in what must hold as well',
      schema: {
        type: 'object',
        allOf: [{ properties: { log: LOG } }, { properties: { more: MORE } }],
        dependentSchemas: { a: { properties: { b: MORE } } },
      },
      findings: { log: 'x', more: 'y', a: 1, b: 'z' },
      detailed: { more: 'y', a: 1, b: 'z' },
      summary: { a: 1 },
      leftOut: ['$.findings.log', '$.findings.more', '$.findings.b'],
    },
    {
      name: 'in the alternative that the value keeps, and in no other',
      schema: closed({
        list: {
          type: 'array',
          items: {
            oneOf: [
              closed({ kind: { const: 'run' }, output: LOG }, ['kind', 'output']),
              closed({ kind: { const: 'note' }, output: { type: 'string' } }, ['kind', 'output']),
            ],
          },
        },
      }),
      findings: {
        list: [
          { kind: 'run', output: 'a' },
          { kind: 'note', output: 'b' },
        ],
      },
      detailed: { list: [{ kind: 'run' }, { kind: 'note', output: 'b' }] },
      summary: { list: [{ kind: 'run' }, { kind: 'note', output: 'b' }] },
      leftOut: ['$.findings.list[*].output'],
    },
    {
      name: 'values that only a marked alternative allows',
      schema: {
        ...closed({
          note: {
            anyOf: [
              { type: 'string' },
              { 'x-verbosity': 'detailed', type: 'array', items: { type: 'string' } },
            ],
          },
          list: { type: 'array', items: { anyOf: [{ type: 'integer' }, { $ref: '#/$defs/long' }] } },
          short: { anyOf: [{ type: 'string', maxLength: 3 }, MORE] },
          true: { anyOf: [true, LOG] },
        }),
        $defs: { long: LOG },
      },
      findings: { note: ['a'], list: [1, 'x', 2], short: 'abc', true: 'd' },
      detailed: { note: ['a'], list: [1, 2], short: 'abc', true: 'd' },
      summary: { list: [1, 2], short: 'abc', true: 'd' },
      leftOut: ['$.findings.note', '$.findings.list[*]'],
    },
    {
      name: 'where a condition holds',
      schema: closed({
        list: {
          type: 'array',
          items: {
            type: 'object',
            if: { properties: { ok: { const: true } } },
            // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
            then: { properties: { output: LOG } },
            else: { properties: { why: MORE } },
          },
        },
      }),
      findings: {
        list: [
          { ok: true, output: 'a', why: 'b' },
          { ok: false, output: 'c', why: 'd' },
        ],
      },
      detailed: {
        list: [
          { ok: true, why: 'b' },
          { ok: false, output: 'c', why: 'd' },
        ],
      },
      summary: {
        list: [
          { ok: true, why: 'b' },
          { ok: false, output: 'c' },
        ],
      },
      leftOut: ['$.findings.list[*].output', '$.findings.list[*].why'],
    },
  ];

  test.each(CASES)('$name', ({ schema, findings, detailed, summary, leftOut }) => {
    const manual = makeManual(schema);
    const report = makeReport(findings);
    const half = reduceTo(report, manual, 'detailed');
    expect(half).toEqual({
      report_metadata: { ...METADATA, verbosity_level: 'detailed' },
      findings: detailed,
    });
    const reduced = reduce(report, manual, 'summary');
    expect(reduced).toEqual({
      status: 'reduced',
      report: { report_metadata: { ...METADATA, verbosity_level: 'summary' }, findings: summary },
      leftOut,
    });
    expect(reduceTo(half, manual, 'summary').findings).toEqual(summary);
  });
});

describe('fenced blocks in a summary', () => {
  const manual = makeManual({ type: 'object', properties: { text: { type: 'string' } } });
  const CASES: [name: string, text: string, expected: string][] = [
    ['none', 'a `b` ~~c~~', 'a `b` ~~c~~'],
    ['one between other lines', 'a\n```js\nb\nc\n```\nd', 'a\n(2 lines left out)\nd'],
    ['one of one line, tildes, indented', '   ~~~~\n~~~\n ~~~~~  \nd\n', '   (1 line left out)\nd\n'],
    ['an empty one', '```\n```', '(an empty block left out)'],
    ['two', '```\na\n```\n~~~\nb\n```\nc\n~~~', '(1 line left out)\n(3 lines left out)'],
    ['one that nobody closes', 'a\n```\nb\n\nc\n', 'a\n(4 lines left out)'],
    ['one that begins where the text ends', 'a\n```', 'a\n(an empty block left out)'],
    ['fences with a word do not close', '```md\n```js\na\n```\nb', '(2 lines left out)\nb'],
    ['indented fences do not close', '```md\n    ```\na\n```\nb', '(2 lines left out)\nb'],
    [
      'other line ends',
      'a\r\n```\r\nb\r\n```\r\nc\r~~~\rd\r~~~\re',
      'a\r\n(1 line left out)\r\nc\r(1 line left out)\re',
    ],
    ['in a list', '- ```js\n  a\n  ```\n- b', '- (1 line left out)\n- b'],
    ['in a list, closed at the margin', '1. ```\n   a\n```\nb', '1. (1 line left out)\nb'],
    ['in a list in a list', '* a\n    * ~~~\n      b\n      ~~~\n  c', '* a\n    * (1 line left out)\n  c'],
    [
      'below an entry of a list',
      '1.  a\n\n    ```\n    b\n    ```\n\n    c',
      '1.  a\n\n    (1 line left out)\n\n    c',
    ],
    ['in a quote', '> ```\n> a\n> ```\n> b', '> (1 line left out)\n> b'],
    ['in a quote that ends', '> - ```\n>   a\nb\n', '> - (1 line left out)\nb\n'],
    [
      'one behind a quote that ends',
      '> ```\n> a\n```\nb\n```\nc',
      '> (1 line left out)\n(1 line left out)\nc',
    ],
    ['code within a line that begins like one', '``` a `b` ``` is c\n```d``` e', '` a `b` ` is c\n`d` e'],
  ];

  test.each(CASES)('%s', (_, text, expected) => {
    const reduced = reduceTo(makeReport({ text }), manual, 'summary');
    expect(reduced.findings).toEqual({ text: expected });
  });

  test('in every text of the report, told once', () => {
    const block = '```\na\nb\n```';
    const report = makeReport(
      { text: block, unknown: { list: [[block]] } },
      { recommendations: [block, 'c'], identified_gaps: [`d\n${block}`] },
    );
    report.report_metadata = { ...report.report_metadata, status: 'failed', error_message: block };
    const note = '(2 lines left out)';
    expect(reduce(report, manual, 'summary')).toEqual({
      status: 'reduced',
      report: {
        report_metadata: {
          ...METADATA,
          verbosity_level: 'summary',
          status: 'failed',
          error_message: note,
        },
        findings: { text: note, unknown: { list: [[note]] } },
        recommendations: [note, 'c'],
        identified_gaps: [`d\n${note}`, 'Left out of this summary: 5 fenced blocks (10 lines).'],
      },
      leftOut: [
        '1 fenced block (2 lines) in $.report_metadata.error_message',
        '1 fenced block (2 lines) in $.findings.text',
        '1 fenced block (2 lines) in $.findings.unknown.list[0][0]',
        '1 fenced block (2 lines) in $.recommendations[0]',
        '1 fenced block (2 lines) in $.identified_gaps[0]',
      ],
    });
  });

  test('a line that never comes to its fence', () => {
    for (const before of ['- ', '>', '1. ', ' '])
      expect(leaveOutFences(`${before.repeat(3_000_000)}x\`\`\``).blocks).toBe(0);
  });

  test('they stay in other levels', () => {
    const report = makeReport({ text: '```\na\n```' });
    expect(reduceTo(report, manual, 'detailed').findings).toEqual(report.findings);
  });

  test('in what must stay as it is, they keep a summary from being made', () => {
    const fixed = makeManual({ type: 'object', properties: { text: { enum: ['~~~'] } } });
    const reason = reasonOf(reduce(makeReport({ text: '~~~' }), fixed, 'summary'));
    expect(reason).toMatch(/^At the level "summary" .*\$\.findings\.text: .*fenced block.*\.$/);
    const report = makeReport({});
    report.report_metadata = { ...report.report_metadata, task_id: '```' };
    expect(reasonOf(reduce(report, fixed, 'summary'))).toMatch(/task_id.*fenced block/);
  });
});

describe('a summary within its budget', () => {
  const BUDGET = 1000;
  const TEXT: JsonObject = { type: 'string' };
  const within = (properties: JsonObject, more: JsonObject = {}) =>
    makeManual({ type: 'object', properties, ...more }, { summaryBudget: BUDGET });
  const sentence = (words: number) => Array.from({ length: words }, (_, index) => `word${index}`).join(' ');
  /** The beginning and the number of a text that was shortened. */
  const readNote = (text: JsonValue | undefined) => {
    const [, head, left] = /^(.*)… \((\d+) characters left out\)$/su.exec(String(text)) ?? [];
    return { head: head ?? '', left: Number(left) };
  };

  test('what fits is not changed', () => {
    const report = makeReport({ text: sentence(60) }, { blockers: [] });
    const metadata = { ...METADATA, verbosity_level: 'summary' };
    expect(reduce(report, within({}), 'summary')).toEqual({
      status: 'reduced',
      report: { ...report, report_metadata: metadata },
      leftOut: [],
    });
  });

  test('to the last character', () => {
    const size = sizeOf(reduceTo(makeReport({ text: '' }), within({}), 'summary'));
    const full = reduce(
      makeReport({ text: 'a '.repeat(500).slice(0, BUDGET - size) }),
      within({}),
      'summary',
    );
    expect(full).toMatchObject({ leftOut: [] });
    const over = reduce(
      makeReport({ text: 'a '.repeat(500).slice(0, BUDGET - size + 1) }),
      within({}),
      'summary',
    );
    expect(leftOutOf(over)).toEqual([expect.stringMatching(/^\d+ characters of \$\.findings\.text$/)]);
  });

  test('the longest texts are shortened first, at the end of a word, and one entry tells of it', () => {
    const long = sentence(200);
    const short = sentence(5);
    const report = makeReport({ long, short, also: long }, { identified_gaps: ['A gap.'] });
    const { findings, identified_gaps } = reduceTo(report, within({}), 'summary');
    const { head, left } = readNote(findings.long);
    expect(long.startsWith(`${head} `)).toBe(true);
    expect(left).toBe(long.length - head.length);
    expect(findings.also).toBe(findings.long);
    expect(findings.short).toBe(short);
    expect(identified_gaps).toEqual(['A gap.', `Left out of this summary: ${2 * left} characters of texts.`]);
  });

  test('of the room as much is used as goes with whole words', () => {
    const size = sizeOf(reduceTo(makeReport({ long: sentence(500) }), within({}), 'summary'));
    expect(size).toBeLessThanOrEqual(BUDGET);
    // The room that is kept for the entry is that of the longest one.
    expect(size).toBeGreaterThan(BUDGET - 150);
  });

  test('an emoji is not cut in two', () => {
    for (const before of ['', 'x']) {
      const text = `${before}${'😀'.repeat(600)}`;
      const { findings } = reduceTo(makeReport({ text }), within({}), 'summary');
      const { head, left } = readNote(findings.text);
      expect([...head].length + left).toBe([...text].length);
      for (let most = 1; most < 50; most++) expect(shorten(text, 600, most)?.text).not.toMatch(/\p{Cs}/u);
    }
  });

  test('a text is cut at the end of a word that is near, and only if that makes it shorter', () => {
    const words = 'one two, three four five six seven eight';
    expect(shorten(words, 40, 9)).toEqual({ text: 'one two,… (32 characters left out)', left: 32 });
    expect(shorten(words, 40, 8)?.text).toBe('one two,… (32 characters left out)');
    expect(shorten(words, 40, 7)?.text).toBe('one… (37 characters left out)');
    expect(shorten(words, 40, 18)).toBeNull();
    expect(shorten(words, 40, 40)).toBeNull();
    expect(shorten(`a ${'b'.repeat(80)}`, 82, 40)?.text).toBe(
      `a ${'b'.repeat(38)}… (42 characters left out)`,
    );
    expect(shorten(`a b${' '.repeat(50)}c${' '.repeat(50)}d`, 105, 60)?.text).toBe(
      `a b${' '.repeat(50)}c… (51 characters left out)`,
    );
  });

  test('lists are cut from their end, and only when texts alone do not do', () => {
    const list = Array.from({ length: 400 }, (_, index) => `entry ${index}`);
    const report = makeReport({ list, few: ['a b', 'c d'], text: sentence(300) });
    const reduced = reduce(report, within({}), 'summary');
    const { findings, identified_gaps } = reduced.status === 'reduced' ? reduced.report : report;
    const kept = findings.list as string[];
    expect(kept.length).toBeGreaterThan(10);
    expect(kept).toEqual(list.slice(0, kept.length));
    expect(findings.few).toEqual(['a b', 'c d']);
    const { left } = readNote(findings.text);
    const gone = 400 - kept.length;
    expect(leftOutOf(reduced)).toEqual([
      `${gone} entries of $.findings.list`,
      `${left} characters of $.findings.text`,
    ]);
    expect(identified_gaps).toEqual([
      `Left out of this summary: ${left} characters of texts and ${gone} entries of lists.`,
    ]);
  });

  test('lists of the contract are lists too', () => {
    const many = Array.from({ length: 50 }, (_, index) => `do ${index} and then ${sentence(2)}`);
    const report = makeReport({}, { recommendations: many, identified_gaps: many });
    const reduced = reduceTo(report, within({}), 'summary');
    const { recommendations = [], identified_gaps: gaps = [] } = reduced;
    expect(recommendations).toEqual(many.slice(0, recommendations.length));
    expect(gaps.slice(0, -1)).toEqual(many.slice(0, gaps.length - 1));
    const gone = 101 - recommendations.length - gaps.length;
    expect(gaps.at(-1)).toBe(`Left out of this summary: ${gone} entries of lists.`);
  });

  test('never below what the schema requires', () => {
    const list = Array.from({ length: 30 }, (_, index) => ({ name: `n${index}`, tags: ['a', 'b', 'c'] }));
    const tags = { type: 'array', minItems: 2 };
    const items = { anyOf: [{ type: 'string' }, { type: 'object', properties: { tags } }] };
    const schema = within(
      { list: { $ref: '#/$defs/list' } },
      { $defs: { list: { type: 'array', minItems: 20, items } } },
    );
    const { findings } = reduceTo(makeReport({ list }), schema, 'summary');
    const kept = findings.list as { tags: string[] }[];
    expect(kept.length).toBeGreaterThanOrEqual(20);
    expect(kept.map((entry) => entry.tags.length).filter((length) => length < 2)).toEqual([]);
    const more = {
      ...schema,
      findings: { ...schema.findings, $defs: { list: { type: 'array', minItems: 30, items } } },
    };
    expect(reasonOf(reduce(makeReport({ list }), more, 'summary'))).toMatch(
      /^The report cannot become a summary of at most 1000 characters: .* still has 1[0-3]\d\d\.$/,
    );
  });

  test('a blocked report keeps what blocks it', () => {
    const blockers = [' ', sentence(100), ...Array.from({ length: 300 }, () => 'and so on')];
    const report = makeReport({ text: sentence(100) }, { blockers });
    report.report_metadata = { ...report.report_metadata, status: 'blocked' };
    const tight = { ...within({}), summaryBudget: 500 };
    const { blockers: kept = [], findings } = reduceTo(report, tight, 'summary');
    expect(kept.slice(0, 2)).toEqual([' ', expect.stringMatching(/^word0 .*left out\)$/)]);
    expect(findings.text).toMatch(/^word0 .*left out\)$/);
  });

  test('whole entries of a context map go, in whatever form it is', () => {
    const uri = (index: number) => `repo://src/some/where/file-${index}.ts:10-20`;
    const words = (index: number) => `What stands in place ${index}.`;
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    const pairs = numbers.map((index) => [words(index), uri(index)]);
    const map = Object.fromEntries(numbers.map((index) => [uri(index), words(index)]));
    const entries = numbers.map((index) => ({ text: words(index), uri: uri(index) }));
    for (const manual of [within({}), { ...manualOf('investigator')!, summaryBudget: BUDGET }]) {
      const keep = (context_map: JsonValue) =>
        reduceTo(makeReport({ context_map }), manual, 'summary').findings.context_map!;
      const keptPairs = keep(pairs) as JsonValue[];
      expect(keptPairs.length).toBeGreaterThan(4);
      expect(keptPairs).toEqual(pairs.slice(0, keptPairs.length));
      const keptMap = Object.entries(keep(map));
      expect(keptMap.length).toBeGreaterThan(4);
      expect(keptMap).toEqual(Object.entries(map).slice(0, keptMap.length));
      const keptEntries = keep(entries) as JsonValue[];
      expect(keptEntries.length).toBeGreaterThan(4);
      expect(keptEntries).toEqual(entries.slice(0, keptEntries.length));
    }
  });

  test('names, addresses and what has a form of its own stay whole', () => {
    const address = `https://example.com/${'a'.repeat(320)}`;
    const path = `src/${'deep/'.repeat(30)}file.ts`;
    const date = `2025-01-31 ${'0'.repeat(300)}`;
    const word = `word ${'x'.repeat(300)}`;
    const manual = within({
      date: { ...TEXT, pattern: '^2025' },
      word: { anyOf: [{ const: word }, { type: 'integer' }] },
    });
    const report = makeReport({ address, path, date, word, text: sentence(300) });
    const { findings } = reduceTo(report, { ...manual, summaryBudget: 1700 }, 'summary');
    expect(findings).toEqual({ ...report.findings, text: expect.stringMatching(/left out\)$/) });
  });

  test('a list in a list stays or goes as a whole', () => {
    const row = Array.from({ length: 60 }, (_, index) => index % 10);
    const { findings } = reduceTo(makeReport({ rows: Array(30).fill(row) }), within({}), 'summary');
    const rows = findings.rows as JsonValue[];
    expect(rows.length).toBeGreaterThan(3);
    expect(rows).toEqual(Array(rows.length).fill(row));
  });

  test('a list that must hold something stays whole, and a map keeps what it must have', () => {
    const entry = 'an entry of about forty characters, so..';
    const map = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key ${index}`, entry]));
    const list = [...Array(30).fill('a b'), 'last'];
    const manual = within({
      list: { type: 'array', contains: { const: 'last' } },
      map: { type: 'object', properties: { a: TEXT }, additionalProperties: TEXT, minProperties: 8 },
    });
    const report = makeReport({ list, map: { ...map, a: 'b' }, other: Array(40).fill(entry) });
    const { findings } = reduceTo(report, manual, 'summary');
    expect(findings.list).toEqual(list);
    expect(findings.map).toEqual({ ...Object.fromEntries(Object.entries(map).slice(0, 7)), a: 'b' });
    expect((findings.other as JsonValue[]).length).toBeLessThan(7);
  });

  test('an alternative of a higher level is no reason to leave a text as it is', () => {
    const manual = within({ text: { anyOf: [TEXT, { ...LOG, pattern: 'a' }] } });
    const { findings } = reduceTo(makeReport({ text: sentence(300) }), manual, 'summary');
    expect(findings.text).toMatch(/^word0 .*left out\)$/);
  });

  test('of many lists each gets an entry before any gets one more, the first ones first', () => {
    const names = Array.from({ length: 12 }, (_, index) => `list${index}`);
    const entry = 'an entry of about forty characters, so..';
    const report = makeReport(Object.fromEntries(names.map((name) => [name, [entry, entry, entry]])));
    const { findings } = reduceTo(report, within({}), 'summary');
    const counts = names.map((name) => (findings[name] as JsonValue[]).length);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(new Set(counts).size).toBe(2);
    expect(counts[0]! - counts.at(-1)!).toBe(1);
  });

  test('a text that must have some length has it', () => {
    const manual = { ...within({ text: { ...TEXT, minLength: 120 } }), summaryBudget: 800 };
    const report = makeReport({ text: '😀'.repeat(2000), other: sentence(400), more: sentence(400) });
    const { findings } = reduceTo(report, manual, 'summary');
    expect([...(findings.text as string)].length).toBeGreaterThanOrEqual(120);
  });

  test('many texts that must all be there are all shortened', () => {
    const texts = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`text${index}`, sentence(50)]),
    );
    const report = makeReport(texts, { recommendations: ['Do it.'] });
    const { findings, recommendations } = reduceTo(report, within({}), 'summary');
    expect(Object.values(findings).filter((text) => readNote(text).head.length < 10)).toEqual([]);
    expect(recommendations).toEqual(['Do it.']);
  });

  test('metadata stays', () => {
    const report = makeReport({ text: sentence(300) });
    const error_message = sentence(50);
    report.report_metadata = { ...report.report_metadata, status: 'failed', error_message };
    const { report_metadata } = reduceTo(report, within({}), 'summary');
    expect(report_metadata).toEqual({ ...report.report_metadata, verbosity_level: 'summary' });
    report.report_metadata.error_message = sentence(200);
    expect(reasonOf(reduce(report, within({}), 'summary'))).toMatch(/at most 1000 characters/);
  });

  test('a report of 5 MB', () => {
    const manual = manualOf('investigator')!;
    const entry = (index: number) => [`${'Some words. '.repeat(8)}${index}`, `repo://src/a.ts:${index}`];
    const report = makeReport({
      context_map: Array.from({ length: 20_000 }, (_, index) => entry(index + 1)),
      answers: [{ question: 'Why?', answer: '```\na\n```\n\n'.repeat(100_000), evidence: ['repo://a'] }],
      excerpts: Array.from({ length: 2000 }, () => ({ uri: 'repo://a', content: 'b\n'.repeat(200) })),
    });
    expect(sizeOf(report)).toBeGreaterThan(5_000_000);
    const reduced = reduceTo(report, manual, 'summary');
    expect(sizeOf(reduced)).toBeLessThanOrEqual(4000);
    expect(sizeOf(reduced)).toBeGreaterThan(3500);
  });
});

describe('what cannot be reduced', () => {
  const manual = makeManual({ type: 'object', properties: { log: LOG } });

  test('a report at the level asked for stays what it is', () => {
    const report = makeReport({ log: 'a' });
    const reduced = reduce(report, manual, 'comprehensive');
    expect(reduced).toEqual({ status: 'reduced', report, leftOut: [] });
  });

  test('nothing becomes more than it is', () => {
    const report = makeReport({});
    report.report_metadata = { ...report.report_metadata, verbosity_level: 'summary' };
    expect(reasonOf(reduce(report, manual, 'detailed'))).toBe(
      'The report is at the level "summary", and cannot become one of "detailed": it does not hold what that needs.',
    );
  });

  test('a level that the manual does not offer', () => {
    const some = makeManual({ type: 'object' }, { levels: manual.levels.slice(1) });
    expect(reasonOf(reduce(makeReport({}), some, 'summary'))).toBe(
      'The manual of "surveyor" has no level "summary"; it offers "detailed" and "comprehensive".',
    );
  });

  test('a report that does not keep its manual, at its own level too', () => {
    for (const level of ['comprehensive', 'detailed', 'summary'] as const) {
      const reduced = reduceReport(makeReport({ log: 'a' }, { blockers: [1 as never] }), manual, level);
      expect(reasonOf(reduced)).toMatch(/^At the level "\w+" the report .*: \$\.blockers\[0\]: .*\.$/);
    }
  });

  test('a value that is wrong is not left out to make a report right', () => {
    const some = makeManual(closed({ x: { anyOf: [{ type: 'integer' }, LOG] } }));
    expect(reasonOf(reduceReport(makeReport({ x: true }), some, 'detailed'))).toMatch(/\$\.findings\.x: /);
  });

  test('a manual whose schema cannot be used', () => {
    const broken = makeManual({ type: 'object', properties: { log: LOG, x: { type: 'nothing' } } });
    expect(reasonOf(reduce(makeReport({ log: 'a' }), broken, 'detailed'))).toMatch(
      /cannot be used at this level/,
    );
  });

  test('where too little is left for the schema', () => {
    const list = { type: 'array', minItems: 2, items: { anyOf: [{ type: 'integer' }, LOG] } };
    const strict = makeManual(closed({ list, log: { anyOf: [{ type: 'integer' }, LOG] } }, ['log']));
    expect(reasonOf(reduce(makeReport({ log: 'a' }), strict, 'detailed'))).toBe(
      'At the level "detailed" the report does not keep its manual: $.findings.log: `findings` must have the key "log".',
    );
    expect(reasonOf(reduce(makeReport({ log: 1, list: [1, 'a'] }), strict, 'detailed'))).toMatch(
      /: \$\.findings\.list: /,
    );
  });

  test('where shorter texts are no longer what the schema asks for', () => {
    const unique = makeManual(
      { type: 'object', properties: { list: { type: 'array', uniqueItems: true, minItems: 2 } } },
      { summaryBudget: 500 },
    );
    const list = ['a', 'b'].map((end) => `${'Some words. '.repeat(40)}${end}`);
    expect(reasonOf(reduce(makeReport({ list }), unique, 'summary'))).toMatch(
      /^At the level "summary" .*\$\.findings\.list: /,
    );
  });

  test('a chain of references is followed to its end', () => {
    const links = Array.from({ length: 8_000 }, (_, index) => [
      `d${index}`,
      { $ref: `#/$defs/d${index + 1}` },
    ]);
    const $defs = { ...Object.fromEntries(links), d8000: { type: 'object', properties: { log: LOG } } };
    const chained = makeManual({ type: 'object', properties: { x: { $ref: '#/$defs/d0' } }, $defs });
    expect(reduceTo(makeReport({ x: { log: 'a' } }), chained, 'detailed').findings).toEqual({ x: {} });
  });

  test('a schema with too many ways to be kept', () => {
    // Each level has two ways into the next, all of which hold.
    const both = (name: string) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const names = Array.from({ length: 30 }, (_, index) => `d${index}`);
    const $defs = Object.fromEntries(
      names.map((name, index) => [name, index < 29 ? both(`d${index + 1}`) : {}]),
    );
    const twisted = makeManual({
      type: 'object',
      properties: { x: both('d0') },
      $defs: { ...$defs, d29: { properties: { log: LOG } } },
    });
    const { reason } = reduceReport(makeReport({ x: { log: 'a' } }), twisted, 'summary') as {
      reason: string;
    };
    expect(reason).toMatch(/^The findings schema of the manual "surveyor" is too involved .*\.$/);
  });
});

describe('the examples of the built-in manuals', () => {
  const EXPECTED: Record<string, JsonObject> = {
    investigator: {
      detailed: ['excerpts', 'searches'],
      summary: ['answers[*].evidence', 'excerpts', 'searches'],
    },
    implementer: {
      detailed: ['diff', 'verification[*].output'],
      summary: ['changed_files[*].about', 'diff', 'verification'],
    },
    reviewer: {
      detailed: ['commands', 'issues[*].excerpt'],
      summary: ['checklist', 'commands', 'issues[*].excerpt', 'issues[*].suggested_fix'],
    },
  };

  test.each(MANUALS)('$name', (manual) => {
    const example = manual.example!;
    for (const level of ['detailed', 'summary'] as const) {
      const reduced = reduce(example, manual, level);
      const paths = (EXPECTED[manual.name]![level] as string[]).map((path) => `$.findings.${path}`);
      expect(leftOutOf(reduced)?.toSorted()).toEqual(paths);
      expect(reduced).toMatchObject({
        report: { identified_gaps: example.identified_gaps, recommendations: example.recommendations },
      });
    }
  });
});
