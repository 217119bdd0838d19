import { expect, test } from 'vitest';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
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
  expect((await site.run(['orchestrate', '--dry-run'])).stdout).toContain(
    'note  Finished work lands once you have reviewed it.',
  );

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

function openBoard(site: Site): TestTerminal {
  const { PATH, ...env } = site.env;
  const words = [TEDDY, 'orchestrate', '--yes', '--trust', ...REVIEW];
  const cwd = site.root;
  return new TestTerminal([process.execPath, ...words], {
    cwd,
    env: { ...env, PATH: PATH! },
    columns: 100,
    rows: 50,
  });
}

test.skipIf(noPython)(
  `at the board, changes are chosen on the screens and with the keys of a review${noPython}`,
  async () => {
    const site = reviewedSite();
    site.behave(
      `sed -i 's/^line 1$/first/; s/^line 20$/last/' list.txt; echo more > more.txt; printf 'a\\0b' > blob; FILES='list.txt, more.txt, blob' claim`,
    );
    const terminal = openBoard(site);
    const type = async (shown: RegExp, typed: string) => {
      await terminal.shows(shown);
      terminal.send(typed);
    };
    await type(/Your answer is needed.*y land it.*h choose changes/s, 'h');
    // Quitting decides nothing.
    await type(/1 of 3 {2}CREATE.*\n {2}blob {2}binary\n.*y keep {2}n drop {2}a .*q quit/s, 'q');
    await type(/Why quit\?.*done/s, '\r');
    await type(/y land it.*h choose changes/s, 'h');
    await type(/1 of 3 .*q quit/s, 'y');
    await type(/2 of 3 {2}EDIT.*\n {2}list\.txt.*h choose changes/s, 'h');
    await type(/Change 1 of 2.*y keep/s, 'y');
    await type(/Change 2 of 2.*y keep/s, 'n');
    await type(/Why drop it\?.*done/s, 'not asked; for\r');
    await type(/Kept: 1 of 2 changes.*y keep/s, 'y');
    await type(/3 of 3 {2}CREATE.*\n {2}more\.txt.*q quit/s, 'n');
    await type(/Why drop it\?.*done/s, '\r');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(site.read('list.txt')).toBe(LINES.replace('line 1\n', 'first\n'));
    expect([site.has('blob'), site.has('more.txt')]).toEqual([true, false]);
    expect(site.tally).toEqual(['01-01:1 1']);
    expect(site.git('status', '--porcelain', 'list.txt')).toBe('');
  },
);

test.skipIf(noPython)(`at the board, approving the rest lands all of it${noPython}`, async () => {
  const site = reviewedSite();
  const terminal = openBoard(site);
  await terminal.shows(/Your answer is needed.*h choose changes/s);
  terminal.send('h');
  await terminal.shows(/1 of 1 {2}EDIT.*a keep the rest/s);
  terminal.send('a');
  await terminal.shows(/y keep it/);
  terminal.send('y');
  expect(await terminal.ended).toMatchObject({ exit: 0 });
  expect(site.read('list.txt')).toBe(LINES.replace('line 1\n', 'first\n').replace('line 20\n', 'last\n'));
});
