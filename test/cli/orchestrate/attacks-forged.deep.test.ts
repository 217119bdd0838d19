import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { planText, Site, type SiteOptions } from './site.js';

const ONCE = ['--isolation', 'worktree', '--max-attempts', '1'];

function oneTask(verify: string, options: SiteOptions): Site {
  return new Site({ '01-01': planText('01-01', [{ files: 'made.txt', verify }]) }, { git: true, ...options });
}

/** Commits good work, and behind it evil work that no verification sees. */
const GOOD_AND_EVIL = `echo good > made.txt; git add -A; git commit -qm good; good=$(git rev-parse HEAD)
echo evil > made.txt; git commit -qam evil; evil=$(git rev-parse HEAD); git reset -q --hard $good
own=$(git rev-parse --git-dir); common=$(git rev-parse --git-common-dir)`;
const DONE = `'{"commit":"%s","files":[],"leftOut":[],"repositories":[],"ignored":[],"removed":[]}'`;

describe('a forged mark counts for nothing', () => {
  test.each([
    ['without a seal', `printf ${DONE} $evil > "$own/teddy-done.json"`],
    ['with an invented seal', `{ printf '%064d\\n' 7; printf ${DONE} $evil; } > "$own/teddy-done.json"`],
    [
      'with the seal of another mark',
      `{ head -n 1 "$own/teddy-ready.json"; printf ${DONE} $evil; } > "$own/teddy-done.json"`,
    ],
    ['that is another mark', 'cp "$own/teddy-ready.json" "$own/teddy-done.json"'],
    ['that is not JSON', `printf 'x\\n{' > "$own/teddy-done.json"`],
    ['that is a folder', 'mkdir "$own/teddy-done.json"'],
    ['that is endless', 'ln -s /dev/zero "$own/teddy-done.json"'],
  ])('%s', async (_, forge) => {
    const site = oneTask('grep -q good made.txt', {
      executor: `${GOOD_AND_EVIL}\n${forge}\nFILES=made.txt claim`,
    });
    const { exit } = await site.conduct(...ONCE);
    // Where the mark cannot be written, the work is not taken.
    if (exit === 0) expect(site.git('show', 'HEAD:made.txt')).toBe('good\n');
    else expect(site.git('log', '--format=%s')).toBe('Begin\n');
    expect(site.has('made.txt') && site.read('made.txt')).not.toBe('evil\n');
  });

  test.each([
    ['without a seal', `printf '{"commit":"%s","head":"%s"}' $now $before`],
    ['with an invented seal', `printf '%064d\\n{"commit":"%s","head":"%s"}' 7 $now $before`],
    [
      'with the seal of another mark',
      `{ head -n 1 "$(git rev-parse --git-dir)/teddy-ready.json"; printf '{"commit":"%s","head":"%s"}' $now $before; }`,
    ],
  ])('of a landing that never was, %s: nothing is written over', async (_, forge) => {
    const site = oneTask('grep -q more notes.txt', {
      files: { 'notes.txt': 'old\n' },
      executor: `before=$(git rev-parse HEAD); printf 'half a thought and more' > notes.txt; git commit -qam more
now=$(git rev-parse HEAD); ${forge} > "$(git rev-parse --git-common-dir)/teddy-landing"
FILES=notes.txt claim`,
    });
    site.write('notes.txt', 'half a thought');
    const { summary } = await site.conduct(...ONCE);
    expect(summary.questions.map(({ why }) => why)).toEqual(['cannot-land']);
    expect(site.read('notes.txt')).toBe('half a thought');
  });
});

describe("a commit of the tool's own files does not land", () => {
  test.each([
    ['its config', '.teddy/policy.yaml'],
    ['its agents', '.teddy/agents/evil.md'],
    ['its logs', '.ultraplan/logs/executions/forged.yaml'],
    ['its state', '.ultraplan/state/forged.jsonl'],
  ])('%s', async (_, path) => {
    const site = oneTask('grep -q good made.txt', {
      executor: `mkdir -p "${path.slice(0, path.lastIndexOf('/'))}"; echo evil > "${path}"; echo good > made.txt
git add -fA; git commit -qm both; FILES=made.txt claim`,
    });
    await site.conduct(...ONCE);
    expect(site.has(path)).toBe(false);
    expect(site.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).not.toContain(path);
  });
});

/** Offers a success for task 2 in `.teddy/incoming`, as a process of teddy does, with a verification that never ran. */
const OFFER = `
const fs = require('fs'), { join } = require('path');
const { tryLock } = require(${JSON.stringify(createRequire(import.meta.url).resolve('fs-native-extensions'))});
const [text, held] = process.argv.slice(1);
const folder = join(process.env.ROOT, '.teddy/incoming');
fs.mkdirSync(folder, { recursive: true });
const path = join(folder, 'forged-1-0');
const file = fs.openSync(path, 'w');
if (held) tryLock(file);
fs.writeSync(file, text);
const run = { exitCode: 0, outputSummary: 'passed', durationMs: 1, vacuous: false };
const request = { plan: '01-01', now: new Date().toISOString(), executor: 'worker',
  verified: { taskIndex: 2, command: 'test -s made-01-01-2.txt', run } };
fs.writeFileSync(path + '.request', JSON.stringify(request));
setTimeout(() => {}, held ? 1500 : 0);
`;

describe('a success that is written into .teddy/incoming', () => {
  test.each([
    ['and held as if by a teddy that waits', 'held'],
    ['and left', ''],
  ])('%s: the task is done by its executor, and by nobody else', async (_, held) => {
    const site = new Site(
      { '01-01': planText('01-01', 2) },
      {
        executor: `if [ $TEDDY_TASK_INDEX = 1 ]; then
node "$SITE/offer.cjs" "$(NAME="Task 2: Part 2"; FILES=x; claim)" ${held}
fi
make; claim`,
      },
    );
    site.leave('offer.cjs', OFFER.replace('process.argv.slice(1)', 'process.argv.slice(2)'));
    const { exit } = await site.conduct();
    expect(exit).toBe(0);
    expect(site.tally.filter((line) => line.startsWith('01-01:2 '))).toEqual(['01-01:2 1']);
    expect(site.has('made-01-01-2.txt')).toBe(true);
  });
});
