import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readGitPrograms } from '../../../src/config/project.js';
import { canIsolate } from '../../../src/orchestrate/isolation/open-isolation.js';
import { makeFolder } from '../../folder.js';
import { commitAll, makeRepository, plainGit } from '../../repository.js';
import { changesOf, isolate, landWell, openPlace, statusOf } from './repository.js';

/** A filter that leaves a trace: what it takes in is in capitals, what it writes is not. */
function makeFilter(): { clean: string; smudge: string; hasRun(): boolean } {
  const folder = realpathSync(makeFolder());
  const [program, trace] = [join(folder, 'filter'), join(folder, 'ran')];
  writeFileSync(
    program,
    `#!/bin/sh\necho "$1" >> '${trace}'\nif [ "$1" = clean ]; then tr a-z A-Z; else tr A-Z a-z; fi\n`,
  );
  chmodSync(program, 0o755);
  return { clean: `${program} clean`, smudge: `${program} smudge`, hasRun: () => existsSync(trace) };
}

const write = (root: string, path: string, text = 'new\n') => writeFileSync(join(root, path), text);

async function programsOf(root: string): Promise<string[]> {
  return (await readGitPrograms(root))?.text.trimEnd().split('\n') ?? [];
}

describe("programs of the repository's own config", () => {
  function makeFiltered() {
    const filter = makeFilter();
    const root = makeRepository({ a: 'A\n', '.gitattributes': '*.txt filter=x\n', 't.txt': 'TEXT\n' });
    plainGit(root, 'config', 'filter.x.clean', filter.clean);
    plainGit(root, 'config', 'filter.x.smudge', filter.smudge);
    return { root, filter };
  }

  test('run where they are approved', async () => {
    const { root, filter } = makeFiltered();
    const programs = await programsOf(root);
    expect(programs).toEqual([
      `filter.x.clean = ${JSON.stringify(filter.clean)}`,
      `filter.x.smudge = ${JSON.stringify(filter.smudge)}`,
    ]);
    const place = await openPlace((await isolate(root, 'worktree', { programs })).isolation);
    expect(readFileSync(join(place.root, 't.txt'), 'utf8')).toBe('text\n');
    write(place.root, 'u.txt', 'more\n');
    await landWell(place);
    await place.close();
    expect(readFileSync(join(root, 'u.txt'), 'utf8')).toBe('more\n');
    expect(plainGit(root, 'show', 'HEAD:u.txt')).toBe('MORE\n');
    expect(statusOf(root)).toBe('');
  });

  test('and nothing is begun where they are not', async () => {
    const { root, filter } = makeFiltered();
    const { isolation } = await isolate(root);
    const opened = await isolation.open({ taskId: '03-01:2', taskName: 'name', attempt: 1 });
    expect(opened).toMatchObject({ status: 'failed', reason: expect.stringContaining('filter.x.clean') });
    expect(filter.hasRun()).toBe(false);
  });

  test.each(['config', 'include'])(
    'an attempt that names one itself does not make it run: %s',
    async (how) => {
      const root = makeRepository();
      const filter = makeFilter();
      const place = await openPlace((await isolate(root)).isolation);
      if (how === 'config') plainGit(place.root, 'config', 'filter.x.clean', filter.clean);
      else {
        write(place.root, 'more', `[filter "x"]\n\tclean = ${filter.clean}\n`);
        plainGit(place.root, 'config', 'include.path', join(place.root, 'more'));
      }
      write(place.root, '.gitattributes', '* filter=x\n');
      write(place.root, 'b', 'work\n');
      expect(await place.changes()).toMatchObject({
        status: 'unknown',
        reason: expect.stringContaining('a program that you have not approved, filter.x.clean'),
      });
      expect(await place.merge()).toMatchObject({ status: 'failed' });
      // The work is kept, as it is.
      const { patch } = await place.close();
      expect(readFileSync(join(root, patch!), 'utf8')).toContain('+work');
      expect(filter.hasRun()).toBe(false);
    },
  );

  test('other settings than programs are nobody’s business', async () => {
    const root = makeRepository();
    plainGit(root, 'config', 'remote.origin.url', 'https://example.org/x.git');
    plainGit(root, 'config', 'core.sshCommand', 'ssh -i key');
    plainGit(root, 'config', 'alias.x', '!false');
    expect(await programsOf(root)).toEqual([]);
    plainGit(root, 'config', 'merge.mine.driver', 'true');
    expect(await programsOf(root)).toEqual(['merge.mine.driver = "true"']);
    // A filter that fetches would use it.
    plainGit(root, 'config', 'filter.lfs.process', 'git-lfs filter-process');
    expect(await programsOf(root)).toHaveLength(3);
  });
});

