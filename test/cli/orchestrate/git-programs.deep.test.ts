import { describe, expect, test } from 'vitest';
import { planText, Site } from './site.js';

const PROGRAMS = '.git/config (programs)';

/** A repository whose own config names a filter that leaves a trace. */
function makeSite(): Site {
  const site = new Site(
    { '01-01': planText('01-01', 1) },
    { git: true, files: { '.gitattributes': 'made* filter=mark\n' } },
  );
  site.program('mark', 'echo "$1" >> "$SITE/filtered"; cat');
  site.git('config', 'filter.mark.clean', 'mark clean');
  return site;
}

describe("programs of the repository's own git config", () => {
  test('nothing is begun before they are trusted; once they are, until they change', async () => {
    const site = makeSite();
    await site.run(['trust', '--yes'], { trust: false });
    site.git('config', 'filter.mark.clean', 'mark clean --more');
    const words = ['orchestrate', '--yes', '--executor', 'worker', '--isolation', 'worktree', '--json'];
    const refused = await site.run(words, { trust: false });
    expect(refused).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(`${PROGRAMS} has changed since you trusted it`),
    });
    expect([site.tally, site.note('filtered')]).toEqual([[], '']);

    const shown = await site.run(['trust', '--yes', '--json'], { trust: false });
    expect(JSON.parse(shown.stdout).files).toEqual(['.teddy/config.yaml', PROGRAMS]);
    site.git('config', 'remote.origin.url', 'https://example.org/x.git');
    expect(await site.run(words, { trust: false })).toMatchObject({ exit: 0 });
    expect(site.note('filtered')).toContain('clean');
    expect(site.has('made-01-01-1.txt')).toBe(true);
  });

  test('who only looks, or works in the project itself, is not asked and runs none of them', async () => {
    const site = makeSite();
    site.git('config', '--unset', 'filter.mark.clean');
    await site.run(['trust', '--yes'], { trust: false });
    site.git('config', 'filter.mark.clean', 'mark clean');
    expect(await site.run(['task', 'list'], { trust: false })).toMatchObject({ exit: 0 });
    const words = ['orchestrate', '--yes', '--executor', 'worker', '--isolation', 'none', '--json'];
    expect(await site.run(words, { trust: false })).toMatchObject({ exit: 0 });
    expect(site.note('filtered')).toBe('');
  });

  test('--trust says yes for one command', async () => {
    const site = makeSite();
    const words = ['orchestrate', '--yes', '--executor', 'worker', '--isolation', 'worktree', '--json'];
    expect(await site.run(words)).toMatchObject({ exit: 0 });
    expect(site.note('filtered')).toContain('clean');
  });
});
