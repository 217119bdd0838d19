import { describe, expect, test } from 'vitest';
import { findingsAt, hasLevelMarks } from '../../../src/core/agent-report/levels.js';
import { reportSchema } from '../../../src/core/agent-report/report-schema.js';
import { compileSchema } from '../../../src/core/json/schema/compile.js';
import type { JsonObject } from '../../../src/core/json/values.js';
import { MANUALS, makeManual, manualOf } from './subject.js';

describe('findings at a level', () => {
  const manual = makeManual({
    type: 'object',
    required: ['a', 'b', 'c'],
    properties: {
      a: { type: 'string' },
      b: { type: 'string', 'x-verbosity': 'detailed' },
      c: { $ref: '#/$defs/deep' },
    },
    allOf: [{ required: ['b'] }, { if: { required: ['b'] }, else: { required: ['a', 'b'] } }],
    dependentRequired: { a: ['b', 'c'] },
    $defs: { deep: { 'x-verbosity': 'comprehensive', type: 'array', items: { type: 'integer' } } },
  });

  test('what belongs to a higher level is refused, and not required', () => {
    expect(findingsAt(manual, 'summary')).toEqual({
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'string' },
        b: { not: {}, 'x-verbosity': 'detailed' },
        c: { $ref: '#/$defs/deep' },
      },
      allOf: [{ required: [] }, { if: { required: ['b'] }, else: { required: ['a'] } }],
      dependentRequired: { a: [] },
      $defs: { deep: { not: {}, 'x-verbosity': 'comprehensive' } },
    });
  });

  test('at the level itself, and above, nothing changes', () => {
    expect(findingsAt(manual, 'comprehensive')).toEqual(manual.findings);
    expect(findingsAt(manual, 'detailed')).toMatchObject({
      required: ['a', 'b'],
      dependentRequired: { a: ['b'] },
    });
  });

  test('of no level nothing is refused, and nothing that is marked is required', () => {
    expect(findingsAt(manual, null)).toMatchObject({
      required: ['a'],
      properties: { b: { type: 'string' } },
      $defs: { deep: { type: 'array' } },
    });
  });

  test('a mark counts where a schema stands, and nowhere else', () => {
    expect(hasLevelMarks(manual)).toBe(true);
    const named = makeManual({
      type: 'object',
      properties: { 'x-verbosity': { type: 'string' } },
      enum: [{ 'x-verbosity': 'comprehensive' }],
    });
    expect(hasLevelMarks(named)).toBe(false);
    expect(findingsAt(named, 'summary')).toEqual(named.findings);
  });

  test('the manual itself is left as it was', () => {
    const before = structuredClone(manual.findings);
    findingsAt(manual, 'summary');
    expect(manual.findings).toEqual(before);
  });
});

describe('the exported schema', () => {
  test('of any agent', () => {
    const schema = reportSchema(null);
    expect(Object.keys(schema)).toEqual([
      '$schema',
      'title',
      'description',
      'type',
      'required',
      'properties',
      'allOf',
    ]);
    expect(schema.properties).toMatchObject({
      findings: { type: 'object' },
      report_metadata: {
        required: ['agent_name', 'task_id', 'status', 'verbosity_level', 'confidence_level'],
        properties: { verbosity_level: { enum: ['summary', 'detailed', 'comprehensive'] } },
      },
    });
  });

  test('of one level has that level alone, and no conditions on it', () => {
    const schema = reportSchema(manualOf('investigator'), 'summary');
    expect(schema.properties).toMatchObject({
      report_metadata: { properties: { verbosity_level: { const: 'summary' } } },
      findings: { $ref: '#/$defs/findings' },
    });
    expect(Object.keys(schema.$defs as JsonObject)).toEqual(['findings']);
    expect(JSON.stringify(schema.allOf)).not.toContain('verbosity_level');
  });

  test('says of each level what the manual says', () => {
    const manual = makeManual(
      { type: 'object' },
      { levels: [{ level: 'summary', holds: 'The verdict.' }], summaryBudget: 900 },
    );
    const { properties } = reportSchema(manual) as {
      properties: { report_metadata: { properties: JsonObject } };
    };
    const { description } = properties.report_metadata.properties.verbosity_level as { description: string };
    expect(description).toMatch(/summary: The verdict\.\n.*900 characters/);
  });

  test.each(MANUALS)('of $name can be read by our own validator, and has no marks of ours', (manual) => {
    const schema = reportSchema(manual);
    expect(compileSchema(schema).status).toBe('compiled');
    expect(JSON.stringify(schema)).not.toContain('x-verbosity');
  });

  test('describes every field', () => {
    const { properties } = reportSchema(null) as { properties: Record<string, JsonObject> };
    for (const field of Object.values({
      ...properties,
      ...(properties.report_metadata!.properties as JsonObject),
    }))
      expect(field).toMatchObject({ description: expect.stringMatching(/^.{15,}[.]$/s) });
  });
});
