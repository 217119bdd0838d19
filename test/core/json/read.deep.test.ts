import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanValue } from '../../../src/core/json/diagnose.js';
import { readJson } from '../../../src/core/json/read.js';
import type { JsonPath, JsonValue } from '../../../src/core/json/values.js';
import { isJsonObject } from '../../../src/core/json/values.js';
import { FAULTS } from './faults.js';

const RUNS = process.env.TEDDY_SOAK ? 200_000 : 2_000;

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'ab:,[]{}"\\/ _1😀ä\n\t\u2028') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const text = fc.array(character, { maxLength: 40 }).map((characters) => characters.join(''));
const key = fc.oneof(text, fc.constantFrom('a', 'b', '0', '1', 'constructor', '__proto', ''));
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e21),
);

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(number, text, fc.constantFrom(true, false, null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

/** JSON in one of the many ways to write it. */
const written = fc
  .tuple(value, fc.constantFrom(0, 1, 2, '\t', '\r\n'), fc.constantFrom('none', 'some', 'all'), fc.nat())
  .map(([value, indent, escapes, seed]) => {
    const json = JSON.stringify(value, null, indent);
    return escapes === 'none' ? json : escapeTexts(json, (at) => escapes === 'all' || (at + seed) % 3 === 0);
  });

/** Characters inside of texts become escapes, both halves of a character or none. */
function escapeTexts(json: string, chosen: (at: number) => boolean): string {
  return json.replace(/"(?:[^"\\]|\\.)*"/gs, (whole) =>
    whole.replace(/\\u.{4}|\\.|[^"]/gsu, (char, at: number) =>
      char.startsWith('\\') || !chosen(at) ? char : char.split('').map(escapeUnit).join(''),
    ),
  );
}

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const edits = fc.array(
  fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 3 }),
    insert: fc.oneof(
      fc.constantFrom(
        '',
        ',',
        ':',
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        '0',
        '-',
        '.',
        'e',
        ' ',
        '\n',
        "'",
        't',
        'null',
      ),
      fc.constantFrom(
        '"a":1,',
        '\\u',
        '\\ud800',
        '\\udc00',
        '\ud800',
        '\udc00',
        '__proto__',
        '//',
        '\uFEFF',
        '1e999',
      ),
      character,
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

const mutated = fc.tuple(written, edits).map(([json, edits]) =>
  edits.reduce((text, { at, remove, insert }) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + insert + text.slice(from + remove);
  }, json),
);

const soup = fc
  .array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"b"', '"', '1', '-', 'true', 'x', ' ', '\\'), {
    maxLength: 14,
  })
  .map((pieces) => pieces.join(''));

const faulty = fc.constantFrom(...FAULTS.map(({ text }) => text));

/** What `JSON.parse` makes of it; undefined where it refuses. */
function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** Whether JSON that `JSON.parse` takes is refused here: told from its tokens, not from its value. */
function isRefused(text: string): boolean {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]]|:|-?[0-9][0-9.eE+-]*/gs) ?? [];
  const open: Set<string>[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token.startsWith('"')) {
      const said: string = JSON.parse(token);
      if (!isWhole(token) || !isWhole(said)) return true;
      if (tokens[index + 1] !== ':') continue;
      if (said === '__proto__' || open.at(-1)!.has(said)) return true;
      open.at(-1)!.add(said);
    } else if (token !== ':' && Math.abs(Number(token)) > Number.MAX_VALUE) return true;
    if (open.length > 200) return true;
  }
  return false;
}

/** Without half characters: what cannot be written as UTF-8 and read again. */
const isWhole = (text: string) =>
  new TextDecoder().decode(new TextEncoder().encode(text)) === text.replace(/^\uFEFF/, '');

/** Leads from a value to the one at the path. */
function follow(value: JsonValue, path: JsonPath): unknown {
  return path.reduce<unknown>((at, step) => {
    if (Array.isArray(at) && typeof step === 'number') return at[step];
    return isJsonObject(at) && typeof step === 'string' && Object.hasOwn(at, step) ? at[step] : undefined;
  }, value);
}

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, { length }) => sum + length + 1, 0);
  return (start === 0 && text.startsWith('\uFEFF') ? 1 : start) + column - 1;
}

