import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPins, keepPins } from '../../src/agents/context-map.js';
import { readContextMap } from '../../src/core/agent-report/context-map/forms.js';
import { resolveReferences } from '../../src/core/agent-report/context-map/resolve.js';
import type { Reference } from '../../src/core/agent-report/types.js';
import type { JsonValue } from '../../src/core/json/values.js';
import { sha256 } from '../../src/node/ids.js';
import { openTree } from '../../src/workspace/tree.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { listContent, makeFolder, readTree } from '../folder.js';

const MAP = [
  ['The first.', 'repo://a.ts:1-2'],
  ['No place.', null],
  ['Gone.', 'repo://gone.ts:1'],
];
const AT = '2026-01-02T03:04:05Z';

function open(files: Record<string, string> = { 'a.ts': 'one\ntwo\nthree\n' }) {
  const root = realpathSync(makeFolder(files));
  const workspace = new Workspace(root);
  const look = (map: JsonValue): Reference[] => {
    const entries = readContextMap(map)!;
    return resolveReferences(entries, openTree(root), { hash: sha256, pins: findPins(workspace, entries) });
  };
  const keep = (map: JsonValue, at = AT) => keepPins(workspace, readContextMap(map)!, look(map), at);
  const folder = join(root, '.teddy/context-maps');
  return { root, workspace, look, keep, folder };
}

describe('what is kept of a map', () => {
  test('nothing before, the lines that are there after', async () => {
    const { root, workspace, keep } = open();
    const entries = readContextMap(MAP)!;
    expect(findPins(workspace, entries).size).toBe(0);
    expect(await keep(MAP)).toBeNull();
    expect([...findPins(workspace, entries).keys()]).toEqual(['repo://a.ts:1-2']);
    const [file, ...others] = Object.entries(readTree(join(root, '.teddy/context-maps'))).filter(
      ([name]) => name !== '.gitignore',
    );
    expect(others).toEqual([]);
    expect(file![0]).toMatch(/^[0-9a-f]{64}\.json$/);
    expect(JSON.parse(file![1])).toEqual({
      at: AT,
      pins: { 'repo://a.ts:1-2': expect.stringMatching(`^${sha256('one\ntwo')}\\.`) },
    });
  });

  test('a later look says what became of the lines', async () => {
    const { root, look, keep } = open();
    await keep(MAP);
    writeFileSync(join(root, 'a.ts'), 'zero\none\ntwo\nthree\n');
    expect(look(MAP)[0]).toMatchObject({ status: 'moved', now: { from: 2, to: 3 } });
    writeFileSync(join(root, 'a.ts'), 'one\n2\nthree\n');
    expect(look(MAP)[0]).toMatchObject({ status: 'changed' });
  });

  test('the first look stays', async () => {
    const { root, look, keep, folder } = open();
    await keep(MAP);
    const before = readTree(folder);
    writeFileSync(join(root, 'a.ts'), 'other\nlines\n');
    expect(await keep(MAP, '2027-01-01T00:00:00Z')).toBeNull();
    expect(readTree(folder)).toEqual(before);
    expect(look(MAP)[0]).toMatchObject({ status: 'changed' });
  });

  test('another form of a map is the same map, other words are another', async () => {
    const { keep, folder } = open();
    await keep([['The first.', 'repo://a.ts:1-2']]);
    await keep([{ text: 'The first.', uri: 'repo://a.ts', lines: [1, 2] }]);
    expect(listContent(folder)).toHaveLength(1);
    await keep([['Other words.', 'repo://a.ts:1-2']]);
    expect(listContent(folder)).toHaveLength(2);
  });

  test('a map without lines leaves nothing', async () => {
    const { root, keep } = open();
    expect(
      await keep([
        ['Words.', null],
        ['All of it.', 'repo://a.ts'],
      ]),
    ).toBeNull();
    expect(readdirSync(root)).toEqual(['a.ts']);
  });
});

test('a link that leads out of the project is outside, whatever lies there', () => {
  const { root, look } = open();
  symlinkSync('/etc', join(root, 'etc'));
  symlinkSync('a.ts', join(root, 'b.ts'));
  symlinkSync('nowhere', join(root, 'c.ts'));
  const map = ['etc/passwd:1', 'etc', 'b.ts:3', 'c.ts:1'].map((uri) => ['It.', uri]);
  expect(look(map).map(({ status }) => status)).toEqual(['outside', 'outside', 'ok', 'unverifiable']);
});

describe('files of others', () => {
  test.each([
    ['no JSON', 'x'],
    ['a list', '[]'],
    ['no pins', '{"at": "x"}'],
    ['pins of another type', '{"pins": {"repo://a.ts:1-2": 4}}'],
    ['a forbidden key', '{"pins": {"__proto__": "x"}}'],
    ['not UTF-8', '\u0000'],
  ])('%s is as good as none, and is replaced', async (_, text) => {
    const { root, workspace, keep, folder } = open();
    await keep(MAP);
    const [name] = listContent(folder);
    const good = readTree(folder);
    writeFileSync(join(folder, name!), text);
    expect(findPins(workspace, readContextMap(MAP)!).size).toBe(0);
    expect(await keep(MAP)).toBeNull();
    expect(readTree(join(root, '.teddy/context-maps'))).toEqual(good);
  });

  test('a file without end is neither read nor replaced', async () => {
    const { workspace, keep, folder } = open();
    await keep(MAP);
    const [name] = listContent(folder);
    writeFileSync(join(folder, name!), new Uint8Array(3 * 1024 * 1024).fill(32));
    expect(findPins(workspace, readContextMap(MAP)!).size).toBe(0);
    expect(await keep(MAP)).toMatch(/were not saved, so later checks cannot show what changed: .+\.$/);
  });

  test('a folder in the place of the file', async () => {
    const { workspace, keep, folder } = open();
    await keep(MAP);
    const [name] = listContent(folder);
    rmSync(join(folder, name!));
    mkdirSync(join(folder, name!));
    expect(findPins(workspace, readContextMap(MAP)!).size).toBe(0);
    expect(await keep(MAP)).toMatch(/were not saved/);
  });
});

test('where nothing can be written, a sentence says so', async () => {
  const { root, workspace, keep } = open();
  writeFileSync(join(root, '.teddy'), 'no folder');
  expect(await keep(MAP)).toMatch(/were not saved, so later checks cannot show what changed: .+\.$/);
  expect(findPins(workspace, readContextMap(MAP)!).size).toBe(0);
});
