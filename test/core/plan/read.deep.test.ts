import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse/parse.js';
import { readPlan, repairPlan } from '../../../src/core/plan/read.js';
import { writePlan } from '../../../src/core/plan/write.js';
import { meaningOf } from './arbitrary-plan.js';
import { planishText } from './arbitrary-text.js';

const RUNS = { numRuns: 800 };

describe('any text with something of a plan', () => {
  test('is repaired once: a second repair changes nothing', () => {
    fc.assert(
      fc.property(planishText, (text) => {
        const { text: repaired, issues } = repairPlan(text);
        if (issues.length > 0) expect(repaired).toBe(text);
        else
          expect(repairPlan(repaired)).toEqual({ text: repaired, changed: false, repairs: [], issues: [] });
      }),
      RUNS,
    );
  });

  test('has issues, repairs and actions only at lines that it has', () => {
    fc.assert(
      fc.property(planishText, (text) => {
        const count = text.split('\n').length;
        const { plan, repairs, issues } = readPlan(text);
        const numbers = [...repairs, ...issues, ...(plan?.actions ?? []), ...(plan?.memos ?? [])].map(
          ({ line }) => line,
        );
        for (const line of numbers) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(count);
        }
      }),
      RUNS,
    );
  });

  test('gives actions in the order of their lines', () => {
    fc.assert(
      fc.property(planishText, (text) => {
        const lines = readPlan(text).plan?.actions.map(({ line }) => line) ?? [];
        expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b));
      }),
      RUNS,
    );
  });

  test('means the same when it is written down anew, if it has no error', () => {
    fc.assert(
      fc.property(planishText, (text) => {
        const { plan, issues } = readPlan(text);
        fc.pre(plan !== null && issues.every(({ severity }) => severity !== 'error'));
        // White space to JavaScript alone: a line of it is no blank line, but trims to nothing.
        fc.pre(!text.includes('\ufeff', 1));
        const written = writePlan(plan!);
        expect(meaningOf(readPlan(written).plan)).toEqual(meaningOf(plan));
        expect(meaningOf(parsePlan(written).plan)).toEqual(meaningOf(plan));
      }),
      RUNS,
    );
  });
});