describe('submodules in a worktree', () => {
  async function openWithModule(key: string) {
    const inner = makeRepository({ i: 'i\n' });
    const root = makeRepository();
    plainGit(root, 'submodule', '--quiet', 'add', inner, 'module');
    commitAll(root);
    const filter = makeFilter();
    const place = await openPlace((await isolate(root)).isolation);
    const module = join(place.root, 'module');
    plainGit(place.root, 'submodule', '--quiet', 'update', '--init');
    plainGit(module, 'config', key, filter.clean);
    const attributes = plainGit(module, 'rev-parse', '--git-path', 'info/attributes').trim();
    mkdirSync(join(attributes, '..'), { recursive: true });
    writeFileSync(attributes, '* filter=x\n');
    utimesSync(join(module, 'i'), 1, 1);
    return { root, place, module, filter };
  }

  test.each(['core.fsmonitor', 'filter.x.clean', 'filter.x.process'])(
    'what their config names does not run: %s',
    async (key) => {
      const { root, place, filter } = await openWithModule(key);
      write(place.root, 'b');
      expect(await changesOf(place)).toMatchObject({ files: ['b'] });
      await landWell(place);
      await place.close();
      expect(filter.hasRun()).toBe(false);
      expect(existsSync(join(root, 'b'))).toBe(true);
    },
  );

  test('a new commit in one is work, and what is not committed there is not', async () => {
    const { root, place, module } = await openWithModule('core.fsmonitor');
    plainGit(module, 'config', '--unset', 'core.fsmonitor');
    write(module, 'i', 'changed\n');
    plainGit(module, 'commit', '-qam', 'second');
    const commit = plainGit(module, 'rev-parse', 'HEAD').trim();
    write(module, 'i', 'and again\n');
    expect(await changesOf(place)).toMatchObject({ files: ['module'] });
    await landWell(place);
    await place.close();
    expect(plainGit(root, 'rev-parse', 'HEAD:module').trim()).toBe(commit);
  });

  test('a repository that an attempt makes runs nothing, and is told', async () => {
    const root = makeRepository();
    const filter = makeFilter();
    const place = await openPlace((await isolate(root)).isolation);
    mkdirSync(join(place.root, 'made'));
    write(place.root, 'made/x');
    plainGit(join(place.root, 'made'), 'init', '-q');
    commitAll(join(place.root, 'made'));
    for (const key of ['core.fsmonitor', 'filter.x.clean'])
      plainGit(join(place.root, 'made'), 'config', key, filter.clean);
    write(join(place.root, 'made'), '.git/info/attributes', '* filter=x\n');
    utimesSync(join(place.root, 'made/x'), 1, 1);
    expect(await changesOf(place)).toMatchObject({ leftOut: ['made/'] });
    expect(await place.merge()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('"made"'),
    });
    await place.close();
    expect(filter.hasRun()).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('names that are not UTF-8', () => {
  const writeBad = (root: string, name: string) =>
    writeFileSync(Buffer.concat([Buffer.from(`${root}/${name}`), Buffer.from([0xe9])]), '');

  test('are named before anything begins', async () => {
    const root = makeRepository({ 'äöü "quoted"\\351': '' });
    expect(await canIsolate(root)).toEqual({ status: 'yes' });
    writeBad(root, 'caf');
    expect(await canIsolate(root)).toEqual({ status: 'yes' });
    expect((await isolate(root, 'none')).notes).toEqual([expect.stringContaining('not UTF-8: "caf\\351".')]);
    writeBad(root, 'ol');
    commitAll(root);
    expect(await canIsolate(root)).toEqual({
      status: 'no',
      reason:
        'The names of files in the repository are not UTF-8: "caf\\351", "ol\\351". Rename, commit, and try again.',
    });
  });
});
