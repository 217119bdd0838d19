import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffText, writeFileDiff } from '../../../src/runs/diff/unified-diff.js';
import { makeFolder, readTree } from '../../folder.js';

function plain(text: string): DiffText {
  return { text, executable: false };
}

function apply(folder: string, diff: string, ...options: string[]): void {
  execFileSync('git', ['apply', '--whitespace=nowarn', ...options], { cwd: folder, input: diff });
}

describe('what git makes of a difference', () => {
  test('is the other text, and back again, whatever the two are', () => {
    const lines = [
      '',
      'a',
      'b',
      'c',
      '-- a',
      '++ b',
      'x\r',
      '\u2028',
      '\\ No newline',
      ' ',
      'ä\tö',
      '@@ -1 +1 @@',
    ];
    const text = fc
      .tuple(fc.array(fc.constantFrom(...lines), { maxLength: 14 }), fc.boolean())
      .map(([picked, ended]) => picked.join('\n') + (ended ? '\n' : ''));
    // All at once: to begin a git for each takes longer than all else.
    const pairs = fc
      .sample(fc.tuple(text, text), { numRuns: 500, seed: 7 })
      .filter(([one, other]) => one !== other);
    const named = (side: 0 | 1) => Object.fromEntries(pairs.map((pair, i) => [`f${i}.txt`, pair[side]]));
    const folder = makeFolder(named(0));
    const diff = pairs
      .map(([one, other], i) => writeFileDiff(`f${i}.txt`, plain(one), plain(other)))
      .join('');
    apply(folder, diff);
    expect(readTree(folder)).toEqual(named(1));
    apply(folder, diff, '--reverse');
    expect(readTree(folder)).toEqual(named(0));
  });
});
