import { expect, test } from 'vitest';
import { planText, Site } from './site.js';

const LINES = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');

/** Its executor changes the first and the last line of a file. */
function reviewedSite(config = ''): Site {
  return new Site(
    { '01-01': planText('01-01', [{ files: 'list.txt', verify: 'grep -q first list.txt' }]) },
    {
      git: true,
      config,
      files: { 'list.txt': LINES },
      executor: `sed -i 's/^line 1$/first/; s/^line 20$/last/' list.txt; FILES=list.txt claim`,
    },
  );
}

const REVIEW = ['--landing', 'review'];

/** The ids of the changes that a question shows, in order. */
function idsIn(detail: string): string[] {
  return [...detail.matchAll(/^change (\S+)$/gm)].map(([, id]) => id!);
}

test('nothing lands before the answer, and all of it after land, without another attempt', async () => {
  const site = reviewedSite();
  const asked = await site.conduct(...REVIEW);
  expect(asked.exit).toBe(1);
  const [{ question }] = asked.of('asked') as [ReturnType<typeof asked.of<'asked'>>[number]];
  expect(question).toMatchObject({ why: 'review', answers: ['land', 'drop', 'fix', 'skip', 'abort'] });
  expect(question.detail).toContain('EDIT list.txt\n');
  expect(question.detail).toContain('-line 1\n+first\n');
  expect(site.read('list.txt')).toBe(LINES);
  expect(site.tally).toEqual(['01-01:1 1']);

  expect((await site.resolve('01-01:1', 'land')).exit).toBe(0);
  expect(site.read('list.txt')).toBe(LINES);
  expect((await site.conduct(...REVIEW)).exit).toBe(0);
  expect(site.read('list.txt')).toBe(LINES.replace('line 1\n', 'first\n').replace('line 20\n', 'last\n'));
  expect(site.tally).toEqual(['01-01:1 1']);
  expect(site.marks('01-01')).toEqual(['completed']);
  expect(site.leftovers()).toEqual({ worktrees: 0, branches: [], folders: [] });
});

test('the config asks for the review, too; the start says so; --landing auto overrides it', async () => {
  const site = reviewedSite('landing: review\n');
  const asked = await site.conduct();
  expect(asked.of('asked')[0]!.question.why).toBe('review');
  expect(asked.of('began')[0]!.overview.notes[0]).toMatch(
    /^Finished work lands on .+ once you have reviewed it\.$/,
  );
  expect(site.read('list.txt')).toBe(LINES);

  const usual = reviewedSite('landing: review\n');
  const landed = await usual.conduct('--landing', 'auto', '--isolation', 'worktree');
  expect(landed.of('began')[0]!.overview.notes[0]).toMatch(/^Finished work lands on [^,]+"\.$/);
  expect(usual.read('list.txt')).not.toBe(LINES);
});

test('one of two changes is kept, verified again, and lands', async () => {
  const site = reviewedSite();
  const asked = await site.conduct(...REVIEW);
  const [, second] = idsIn(asked.of('asked')[0]!.question.detail);
  expect((await site.resolve('01-01:1', `drop: ${second} not asked for`)).exit).toBe(0);
  const landed = await site.conduct(...REVIEW);
  expect(landed.exit).toBe(0);
  expect(site.read('list.txt')).toBe(LINES.replace('line 1\n', 'first\n'));
  expect(site.git('status', '--porcelain', 'list.txt')).toBe('');
  expect(site.tally).toEqual(['01-01:1 1']);
});

test('what is recorded of it are the files that landed', async () => {
  const site = reviewedSite();
  site.behave(
    `sed -i 's/^line 1$/first/' list.txt; echo more > more.txt; git mv other.txt moved.txt; FILES='list.txt, more.txt' claim`,
  );
  site.write('other.txt', LINES);
  site.commit('Another file');
  const asked = await site.conduct(...REVIEW);
  const { detail, message } = asked.of('asked')[0]!.question;
  expect(message).toContain('Outside the task: more.txt, moved.txt.');
  const more = /CREATE more\.txt\nchange (\S+)\n/.exec(detail)?.[1];
  expect(detail).toContain('RENAME other.txt → moved.txt\n');
  await site.resolve('01-01:1', `drop: ${more}`);
  const landed = await site.conduct(...REVIEW);
  expect(landed.exit).toBe(0);
  expect([site.has('more.txt'), site.has('other.txt'), site.has('moved.txt')]).toEqual([false, false, true]);
  const landing = site.journal.find(({ type }) => type === 'landing');
  expect(landing).toMatchObject({ filesChanged: ['list.txt', 'moved.txt', 'other.txt'] });
  const [finished] = landed.of('finished');
  expect(finished!.warnings).toContain('"more.txt" is listed but was not changed.');
});

test('if the rest is not verified, the next attempt is told what was dropped and why', async () => {
  const site = reviewedSite();
  const asked = await site.conduct(...REVIEW);
  const [first] = idsIn(asked.of('asked')[0]!.question.detail);
  await site.resolve('01-01:1', `drop: ${first} keep the old name`);
  const again = await site.conduct(...REVIEW);
  expect(again.exit).toBe(1);
  expect(site.read('list.txt')).toBe(LINES);
  expect(again.of('finished')[0]).toMatchObject({ outcome: 'failed', why: 'verification' });
  expect(site.promptOf('01-01:1', 2)).toContain('list.txt: keep the old name\n');
  expect(again.of('asked')[0]!.question.why).toBe('review');
});

test('fix sends it back, and an id that is not shown asks again', async () => {
  const site = reviewedSite();
  await site.conduct(...REVIEW);
  await site.resolve('01-01:1', 'drop: 0123456789abcdef');
  const unknown = await site.conduct(...REVIEW);
  expect(unknown.of('asked')[0]!.question.message).toContain('0123456789abcdef is not the id of a change.');
  expect(site.read('list.txt')).toBe(LINES);
  await site.resolve('01-01:1', 'fix: only the first line');
  const again = await site.conduct(...REVIEW);
  // An attempt that a person sent back does not count.
  expect(site.tally).toEqual(['01-01:1 1', '01-01:1 1']);
  expect(site.promptOf('01-01:1', 1)).toContain('only the first line');
  expect(again.of('asked')[0]!.question.why).toBe('review');
});

test('an answer counts only for the changes that were shown', async () => {
  const site = reviewedSite();
  await site.conduct(...REVIEW);
  site.write('list.txt', LINES.replace('line 3\n', 'third\n'));
  site.commit('Meanwhile');
  await site.resolve('01-01:1', 'land');
  const again = await site.conduct(...REVIEW);
  expect(again.of('asked')[0]!.question.message).toContain('The changes differ from those that you saw.');
  expect(site.read('list.txt')).not.toContain('first');
});

test('without worktrees there is nothing to review before it lands', async () => {
  const site = reviewedSite();
  const { exit, stderr } = await site.orchestrate(...REVIEW, '--isolation', 'none');
  expect({ exit, stderr }).toMatchObject({ exit: 2 });
  expect(stderr).toContain('A review before landing needs worktrees');
});
