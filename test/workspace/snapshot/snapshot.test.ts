import { expect, test } from 'vitest';
import { look, makeProject, runCommandIn, undoWhole } from './project.js';

const FILES = `
mkdir -p src/deep empty/inner
printf 'one\\ntwo\\n' > src/a.txt; printf 'x' > src/deep/b.bin; printf '#!/bin/sh\\n' > run.sh; chmod 755 run.sh
ln -s src/a.txt link; ln -s nowhere dangling
printf 'ignored/\\n*.log\\n' > .gitignore; mkdir ignored; printf 'secret' > ignored/x; printf 'l' > a.log
`;

const COMMANDS: [string, string][] = [
  ['nothing', ':'],
  ['edits', 'sed -i s/one/eins/ src/a.txt; printf more >> run.sh'],
  ['deletes', 'rm -r src; rm link run.sh'],
  ['moves', 'mv src lib; mv run.sh lib/'],
  ['creates', 'mkdir -p new/folder; printf n > new/folder/n; printf m > src/m; mkdir hollow'],
  ['modes', 'chmod 600 src/a.txt; chmod 644 run.sh; chmod 700 src'],
  [
    'links',
    'rm link dangling; ln -s /etc/passwd link; ln -s run.sh other; rm src/a.txt; ln -s ../run.sh src/a.txt',
  ],
  ['a folder for a link to it', 'mv src real; ln -s real src'],
  ['a file for a folder', 'rm -r src; printf file > src'],
  ['a folder for a file', 'rm run.sh; mkdir run.sh; printf in > run.sh/in'],
  ['an empty folder for a file', 'rm run.sh src/a.txt; mkdir -p run.sh src/a.txt/deep'],
  [
    'folders with and without files for a file',
    'rm run.sh; mkdir -p run.sh/a run.sh/b; printf in > run.sh/b/in',
  ],
  ['empty folders', 'rmdir empty/inner; mkdir -p hollow/deep; chmod 711 empty'],
  ['many', 'mkdir many; for i in $(seq 300); do printf $i > many/$i; done; rm src/deep/b.bin'],
  ['ignored', 'printf changed > ignored/x; printf new > ignored/y; printf z > b.log; printf a > src/a.txt'],
  ['touch', 'touch src/a.txt run.sh'],
];

const GIT_COMMANDS: [string, string][] = [
  ['commit', 'printf c > c; git add c; git commit -qm c; printf dirty > c'],
  ['reset', 'git rm -q src/a.txt; git commit -qm gone; git reset -q --hard HEAD~1; git rm -q run.sh'],
  [
    'branch',
    'git checkout -q -b side; printf side > side; rm link; git add -A; git commit -qm side; git checkout -q main',
  ],
  ['stash', 'printf s > src/a.txt; git stash -q; printf t > src/deep/b.bin; git stash -q'],
  ['clean', 'printf u > untracked; git add untracked; git rm -q -f --cached untracked; git clean -qfd'],
];

for (const git of [true, false]) {
  test.each(git ? [...COMMANDS, ...GIT_COMMANDS] : COMMANDS)(
    `${git ? 'with' : 'without'} git: %s`,
    async (_, script) => {
      const root = makeProject(FILES, { git });
      const before = look(root);
      const { run, workspace, changes } = await runCommandIn(root, script);
      const after = look(root);
      await undoWhole(workspace, run);
      const isIgnored = (path: string) => path.startsWith('ignored/') || path.endsWith('.log');
      const covered = (seen: Record<string, string>) =>
        Object.fromEntries(Object.entries(seen).filter(([path]) => !isIgnored(path)));
      expect(covered(look(root))).toEqual(covered(before));
      expect(changes.unrestorable).toBeUndefined();
      const named = changes.changed.map(({ path }) => path);
      const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])]
        .filter((path) => !path.endsWith('/') && !isIgnored(path) && before[path] !== after[path])
        .sort();
      expect(named).toEqual(differing);
      const redone = named.length + Object.keys(before).length > 0 && (await workspace.redo(run));
      expect(redone).toMatchObject({ status: 'redone' });
      expect(look(root)).toEqual(after);
    },
  );
}
