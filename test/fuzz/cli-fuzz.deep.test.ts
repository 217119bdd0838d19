import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { teddy } from '../cli/teddy.js';
import { planishText } from '../core/plan/arbitrary-text.js';
import { makeFolder } from '../folder.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The bytes of something like a plan, some of them exchanged: no longer always UTF-8. */
const flippedBytes = fc
  .tuple(planishText, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }))
  .map(([text, changes]) => {
    const bytes = encode(`${text} `);
    for (const [place, byte] of changes) bytes[place % bytes.length] = byte;
    return bytes;
  });

const SAMPLES: [string, Uint8Array[]][] = [
  ['any bytes', fc.sample(fc.uint8Array({ maxLength: 400 }), { numRuns: 8, seed: 3 })],
  ['lines of plans', fc.sample(planishText.map(encode), { numRuns: 8, seed: 4 })],
  ['lines of plans with flipped bytes', fc.sample(flippedBytes, { numRuns: 8, seed: 5 })],
];

describe('whatever a file holds, the command says its piece and ends', () => {
  test.each(SAMPLES)('%s', (_, files) => {
    for (const bytes of files) {
      const cwd = makeFolder({ 'plan.md': bytes });
      const validate = teddy(['validate', 'plan.md', '--json'], { cwd });
      expectSound(validate, bytes);
      expect(readFileSync(join(cwd, 'plan.md'))).toEqual(Buffer.from(bytes));
      expectSound(teddy(['preprocess', 'plan.md'], { cwd }), bytes);
      if (validate.exit !== 2) {
        const { ok, issues } = JSON.parse(validate.stdout) as { ok: boolean; issues: { severity: string }[] };
        expect(ok).toBe(validate.exit === 0);
        expect(ok).toBe(issues.every(({ severity }) => severity !== 'error'));
      }
    }
  });
});

function expectSound({ exit, stderr }: { exit: number | null; stderr: string }, bytes: Uint8Array): void {
  expect([0, 1, 2], Buffer.from(bytes).toString('latin1')).toContain(exit);
  expect(stderr).not.toMatch(/^ {4}at |bug in teddy/m);
}
