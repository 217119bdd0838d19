import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { realPath } from '../../src/node/files.js';
import { listProjectFiles } from '../../src/workspace/files/project-files.js';
import { locateFolder, lookTogether, openTree } from '../../src/workspace/tree.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder, readTree } from '../folder.js';

const SECRET = 'what teddy keeps for its user';
const bytes = (text: string) => new TextEncoder().encode(text);

// A home folder that is also the root, with the user's own folders in the usual places.
const KEPT = {
  '.local/state/teddy/key': SECRET,
  '.local/state/teddy/trust/x.json': SECRET,
  '.config/teddy/policy.yaml': SECRET,
  '.cache/teddy/code/x.js': SECRET,
};

afterEach(() => vi.unstubAllEnvs());

function makeHome(files: Record<string, string> = KEPT): string {
  const home = realPath(makeFolder({ 'notes.txt': 'mine', '.config/other/x': 'mine', ...files }))!;
  vi.stubEnv('HOME', home);
  return home;
}

/** By every way from a path to content. */
async function expectClosed(root: string, path: string): Promise<void> {
  const reads = [openTree(root).text(path), lookTogether(root, (tree) => tree.text(path))];
  for (const read of reads) expect(read).toEqual({ status: 'refused', reason: 'is in a protected folder' });
  const workspace = new Workspace(root);
  workspace.view((view) => expect(view.read(path, 1000).status).toBe('refused'));
  expect(workspace.locate(path)).toMatchObject({ status: 'refused', code: 'protected' });
  const before = existsSync(join(root, path)) ? readTree(root)[path] : undefined;
  for (const origin of ['plan', 'tool'] as const)
    for (const after of [bytes('evil'), null])
      expect(await workspace.commit([{ path, before: null, after }], { origin })).toMatchObject({
        status: 'refused',
        reason: 'is in a protected folder',
      });
  if (before !== undefined) expect(readFileSync(join(root, path), 'utf8')).toBe(before);
}

describe('the user’s own folders are closed to every path of a project', () => {
  test.each(Object.keys(KEPT))('%s', async (path) => {
    await expectClosed(makeHome(), path);
  });

  test.each([
    '.local/state/teddy/new',
    '.local/state/teddy/deep/new',
    './.config//teddy/../teddy/policy.yaml',
    '.config/other/../teddy/policy.yaml',
  ])('%s, which is not there or not plain', async (path) => {
    await expectClosed(makeHome(), path);
  });

  test.each([
    '.local/state/teddy/key',
    '.config/teddy/policy.yaml',
    '.Config/TEDDY/policy.yaml',
    '.cache/teddy/x',
    '.cache/teddy',
  ])('%s, where they are not made yet', async (path) => {
    const home = makeHome({});
    const result = await new Workspace(home).commit([{ path, before: null, after: bytes('evil') }]);
    const isThere = path === '.Config/TEDDY/policy.yaml' && existsSync(join(home, '.config/other'));
    // In another letter case it is another folder, on a disk that tells them apart.
    if (isThere && !existsSync(join(home, '.CONFIG'))) return;
    expect(result).toMatchObject({ status: 'refused', reason: 'is in a protected folder' });
  });

  test('by a link to one of them, to a file in it, and to a folder around it', async () => {
    const home = makeHome();
    symlinkSync('.local/state/teddy', join(home, 'a'));
    symlinkSync(join(home, '.config/teddy/policy.yaml'), join(home, 'b'));
    symlinkSync('.local', join(home, 'c'));
    for (const path of ['a/key', 'a/new', 'b', 'c/state/teddy/key']) await expectClosed(home, path);
  });

  test('where they are behind a link themselves', async () => {
    const home = makeHome({ 'dotfiles/config/teddy/policy.yaml': SECRET });
    vi.stubEnv('XDG_CONFIG_HOME', join(home, 'conf'));
    symlinkSync('dotfiles/config', join(home, 'conf'));
    for (const path of ['dotfiles/config/teddy/policy.yaml', 'conf/teddy/policy.yaml'])
      await expectClosed(home, path);
  });

  test('where that link leads to what is not there yet', async () => {
    const home = makeHome({});
    symlinkSync('dotfiles/config', join(home, 'conf'));
    vi.stubEnv('XDG_CONFIG_HOME', join(home, 'conf'));
    for (const path of ['dotfiles/config/teddy/policy.yaml', 'conf/teddy/policy.yaml'])
      await expectClosed(home, path);
  });

  test('where the environment names them, and in the usual place all the same', async () => {
    const home = makeHome({ ...KEPT, 'project/state/teddy/key': SECRET });
    vi.stubEnv('XDG_STATE_HOME', join(home, 'project/state'));
    await expectClosed(join(home, 'project'), 'state/teddy/key');
    await expectClosed(home, '.local/state/teddy/key');
  });

  test('where the root lies in one of them', async () => {
    const home = makeHome();
    await expectClosed(join(home, '.local/state/teddy'), 'key');
    await expectClosed(join(home, '.local/state/teddy/trust'), 'new');
  });

  test('for a command to run in', () => {
    const home = makeHome();
    for (const path of ['.local/state/teddy', '.config/teddy', '.local/state/teddy/trust'])
      expect(locateFolder(home, path)).toEqual({ status: 'refused', reason: 'is in a protected folder' });
    expect(locateFolder(home, '.config')).toMatchObject({ status: 'folder' });
  });

  test('also their names are not listed', async () => {
    const home = makeHome();
    const { files } = await listProjectFiles(home);
    expect(files).toEqual(['.config/other/x', 'notes.txt']);
    expect(new Workspace(home).view((view) => view.list('.local/state/teddy'))).toEqual([]);
  });
});

test('all around them is open', async () => {
  const home = makeHome({ ...KEPT, '.local/state/teddy-2/x': 'mine', 'teddy/x': 'mine' });
  mkdirSync(join(home, '.config/teddybear'));
  for (const path of ['notes.txt', '.config/other/x', '.local/state/teddy-2/x', 'teddy/x'])
    expect(openTree(home).text(path)).toMatchObject({ status: 'text', text: 'mine' });
  const path = '.config/teddybear/x';
  expect(await new Workspace(home).commit([{ path, before: null, after: bytes('mine') }])).toMatchObject({
    status: 'committed',
  });
});
