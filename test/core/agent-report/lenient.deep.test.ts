import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readReportJson } from '../../../src/core/agent-report/read-report.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';

const read = (text: string) => readReportJson(text, true);

const report = fc.record({
  report_metadata: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
  findings: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
  recommendations: fc.array(fc.oneof(fc.string(), fc.constantFrom('a, }', '// b', '# c', 'True', '/* d'))),
}) as fc.Arbitrary<JsonObject>;

/** Every key, text, number and word of a value, in any order. */
function factsOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(factsOf);
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  return Object.entries(value).flatMap(([key, inner]) => [JSON.stringify(key), ...factsOf(inner)]);
}

/** The same of a text, told from its tokens; comments are left out. */
function factsIn(text: string): string[] {
  const words: Record<string, string> = { True: 'true', False: 'false', None: 'null' };
  const tokens =
    text.match(/"(?:[^"\\]|\\.)*"|\/\*[\s\S]*?\*\/|(?:\/\/|#)[^\n]*|-?\d[\d.eE+-]*|[A-Za-z]+/gs) ?? [];
  return tokens
    .filter((token) => !/^[/#]/.test(token))
    .map((token) => words[token] ?? JSON.stringify(JSON.parse(token)));
}

describe('no fact is lost, and none invented', () => {
  test('of a text with whatever changed in it: it is refused, or every token counts once', () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.nat(3),
      insert: fc.constantFrom(
        '',
        ',',
        '}',
        ']',
        '{',
        '[',
        '"',
        ':',
        '//',
        '#',
        '/*',
        '*/',
        '\n',
        'None',
        'True',
        '1',
        '```',
      ),
    });
    let taken = 0;
    fc.assert(
      fc.property(
        report,
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        fc.nat(2),
        (value, edits, indent) => {
          const text = edits.reduce(
            (before, { at, remove, insert }) => {
              const from = at % (before.length + 1);
              return before.slice(0, from) + insert + before.slice(from + remove);
            },
            JSON.stringify(value, null, indent),
          );
          const { status, value: got, issues } = read(text);
          if (status === 'refused' || issues.some(({ code }) => code === 'report-wrapped')) return;
          taken++;
          expect(factsOf(got).sort()).toEqual(factsIn(text.replace(/^\s*|\s*$/g, '')).sort());
        },
      ),
      { numRuns: 1500 },
    );
    expect(taken).toBeGreaterThan(100);
  });
});
