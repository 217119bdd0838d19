import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixResult } from '../../../src/core/task-result/fix.js';
import { judgeResult } from '../../../src/core/task-result/judge.js';
import { readResult } from '../../../src/core/task-result/read.js';
import { SUBJECT } from './subject.js';
import { typedInto, wordsMissing } from './typed.js';

const RUNS = process.env.TEDDY_SOAK ? 4000 : 600;

test('whatever is typed into a text, the fixed result is valid and has every word of it', () => {
  fc.assert(
    fc.property(typedInto('evidence', 'output_summary', 'executor_id', 'file'), ({ text, words }) => {
      const fixed = fixResult(text);
      expect(fixed).toBeDefined();
      const { issues } = judgeResult(readResult(fixed!), SUBJECT);
      const errors = issues.filter(({ severity }) => severity === 'error').map(({ code }) => code);
      // Null, a comment or nothing between quotes is no text.
      expect(errors.filter((code) => code !== 'field-type')).toEqual([]);
      if (errors.length > 0) expect(fixed).toMatch(/(?:evidence|output_summary): null|- null/);
      expect(wordsMissing(words, fixed!)).toEqual([]);
      expect(fixResult(fixed!)).toBe(fixed);
    }),
    { numRuns: RUNS },
  );
});
