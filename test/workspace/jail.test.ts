import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommitResult } from '../../src/workspace/commit/change.js';
import { readPlace } from '../../src/workspace/commit/entries.js';
import { Jail, type Located } from '../../src/workspace/jail.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { fingerprint, type House, hashOf, makeHouse, openIn, SECRET, watchCalls } from './jail/house.js';
import { PLACED_PATHS, type PlacedPath } from './jail/placed-paths.js';
import { type Fate, WRITTEN_PATHS } from './jail/written-paths.js';

const NEW = new TextEncoder().encode('new content\n');

/** Completes "<path> …": a verb first, no full stop, one line. */
const SENTENCE =
  /^(?:is|has|holds|contains|looks|begins|leads|lies|stands|goes|was|cannot|may) [^\n\u0000-\u001f]*[^.\s\u0000-\u001f]$/;

function locate(root: string, path: string, purpose: 'read' | 'write'): { located: Located; text?: string } {
  const jail = new Jail(root);
  try {
    const located = jail.locate(path, { purpose });
    if (located.status === 'refused' || !located.place.stats?.isFile()) return { located };
    return { located, text: Buffer.from(readPlace(located.place)!).toString() };
  } finally {
    jail.close();
  }
}

function expectFate(root: string, path: string, purpose: 'read' | 'write', fate: Fate): void {
  const { located, text } = locate(root, path, purpose);
  if ('at' in fate) {
    expect(located).toMatchObject({ status: 'inside', place: { path: fate.at } });
    if (text !== undefined) expect(text).not.toContain(SECRET);
  } else {
    if (located.status !== 'refused') expect.fail(`${path} is let in as ${located.place.path}`);
    const isOther = !['outside', 'protected'].includes(located.code);
    expect(isOther ? 'other' : located.code).toBe(fate.refused);
    expect(located.reason).toMatch(SENTENCE);
  }
}

/** Writes new content over whatever a path leads to. */
async function commitTo(root: string, path: string, fate: Fate): Promise<CommitResult> {
  const there = 'at' in fate && existsSync(join(root, fate.at));
  const before = there ? hashOf(readFileSync(join(root, fate.at))) : null;
  return new Workspace(root).commit([{ path, before, after: NEW }]);
}

async function expectCommit(root: string, path: string, fate: Fate): Promise<void> {
  const result = await commitTo(root, path, fate);
  if ('at' in fate) {
    expect(result).toMatchObject({ status: 'committed' });
    expect(lstatSync(join(root, fate.at)).isFile()).toBe(true);
    expect(readFileSync(join(root, fate.at))).toEqual(Buffer.from(NEW));
  } else {
    expect(result).toMatchObject({ status: 'refused', path });
    if (result.status === 'refused') expect(result.reason).toMatch(SENTENCE);
  }
}

/** Nothing outside is reached in `work`, let alone read or changed; nothing is left open. */
async function expectJailed({ house, root, outside }: House, work: () => Promise<void>): Promise<void> {
  const before = fingerprint(outside);
  const strays = watchCalls(root);
  await work();
  expect(strays).toEqual([]);
  expect(openIn(house)).toEqual([]);
  expect(fingerprint(outside)).toEqual(before);
}

const show = (path: string) =>
  JSON.stringify(path.length > 60 ? `${path.slice(0, 50)}… ${path.length}` : path);

test('there are enough of them', () => {
  expect(WRITTEN_PATHS.length + PLACED_PATHS.length).toBeGreaterThanOrEqual(150);
  expect(new Set(WRITTEN_PATHS.map(({ path }) => path)).size).toBe(WRITTEN_PATHS.length);
});

describe('a path by its text', () => {
  test.each(WRITTEN_PATHS.map((each) => ({ ...each, title: show(each.path) })))(
    '$title',
    async ({ path, write, read = write }) => {
      const house = makeHouse();
      await expectJailed(house, async () => {
        expectFate(house.root, path, 'write', write);
        expectFate(house.root, path, 'read', read);
        await expectCommit(house.root, path, write);
      });
    },
  );
});

describe('a path by what stands on disk', () => {
  const possible = PLACED_PATHS.filter(({ asRoot }) => !asRoot || process.getuid?.() === 0);
  test.each(possible)('$name', async (placed) => {
    const house = makeHouse();
    placed.place(house);
    const links = linksOn(house.root, placed);
    await expectJailed(house, async () => {
      if ('commitRefuses' in placed.write) {
        locate(house.root, placed.path, 'read');
        const result = await commitTo(house.root, placed.path, { refused: 'other' });
        if (result.status !== 'refused') expect.fail(`the commit is answered ${JSON.stringify(result)}`);
        expect(result.reason).toContain(placed.write.commitRefuses);
        expect(result.reason).toMatch(SENTENCE);
      } else {
        expectFate(house.root, placed.path, 'write', placed.write);
        expectFate(house.root, placed.path, 'read', placed.read ?? placed.write);
        await expectCommit(house.root, placed.path, placed.write);
      }
    });
    expect(linksOn(house.root, placed)).toEqual(links);
  });
});

/** The links of a case, which stay as they are, whatever is written through them. */
function linksOn(root: string, { path }: PlacedPath): string[] {
  const first = path.split('/')[0]!;
  return ['l', 'l1', 'l2', '.git', first].flatMap((name) => {
    const stats = lstatSync(join(root, name), { throwIfNoEntry: false });
    return stats?.isSymbolicLink() ? [`${name} → ${readlinkSync(join(root, name))}`] : [];
  });
}

test('a hard link to an outside file: its name is replaced or removed, the outside file stays', async () => {
  const { root, outside } = makeHouse();
  for (const [path, after] of [
    ['h1', NEW],
    ['h2', null],
  ] as const) {
    linkSync(join(outside, 'secret.txt'), join(root, path));
    const result = await new Workspace(root).commit([{ path, before: hashOf(SECRET), after }]);
    expect(result.status).toBe('committed');
  }
  expect(readFileSync(join(root, 'h1'))).toEqual(Buffer.from(NEW));
  expect(existsSync(join(root, 'h2'))).toBe(false);
  expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  expect(lstatSync(join(outside, 'secret.txt')).nlink).toBe(1);
});

test('removing through a link removes its target and leaves the link', async () => {
  const house = makeHouse();
  PLACED_PATHS.find(({ name }) => name === 'a link to a file inside')!.place(house);
  const result = await new Workspace(house.root).commit([
    { path: 'l', before: hashOf('inside'), after: null },
  ]);
  expect(result.status).toBe('committed');
  expect(existsSync(join(house.root, 'in.txt'))).toBe(false);
  expect(readlinkSync(join(house.root, 'l'))).toBe('in.txt');
});

test('one hostile path among good ones: nothing is written', async () => {
  const house = makeHouse();
  const before = fingerprint(house.root);
  mkdirSync(join(house.root, '.teddy'));
  const result = await new Workspace(house.root).commit([
    { path: 'in.txt', before: hashOf('inside'), after: NEW },
    { path: 'new/new.txt', before: null, after: NEW },
    { path: '../root-outside/x.txt', before: hashOf(SECRET), after: NEW },
  ]);
  expect(result).toMatchObject({ status: 'refused', path: '../root-outside/x.txt' });
  const { './': _, ...rest } = fingerprint(house.root);
  for (const [path, print] of Object.entries(before)) if (path !== './') expect(rest[path]).toBe(print);
  expect(existsSync(join(house.root, dirname('new/new.txt')))).toBe(false);
});
