import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, readPage } from './page.js';

const tests = ['test/confine', 'test/cli/orchestrate', 'test/cli/wrap', 'test/workspace/copy']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');

const rows = readPage('docs/confinement.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:---|a confined program c)/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

test('there are rows to check', () => {
  expect(rows.length).toBeGreaterThan(25);
});

test.each(rows)('%s: its tests exist', (_, named) => {
  const names = [...named!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  expect(names).not.toEqual([]);
  const quoted = (name: string) => ["'", '"'].some((mark) => tests.includes(`${mark}${name}${mark}`));
  expect(names.filter((name) => !quoted(name))).toEqual([]);
});