describe('readJson and JSON.parse', () => {
  test('agree on every value', () => {
    fc.assert(
      fc.property(written, (json) => {
        const expected = { status: 'value', value: JSON.parse(json) };
        expect(isDeepStrictEqual(readJson(json), expected)).toBe(true);
        expect(isDeepStrictEqual(readJson(`\uFEFF\r\n${json}\t`), expected)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  test('agree on what is none, but for what is refused beyond it', () => {
    const seen = { value: 0, refused: 0, beyond: 0 };
    fc.assert(
      fc.property(
        fc.oneof({ weight: 5, arbitrary: mutated }, { weight: 2, arbitrary: soup }, faulty),
        (text) => {
          const read = readJson(text);
          const value = parse(text);
          const beyond = value !== undefined && isRefused(text);
          seen[read.status]++;
          if (beyond) seen.beyond++;
          expect(read.status).toBe(value === undefined || beyond ? 'refused' : 'value');
          if (read.status === 'value') expect(isDeepStrictEqual(read.value, value)).toBe(true);
        },
      ),
      { numRuns: RUNS * 2 },
    );
    expect(Math.min(seen.value, seen.refused, seen.beyond)).toBeGreaterThan(RUNS / 50);
  });

  test('so does the reader that says what is wrong, for itself', () => {
    fc.assert(
      fc.property(fc.oneof(written, mutated, soup), (text) => {
        const begin = text.search(/[^ \t\r\n]/);
        fc.pre(begin !== -1 && text[0] !== '\uFEFF');
        const { fault, to } = scanValue(text, begin);
        const accepts = !fault && /^[ \t\r\n]*$/.test(text.slice(to));
        const value = parse(text);
        expect(accepts).toBe(value !== undefined && !isRefused(text));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a problem', () => {
  test('is where it says: what stands before it could be the beginning of JSON', () => {
    fc.assert(
      fc.property(fc.oneof(mutated, soup, faulty), (text) => {
        const read = readJson(text);
        fc.pre(read.status === 'refused');
        const { line, column, code } = read.problem;
        const at = offsetOf(text, line, column);
        expect(at).toBeLessThanOrEqual(text.length);
        if (code === 'json-empty') expect(text.trim()).toBe('');
        const before = readJson(text.slice(0, at));
        if (before.status === 'refused') expect(before.problem.code).toMatch(/^json-(?:cut-off|empty)$/);
      }),
      { numRuns: RUNS },
    );
  });

  test('of every beginning of JSON is that it is cut off, at a path that the whole has', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(value, { minLength: 1, maxLength: 4 }),
          fc.dictionary(key, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
        ),
        fc.constantFrom(0, 2),
        fc.boolean(),
        fc.nat(),
        (value, indent, escaped, cut) => {
          const plain = JSON.stringify(value, null, indent);
          const json = escaped ? escapeTexts(plain, (at) => at % 2 === 0) : plain;
          const read = readJson(json.slice(0, 1 + (cut % (json.length - 1))));
          expect(read).toMatchObject({ status: 'refused', problem: { code: 'json-cut-off' } });
          if (read.status !== 'refused') return;
          expect(follow(JSON.parse(json), read.problem.path)).not.toBeUndefined();
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('of a key that was put in again is that it stands twice, however written', () => {
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 3 }),
        key,
        fc.boolean(),
        value,
        (around, name, escaped, inner) => {
          const open = around.map((outer) => `{${JSON.stringify(outer)}:`).join('');
          const again = escaped ? `"${name.split('').map(escapeUnit).join('')}"` : JSON.stringify(name);
          const member = JSON.stringify({ [name]: inner }).slice(0, -1);
          const read = readJson(`${open}${member},${again}:0}${'}'.repeat(around.length)}`);
          const path = [...around, name];
          expect(read).toMatchObject({ status: 'refused', problem: { code: 'json-key-repeated', path } });
        },
      ),
      { numRuns: RUNS / 4 },
    );
  });

  test('is a sentence without end or hidden characters, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(mutated, fc.string({ unit: 'binary', maxLength: 60 })), (text) => {
        const read = readJson(text);
        fc.pre(read.status === 'refused');
        expect(read.problem.message).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,3000}\.$/u);
        expect(read.problem.hint).toMatch(/^[^\p{Cc}]{1,200}\.$/u);
      }),
      { numRuns: RUNS },
    );
  });
});
