import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diffTrees } from '../../src/core/changeset/changeset.js';
import { type CopyRead, readCopy } from '../../src/workspace/copy/read-copy.js';
import { because, House } from './escape/house.js';

async function inHouse(work: (house: House) => Promise<void>): Promise<void> {
  const house = await House.build(realpathSync(mkdtempSync(join(tmpdir(), 'teddy-escape-'))));
  try {
    await house.settle();
    await work(house);
  } finally {
    house.tearDown();
  }
}

async function readBack(house: House): Promise<Extract<CopyRead, { status: 'ok' }>> {
  const read = await readCopy(house.copy!);
  if (read.status !== 'ok') throw new Error(read.reason);
  return read;
}

interface Trap {
  name: string;
  /** Run in the copy. `$MARK` is a file outside, and `$RUN` a command that makes it. */
  script: string;
  /** With this, the user's own git in the copy runs into the trap: the control. */
  springs?: string;
}

const STATUS = 'git status; git add -A; git diff HEAD';

/** What an agent leaves in the copy for whoever uses git or a package manager there. */
const TRAPS: readonly Trap[] = [
  { name: 'core.fsmonitor', script: 'git config core.fsmonitor "$RUN"', springs: STATUS },
  {
    name: 'core.hooksPath',
    script:
      'mkdir h; printf "#!/bin/sh\\n$RUN\\n" > h/post-index-change; chmod +x h/*; git config core.hooksPath h; echo b > b',
    springs: STATUS,
  },
  {
    name: 'a hook',
    script:
      'mkdir -p .git/hooks; printf "#!/bin/sh\\n$RUN\\n" > .git/hooks/post-index-change; chmod +x .git/hooks/*; echo b > b',
    springs: STATUS,
  },
  {
    name: 'a filter',
    script: 'git config filter.f.clean "$RUN; cat"; echo "* filter=f" > .gitattributes; echo b > b',
    springs: STATUS,
  },
  {
    name: 'a filter that is a process',
    script: 'git config filter.f.process "$RUN"; echo "* filter=f" > .gitattributes; echo b > b',
    springs: STATUS,
  },
  {
    name: 'a filter in attributes of the repository',
    script:
      'git config filter.f.clean "$RUN; cat"; mkdir -p .git/info; echo "* filter=f" > .git/info/attributes; echo b > b',
    springs: STATUS,
  },
  {
    name: 'an external diff',
    script: 'git config diff.external "$RUN; true"; echo b >> a.txt',
    springs: STATUS,
  },
  {
    name: 'a converter for diffs',
    script: 'git config diff.d.textconv "$RUN; cat"; echo "*.txt diff=d" > .gitattributes; echo b >> a.txt',
    springs: STATUS,
  },
  {
    name: 'an included config',
    script: 'printf "[core]\\n\\tfsmonitor = \\"$RUN\\"\\n" > evil; git config include.path ../evil',
    springs: STATUS,
  },
  { name: 'an alias', script: 'git config alias.st "!$RUN"', springs: 'git st' },
  {
    name: 'a pager and an editor',
    script: 'for key in core.pager core.editor sequence.editor; do git config $key "$RUN"; done',
    springs: 'git commit --allow-empty',
  },
  {
    name: 'a credential helper and an ssh command',
    script:
      'git config credential.helper "!$RUN"; git config core.sshCommand "$RUN"; git remote add o ssh://localhost/x',
    springs: 'git fetch o',
  },
  { name: 'another work tree', script: 'git config core.worktree /; git config core.bare true' },
  {
    name: 'a git folder elsewhere',
    script:
      'mv .git ../g 2>/dev/null; mkdir e; mv .git e/g; git config -f e/g/config core.fsmonitor "$RUN"; echo "gitdir: e/g" > .git',
  },
  {
    name: 'a link for the git folder',
    script: 'mkdir e; mv .git e/g; git config -f e/g/config core.fsmonitor "$RUN"; ln -s e/g .git',
  },
  {
    name: 'a repository inside, with settings of its own',
    script:
      'git init -q sub; git -C sub config core.fsmonitor "$RUN"; git -C sub commit -q --allow-empty -m x; printf "[submodule \\"sub\\"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tupdate = !$RUN\\n" > .gitmodules; git -c core.fsmonitor= add sub',
    springs: STATUS,
  },
  {
    name: 'objects of another repository',
    script:
      'mkdir -p .git/objects/info; echo "$HOUSE/elsewhere" >> .git/objects/info/alternates; git config core.alternateRefsCommand "$RUN"; echo b > b',
  },
  {
    name: 'package scripts',
    script:
      'echo "{\\"scripts\\": {\\"preinstall\\": \\"$RUN\\", \\"prepare\\": \\"$RUN\\"}}" > package.json; printf "all:\\n\\t$RUN\\n" > Makefile; echo "$RUN" > .envrc',
    springs: 'make',
  },
];

