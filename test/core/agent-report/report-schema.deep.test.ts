import { Ajv2020 } from 'ajv/dist/2020.js';
import { Ajv } from 'ajv/dist/ajv.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readContextMap } from '../../../src/core/agent-report/context-map/forms.js';
import { judgeValue } from '../../../src/core/agent-report/judge.js';
import { findingsAt } from '../../../src/core/agent-report/levels.js';
import { reportSchema, toDraft07 } from '../../../src/core/agent-report/report-schema.js';
import { type Manual, STATUSES, VERBOSITIES, type Verbosity } from '../../../src/core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';
import { mutationsOf, valuesOf } from './from-schema.js';
import { MANUALS, makeManual, NOTHING_ASKED } from './subject.js';

const numRuns = process.env.TEDDY_SOAK ? 5_000 : 250;

const LINKED = makeManual({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['tree', 'notes'],
  properties: {
    tree: { $ref: '#/$defs/findings' },
    notes: { type: 'array', items: { $ref: '#note' }, maxItems: 2 },
    log: { 'x-verbosity': 'comprehensive', $ref: '#/properties/notes' },
    self: { $ref: '#' },
    full: { $ref: '#/$defs/full' },
  },
  additionalProperties: false,
  $defs: {
    // Named as the exported schema names its own.
    findings: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, 'x-own-note': 1 },
        inner: { $ref: '#/$defs/findings' },
        cost: { 'x-verbosity': 'detailed', type: 'integer', minimum: 0 },
      },
    },
    findings_summary: { $anchor: 'note', type: 'string', enum: ['a', 'b'] },
    full: { 'x-verbosity': 'comprehensive', type: 'boolean' },
  },
});

const PLAIN = makeManual(
  {
    type: 'object',
    properties: { kind: { enum: ['x', 'y'] }, share: { type: 'number', minimum: 0, maximum: 1 } },
    required: ['kind'],
  },
  { levels: [{ level: 'detailed', holds: 'All.' }] },
);

const ANY_FINDINGS = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };

const ink = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => /\S/.test(text));
const texts = fc.array(fc.string({ maxLength: 8 }), { maxLength: 2 });
const count = fc.option(fc.nat());

/** Reports that keep a manual at one of its levels. */
function reportsOf(manual: Manual | null, levels: readonly Verbosity[]): fc.Arbitrary<JsonObject> {
  return fc.constantFrom(...levels).chain((level) => {
    const schema = manual ? findingsAt(manual, level) : ANY_FINDINGS;
    const optional = {
      token_usage: count,
      execution_time_seconds: count,
      error_message: fc.option(fc.string()),
    };
    return fc
      .record({
        status: fc.constantFrom(...STATUSES),
        required: fc.record({
          agent_name: ink,
          task_id: ink,
          confidence_level: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        optional: fc.record(optional, { requiredKeys: [] }),
        findings: valuesOf(schema, schema)!,
        lists: fc.record(
          { recommendations: texts, identified_gaps: texts, blockers: texts },
          { requiredKeys: [] },
        ),
        reason: ink,
      })
      .map(({ status, required, optional, findings, lists, reason }) => ({
        report_metadata: {
          ...required,
          status,
          verbosity_level: level,
          ...optional,
          ...(status === 'failed' && { error_message: reason }),
        },
        findings,
        ...lists,
        ...(status === 'blocked' && { blockers: [...(lists.blockers ?? []), reason] }),
      }));
  });
}

/** What the tool accepts beyond the schema: a context map in another form, and null for a key that is left out. */
function isTolerated(value: JsonValue): boolean {
  const { findings, ...envelope } = (value ?? {}) as JsonObject & {
    findings?: { context_map?: JsonValue };
  };
  const { context_map: map, ...others } = findings ?? {};
  const isRead = map === null || (map !== undefined && readContextMap(map) !== null);
  const hasNull = Object.values(envelope).includes(null) || JSON.stringify(others).includes('null');
  return isRead || hasNull;
}

/** Whether the tool refuses it for something that a schema can say. */
function isRefused(value: JsonValue, manual: Manual | null): boolean {
  const { issues } = judgeValue(value, { manualOf: () => manual, asked: NOTHING_ASKED, lenient: false });
  return issues.some(({ severity, code }) => severity === 'error' && !code.startsWith('summary-'));
}

// Strict about the schema itself: whatever ajv does not know, it refuses.
const STRICT = { strict: true, strictTypes: false, strictTuples: false };
const COMPILERS = {
  '2020-12': (schema: JsonObject) => new Ajv2020(STRICT).compile(schema),
  // As claude does it.
  'draft-07': (schema: JsonObject) => new Ajv(STRICT).compile(toDraft07(schema)),
};

const SUBJECTS: [string, Manual | null][] = [
  ['no manual', null],
  ...MANUALS.map((manual): [string, Manual] => [manual.name, manual]),
  ['references, anchors and marks', LINKED],
  ['one level, an open object', PLAIN],
];

const CASES = Object.entries(COMPILERS).flatMap(([draft, compile]) =>
  SUBJECTS.map(([name, manual]) => ({ draft, compile, name, manual })),
);

describe.each(CASES)('the exported schema under ajv, $draft: $name', ({ compile, manual }) => {
  const levels = manual ? manual.levels.map(({ level }) => level) : VERBOSITIES;
  const validate = compile(reportSchema(manual));
  const reports = reportsOf(manual, levels);

  test('accepts what keeps the contract, as the tool does', () => {
    fc.assert(
      fc.property(reports, (report) => {
        expect(isRefused(report, manual)).toBe(false);
        expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
      }),
      { numRuns },
    );
  });

  test('refuses what the tool refuses, and nothing else', () => {
    const broken = reports
      .chain(mutationsOf)
      .chain((value) => fc.oneof(fc.constant(value), mutationsOf(value)));
    let refused = 0;
    fc.assert(
      fc.property(broken, (value) => {
        const verdict = validate(value);
        const said = JSON.stringify([value, validate.errors]);
        if (verdict || !isTolerated(value)) expect(isRefused(value, manual), said).toBe(!verdict);
        if (!verdict) refused++;
      }),
      { numRuns: 2 * numRuns },
    );
    expect(refused).toBeGreaterThan(numRuns / 4);
  });

  test.each(levels)('of the level %s alone', (level) => {
    const validateLevel = compile(reportSchema(manual, level));
    fc.assert(
      fc.property(
        reports.chain((report) => fc.oneof(fc.constant(report), mutationsOf(report))),
        (value) => {
          const isOfLevel = levelOf(value) === level;
          const verdict = validateLevel(value);
          if (verdict || !isTolerated(value))
            expect(verdict, JSON.stringify(value)).toBe(isOfLevel && !isRefused(value, manual));
        },
      ),
      { numRuns },
    );
  });
});

function levelOf(value: JsonValue): JsonValue | undefined {
  const metadata = (value as JsonObject | null)?.report_metadata;
  return (metadata as JsonObject | null | undefined)?.verbosity_level;
}
