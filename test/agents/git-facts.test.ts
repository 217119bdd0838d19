import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Baseline, changesSince, readBaseline } from '../../src/agents/git-facts.js';
import { makeFolder } from '../folder.js';
import { commitAll, makeRepository, plainGit } from '../repository.js';

const write = (root: string, path: string, text: string | Uint8Array) =>
  writeFileSync(join(root, path), text);

async function since(root: string, baseline: Baseline | null, base?: string): Promise<string[]> {
  // As a record gives it back.
  const kept = JSON.parse(JSON.stringify(baseline));
  const result = await changesSince(root, kept, base);
  if (result.status !== 'ok') throw new Error(result.reason);
  return result.changes.map(({ path, change }) => `${change} ${path}`);
}

describe('what an agent changed', () => {
  test('in a clean tree: everything that differs, its commits too', async () => {
    const root = makeRepository({ a: 'a\n', b: 'b\n', c: 'c\n' });
    const baseline = await readBaseline(root);
    expect(baseline).toEqual({ commit: plainGit(root, 'rev-parse', 'HEAD').trim(), files: {} });
    write(root, 'a', 'agent\n');
    write(root, 'new', 'agent\n');
    commitAll(root);
    rmSync(join(root, 'b'));
    expect(await since(root, baseline)).toEqual(['modified a', 'deleted b', 'created new']);
  });

  test('what differed before and is as it was is nobody’s', async () => {
    const root = makeRepository({ a: 'a\n', b: 'b\n', gone: 'g\n' });
    write(root, 'a', 'person\n');
    write(root, 'notes', 'person\n');
    rmSync(join(root, 'gone'));
    const baseline = await readBaseline(root);
    expect(Object.keys(baseline!.files)).toEqual(['a', 'gone', 'notes']);
    expect(await since(root, baseline)).toEqual([]);
    write(root, 'b', 'agent\n');
    expect(await since(root, baseline)).toEqual(['modified b']);
    // The person commits their own work meanwhile.
    commitAll(root);
    expect(await since(root, baseline)).toEqual(['modified b']);
  });

  test('what differed before and differs otherwise now', async () => {
    const root = makeRepository({ a: 'a\n', gone: 'g\n' });
    write(root, 'a', 'person\n');
    write(root, 'notes', 'person\n');
    write(root, 'draft', 'person\n');
    rmSync(join(root, 'gone'));
    const baseline = await readBaseline(root);
    write(root, 'a', 'agent\n');
    write(root, 'notes', 'agent\n');
    rmSync(join(root, 'draft'));
    write(root, 'gone', 'agent\n');
    expect(await since(root, baseline)).toEqual([
      'modified a',
      'deleted draft',
      'created gone',
      'modified notes',
    ]);
  });

  test('a person’s work that was undone is a change, though git sees none', async () => {
    const root = makeRepository({ a: 'a\n', gone: 'g\n' });
    write(root, 'a', 'person\n');
    rmSync(join(root, 'gone'));
    const baseline = await readBaseline(root);
    plainGit(root, 'checkout', '-q', '--', '.');
    expect(plainGit(root, 'status', '--porcelain')).toBe('');
    expect(await since(root, baseline)).toEqual(['modified a', 'created gone']);
  });

  test('without a baseline: what differs from HEAD, or from a base', async () => {
    const root = makeRepository({ a: 'a\n' });
    plainGit(root, 'tag', 'v1');
    write(root, 'a', 'b\n');
    commitAll(root);
    write(root, 'c', 'c\n');
    expect(await since(root, null)).toEqual(['created c']);
    expect(await since(root, await readBaseline(root), 'v1')).toEqual(['modified a', 'created c']);
  });

  test('before the first commit', async () => {
    const root = realpathSync(makeFolder({ a: 'a\n' }));
    plainGit(root, 'init', '-q');
    const baseline = await readBaseline(root);
    write(root, 'b', 'agent\n');
    commitAll(root);
    expect(await since(root, baseline)).toEqual(['created b']);
  });

  test('large files by their size and end; links as what they lead to', async () => {
    const root = makeRepository({ a: 'a\n' });
    const large = new Uint8Array(11 * 1024 * 1024).fill(97);
    write(root, 'large', large);
    write(root, 'larger', large);
    symlinkSync('/etc/hostname', join(root, 'out'));
    const baseline = await readBaseline(root);
    expect(await since(root, baseline)).toEqual([]);
    large[large.length - 1] = 98;
    write(root, 'larger', large);
    expect(await since(root, baseline)).toEqual(['modified larger']);
  });

  test('a submodule that was changed already, and is changed again', async () => {
    const library = makeRepository({ 'lib.c': 'c\n' });
    const root = makeRepository({ a: 'a\n' });
    plainGit(root, 'submodule', 'add', '-q', library, 'sub');
    commitAll(root);
    write(root, 'sub/lib.c', 'person\n');
    const baseline = await readBaseline(root);
    expect(await since(root, baseline)).toEqual([]);
    write(root, 'sub/lib.c', 'agent\n');
    expect(await since(root, baseline)).toEqual(['modified sub/']);
  });

  test('our own files do not count as different', async () => {
    const root = makeRepository({ a: 'a\n' });
    mkdirSync(join(root, '.teddy'));
    write(root, '.teddy/x', 'x');
    expect((await readBaseline(root))!.files).toEqual({});
  });
});

describe('what cannot be told', () => {
  test('no repository', async () => {
    const root = realpathSync(makeFolder());
    expect(await readBaseline(root)).toBeNull();
    expect(await changesSince(root, null)).toEqual({
      status: 'no-repository',
      reason: 'this is not a git repository',
    });
  });

  test('a commit that is gone, a record that somebody made up', async () => {
    const root = makeRepository({ a: 'a\n' });
    expect(await changesSince(root, { commit: '0'.repeat(40), files: {} })).toMatchObject({
      status: 'failed',
    });
    for (const commit of ['--output=x', 'HEAD', '']) {
      expect(await changesSince(root, { commit, files: {} })).toEqual({
        status: 'failed',
        reason: 'the record of the briefing has no commit',
      });
    }
  });

  test('files of a baseline that cannot be are passed over', async () => {
    const root = makeRepository({ a: 'a\n' });
    const { commit } = (await readBaseline(root))!;
    const files = {
      '../out': 'x',
      '.git/config': 'x',
      '/etc/passwd\u0000': 'x',
      b: 4,
    } as unknown as Baseline['files'];
    expect(await since(root, { commit, files })).toEqual([]);
  });
});
