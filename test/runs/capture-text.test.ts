import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { captureText } from '../../src/runs/output.js';
import { makeRunContext } from './run-context.js';

const GAP = /\[… ([\d,]+) of ([\d,]+) (lines|bytes) left out; all of it is in (\S+) …\]\n/;
const number = (text: string) => Number(text.replaceAll(',', ''));
const linesOf = (text: string) => text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);

test('head, gap and tail are what they say they are', () => {
  const line = fc.oneof(
    fc.constantFrom('', 'a', 'two words', 'ö😀'),
    fc.nat(60_000).map((length) => '😀x'.repeat(length / 3)),
  );
  const texts = fc.tuple(fc.array(line, { maxLength: 8 }), fc.boolean());
  let runs = 0;
  const root = makeRunContext();
  fc.assert(
    fc.property(texts, fc.nat(8), ([lines, ended], outputLines) => {
      const text = lines.join('\n') + (ended ? '\n' : '');
      const settings = { ...root.settings, execute: { ...root.settings.execute, outputLines } };
      const captured = captureText(text, `${runs++}.txt`, { ...root, settings });
      if (captured.whole === undefined) {
        expect(captured.text).toBe(text);
        expect(text.length).toBeLessThanOrEqual(40_000);
        expect(linesOf(text)).toBeLessThanOrEqual(outputLines);
        return;
      }
      expect(readFileSync(join(root.root, captured.whole.file!), 'utf8')).toBe(text);
      const [gap, left, all, unit] = GAP.exec(captured.text)!;
      const [head, tail] = captured.text.split(gap!) as [string, string];
      const bytes = (part: string) => Buffer.byteLength(part);
      expect(text.endsWith(tail)).toBe(true);
      expect(captured.text).not.toMatch(/\p{Surrogate}/u);
      expect(captured.text.length).toBeLessThan(40_200);
      if (unit === 'lines') {
        expect(text.startsWith(head)).toBe(true);
        expect(number(all!)).toBe(linesOf(text));
        expect(number(left!)).toBe(linesOf(text) - linesOf(head) - linesOf(tail));
      } else {
        const cut = text.startsWith(head) ? head : head.slice(0, -1);
        expect(text.startsWith(cut)).toBe(true);
        expect(number(all!)).toBe(bytes(text));
        expect(number(left!)).toBe(bytes(text) - bytes(cut) - bytes(tail));
      }
    }),
    { numRuns: 150 },
  );
});