describe.skipIf(because !== '')(`traps in the copy${because}`, () => {
  test.for(TRAPS.map((trap) => [trap.name, trap] as const))(
    '%s: reading the copy back runs nothing',
    async ([, trap]) => {
      await inHouse(async (house) => {
        const mark = join(house.folder, 'elsewhere/mark');
        const prepare = `MARK="$HOUSE/elsewhere/mark"; RUN="touch $MARK"`;
        house.make({ name: trap.name, script: `${prepare}\n${trap.script}`, expects: /^/ });
        const { base, folder } = await readBack(house);
        diffTrees(base, folder);
        expect(existsSync(mark)).toBe(false);
        if (trap.springs === undefined) return;
        borrowObjects(house);
        const env = { PATH: process.env.PATH, HOME: house.home };
        spawnSync('/bin/sh', ['-c', trap.springs], { cwd: house.copy!.copy, env });
        expect(existsSync(mark)).toBe(true);
      });
    },
  );
});

/** As the mount of a confined program has them. */
function borrowObjects(house: House): void {
  const { copy, lent } = house.copy!;
  const borrowed = lent.find(({ path }) => path.startsWith('.git/'))!;
  rmSync(join(copy, borrowed.path), { recursive: true, force: true });
  symlinkSync(borrowed.from, join(copy, borrowed.path));
}

/** Puts something else in the place of files and folders, without a pause. */
const FLIP = `
import os, sys
copy, outside = sys.argv[1:3]
def put(kind, path):
    part = path + ".part"
    if kind == "file": open(part, "w").write("changed\\n")
    elif kind == "link": os.symlink(outside + "/secret", part)
    elif kind == "pipe": os.mkfifo(part)
    elif kind == "folder": os.mkdir(part)
    elif kind == "outside": os.symlink(outside, part)
    try: os.rename(part, path)
    except OSError:
        if os.path.isdir(path) and not os.path.islink(path): os.rmdir(path)
        else: os.unlink(path)
        os.rename(part, path)
print("started", flush=True)
kinds = ["file", "link", "pipe", "folder"]
while True:
    for kind in kinds:
        put(kind, copy + "/a.txt")
        try:
            os.rename(copy + "/sub", copy + "/sub.kept"); os.symlink(outside, copy + "/sub")
            os.unlink(copy + "/sub"); os.rename(copy + "/sub.kept", copy + "/sub")
        except OSError: pass
`;

