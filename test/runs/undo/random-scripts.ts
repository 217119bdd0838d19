// Shell scripts as commands of a plan run them, at random. They write nothing outside the folder in which they run.

type Random = () => number;

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!;
}

const FOLDERS = ['src', 'src/deep', 'docs', 'lib', 'lib/g', 'bin', 'new', 'new/far', 'empty'];
const FILES = [
  ...['a.txt', 'b.md', 'src/c.ts', 'src/deep/d.ts', 'src/deep/e.json', 'bin/run.sh', 'docs/x y.md'],
  ...['docs/ünï.txt', '.env', 'lib/f', 'lib/g/h', "q'uote.txt", 'link', 'src/link', 'new/one', 'new/far/two'],
];
const MODES = ['644', '755', '600', '444', '664', '4755'];
const FOLDER_MODES = ['755', '700', '711', '2755'];
/** Wherever such a link is moved to, it leads to nothing outside. */
const TARGETS = ['a.txt', 'src', './lib', 'nowhere', 'deep/d.ts', '.'];

export const IGNORED = ['ignored/', 'node_modules/', '*.log'];

/** What a project begins with. */
export const FIRST_FILES = `
mkdir -p src/deep docs lib/g bin empty/inner ignored
printf 'one\\ntwo\\nthree\\n' > a.txt; printf '# Title\\r\\none\\r\\n' > b.md; printf 'x = 1\\nmax = 1\\n' > src/c.ts
printf 'one' > src/deep/d.ts; printf '{"one": 1}\\n' > src/deep/e.json; printf '#!/bin/sh\\necho one\\n' > bin/run.sh
printf 'one\\n' > 'docs/x y.md'; printf '\\377\\376one\\000' > docs/ünï.txt; printf 'KEY=one\\n' > .env; chmod 600 .env
: > lib/f; printf 'one\\n' > lib/g/h; printf 'one\\n' > "q'uote.txt"; ln -s src/c.ts link; chmod 755 bin/run.sh
printf '${IGNORED.join('\\n')}\\n' > .gitignore; printf 'secret' > ignored/x; printf 'l' > src/a.log
`;

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

type Fragment = (random: Random) => string;

const file: Fragment = (random) => quote(pick(random, FILES));
const folder: Fragment = (random) => quote(pick(random, FOLDERS));
const any: Fragment = (random) => (random() < 0.7 ? file(random) : folder(random));
const parent = (path: string) => `mkdir -p "$(dirname ${path})"`;
const word: Fragment = (random) => pick(random, ['one', 'two', 'eins', 'x = 1', '']);

const FRAGMENTS: Fragment[] = [
  (random) => `rm -rf ${any(random)}`,
  (random) => `rm -f ${file(random)}`,
  (random) => `mv ${any(random)} ${any(random)}`,
  (random) => `cp -a ${any(random)} ${any(random)}`,
  (random) => `sed -i 's/one/${word(random)}/' ${file(random)}`,
  (random) => `true > ${file(random)}`,
  (random) => `truncate -s ${Math.floor(random() * 3000)} ${file(random)}`,
  (random) => `printf '${word(random)}\\n' >> ${file(random)}`,
  (random) => {
    const path = file(random);
    return `${parent(path)}; printf '${word(random)}%s' ${Math.floor(random() * 100)} > ${path}`;
  },
  (random) => `chmod ${pick(random, MODES)} ${file(random)}`,
  (random) => `chmod ${pick(random, FOLDER_MODES)} ${folder(random)}`,
  (random) => {
    const path = any(random);
    return `rm -rf ${path}; ${parent(path)}; ln -s ${quote(pick(random, TARGETS))} ${path}`;
  },
  (random) => `ln -f ${file(random)} ${file(random)}`,
  (random) => `mkdir -p ${folder(random)}/${pick(random, ['deep', 'inner', 'x'])}`,
  (random) => `rmdir ${folder(random)}/*`,
  (random) => `rm -f ${folder(random)}; mkdir -p ${folder(random)}`,
  // The same size, and the time that it had.
  (random) => {
    const path = file(random);
    return `touch -r ${path} ignored/time; sed -i 's/one/six/' ${path}; touch -r ignored/time ${path}`;
  },
  (random) => `touch -d '2001-02-03' ${any(random)}`,
  // A formatter.
  () =>
    `find . -name .git -prune -o -name .teddy -prune -o -name '*.[mt][ds]' -type f -exec sed -i 's/$/ /' {} +`,
  // An install.
  (random) =>
    `mkdir -p node_modules/p; for i in 1 2 3 4 5; do echo $i > node_modules/p/$i; done; echo ${Math.floor(random() * 9)} > package-lock.json`,
  (random) => `mkdir -p ignored; echo ${random()} > ignored/x; echo more >> src/a.log`,
];

const GIT_FRAGMENTS: Fragment[] = [
  () => 'git add -A; git commit -qm more',
  (random) => `git checkout -q -B ${pick(random, ['side', 'other'])}`,
  (random) => `git checkout -q -f ${pick(random, ['main', 'side', 'HEAD~1'])}`,
  () => 'git checkout -q -- .',
  () => 'git stash -q',
  () => 'git stash pop -q',
  () => 'git reset -q --hard HEAD~1',
  () => 'git reset -q --hard',
  () => 'git reset -q',
  () => 'git clean -fdq',
  (random) => `git rm -rq ${any(random)}`,
  (random) => `git mv ${any(random)} ${any(random)}`,
  (random) => `git rm -rq --cached ${any(random)}`,
];

const MANY = 'mkdir -p many; seq 3000 | (cd many && split -l 1 -a 4)';
/** 200 MB, which is above the limit: it is deleted if a command made it, and named if it was there before. */
const LARGE = [
  'test -e large || head -c 209715200 /dev/zero > large',
  'test -e large && printf x >> large',
  'rm large',
];

/** What a script does, by the words in it. */
export const KINDS: Readonly<Record<string, RegExp>> = {
  rm: /^rm -/m,
  mv: /^mv /m,
  'sed -i': /^sed -i/m,
  truncate: /^truncate/m,
  chmod: /^chmod/m,
  ...{
    'link made': /ln -s/,
    'link replaced or removed': /^rm -r?f '(?:src\/)?link'/m,
    'hard link': /^ln -f/m,
  },
  ...{
    'git checkout': /git checkout/,
    'git stash': /git stash/,
    'git reset': /git reset/,
    'git commit': /git commit/,
  },
  install: /node_modules/,
  formatter: /^find .*sed -i/m,
  'same size and time': /touch -r/,
  ...{
    'thousands of files': /split -l/,
    '200 MB': /head -c 209715200/,
    '200 MB changed': /printf x >> large|rm large/,
  },
};

/** A few of these, one after the other; those that fail do not stop the others. */
export function randomScript(random: Random, { git }: { git: boolean }): string {
  const count = 1 + Math.floor(random() * 6);
  const lines = Array.from({ length: count }, () =>
    pick(random, git && random() < 0.3 ? GIT_FRAGMENTS : FRAGMENTS)(random),
  );
  if (random() < 0.02) lines.push(MANY);
  if (random() < 0.02) lines.push(pick(random, LARGE));
  return `{ ${lines.join('\n')}\n} > /dev/null 2>&1 < /dev/null\ntrue`;
}
