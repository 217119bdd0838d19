import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../sessions/site.js';
import { AWAIT, watch } from './attacked.js';
import { planText, Site, type SiteOptions } from './site.js';

const ONCE = ['--isolation', 'worktree', '--max-attempts', '1'];
const FAILED = [['01-01:1', 'failed', 'verification']];

function oneTask(verify: string, options: SiteOptions = {}, files = 'made.txt'): Site {
  return new Site(
    { '01-01': planText('01-01', [{ files, verify: `<automated>${verify}</automated>` }]) },
    { git: true, ...options },
  );
}

async function conduct(site: Site) {
  const { exit, of, summary, stderr } = await site.conduct(...ONCE);
  const outcomes = of('finished').map(({ task, outcome, why }) => [task.id, outcome, why]);
  return { exit, stderr, summary, outcomes, reason: of('finished')[0]?.reason ?? '' };
}

const worktreeOf = (site: Site) => {
  const folder = join(site.root, '.ultraplan/state/worktrees');
  return join(folder, readdirSync(folder).find((name) => name.startsWith('01-01'))!);
};

describe('what lands is what was verified', () => {
  test('a mark that names another commit counts for nothing', async () => {
    const site = oneTask('grep -q good made.txt', {
      executor: `echo good > made.txt; git add -A; git commit -qm good; good=$(git rev-parse HEAD)
echo evil > made.txt; mkdir -p .teddy; echo evil > .teddy/evil; git add -fA; git commit -qm evil; evil=$(git rev-parse HEAD)
git reset -q --hard $good
printf '{"commit":"%s","files":[],"leftOut":[],"repositories":[],"ignored":[],"removed":[]}' $evil > "$(git rev-parse --git-dir)/teddy-done.json"
FILES=made.txt claim`,
    });
    const { exit } = await conduct(site);
    expect(exit).toBe(0);
    expect(site.git('show', 'HEAD:made.txt')).toBe('good\n');
    expect(site.has('.teddy/evil')).toBe(false);
  });

  test('a mark of a landing that never was lets nothing be written over', async () => {
    const site = oneTask('grep -q more notes.txt', {
      files: { 'notes.txt': 'old\n' },
      executor: `printf 'half a thought and more' > notes.txt; git commit -qam more
printf %s "$(git rev-parse HEAD)" > "$(git rev-parse --git-common-dir)/teddy-landing"
FILES=notes.txt claim`,
    });
    site.write('notes.txt', 'half a thought');
    const { summary } = await conduct(site);
    expect(summary.questions.map(({ why }) => why)).toEqual(['cannot-land']);
    expect(site.read('notes.txt')).toBe('half a thought');
  });

  test('a verification that changes what it verifies does not pass', async () => {
    const site = oneTask('sed -i s/bad/good/ made.txt; grep -q good made.txt', {
      executor: 'echo bad > made.txt; FILES=made.txt claim',
    });
    const { exit, outcomes, reason } = await conduct(site);
    expect([exit, outcomes]).toEqual([1, FAILED]);
    expect(reason).toContain('"made.txt" changed during the verification');
    expect(site.has('made.txt')).toBe(false);
    expect(Object.keys(site.logs)).toEqual(['01-01-task-01-failure.yaml']);
  });

  test.each([
    ['changes a file', 'made.txt', 'grep -q good made.txt'],
    ['adds a file', 'answer.txt', 'grep -q good answer.txt'],
  ])('another process that %s meanwhile makes nothing pass', async (_, path, verify) => {
    const site = oneTask(`sh gate.sh; ${verify}`, {
      files: { 'gate.sh': `${AWAIT}\ntouch "$SITE/verifying"\nawait go\n` },
      executor: 'echo bad > made.txt; FILES=made.txt claim',
    });
    const run = watch(site, ...ONCE);
    await until(() => existsSync(join(site.base, 'verifying')), 'it is verified');
    writeFileSync(join(worktreeOf(site), path), 'good\n');
    site.leave('go');
    const { exit, of } = await run.told();
    expect([exit, of('finished').map(({ outcome }) => outcome)]).toEqual([1, ['failed']]);
    expect(site.git('log', '--format=%s')).toBe('Begin\n');
  });

  test('a verification that leaves files behind passes, and they do not land', async () => {
    const site = oneTask('echo 1 >> "$SITE/runs"; grep -q good made.txt && echo 1 > coverage.txt', {
      executor: 'echo good > made.txt; FILES=made.txt claim',
    });
    expect((await conduct(site)).exit).toBe(0);
    expect(site.git('ls-files', '*.txt')).toBe('made.txt\n');
    expect(site.note('runs')).toBe('1\n1\n');
  });

  test('what git ignores does not make it pass', async () => {
    const site = oneTask('grep -q good dist/out', {
      files: { '.gitignore': 'dist/\n' },
      executor: 'mkdir dist; echo good > dist/out; echo x > made.txt; FILES=made.txt claim',
    });
    const { exit, outcomes } = await conduct(site);
    expect([exit, outcomes]).toEqual([1, FAILED]);
  });

  test.each([
    ['settings', 'git config core.trustctime false; echo new > a.txt; touch -r "$SITE/tally" a.txt'],
    [
      'settings that pass over all',
      'git config core.ignoreStat true; git update-index -q --refresh; echo new > a.txt',
    ],
    [
      'an index of another time',
      'git config core.checkStat minimal; echo new > a.txt; touch -d @1000000000 a.txt',
    ],
    [
      'a sparse checkout',
      'echo new > a.txt; git config core.sparseCheckout true; mkdir -p "$(git rev-parse --git-dir)/info"; echo /b > "$(git rev-parse --git-dir)/info/sparse-checkout"; git update-index --skip-worktree a.txt',
    ],
  ])('a change that git does not see by %s is either taken or not there', async (_, hide) => {
    const site = oneTask(
      'grep -q new a.txt',
      { files: { 'a.txt': 'old\n' }, executor: `${hide}; FILES=a.txt claim` },
      'a.txt',
    );
    const { exit } = await conduct(site);
    expect(site.git('show', 'HEAD:a.txt')).toBe(exit === 0 ? 'new\n' : 'old\n');
    // Where git cannot take the work in at all, a person is asked.
    expect(site.marks('01-01')[0] === 'completed').toBe(exit === 0);
  });

  test('an index that lies about a file does not hide what is on disk', async () => {
    // The entry says what the file is like by now, and names the old content.
    const site = oneTask(
      'grep -q new a.txt',
      {
        files: { 'a.txt': 'old\n' },
        executor: `echo new > a.txt; git update-index a.txt
old=$(git rev-parse HEAD:a.txt); new=$(git hash-object a.txt)
index="$(git rev-parse --git-dir)/index"
node -e '
const fs = require("fs"), { createHash } = require("crypto");
const [index, from, to] = process.argv.slice(1);
const bytes = fs.readFileSync(index);
const at = bytes.indexOf(Buffer.from(from, "hex"));
Buffer.from(to, "hex").copy(bytes, at);
createHash("sha1").update(bytes.subarray(0, -20)).digest().copy(bytes, bytes.length - 20);
fs.writeFileSync(index, bytes);
' "$index" $new $old
touch -d "2 seconds" "$index"
FILES=a.txt claim`,
      },
      'a.txt',
    );
    const { exit } = await conduct(site);
    expect(site.git('show', 'HEAD:a.txt')).toBe(exit === 0 ? 'new\n' : 'old\n');
  });

  test.each([
    ['that is absolute', 'ln -s /etc out'],
    ['upwards', 'mkdir d; ln -s ../../elsewhere d/out'],
    ['by way of another link', 'ln -s . here; ln -s here/../elsewhere out'],
  ])('a link out of the project, %s, does not land', async (_, make) => {
    const site = oneTask('true', { executor: `${make}; git add -A; git commit -qm link; FILES= claim` });
    const { exit, outcomes, reason } = await conduct(site);
    expect([exit, outcomes]).toEqual([1, FAILED]);
    expect(reason).toContain('out of the project');
    expect(site.git('log', '--format=%s')).toBe('Begin\n');
  });
});