describe.skipIf(because !== '')(`a copy that changes while it is read${because}`, () => {
  test('gives no file from outside, and reading comes to an end', async () => {
    await inHouse(async (house) => {
      const { copy } = house.copy!;
      execFileSync('/bin/sh', ['-c', 'mkdir sub && echo own > sub/secret && echo own > sub/file'], {
        cwd: copy,
      });
      const flipping = spawn('python3', ['-c', FLIP, copy, join(house.folder, 'elsewhere')]);
      try {
        await new Promise((resolve) => flipping.stdout.once('data', resolve));
        let [linked, read] = [0, 0];
        for (let round = 0; round < 40 || (linked === 0 && round < 1000); round++) {
          const { base, folder } = await readBack(house).catch(() => ({
            base: undefined,
            folder: undefined,
          }));
          if (base === undefined) continue;
          const paths = Array.from({ length: 50 }, () => ['a.txt', 'sub/secret', 'sub/file']).flat();
          for (const path of [...paths, ...folder.paths()]) {
            const entry = folder.entry(path);
            read++;
            if (entry?.kind === 'link') linked++;
            if (entry?.kind === 'file')
              expect(Buffer.from(entry.bytes).toString()).not.toContain(house.canary);
          }
        }
        expect(read).toBeGreaterThan(0);
        expect(linked).toBeGreaterThan(0);
      } finally {
        flipping.kill('SIGKILL');
      }
    });
  });

  test('more than can be in memory is named, and not deleted', async () => {
    await inHouse(async (house) => {
      const { copy } = house.copy!;
      const fill = 'for i in 1 2 3 4 5; do truncate -s 250M big$i; done; truncate -s 250M package.json';
      execFileSync('/bin/sh', ['-c', fill], { cwd: copy });
      const { base, folder, skipped } = await readBack(house);
      const taken = [...folder.paths()].filter((path) => /^(?:big|package)/.test(path));
      expect(taken.sort()).toEqual(['big1', 'big2', 'big3', 'package.json']);
      const reason = 'is more than the 1 GB that changes can have in all';
      expect(skipped).toEqual(['big4', 'big5'].map((path) => ({ path, reason })));
      expect([...base.paths()].filter((path) => !new Set(folder.paths()).has(path))).toEqual([]);
    });
  });

  test('names without end, huge files, folders that nobody may read, and pipes are named, and the rest is taken', async () => {
    await inHouse(async (house) => {
      const { copy } = house.copy!;
      const deep =
        'import os\nfor _ in range(600):\n  os.mkdir("d" * 20)\n  os.chdir("d" * 20)\nopen("end", "w").write("x")';
      execFileSync('python3', ['-c', deep], { cwd: copy });
      execFileSync(
        '/bin/sh',
        ['-c', 'truncate -s 1T huge; truncate -s 1T package.json; mkfifo pipe; echo b >> a.txt'],
        { cwd: copy },
      );
      const { base, folder, skipped } = await readBack(house);
      expect(diffTrees(base, folder).map(({ change, path }) => `${change} ${path}`)).toEqual([
        'edited a.txt',
      ]);
      const reasons = Object.fromEntries(skipped.map(({ path, reason }) => [path.slice(0, 12), reason]));
      expect(reasons).toMatchObject({
        huge: 'is larger than 256 MB',
        'package.json': 'is larger than 256 MB',
        pipe: 'is a socket, a pipe or a device',
        dddddddddddd: 'cannot be read (ENAMETOOLONG)',
      });
      execFileSync('rm', ['-rf', copy]);
    });
  });
});

test.skipIf(because !== '' || process.getuid?.() === 0)(
  'a folder that may not be read does not hide the rest',
  async () => {
    await inHouse(async (house) => {
      const { copy } = house.copy!;
      execFileSync('/bin/sh', ['-c', 'mkdir shut; echo x > shut/x; chmod 0 shut; echo b >> a.txt'], {
        cwd: copy,
      });
      const { base, folder, skipped } = await readBack(house);
      expect(diffTrees(base, folder).map(({ path }) => path)).toEqual(['a.txt']);
      expect(skipped).toEqual([{ path: 'shut', reason: 'cannot be read (EACCES)' }]);
      writeFileSync(join(house.folder, 'done'), '');
      execFileSync('chmod', ['700', join(copy, 'shut')]);
    });
  },
);
