import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffTrees } from '../../../src/core/changeset/changeset.js';
import { createCopy } from '../../../src/workspace/copy/create-copy.js';
import { readCopy } from '../../../src/workspace/copy/read-copy.js';
import { makeFolder } from '../../folder.js';

type Node =
  | { kind: 'file'; bytes: Uint8Array; executable: boolean }
  | { kind: 'link'; target: string }
  | { kind: 'gone' };

const name = fc.constantFrom('a', '-dash', 'new\nline', 'sp ace', 'ü.txt', '"q"', 'x.txt', 'tab\t');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.constantFrom('', 'a\r\nb\r\n', 'a\nb\n', '$Id$\n').map((text) => Buffer.from(text)),
);
const node: fc.Arbitrary<Node> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('file' as const), bytes, executable: fc.boolean() }),
  },
  fc.record({
    kind: fc.constant('link' as const),
    target: fc.constantFrom('a', 'missing', '/etc', '..', '/none/x'),
  }),
  fc.constant({ kind: 'gone' as const }),
);
const tree = fc.array(fc.tuple(path, node), { maxLength: 12 });

/** Puts each node in place, over whatever is there; nothing is written through a link. */
function plant(root: string, nodes: readonly (readonly [string, Node])[]): void {
  for (const [at, each] of nodes) {
    let parent = root;
    for (const part of dirname(at) === '.' ? [] : dirname(at).split('/')) {
      parent = join(parent, part);
      if (!lstatSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
        rmSync(parent, { force: true });
        mkdirSync(parent);
      }
    }
    rmSync(join(root, at), { recursive: true, force: true });
    if (each.kind === 'link') symlinkSync(each.target, join(root, at));
    if (each.kind !== 'file') continue;
    writeFileSync(join(root, at), each.bytes);
    chmodSync(join(root, at), each.executable ? 0o755 : 0o644);
  }
}

/** Every file and link, but for git's own. */
function treeOf(root: string, at = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const each of readdirSync(join(root, at))) {
    const below = at === '' ? each : `${at}/${each}`;
    const stats = lstatSync(join(root, below));
    if (below === '.git') continue;
    if (stats.isDirectory()) Object.assign(found, treeOf(root, below));
    else if (stats.isSymbolicLink()) found[below] = `link ${readlinkSync(join(root, below))}`;
    else found[below] = `${stats.mode & 0o100} ${readFileSync(join(root, below)).toString('hex')}`;
  }
  return found;
}

function sumOf(root: string): string {
  const shell = 'find .git -type f -print0 | sort -z | xargs -0 sha256sum; find .git | sort';
  return execFileSync('/bin/sh', ['-c', shell], { cwd: root, encoding: 'utf8' });
}

const SETTINGS = [
  [],
  ['core.autocrlf', 'true'],
  ['core.autocrlf', 'input'],
  ['filter.f.clean', 'tr a-z b-za'],
] as const;

test('for random trees, the copy is the project to the byte, and gives back exactly what changed in it', async () => {
  await fc.assert(
    fc.asyncProperty(
      tree,
      tree,
      tree,
      fc.constantFrom(...SETTINGS),
      fc.boolean(),
      async (first, later, agent, setting, hasGit) => {
        const root = realpathSync(makeFolder());
        const git = (...words: string[]) =>
          execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...words], {
            cwd: root,
            stdio: 'pipe',
          });
        plant(root, first);
        if (hasGit) {
          git('init', '-q');
          if (setting.length > 0) git('config', ...setting);
          writeFileSync(
            join(root, '.gitattributes'),
            setting[0]?.startsWith('filter') ? '* filter=f\n' : '*.txt text ident\n',
          );
          git('add', '-A');
          git('commit', '-qm', 'first');
        }
        plant(root, later);
        const before = hasGit ? sumOf(root) : '';
        const folder = join(realpathSync(makeFolder()), 'one');
        mkdirSync(folder);
        const made = await createCopy(root, folder);
        if (made.status !== 'ok') throw new Error(made.reason);
        const { copy } = made.copy;
        expect(treeOf(copy)).toEqual(treeOf(root));
        plant(copy, agent);
        const read = await readCopy(made.copy);
        if (read.status !== 'ok') throw new Error(read.reason);
        const [own, changed] = [treeOf(root), treeOf(copy)];
        const differing = [...new Set([...Object.keys(own), ...Object.keys(changed)])].filter(
          (each) => own[each] !== changed[each],
        );
        const found = diffTrees(read.base, read.folder).flatMap((each) =>
          'from' in each && each.from ? [each.path, each.from] : [each.path],
        );
        expect([...new Set(found)].sort()).toEqual(differing.sort());
        if (hasGit) expect(sumOf(root)).toBe(before);
      },
    ),
    { numRuns: process.env.TEDDY_SOAK ? 2000 : 60 },
  );
});

test('an ignored folder with too many files to search for secrets is only lent if it is named', async () => {
  const root = realpathSync(makeFolder({ '.gitignore': 'data/\n', 'data/z/.env': 'secret' }));
  execFileSync('sh', ['-c', 'git init -q; cd data && seq 50000 | xargs touch'], { cwd: root });
  const made = [];
  for (const bring of [[], ['data']]) {
    const folder = realpathSync(makeFolder());
    const copied = await createCopy(root, folder, { bring });
    if (copied.status !== 'ok') throw new Error(copied.reason);
    made.push(copied.copy);
  }
  const lent = made.map((copy) => copy.lent.filter(({ path }) => path === 'data').length);
  expect(lent).toEqual([0, 1]);
  expect(made.map(({ notes }) => notes)).toEqual([
    [
      'Not visible to the agent: data (too many files to search for secrets; name it in confine.bring to allow it).',
    ],
    [],
  ]);
});
