import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findingsAt } from '../../../src/core/agent-report/levels.js';
import { leaveOutFences } from '../../../src/core/agent-report/reduce/fenced-blocks.js';
import { reduceReport } from '../../../src/core/agent-report/reduce.js';
import { reportSchema } from '../../../src/core/agent-report/report-schema.js';
import {
  type AgentReport,
  type Manual,
  STATUSES,
  VERBOSITIES,
  type Verbosity,
} from '../../../src/core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/types.js';
import { isJsonObject } from '../../../src/core/json/values.js';
import { valuesOf } from './from-schema.js';
import { MANUALS, makeManual } from './subject.js';

const numRuns = process.env.TEDDY_SOAK ? 5000 : 40;

const LOG: JsonObject = { 'x-verbosity': 'comprehensive', type: 'string' };
const OUTPUT: JsonObject = { required: ['kind', 'output'], type: 'object', additionalProperties: false };
const TWISTED: Manual = makeManual({
  type: 'object',
  required: ['tree'],
  properties: {
    tree: { $ref: '#/$defs/node' },
    steps: {
      type: 'array',
      minItems: 1,
      items: { anyOf: [{ $ref: '#/$defs/run' }, { $ref: '#/$defs/note' }] },
    },
    map: { type: 'object', additionalProperties: { type: 'object', properties: { log: LOG } } },
    texts: { type: 'array', items: { type: 'string', minLength: 2 } },
  },
  additionalProperties: false,
  $defs: {
    node: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1 },
        inner: { $ref: '#/$defs/node' },
        cost: { 'x-verbosity': 'detailed', type: 'integer', minimum: 0 },
      },
    },
    run: { ...OUTPUT, properties: { kind: { const: 'run' }, output: LOG } },
    note: { ...OUTPUT, properties: { kind: { const: 'note' }, output: { type: 'string' } } },
  },
});

/** What the manuals mark, as paths from the findings. */
const MARKS: Record<string, Record<string, Verbosity>> = {
  investigator: {
    '.answers[*].evidence': 'detailed',
    '.excerpts': 'comprehensive',
    '.searches': 'comprehensive',
  },
  implementer: {
    '.changed_files[*].about': 'detailed',
    '.verification': 'detailed',
    '.verification[*].output': 'comprehensive',
    '.diff': 'comprehensive',
  },
  reviewer: {
    '.checklist': 'detailed',
    '.issues[*].suggested_fix': 'detailed',
    '.issues[*].excerpt': 'comprehensive',
    '.commands': 'comprehensive',
  },
};

const PIECES = [
  '```',
  '~~~',
  '````js',
  '   ```',
  '- ',
  '1. ',
  '> ',
  '\n',
  '\r\n',
  '\r',
  'words',
  ' ',
  '😀',
  '`a`',
];
const HOSTILE = fc
  .tuple(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), fc.constantFrom(1, 1, 8, 64))
  .map(([pieces, times]) => pieces.join('').repeat(times));

const FIXED = new Set(['kind', 'change', 'verdict', 'severity', 'result']);

/** The same value with hostile texts in the place of every other one that may be any. */
function withHostileTexts(value: JsonValue, texts: readonly string[]): JsonValue {
  let next = 0;
  const change = (inner: JsonValue, key: string): JsonValue => {
    if (Array.isArray(inner)) return inner.map((entry) => change(entry, key));
    if (isJsonObject(inner))
      return Object.fromEntries(Object.entries(inner).map(([name, at]) => [name, change(at, name)]));
    if (typeof inner !== 'string' || FIXED.has(key) || ++next % 2 === 0) return inner;
    const text = texts[next % texts.length]!;
    return [...text].length < 2 ? inner : text;
  };
  return change(value, '');
}

function reportsOf(manual: Manual, level: Verbosity): fc.Arbitrary<AgentReport> {
  const schema = findingsAt(manual, level);
  const texts = fc.array(HOSTILE, { maxLength: 6 });
  const lists = { recommendations: texts, identified_gaps: texts, blockers: texts };
  return fc
    .record({
      status: fc.constantFrom(...STATUSES),
      findings: valuesOf(schema, schema)!,
      texts: fc.array(HOSTILE, { minLength: 1, maxLength: 6 }),
      lists: fc.record(lists, { requiredKeys: [] }),
    })
    .map(({ status, findings, texts, lists }) => ({
      report_metadata: {
        agent_name: manual.name,
        task_id: 't',
        status,
        verbosity_level: level,
        confidence_level: 0.5,
        ...(status === 'failed' && { error_message: 'It broke:\n```\ntrace\n```' }),
      },
      findings: withHostileTexts(findings, texts) as JsonObject,
      ...lists,
      ...(status === 'blocked' && { blockers: [...(lists.blockers ?? []), 'No key.'] }),
    }));
}

function reduceTo(report: AgentReport, manual: Manual, level: Verbosity) {
  const before = structuredClone(report);
  const reduced = reduceReport(report, manual, level);
  expect(report).toEqual(before);
  if (reduced.status === 'refused') throw new Error(reduced.reason);
  return reduced;
}

