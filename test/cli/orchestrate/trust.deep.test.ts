import { describe, expect, test } from 'vitest';
import { readTree } from '../../folder.js';
import { planText, Site } from './site.js';

describe('verification that was not shown', () => {
  test('a command that changed during the run is never run; a person is asked', async () => {
    const site = new Site(
      {
        '01-01': planText('01-01', 1),
        '01-02': planText('01-02', 1, ['depends_on: [01-01]']),
        '01-03': planText('01-03', 1, ['depends_on: [01-01]']),
      },
      {
        executor: `[ $TEDDY_TASK_ID = 01-01:1 ] && sed -i 's#<verify>.*</verify>#<verify><automated>touch "$SITE/evil"</automated></verify>#' "$ROOT/.planning/01-02-PLAN.md"
[ $TEDDY_TASK_ID = 01-03:1 ] && [ $TEDDY_ATTEMPT = 1 ] && sed -i 's#<verify>.*</verify>#<verify>true</verify>#' "$TEDDY_PLAN"
make; claim`,
      },
    );
    const { exit, summary, of } = await site.conduct();
    expect(exit).toBe(1);
    expect(summary.questions.map(({ id, why }) => [id, why]).sort()).toEqual([
      ['01-02:1', 'verify-changed'],
      ['01-03:1', 'verify-changed'],
    ]);
    expect(site.note('evil')).toBe('');
    expect(readTree(site.base).evil).toBeUndefined();
    expect(of('verifying').map(({ task, command }) => [task.id, command])).toEqual([
      ['01-01:1', 'test -s made-01-01-1.txt'],
    ]);
    expect(site.marks('01-01')).toEqual(['completed']);
    expect([...site.marks('01-02'), ...site.marks('01-03')]).toEqual(['-', '-']);
    expect(site.logs).toHaveProperty(['01-01-task-01-success.yaml']);
    // What they brought is recorded, and counts for nothing.
    expect(Object.keys(site.logs).sort()).toEqual([
      '01-01-task-01-success.yaml',
      '01-02-task-01-superseded.yaml',
      '01-03-task-01-superseded.yaml',
    ]);

    // To start again is no answer.
    const shown = await site.orchestrate('--dry-run');
    expect(shown.stdout).toContain('touch "$SITE/evil"');
    expect((await site.orchestrate()).exit).toBe(1);
    expect(readTree(site.base).evil).toBeUndefined();
    for (const task of ['01-02:1', '01-03:1']) await site.resolve(task, 'retry');
    expect((await site.orchestrate()).exit).toBe(0);
    expect(readTree(site.base).evil).toBe('');
  });

  test.each(['none', 'worktree'])(
    'a mark that nobody recorded makes nothing done, with isolation %s',
    async (isolation) => {
      const site = new Site(
        { '01-01': planText('01-01', 3) },
        {
          git: true,
          // Writes into the plan itself that all is done, and says nothing that could be taken.
          executor: `sed -i 's/<task type="auto"/<task type="auto" status="completed"/; s/- \\[ \\]/- [x]/' "$TEDDY_PLAN"
sleep 0.7
echo "Everything is done."`,
        },
      );
      const { exit, summary, of } = await site.conduct('--max-attempts', '1', '--isolation', isolation);
      expect({ exit, done: summary.done, complete: summary.complete }).toEqual({
        exit: 1,
        done: 0,
        complete: false,
      });
      expect(of('finished').filter(({ outcome }) => outcome === 'done')).toEqual([]);
      expect(site.logs).toEqual({});
    },
  );

  test('a policy that denies one of them: exit 2, and nothing is begun', async () => {
    const site = new Site(
      { '01-01': planText('01-01', [{ verify: 'true' }, {}]) },
      {
        files: { '.teddy/policy.yaml': 'rules:\n  - {deny: EXECUTE, command: "test *"}\n  - {allow: "*"}\n' },
      },
    );
    const { exit, stderr } = await site.orchestrate();
    expect(exit).toBe(2);
    expect(stderr).toContain(
      'Nothing was started: the verify command of 01-01:2, "test -s made-01-01-2.txt", is denied',
    );
    expect(site.tally).toEqual([]);
    expect(site.has('.ultraplan')).toBe(false);
  });
});

