import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { make, redactorOf } from './fixtures.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TEXT = /\.(?:ts|mts|js|mjs|cjs|json|md|css|html|ya?ml|txt|map|sh|py)$/;
const redactor = redactorOf();

function* listFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* listFiles(path);
    else if (entry.isFile() && TEXT.test(entry.name)) yield path;
  }
}

/** The files of a folder in which something is masked; and how many there are. */
function maskFolder(folder: string, skip: (path: string) => boolean): { files: number; masked: string[] } {
  let files = 0;
  const masked: string[] = [];
  for (const path of listFiles(folder)) {
    if (skip(path)) continue;
    files++;
    const text = readFileSync(join(ROOT, path), 'utf8');
    if (redactor.mask(text) !== text) masked.push(path);
  }
  return { files, masked };
}

describe('nothing is masked in', () => {
  for (const folder of [
    'src',
    'docs',
    'spec',
    'scripts',
    'bench',
    'test/workspace',
    'test/corpus',
    'test/core',
  ]) {
    test(folder, () => {
      // The page on plans shows how a password is masked, and so has one.
      const { files, masked } = maskFolder(folder, (path) => /redact|docs\/plans\.md$/.test(path));
      expect(masked).toEqual([]);
      expect(files).toBeGreaterThan(0);
    });
  }

  test('the lock file and its hashes', () => {
    const text = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
    expect(text.match(/sha512-/g)!.length).toBeGreaterThan(50);
    expect(redactor.mask(text)).toBe(text);
  });

  test('what other people wrote, tests of secrets aside', () => {
    const { files, masked } = maskFolder(
      'node_modules',
      (path) => !/node_modules\/(?:[a-m@]|\.package-lock)/.test(path),
    );
    expect(files).toBeGreaterThan(1000);
    expect(masked.filter((path) => !/[/.]tests?[/.]/.test(path))).toEqual([]);
  });

  test('hashes, ids, pictures, minified code and styles', () => {
    const hex = '0123456789abcdef';
    const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    for (let count = 0; count < 300; count++) {
      const id = [8, 4, 4, 4, 12].map((length) => make(length, hex)).join('-');
      const text = [
        `commit ${make(40, hex)}\nindex ${make(7, hex)}..${make(7, hex)} 100644`,
        `"integrity": "sha512-${make(86, base64)}==", "id": "${id}"`,
        `<img src="data:image/png;base64,${make(2000, base64)}=">`,
        make(1520, base64).replace(/.{76}/g, '$&\n'),
        `.sk-${make(4, 'abcdef')}-grid{color:#${make(6, hex)}}`,
        `!function(e,t){var n=e.${make(6, 'abcdefXYZ')};t.token=n.${make(4, 'abcXYZ')},t.key=${count}}(a,b);`,
        `AC${make(32, hex)} ${make(64, hex)} W/"${make(27, base64)}"`,
      ].join('\n');
      expect(redactor.mask(text)).toBe(text);
    }
  });
});
