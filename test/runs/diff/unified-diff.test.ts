import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
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
  test('has files come and go, empty ones too, with their modes', () => {
    const folder = makeFolder({ 'old.txt': 'old\n', 'empty-old.txt': '', 'run.sh': 'echo\n' });
    const diff = [
      writeFileDiff('old.txt', plain('old\n'), null),
      writeFileDiff('empty-old.txt', plain(''), null),
      writeFileDiff('src/new.txt', null, plain('new')),
      writeFileDiff('empty-new.txt', null, plain('')),
      writeFileDiff('new.sh', null, { text: 'ls\n', executable: true }),
      writeFileDiff('run.sh', plain('echo\n'), { text: 'echo\n', executable: true }),
    ].join('');
    apply(folder, diff);
    expect(readTree(folder)).toEqual({
      'src/new.txt': 'new',
      'empty-new.txt': '',
      'new.sh': 'ls\n',
      'run.sh': 'echo\n',
    });
    expect(statSync(join(folder, 'new.sh')).mode & 0o111).toBe(0o111);
    expect(statSync(join(folder, 'run.sh')).mode & 0o111).toBe(0o111);
    apply(folder, diff, '--reverse');
    expect(readTree(folder)).toEqual({ 'old.txt': 'old\n', 'empty-old.txt': '', 'run.sh': 'echo\n' });
  });

  test.each([
    'with space.txt',
    'quote".txt',
    'back\\slash.txt',
    'tab\there.txt',
    'new\nline.txt',
    'größe-日本.txt',
    'a b/c d.txt',
    '\u0085.txt',
  ])('has the name %j', (name) => {
    const folder = makeFolder({ [name]: 'one\n', [`${name}.other`]: 'stays\n' });
    apply(folder, writeFileDiff(name, plain('one\n'), plain('two\n')));
    expect(readTree(folder)).toEqual({ [name]: 'two\n', [`${name}.other`]: 'stays\n' });
    apply(folder, writeFileDiff(`${name}.new`, null, plain('')));
    expect(readTree(folder)).toHaveProperty([`${name}.new`], '');
  });

  test('is right where too much differs to compare line by line', () => {
    const scattered = (step: number) =>
      Array.from({ length: 30_000 }, (_, i) => `${(i * step) % 30_011}`).join('\n');
    const folder = makeFolder({ 'a.txt': scattered(17) });
    apply(folder, writeFileDiff('a.txt', plain(scattered(17)), plain(scattered(7919))));
    expect(readTree(folder)['a.txt'] === scattered(7919)).toBe(true);
  });
});
