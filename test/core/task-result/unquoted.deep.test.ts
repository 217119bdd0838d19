import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readResult } from '../../../src/core/task-result/read.js';
import { typedInto, wordsMissing } from './typed.js';

const RUNS = process.env.TEDDY_SOAK ? 10_000 : 1500;

/** What these say is told to the person, whatever the fields then hold. */
const WARNED = ['text-ignored', 'field-unknown', 'metadata-invalid'];

test('no word is lost without a warning', () => {
  fc.assert(
    fc.property(typedInto(), ({ text, words }) => {
      const { result, issues } = readResult(text);
      if (!result || issues.some(({ code }) => WARNED.includes(code))) return;
      const kept = Object.values({ ...result, ...result.verification, ...result.metadata }).flat();
      expect(wordsMissing(words, kept.join('\n'))).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});
