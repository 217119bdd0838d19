import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse/parse.js';
import { repairPlan } from '../../../src/core/plan/read.js';
import { writePlan } from '../../../src/core/plan/write.js';
import { completePlan, meaningOf, sparsePlan } from './arbitrary-plan.js';

const RUNS = { numRuns: 500 };

describe('a written plan', () => {
  test('reads back as the plan that was written', () => {
    fc.assert(
      fc.property(fc.oneof(completePlan, sparsePlan), (plan) => {
        const { plan: read, issues } = parsePlan(writePlan(plan));
        expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
        expect(meaningOf(read)).toEqual(meaningOf(plan));
      }),
      RUNS,
    );
  });

  test('is written the same again', () => {
    fc.assert(
      fc.property(fc.oneof(completePlan, sparsePlan), (plan) => {
        const text = writePlan(plan);
        const { plan: read } = parsePlan(text);
        expect(writePlan(read!)).toBe(text);
        expect(parsePlan(writePlan(read!)).plan).toEqual(read);
      }),
      RUNS,
    );
  });

  test('gives no issue at all when nothing is missing from it', () => {
    fc.assert(
      fc.property(completePlan, (plan) => {
        expect(parsePlan(writePlan(plan)).issues.filter(({ code }) => code !== 'fence-suspect')).toEqual([]);
      }),
      RUNS,
    );
  });

  test('keeps its bytes in repair', () => {
    fc.assert(
      fc.property(fc.oneof(completePlan, sparsePlan), (plan) => {
        const text = writePlan(plan);
        expect(repairPlan(text)).toEqual({ text, changed: false, repairs: [], issues: [] });
      }),
      RUNS,
    );
  });
});