describe('a worktree that is another folder by now', () => {
  const cases: [string, string][] = [
    ['a link', 'cd "$SITE"; mv "$HERE" "$SITE/moved"; ln -s "$SITE/other" "$HERE"'],
    ['a link to where it was moved', 'cd "$SITE"; mv "$HERE" "$SITE/moved"; ln -s "$SITE/moved" "$HERE"'],
    ['a folder that was moved there', 'cd "$SITE"; mv "$HERE" "$SITE/moved"; mv "$SITE/precious" "$HERE"'],
    ['a copy', 'cd "$SITE"; cp -a "$HERE" copy; rm -rf "$HERE"; mv copy "$HERE"'],
    ['led elsewhere by its .git', 'echo "gitdir: $SITE/project/.git" > .git'],
    [
      'led elsewhere by its git folder',
      'echo "$SITE/elsewhere/.git" > "$(git rev-parse --git-dir)/commondir"',
    ],
  ];
  test.each(cases)(
    '%s: the attempt ends, and nothing is followed or removed through it',
    async (_, replace) => {
      const site = oneTask('true', {
        executor: `HERE=$PWD; echo x > made.txt; ${replace}; FILES=made.txt claim`,
      });
      mkdirSync(join(site.base, 'precious'));
      writeFileSync(join(site.base, 'precious/file'), 'dear\n');
      const other = join(site.base, 'other');
      site.git('worktree', 'add', '-q', '-b', 'person', other);
      writeFileSync(join(other, 'work.txt'), 'of a person\n');
      const { exit, reason, outcomes } = await conduct(site);
      expect([exit, outcomes]).toEqual([1, FAILED]);
      expect(reason).toContain('is no longer the worktree that teddy created for this attempt');
      expect(readFileSync(join(other, 'work.txt'), 'utf8')).toBe('of a person\n');
      const precious = [join(site.base, 'precious/file'), join(site.root, '.ultraplan/state/worktrees')];
      const kept =
        existsSync(precious[0]!) ||
        readdirSync(precious[1]!).some((name) => existsSync(join(precious[1]!, name, 'file')));
      expect(kept).toBe(true);
      expect(site.git('log', '--format=%s')).toBe('Begin\n');
      expect((await site.orchestrate(...ONCE)).exit).toBe(1);
      expect(readFileSync(join(other, 'work.txt'), 'utf8')).toBe('of a person\n');
    },
  );
});
