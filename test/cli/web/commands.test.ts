import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { teddy } from '../teddy.js';

const PAGE = join(import.meta.dirname, '../../../src/faces/web/page');

test('every command that the page offers to copy exists', () => {
  const offered = readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx'))
    .flatMap((path) => [
      ...readFileSync(join(PAGE, path), 'utf8').matchAll(/command=\{?["'`]teddy ([a-z-]+)/g),
    ])
    .map(([, name]) => name!);
  expect(offered.length).toBeGreaterThan(5);
  const { stdout } = teddy(['--help'], { cwd: makeFolder() });
  const known = [...stdout.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!);
  expect(offered.filter((name) => !known.includes(name))).toEqual([]);
});
