import { expect, test } from 'vitest';
import { findAreas, findCases, readCase } from '../../../spec/case-folder.js';
import { PLAN_ISSUES } from '../../../src/core/plan/issues.js';

test('every issue that a plan can have is shown by a case', () => {
  const cases = findAreas().flatMap(findCases);
  const shown = new Set(
    cases.flatMap((name) => readCase(name).issues ?? []).map((line) => line.split(' ')[1]),
  );
  expect(Object.keys(PLAN_ISSUES).filter((code) => !shown.has(code))).toEqual([]);
});
