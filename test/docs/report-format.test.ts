import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { renderContract } from '../../src/core/report/contract.js';
import { renderMirrored } from '../../src/core/report/mirrored.js';
import { parseReport } from '../../src/core/report/parse.js';
import type { MirroredReport } from '../../src/core/report/parsed-report.js';
import type { Run } from '../../src/core/report/record.js';
import { RUN_SCHEMA } from '../core/report/run-schema.js';
import { type Example, readExamples, readPage } from './page.js';
import { makeReadersFolder, runScript } from './shell.js';

// What stands behind the opening fence of an example says how it is tested:
//
//   json run             the record that the next two are written from
//   markdown mirrored    its mirrored report
//   markdown contract    its contract report
//   markdown part        a part of a mirrored report: read, and written again to the same letters
//   js                   run; "// → text" stands behind what prints that text
const PAGE = 'docs/formats/report.md';
const examples = readExamples(PAGE);
const run = JSON.parse(only('run').text) as Run;

test('the record is as the schema says', () => {
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(RUN_SCHEMA);
  expect(validate(run), JSON.stringify(validate.errors)).toBe(true);
});

test('both reports are written from the record', () => {
  expect(renderMirrored(run)).toBe(only('mirrored').text);
  expect(renderContract(run)).toBe(only('contract').text);
});

describe.each(examples.filter(({ note }) => note === 'part'))('the part at line $line', ({ text }) => {
  test('is read, and written again to the same letters', () => {
    const report = parseReport(complete(text));
    if (report.status !== 'mirrored') throw new Error(JSON.stringify(report));
    expect(renderMirrored(toRun(report))).toContain(`\n\n${text}`);
  });
});

test('every script prints what its comments say', () => {
  for (const { text, line } of examples.filter(isScript)) {
    const said = [...text.matchAll(/\/\/ → (.*)/g)].map((match) => `${match[1]}\n`).join('');
    expect(runScript(text, makeReadersFolder()), `line ${line}`).toBe(said);
  }
});

test('no example is left untested', () => {
  const kinds = ['json run', 'markdown mirrored', 'markdown contract', 'markdown part', 'js '];
  const others = examples.filter(({ language, note }) => !kinds.includes(`${language} ${note}`));
  expect(others.map(({ line }) => line)).toEqual([]);
  expect(examples.filter(isScript).length).toBeGreaterThan(0);
});

test('every field of the record has its place on the page', () => {
  const page = readPage(PAGE);
  expect(propertiesIn(RUN_SCHEMA).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('every word that the schema allows has its place on the page', () => {
  const { $defs, properties } = RUN_SCHEMA as { $defs: Defs; properties: Defs };
  const words = [...properties.overall!.enum!, ...$defs.decider!.enum!];
  const page = readPage(PAGE);
  expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
});

test('every label of a report is in one of the tables or the text', () => {
  const page = readPage(PAGE);
  const own = new Set(Object.values(run.actions).flatMap(({ metadata }) => Object.keys(metadata)));
  const labels = examples
    .filter(({ note }) => /mirrored|contract/.test(note))
    .flatMap(({ text }) => [...text.matchAll(/^(?:- )?\*\*([A-Za-z ]+):\*\*/gm)].map((match) => match[1]!));
  const missing = labels.filter((label) => !own.has(label) && !page.includes(`\`${label}\``));
  expect(labels.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

type Defs = Record<string, { enum?: string[] }>;

function only(note: string): Example {
  const [example, ...others] = examples.filter((each) => each.note === note);
  if (!example || others.length > 0) throw new Error(`The page needs one example "${note}".`);
  return example;
}

function isScript({ language }: Example): boolean {
  return language === 'js';
}

const HEADER = `# Execution Report: An example
- **Overall Status:** Partial 🟡
- **Original Plan:** [plan.md](/plan.md)
`;

/** A part of a report, with what it needs around it to be a whole one. */
function complete(part: string): string {
  if (part.startsWith('### ')) return `${HEADER}\n## Action Log\n\n${part}`;
  return `${HEADER}\n${part}${part.includes('## Action Log\n') ? '' : '\n## Action Log\n'}`;
}

/** A run of which the report could be; what the report does not carry is made up. */
function toRun(report: MirroredReport): Run {
  const by = 'person';
  return {
    ...run,
    ...report,
    stateChanges: report.stateChanges.map((change) => ({ ...change, decision: { ...change.decision, by } })),
    actions: report.actions.map((action) => ({
      ...action,
      line: 1,
      decision: { ...action.decision, by },
      outcome: action.outcome.status === 'not-run' ? action.outcome : { summary: 'Done.', ...action.outcome },
    })),
  };
}

/** The names of all properties that a schema describes, at any depth. */
function propertiesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'properties' ? Object.keys(value as object) : []),
    ...propertiesIn(value),
  ]);
}