test('a project that nobody has trusted is not begun with nobody to ask', async () => {
  const site = new Site({ '01-01': planText('01-01', 1) });
  const before = site.tree();
  const refused = await site.run(['orchestrate', '--yes'], { trust: false });
  expect(refused.exit).toBe(2);
  expect(refused.stderr).toContain('teddy trust');
  expect(site.tally).toEqual([]);
  expect(site.tree()).toEqual(before);
  expect((await site.run(['trust', '--yes'], { trust: false })).exit).toBe(0);
  expect((await site.run(['orchestrate', '--yes'], { trust: false })).exit).toBe(0);
  // Somebody changed who works on tasks: it is asked about again.
  site.write('.teddy/config.yaml', `${site.read('.teddy/config.yaml')}orchestrate: {setup: "true"}\n`);
  expect((await site.run(['orchestrate', '--yes'], { trust: false })).exit).toBe(2);
});

describe('secrets', () => {
  const KEY = 'larder-key-0123456789abcdef';
  const executor = `echo "the key is $PAINT_API_KEY" >&2
printf 'larder-key-' >&2; sleep 0.1; echo '0123456789abcdef' >&2
case $TEDDY_ATTEMPT in
  1) fail "refused: $PAINT_API_KEY";;
  2) echo "garbage $PAINT_API_KEY";;
  3) claim;;
  4) make; NAME="$NAME" result success "$NAME" "$MADE" "\\"curl -H $PAINT_API_KEY\\"" 0 true "With $PAINT_API_KEY it went well." null;;
  *) exit 1;;
esac`;
  const verify = 'echo "verified with $PAINT_API_KEY"; test -s made-01-01-1.txt';

  test.each(['lines', 'json'])(
    'a key that is printed is in no file of the project, no prompt and not in %s',
    async (form) => {
      const site = new Site(
        {
          '01-01': planText('01-01', [
            { verify: `<automated>${verify.replaceAll('"', '&quot;')}</automated>` },
          ]),
        },
        { executor, env: { PAINT_API_KEY: KEY }, git: true },
      );
      const words = ['--max-attempts', '5', '--isolation', form === 'json' ? 'worktree' : 'none'];
      const { exit, stdout, stderr } = await site.run([
        'orchestrate',
        '--yes',
        ...words,
        ...(form === 'json' ? ['--json'] : []),
      ]);
      expect({ exit, tally: site.tally.length }).toEqual({ exit: 0, tally: 4 });
      const files = { ...site.tree(), ...readTree(`${site.base}/prompts`), ...readTree(`${site.base}/user`) };
      const holding = Object.entries(files).filter(([, text]) => text.includes(KEY));
      expect(holding.map(([path]) => path)).toEqual([]);
      expect(`${stdout}${stderr}`).not.toContain(KEY);
      expect(site.git('log', '--all', '-p')).not.toContain(KEY);
      // It is masked, not lost.
      const masked = Object.entries(site.tree()).filter(([, text]) => /\[masked:[0-9a-f]{8}\]/.test(text));
      expect(masked.map(([path]) => path)).toEqual(
        expect.arrayContaining([
          expect.stringContaining('01-01-task-01-failure.yaml'),
          expect.stringContaining('01-01-task-01-success.yaml'),
          expect.stringContaining('rejected/'),
          expect.stringContaining('.ultraplan/state/output/'),
        ]),
      );
      expect(site.promptOf('01-01:1', 2)).toMatch(/refused: \[masked:[0-9a-f]{8}\]/);
      expect(site.promptOf('01-01:1', 4)).toMatch(/verified with \[masked:[0-9a-f]{8}\]/);
    },
  );
});
