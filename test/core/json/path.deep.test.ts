import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writePath } from '../../../src/core/json/path.js';
import type { JsonPath } from '../../../src/core/json/values.js';

const RUNS = process.env.TEDDY_SOAK ? 50_000 : 500;

describe('writePath', () => {
  test('leads back to every name', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.nat(), fc.string({ unit: 'binary', maxLength: 20 }), fc.stringMatching(/^\w{1,9}$/)),
        ),
        (path) => {
          expect(readPath(writePath(path))).toEqual(path);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

/** The steps of a path, by the grammar of RFC 9535 as far as a path with one result needs it. */
function readPath(written: string): JsonPath {
  const steps = written.slice(1).match(/\.[A-Za-z_]\w*|\[\d+\]|\['(?:[^'\\]|\\.)*'\]/g) ?? [];
  expect(`$${steps.join('')}`).toBe(written);
  return steps.map((step) => {
    if (step.startsWith('.')) return step.slice(1);
    if (!step.startsWith("['")) return Number(step.slice(1, -1));
    const inside = step.slice(2, -2).replace(/\\'|"/g, (char) => (char === '"' ? '\\"' : "'"));
    return JSON.parse(`"${inside}"`);
  });
}