const isFence = (line: string) => /^ {0,3}(?:```|~~~)/.test(line);
const linesOf = (value: JsonValue): string[] => {
  if (typeof value === 'string') return value.split(/[\n\r]/);
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(linesOf) : [];
};

const rank = (level: Verbosity) => VERBOSITIES.indexOf(level);
const LOWER: [from: Verbosity, to: Verbosity][] = [
  ['detailed', 'summary'],
  ['comprehensive', 'summary'],
  ['comprehensive', 'detailed'],
];
const SUBJECTS = [
  ...MANUALS,
  ...MANUALS.map((manual) => ({ ...manual, summaryBudget: 900 })),
  TWISTED,
  // Enough for the names in it, of which nothing is cut.
  { ...TWISTED, summaryBudget: 2500 },
];

describe.each(SUBJECTS)('reports of $name, summaries of $summaryBudget characters', (manual) => {
  test.each(LOWER)('from %s to %s', (from, to) => {
    const validate = new Ajv2020({ strictTypes: false, strictTuples: false }).compile(
      reportSchema(manual, to),
    );
    const marks = MARKS[manual.name];
    const mustGo = (path: string) =>
      marks !== undefined && isAmong(marks, path) && rank(marks[path]!) > rank(to);
    fc.assert(
      fc.property(reportsOf(manual, from), (report) => {
        const { report: less, leftOut } = reduceTo(report, manual, to);
        expect(validate(less), JSON.stringify([less, validate.errors])).toBe(true);
        if (to === 'summary') {
          expect(JSON.stringify(less).length).toBeLessThanOrEqual(manual.summaryBudget);
          expect(linesOf(less as unknown as JsonValue).filter(isFence)).toEqual([]);
        }
        const { identified_gaps: gaps = [] } = less;
        const isCut = leftOut.some((each) => !each.startsWith('$'));
        if (isCut) expect(gaps.at(-1)).toMatch(/^Left out of this summary: .*\.$/);
        const own = { ...less, identified_gaps: isCut ? gaps.slice(0, -1) : gaps };
        for (const key of ['recommendations', 'identified_gaps', 'blockers'] as const)
          expect(findMore(own[key] ?? [], report[key] ?? [], { path: key })).toEqual([]);
        if (marks) expect(findMore(less.findings, report.findings, { path: '', mustGo })).toEqual([]);
      }),
      { numRuns },
    );
  });

  test('have the same fields at last, by way of another level or not', () => {
    fc.assert(
      fc.property(reportsOf(manual, 'comprehensive'), (report) => {
        const half = reduceTo(report, manual, 'detailed').report;
        expect(reduceTo(half, manual, 'summary').report).toEqual(reduceTo(report, manual, 'summary').report);
      }),
      { numRuns },
    );
  });

  test('never become more than they are', () => {
    for (const [less, more] of LOWER.map(([a, b]) => [b, a] as const)) {
      const [report] = fc.sample(reportsOf(manual, less), { numRuns: 1, seed: 1 });
      expect(reduceReport(report!, manual, more)).toMatchObject({ status: 'refused' });
    }
  });
});

function isAmong(holder: object, key: string): boolean {
  return Object.hasOwn(holder, key);
}

interface Where {
  path: string;
  /** What may not be there, and need not. */
  mustGo?: (path: string) => boolean;
}

/** The places where a value is anything else than the beginning of another one, without what had to go. */
function findMore(less: JsonValue, whole: JsonValue, { path, mustGo = () => false }: Where): string[] {
  if (typeof less === 'string' && typeof whole === 'string') return isBeginning(less, whole) ? [] : [path];
  if (Array.isArray(less) && Array.isArray(whole)) {
    const inside = less.flatMap((entry, index) =>
      findMore(entry, whole[index] ?? null, { path: `${path}[*]`, mustGo }),
    );
    return less.length > whole.length ? [...inside, path] : inside;
  }
  if (!isJsonObject(less) || !isJsonObject(whole)) return less === whole ? [] : [path];
  const keys = Object.keys(less);
  // A context map that is an object is cut at its end, as a list is; other objects have all their keys.
  const expected = Object.keys(whole).filter((key) => !mustGo(`${path}.${key}`));
  const isRight = keys.every((key, index) => key === expected[index]);
  const isAll = path === '.context_map' || keys.length === expected.length;
  const inside = keys.flatMap((key) =>
    isAmong(whole, key) ? findMore(less[key]!, whole[key]!, { path: `${path}.${key}`, mustGo }) : [],
  );
  return isRight && isAll ? inside : [...inside, path];
}

function isBeginning(less: string, whole: string): boolean {
  const { text } = leaveOutFences(whole);
  if (less === whole || less === text) return true;
  const [, head = '', left] = /^(.*)… \((\d+) characters left out\)$/su.exec(less) ?? [];
  return text.startsWith(head) && [...head].length + Number(left) === [...text].length;
}

test('a text without its fenced blocks holds no fence that a summary may not hold', () => {
  fc.assert(
    fc.property(HOSTILE, (text) => {
      const { text: kept, blocks, lines } = leaveOutFences(text);
      expect(linesOf(kept).filter(isFence)).toEqual([]);
      if (!/```|~~~/.test(text)) expect({ kept, blocks }).toEqual({ kept: text, blocks: 0 });
      const notes = [...kept.matchAll(/\((?:(\d+) lines?|an empty block) left out\)/g)];
      expect(notes.length).toBe(blocks);
      expect(notes.reduce((sum, [, count = '0']) => sum + Number(count), 0)).toBe(lines);
    }),
    { numRuns: 10 * numRuns },
  );
});
