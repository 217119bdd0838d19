import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rebuildMetrics } from '../../src/tasks/metrics/rebuild.js';
import { LogBook, someResult } from './logs.js';

const summary = (book: LogBook) =>
  Object.fromEntries(Object.entries(book.snapshot()).filter(([path]) => path.startsWith('summary/')));

describe('rebuildMetrics', () => {
  test('counting again equals counting one by one, for any sequence of results', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someResult, { maxLength: 12 }), async (results) => {
        const book = new LogBook();
        for (const facts of results) book.add(facts);
        book.save();
        expect(await rebuildMetrics(book.project)).toEqual({
          drift: false,
          differences: [],
          results: results.length,
          damaged: [],
        });
        if (results.length === 0) return;
        const before = summary(book);
        rmSync(book.at('summary'), { recursive: true });
        expect(await rebuildMetrics(book.project, { write: true })).toMatchObject({ drift: true });
        // Byte by byte: the order of keys is that in which they came as well.
        expect(summary(book)).toEqual(before);
      }),
      { numRuns: Number(process.env.TEDDY_SOAK ?? 0) > 0 ? 1000 : 40 },
    );
  });
});
