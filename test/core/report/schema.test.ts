import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Run } from '../../../src/core/report/record.js';
import { anyRun, RUN_FIELDS } from './arbitrary-run.js';
import { RUN_SCHEMA } from './run-schema.js';
import { approved, runWith, skipped } from './sample-run.js';

const validate = new Ajv2020({ strict: true, allErrors: false, allowUnionTypes: true }).compile(RUN_SCHEMA);

test('every run is as the schema says', () => {
  fc.assert(
    fc.property(anyRun, (run) => {
      expect(validate(run), JSON.stringify(validate.errors)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

const FULL: Run = runWith({
  issues: [
    { code: 'bom', severity: 'warning', message: 'x', line: 1, column: 1, action: 1, hint: 'y' },
    { code: 'crlf', severity: 'info', message: 'x' },
  ],
  stateChanges: [
    {
      section: 'Memos',
      changes: '[+] a\n',
      decision: { status: 'approved', by: 'policy' },
      notApplied: ['b'],
    },
  ],
  actions: [
    approved(
      'EXECUTE',
      { env: 'x' },
      {
        status: 'success',
        summary: 'x',
        output: { text: 'x', language: 'json', whole: { file: 'x', bytes: 1, lines: 1 } },
        error: { text: 'x' },
        reply: 'x',
        exitCode: 0,
        ended: 'x',
        expectedOutcome: { met: true, missing: ['x'] },
        changed: [{ path: 'x', change: 'edited' }],
        unrestorable: [{ path: 'x', reason: 'x' }],
        moved: [{ name: 'x', from: 'x', to: 'x', revert: 'x' }],
        ranAs: 'x',
        kept: { count: 1, dropped: [{ id: '0123456789abcdef', change: 'x', reason: 'x' }] },
        attempts: 2,
        matched: 'x',
        interrupted: 'x',
        notes: ['x'],
      },
    ),
    skipped('INVOKE', {}, 'x'),
  ],
});

/** Every place in a value, as the keys that lead to it. */
function placesIn(value: unknown, above: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => [
    [...above, key],
    ...placesIn(held, [...above, key]),
  ]);
}

/** The run with what `change` makes of the object that holds the place. */
function changed(place: string[], change: (holder: Record<string, unknown>, key: string) => void): unknown {
  const run: unknown = structuredClone(FULL);
  let holder = run as Record<string, unknown>;
  for (const key of place.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  change(holder, place.at(-1)!);
  return run;
}

function put(holder: Record<string, unknown>, key: string, value: unknown): void {
  holder[key] = value;
}

const places = placesIn(FULL);
const fields = places.filter((place) => !place.at(-1)!.match(/^\d+$/) && place.at(-2) !== 'metadata');
const OPTIONAL = [
  ...['line', 'column', 'action', 'hint', 'language', 'whole'],
  ...[
    'output',
    'error',
    'reply',
    'exitCode',
    'ended',
    'expectedOutcome',
    'ranAs',
    'changed',
    'unrestorable',
    'moved',
    'kept',
    'attempts',
    'matched',
    'interrupted',
    'notes',
  ],
];

describe('the schema refuses', () => {
  test('the run that the others are made of: no', () => {
    expect(validate(FULL), JSON.stringify(validate.errors)).toBe(true);
  });

  test.each(fields.map((place) => [place.join('.'), place] as const))('a run without %s', (_, place) => {
    const isOptional =
      OPTIONAL.includes(place.at(-1)!) && place.length > 1 && !(place[0] === 'actions' && place.length === 3);
    const without = changed(place, (holder, key) => delete holder[key]);
    expect(validate(without)).toBe(isOptional);
  });

  test.each(places.map((place) => [place.join('.'), place] as const))('a wrong type at %s', (_, place) => {
    expect(validate(changed(place, (holder, key) => put(holder, key, { no: [] })))).toBe(false);
  });

  test.each(
    places
      .filter(
        (place) => place.at(-1) === 'status' || /^(type|by|overall|section|severity)$/.test(place.at(-1)!),
      )
      .map((place) => [place.join('.'), place] as const),
  )('an unknown word at %s', (_, place) => {
    expect(validate(changed(place, (holder, key) => put(holder, key, 'perhaps')))).toBe(false);
  });

  test.each(
    places
      .filter((place) => fields.includes(place) && place.at(-1) !== 'metadata')
      .map((place) => place.slice(0, -1))
      .map((place) => [place.join('.') || 'the run', place] as const),
  )('a property too many in %s', (_, place) => {
    const more = changed([...place, 'more'], (holder, key) => put(holder, key, 'x'));
    expect(validate(more)).toBe(false);
  });

  test('a skipped action with an outcome, a label that no plan can have, lines without an end', () => {
    const run = structuredClone(FULL);
    run.actions[1]!.outcome = { status: 'success', summary: 'x' };
    expect(validate(run)).toBe(false);
    expect(validate(runWith({ actions: [skipped('READ', { 'a:** b\n': 'x' }, null)] }))).toBe(false);
    const [change] = FULL.stateChanges;
    expect(validate(runWith({ stateChanges: [{ ...change!, changes: '[+] a' }] }))).toBe(false);
  });
});

test('schema and type have the same fields', () => {
  const { properties, $defs } = RUN_SCHEMA as Described & { $defs: Record<string, Described> };
  const named = (name: string) => Object.keys($defs[name]!.properties).sort();
  const { run, whole, ...others } = RUN_FIELDS;
  expect(Object.keys(properties).sort()).toEqual([...run].sort());
  for (const [name, keys] of Object.entries(others)) expect(named(name), name).toEqual([...keys].sort());
  const captured = $defs.captured!.properties as Record<string, Described>;
  expect(Object.keys(captured.whole!.properties).sort()).toEqual([...whole].sort());
});

interface Described {
  properties: Record<string, unknown>;
}
