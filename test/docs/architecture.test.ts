import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, readExamples, readPage } from './page.js';

const PAGE = 'docs/ARCHITECTURE.md';

test('the map shows every room that stands, and no other', () => {
  const drawn = drawnPaths(readExamples(PAGE)[0]!.text);
  expect(drawn.filter((path) => inRooms(path)).sort()).toEqual(rooms().sort());
  expect(drawn.filter((path) => !inRooms(path) && !entries(parentOf(path)).includes(path))).toEqual([]);
});

test('the ranks are those that are enforced', () => {
  const [, table] = /const RANKS = (\[.*?\n\]);/s.exec(readPage('.dependency-cruiser.cjs'))!;
  const enforced = JSON.parse(table!.replaceAll("'", '"').replace(/,(?=\s*\])/g, '')) as string[][];
  const rows = [...readPage(PAGE).matchAll(/^\| (\d) \| (.+) \|$/gm)];
  expect(rows.map((row) => row[2]!.replace(/\*|\.ts/g, '').split(', '))).toEqual(enforced);
});

/** A drawing with a name a line, indented by two under its folder, as paths. */
function drawnPaths(drawing: string): string[] {
  const above: string[] = [];
  return drawing.split('\n').flatMap((line) => {
    const [, indent, name] = /^( *)(\S+)/.exec(line) ?? [];
    if (indent === undefined || name === undefined) return [];
    above.length = indent.length / 2;
    above.push(name);
    return above.length > 1 ? above.join('') : [];
  });
}

function inRooms(path: string): boolean {
  return ['src/', 'src/formats/'].includes(parentOf(path));
}

function rooms(): string[] {
  return [...entries('src/'), ...entries('src/formats/')];
}

function parentOf(path: string): string {
  return path.replace(/[^/]+\/?$/, '');
}

/** What a folder holds; folders end in a slash. */
function entries(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).map(
    (entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`,
  );
}
