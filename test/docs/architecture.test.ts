import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, readExamples, readPage } from './page.js';

const PAGE = 'docs/ARCHITECTURE.md';

test('the glossary has at most 40 entries, in order', () => {
  const words = [...readPage('docs/GLOSSARY.md').matchAll(/^\| ([a-z ]+) \|/gm)]
    .map(([, word]) => word!)
    .slice(1);
  expect(words.length).toBeGreaterThan(30);
  expect(words.length).toBeLessThanOrEqual(40);
  expect(words).toEqual([...words].sort());
});

test('it fits into 200 lines', () => expect(readPage(PAGE).split('\n').length).toBeLessThanOrEqual(201));

test('the map shows every module, and no other', () => {
  const drawn = [...readExamples(PAGE)[0]!.text.matchAll(/^( +)(\S+)/gm)].map(([, indent, name]) =>
    indent!.length === 2 ? name! : `core/${name!}`,
  );
  expect(drawn.sort()).toEqual([...entries(''), ...entries('core/')].sort());
});

test('the modules are in the order that is enforced', () => {
  const [, list] = /const MODULES = \[(.*?)\];/s.exec(readPage('.dependency-cruiser.cjs'))!;
  const enforced = [...list!.matchAll(/'(\w+)'/g)].map(([, name]) => name!);
  const drawn = [...readExamples(PAGE)[0]!.text.matchAll(/^ {2}(\w+)\//gm)].map(([, name]) => name!);
  expect(drawn).toEqual(enforced.filter((name) => existsSync(join(ROOT, 'src', name))));
});

test('every file that it names is there, with the function', () => {
  const named = [...readPage(PAGE).matchAll(/`((?!src)(?:[\w-]+\/)+[\w-]+\.ts)(?:: (\w+))?`/g)];
  expect(named.length).toBeGreaterThan(20);
  for (const [, path, name] of named) {
    const text = readFileSync(join(ROOT, 'src', path!), 'utf8');
    if (name !== undefined)
      expect(text, `${path} has ${name}`).toMatch(new RegExp(`\\b${name}\\(|\\b${name}\\b`));
  }
});

/** What a folder of src holds; folders end in a slash. */
function entries(folder: string): string[] {
  return readdirSync(join(ROOT, 'src', folder), { withFileTypes: true }).map(
    (entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`,
  );
}
