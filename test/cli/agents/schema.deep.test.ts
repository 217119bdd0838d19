import { Ajv } from 'ajv/dist/ajv.js';
import { describe, expect, test } from 'vitest';
import { BUILT_IN } from '../../../src/agents/built-in.js';
import { parseManual } from '../../../src/core/agent-report/manual/parse.js';
import type { AgentReport, Manual } from '../../../src/core/agent-report/types.js';
import type { JsonObject } from '../../../src/core/json/values.js';
import { inStrictForm } from '../../core/agent-report/strict-form.js';
import { makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import { brief, checkText, codesOf } from './project.js';

const NAMES = [...BUILT_IN.keys()];

function manualOf(name: string): Manual & { example: AgentReport } {
  return parseManual(name, BUILT_IN.get(name)!).manual as Manual & { example: AgentReport };
}

async function schemaOf(...words: string[]): Promise<object> {
  const { exit, stdout, stderr } = await execTeddy(['agent', 'schema', ...words], { cwd: makeFolder() });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
}

function validatorOf(schema: object) {
  // As claude compiles it: draft-07, and nothing that it does not know.
  return new Ajv({ strict: true, allErrors: true }).compile(schema);
}

test('there are three agents that come with teddy', () => {
  expect(NAMES.toSorted()).toEqual(['implementer', 'investigator', 'reviewer']);
});

describe.each(NAMES)('%s', (name) => {
  test('the schema accepts the example of the manual, and refuses it with a fault', async () => {
    const validate = validatorOf(await schemaOf(name));
    const { example } = manualOf(name);
    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    const metadata = example.report_metadata;
    for (const wrong of [
      { ...example, findings: undefined },
      { ...example, findings: { ...example.findings, unheard_of: 1 } },
      { ...example, report_metadata: { ...metadata, status: 'done' } },
      { ...example, report_metadata: { ...metadata, status: 'failed' } },
      { ...example, report_metadata: { ...metadata, status: 'blocked' } },
      { ...example, report_metadata: { ...metadata, confidence_level: 1.1 } },
      // Its findings hold what no summary does.
      { ...example, report_metadata: { ...metadata, verbosity_level: 'summary' } },
    ])
      expect(validate(JSON.parse(JSON.stringify(wrong)))).toBe(false);
  });

  test('the schema of one level accepts that level alone', async () => {
    const { example } = manualOf(name);
    expect(validatorOf(await schemaOf(name, '--verbosity', 'comprehensive'))(example)).toBe(true);
    expect(validatorOf(await schemaOf(name, '--verbosity', 'summary'))(example)).toBe(false);
  });

  test('the strict schema has neither maps nor optional keys', async () => {
    const objects = objectsIn(await schemaOf(name, '--strict'));
    expect(objects.length).toBeGreaterThan(2);
    for (const schema of objects) {
      expect(schema.additionalProperties).toBe(false);
      expect(schema.required).toEqual(Object.keys(schema.properties as object));
    }
  });

  test('a report in the strict form is judged as it is', async () => {
    const { example } = manualOf(name);
    const level = example.report_metadata.verbosity_level;
    const schema = (await schemaOf(name, '--strict', '--verbosity', level)) as JsonObject;
    const strict = inStrictForm(example as unknown as JsonObject, schema) as JsonObject;
    const validate = validatorOf(schema);
    expect(validate(strict), JSON.stringify(validate.errors)).toBe(true);
    const cwd = makeFolder();
    const end = await checkText(JSON.stringify(strict), [], { cwd });
    expect(end.said).toMatchObject({ compliant: true });
    const odd = await checkText(JSON.stringify({ ...strict, findings: null }), [], { cwd });
    expect(codesOf(odd)).toEqual(['field-type $.findings']);
  });
});

describe.each(NAMES)('the briefing of %s', (name) => {
  const LEVELS = ['summary', 'detailed', 'comprehensive'];

  test.each(LEVELS)('has an example that keeps its schema and passes the check: %s', async (level) => {
    const cwd = makeFolder();
    const words = [name, '--task-id', 'auth-1', '--goal', 'g', '--verbosity', level];
    const example = exampleIn((await brief(words, { cwd })).stdout);
    expect(validatorOf(await schemaOf(name, '--verbosity', level))(JSON.parse(example))).toBe(true);
    // With all that the briefing asks for: the agent, the task, the level.
    const end = await checkText(example, ['--task-id', 'auth-1'], { cwd });
    const errors = end.said.issues.filter(({ severity }) => severity === 'error');
    expect({ compliant: end.said.compliant, errors }).toEqual({ compliant: true, errors: [] });
  });
});

/** The report that a briefing shows. */
function exampleIn(briefing: string): string {
  const [, section = ''] = briefing.split('\n### An example\n');
  return /```json\n([\s\S]*?)\n```/.exec(section)?.[1] ?? '';
}

/** Every schema of an object, at whatever depth. */
function objectsIn(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.values(schema).flatMap(objectsIn);
  return 'properties' in schema && !Array.isArray(schema)
    ? [schema as Record<string, unknown>, ...inner]
    : inner;
}
