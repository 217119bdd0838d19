import { lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prepareFolder } from '../../src/orchestrate/isolation/patches.js';
import { prepareState } from '../../src/orchestrate/state-files.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

const STATE = '.ultraplan/state';

describe('git is kept out of what an orchestrator keeps, whatever a clone brought', () => {
  test.each(['', '!*\n', '!\n', '*\n!patches/\n'])('%j', async (text) => {
    const ignores = ['', '/output', '/patches'].map((folder) => `${STATE}${folder}/.gitignore`);
    const root = makeFolder(Object.fromEntries(ignores.map((path) => [path, text])));
    await prepareState(new Workspace(root));
    for (const path of ignores) expect(readFileSync(join(root, path), 'utf8')).toBe('*\n');
  });

  test('a link in its place is not written through', async () => {
    const root = makeFolder({ 'victim.txt': 'mine' });
    mkdirSync(join(root, STATE), { recursive: true });
    symlinkSync('../../victim.txt', join(root, STATE, '.gitignore'));
    await expect(prepareState(new Workspace(root))).rejects.toThrow(
      expect.objectContaining({ name: 'UserError' }),
    );
    expect(prepareFolder(root, 'patches')).toMatchObject({ status: 'ok' });
    expect(lstatSync(join(root, STATE, '.gitignore')).isFile()).toBe(true);
    expect(readFileSync(join(root, 'victim.txt'), 'utf8')).toBe('mine');
  });

  test('where a place is prepared for work', () => {
    const root = makeFolder({ [`${STATE}/.gitignore`]: '!*\n' });
    expect(prepareFolder(root, 'worktrees')).toMatchObject({ status: 'ok' });
    expect(readFileSync(join(root, STATE, '.gitignore'), 'utf8')).toBe('*\n');
  });
});
