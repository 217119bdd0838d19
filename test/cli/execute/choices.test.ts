import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseReport } from '../../../src/core/report/parse.js';
import { listContent, makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';
import { createAction, editAction, executeAction, planOf } from './program.js';

const OLD = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const NEW = 'ONE\ntwo\nTHREE\nfour\nFIVE\nsix\n';
const OVERWRITE = createAction('a.txt', NEW, '- **Overwrite:** true\n');

function readAction(path: string): string {
  return `### \`READ\`\n- **Resource:** [${path}](/${path})\n- **Description:** Look.\n`;
}

function start(
  actions: string[],
  {
    files = {},
    env = {},
    plan = 'plan.md',
  }: { files?: Record<string, string>; env?: object; plan?: string } = {},
) {
  const cwd = makeFolder({ 'plan.md': planOf('Choose', ...actions), 'a.txt': OLD, ...files });
  const home = makeFolder();
  const state = {
    TMPDIR: tmpdir(),
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
  };
  const words = [process.execPath, TEDDY, 'execute', plan, '--no-copy'];
  const terminal = new TestTerminal(words, { cwd, columns: 100, rows: 50, env: { ...state, ...env } });
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  const report = () => {
    const [run] = listContent(join(cwd, '.teddy/runs'));
    const parsed = parseReport(read(`.teddy/runs/${run}/report.md`));
    if (parsed.status !== 'mirrored') throw new Error('There is no mirrored report.');
    return parsed;
  };
  const undo = () => teddy(['undo'], { cwd, env: state });
  return { cwd, home, terminal, read, report, undo };
}

/** Waits for these keys below a panel with this in its title. */
async function sees(terminal: TestTerminal, text: string, keys: RegExp = /n skip/): Promise<void> {
  await terminal.until(() => {
    const rows = terminal.rows();
    const foot = rows.slice(Math.max(0, terminal.cursor.row - 1), terminal.cursor.row + 1).join(' ');
    const title = rows.findLast((row) => row.startsWith('── ')) ?? '';
    return title.includes(text) && keys.test(foot);
  }, `${text} with ${keys}`);
}

async function press(terminal: TestTerminal, key: string, next: string, keys?: RegExp): Promise<void> {
  terminal.send(key);
  await sees(terminal, next, keys);
}

async function skip(terminal: TestTerminal, reason = ''): Promise<void> {
  terminal.send('n');
  await terminal.shows(/Why (?:skip|drop)/);
  terminal.send(`${reason}\r`);
}

describe.skipIf(noPython)(`choices in a review${noPython}`, () => {
  test.each([
    ['an overwriting CREATE', OVERWRITE],
    [
      'an EDIT',
      `${editAction('a.txt', 'one\n', 'ONE\n')}\n\`FIND:\`\n\`\`\`\`\nthree\n\`\`\`\`\n\`REPLACE:\`\n\`\`\`\`\nTHREE\n\`\`\`\`\n\`FIND:\`\n\`\`\`\`\nfive\n\`\`\`\`\n\`REPLACE:\`\n\`\`\`\`\nFIVE\n\`\`\`\`\n`,
    ],
  ])('some hunks of %s are kept, written, reported and undone', async (_, action) => {
    const { terminal, read, report, undo } = start([action]);
    await sees(terminal, '1 of 1');
    await press(terminal, 'h', 'Change 1 of 3', /n drop/);
    await press(terminal, 'y', 'Change 2 of 3', /n drop/);
    await skip(terminal, 'three is fine');
    await sees(terminal, 'Change 3 of 3', /n drop/);
    await press(terminal, 'b', 'Change 2 of 3', /previous change/);
    await skip(terminal);
    await sees(terminal, 'Change 3 of 3', /n drop/);
    await press(terminal, 'y', 'Kept: 2 of 3 changes', /y approve/);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(read('a.txt')).toBe('ONE\ntwo\nthree\nfour\nFIVE\nsix\n');
    const [{ outcome }] = report().actions as [ReturnType<typeof report>['actions'][0]];
    expect(outcome).toMatchObject({
      status: 'success',
      kept: {
        count: 2,
        dropped: [
          {
            id: expect.stringMatching(/^[0-9a-f]{16}$/),
            reason: 'three is fine',
            change: expect.stringContaining('-three\n+THREE\n'),
          },
        ],
      },
    });
    expect(terminal.history()).toContain(
      '✔ 1 CREATE a.txt: kept 2 of 3 changes'.replace('CREATE', report().actions[0]!.type),
    );
    expect(undo().exit).toBe(0);
    expect(read('a.txt')).toBe(OLD);
  });

  test('with every hunk dropped, the action is skipped', async () => {
    const { terminal, read, report } = start([OVERWRITE]);
    await sees(terminal, '1 of 1');
    await press(terminal, 'h', 'Change 1 of 3', /n drop/);
    for (const at of [2, 3]) {
      await skip(terminal, at === 2 ? 'no' : '');
      await sees(terminal, `Change ${at} of 3`, /n drop/);
    }
    await skip(terminal);
    await sees(terminal, 'Kept: 0 of 3 changes', /skip it/);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(read('a.txt')).toBe(OLD);
    expect(report().actions[0]!.decision).toEqual({ status: 'skipped', reason: 'no' });
  });

  test('a file that changed while its hunks were chosen is left alone', async () => {
    const { terminal, cwd, read, report } = start([OVERWRITE]);
    await sees(terminal, '1 of 1');
    await press(terminal, 'h', 'Change 1 of 3', /n drop/);
    await skip(terminal);
    await sees(terminal, 'Change 2 of 3', /n drop/);
    await press(terminal, 'y', 'Change 3 of 3', /n drop/);
    await press(terminal, 'y', 'Kept: 2 of 3', /y approve/);
    writeFileSync(join(cwd, 'a.txt'), 'mine\n');
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 1, signal: null });
    expect(read('a.txt')).toBe('mine\n');
    expect(report().actions[0]!.outcome).toMatchObject({
      error: { text: expect.stringContaining('has changed since review') },
    });
  });

  test('e edits the file that results; the edit is shown as a diff before it is written', async () => {
    const tools = makeFolder({ 'ed.sh': '#!/bin/sh\nsed -i s/FIVE/5/ "$1"; echo "$1" > "$HOME/name"\n' });
    chmodSync(join(tools, 'ed.sh'), 0o755);
    const action = editAction('a.txt', 'five\n', 'FIVE\n');
    const { terminal, home, read, report, undo } = start([action], { env: { EDITOR: join(tools, 'ed.sh') } });
    await sees(terminal, '1 of 1');
    terminal.send('e');
    await sees(terminal, '(as you edited it)');
    expect(terminal.text()).toContain('│+5');
    expect(read('a.txt')).toBe(OLD);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(read('a.txt')).toBe(OLD.replace('five', '5'));
    expect(readFileSync(join(home, 'name'), 'utf8')).toMatch(/\/result-1-a-draft\.txt\n$/);
    const { ranAs } = report().actions[0]!.outcome as { ranAs: string };
    expect(ranAs).toContain('### `EDIT`');
    expect(ranAs).toMatch(/five\n`+\n+`REPLACE:`\n`+\w*\n5\n/);
    expect(undo().exit).toBe(0);
    expect(read('a.txt')).toBe(OLD);
  });

  test('the draft of an edited test file is not a test of the project', async () => {
    const tools = makeFolder({ 'ed.sh': '#!/bin/sh\nsed -i s/FIVE/5/ "$1"\n' });
    chmodSync(join(tools, 'ed.sh'), 0o755);
    const create = createAction('a.test.mjs', "import { test } from 'node:test';\ntest('FIVE', () => {});\n");
    const run = executeAction(`${process.execPath} --test --test-reporter=tap | grep '^# tests'`);
    const { terminal, report } = start([create, run], { env: { EDITOR: join(tools, 'ed.sh') } });
    await sees(terminal, '1 of 2');
    terminal.send('e');
    await sees(terminal, '(as you edited it)');
    await press(terminal, 'y', '2 of 2');
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(report().actions[1]!.outcome).toMatchObject({ output: { text: '# tests 1\n' } });
  });

  test('b goes back to what was skipped, several times; what ran stays', async () => {
    const names = ['1.txt', '2.txt', '3.txt', '4.txt'];
    const { terminal, cwd, report } = start(names.map((name) => createAction(name)));
    await sees(terminal, '1 of 4');
    await press(terminal, 'y', '2 of 4', /n skip(?!.*b back)/s);
    await skip(terminal);
    await sees(terminal, '3 of 4', /b back/);
    await skip(terminal);
    await sees(terminal, '4 of 4');
    await press(terminal, 'b', '3 of 4', /b back/);
    await press(terminal, 'b', '2 of 4');
    terminal.send('y');
    await terminal.until(() => existsSync(join(cwd, '2.txt')), '2.txt');
    await sees(terminal, '3 of 4');
    await press(terminal, 'y', '4 of 4');
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(report().actions.map(({ outcome }) => outcome.status)).toEqual(names.map(() => 'success'));
  });

  test('b reaches Memos and Active Context, too', async () => {
    const plan = planOf('Choose', createAction('1.txt')).replace(
      '## Action Plan',
      '## Active Context\n````\n[+] a.txt\n````\n\n## Memos\n````\n[+] Remember.\n````\n\n## Action Plan',
    );
    const { terminal, read, report } = start([], { files: { 'plan.md': plan } });
    await sees(terminal, 'Active Context', /n skip(?!.*b back)/);
    await skip(terminal, 'first');
    await sees(terminal, 'Memos', /b back/);
    await skip(terminal, 'second');
    await sees(terminal, '1 of 1', /b back/);
    await press(terminal, 'b', 'Memos', /b back/);
    await press(terminal, 'b', 'Active Context');
    terminal.send('a');
    await terminal.shows('Approve the rest: 3');
    await terminal.shows('n back');
    await press(terminal, 'n', 'Active Context');
    await skip(terminal, ', third');
    await sees(terminal, 'Memos');
    await press(terminal, 'y', '1 of 1', /n skip(?!.*b back)/);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(read('.teddy/memos.yaml')).toBe('- Remember.\n');
    expect(report().stateChanges).toMatchObject([
      { section: 'Active Context', decision: { status: 'skipped', reason: 'first, third' } },
      { section: 'Memos', decision: { status: 'approved' } },
    ]);
  });

  test('a failed command runs again until it succeeds', async () => {
    const command = 'test -f go && echo ready || { touch go; exit 4; }';
    const { terminal, report } = start([executeAction(command), createAction('after.txt')]);
    await sees(terminal, '1 of 2');
    await press(terminal, 'y', 'Run it again?', /r run it again/);
    await press(terminal, 'r', '2 of 2');
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    const [first] = report().actions;
    expect(first!.outcome).toMatchObject({ status: 'success', attempts: 2, output: { text: 'ready\n' } });
  });

  test('after a failed command, q leaves the rest', async () => {
    const { terminal, cwd, report } = start([executeAction('exit 4'), createAction('after.txt')]);
    await sees(terminal, '1 of 2');
    await press(terminal, 'y', 'Run it again?', /r run it again/);
    expect(terminal.text()).toContain('✘ 1/2 EXECUTE exit 4: The command failed with exit code 4.');
    await press(terminal, 'r', '(2 attempts so far)', /r run it again/);
    terminal.send('q');
    await terminal.shows('Why quit?');
    terminal.send('\r');
    expect(await terminal.ended).toEqual({ exit: 1, signal: null });
    expect(existsSync(join(cwd, 'after.txt'))).toBe(false);
    expect(report().actions.map(({ outcome }) => outcome)).toMatchObject([
      { status: 'failure', attempts: 2 },
      { status: 'not-run' },
    ]);
  });

  test('READs in a row are one question: all, or one by one', async () => {
    const reads = ['a.txt', 'b.txt', 'c.txt'].map(readAction);
    const files = { 'b.txt': 'b\n', 'c.txt': 'c\n' };
    const { terminal, report } = start([...reads, createAction('d.txt'), ...reads.slice(0, 2)], { files });
    await sees(terminal, '1-3 of 6', /y approve all 3/);
    await press(terminal, 'y', '4 of 6');
    await press(terminal, 'y', '5-6 of 6', /y approve all 2/);
    await press(terminal, 'o', '5 of 6', /n skip(?! all)/);
    await skip(terminal, 'seen');
    await sees(terminal, '6 of 6');
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(report().actions.map(({ outcome }) => outcome.status)).toEqual([
      'success',
      'success',
      'success',
      'success',
      'not-run',
      'success',
    ]);
  });

  test('w shows the setting, writes it, and READs of harmless files are no longer asked about', async () => {
    const files = { 'b.txt': 'b\n', '.env': 'KEY=1\n', 'out.log': 'x\n', '.gitignore': '*.log\n' };
    const actions = [
      readAction('a.txt'),
      createAction('d.txt'),
      readAction('b.txt'),
      readAction('.env'),
      readAction('out.log'),
    ];
    const { terminal, home, report } = start(actions, { files });
    await sees(terminal, '1 of 5');
    await press(terminal, 'w', 'Always allow reads', /write it/);
    expect(terminal.text()).toContain('reads: allow');
    expect(existsSync(join(home, 'config/teddy/config.yaml'))).toBe(false);
    await press(terminal, 'y', '2 of 5');
    expect(readFileSync(join(home, 'config/teddy/config.yaml'), 'utf8')).toMatch(
      /review:\n {2}reads: allow\n/,
    );
    await press(terminal, 'y', '4-5 of 5', /skip all/);
    terminal.send('n');
    await terminal.shows('Why skip them?');
    terminal.send('secret\r');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(report().actions.map(({ decision }) => decision.status)).toEqual([
      'approved',
      'approved',
      'approved',
      'skipped',
      'skipped',
    ]);
  });

  test('a plan refused for its structure is edited and tried again; the original stays', async () => {
    const tools = makeFolder({
      'ed.sh': '#!/bin/sh\nsed -i "s/Descr/File Path:** [b.txt](\\/b.txt)\\n- **Descr/" "$1"\n',
    });
    chmodSync(join(tools, 'ed.sh'), 0o755);
    const broken = createAction('b.txt').replace(/- \*\*File Path.*\n/, '');
    const { terminal, cwd, read } = start([broken], { env: { EDITOR: join(tools, 'ed.sh') } });
    await sees(terminal, 'The plan was refused: 1 error', /e edit the plan/);
    expect(terminal.text()).toContain('CREATE needs a File Path.');
    terminal.send('c');
    await terminal.shows('Copied through the terminal (OSC 52): paste it into the chat.');
    const feedback = /\u001b\]52;c;([^\u0007]*)\u0007/.exec(terminal.raw)![1]!;
    expect(Buffer.from(feedback, 'base64').toString('utf8')).toContain('CREATE needs a File Path.');
    await press(terminal, 'e', '1 of 1');
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(read('b.txt')).toBe('text\n');
    const runs = listContent(join(cwd, '.teddy/runs')).sort();
    expect(runs).toHaveLength(2);
    expect(read(`.teddy/runs/${runs[0]}/plan.md`)).toBe(read('plan.md'));
  });

  test('a plan is pasted after -, and Ctrl-D ends it', async () => {
    const { terminal, read } = start([], { plan: '-' });
    await terminal.shows('Paste the plan here, then press Enter and Ctrl-D.');
    terminal.send(planOf('Choose', createAction('b.txt')));
    terminal.send('\n\u0004');
    await sees(terminal, '1 of 1', /n skip/);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(read('b.txt')).toBe('text\n');
  });

  test('a RESEARCH without a search service says beforehand that it will fail, and why', async () => {
    const research = '### `RESEARCH`\n- **Description:** Look.\n```\nthe best hive\n```\n';
    const { terminal, report } = start([research]);
    await sees(terminal, '1 of 1', /n skip/);
    expect(terminal.text()).toContain(
      '✘ will fail: No search service is configured.\n  │ Set research in config.yaml: searxng with its url, or brave or tavily with a key',
    );
    expect(terminal.text()).toMatch(/1 │ the best hive$/m);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 1, signal: null });
    expect(report().actions.map(({ outcome }) => outcome.status)).toEqual(['failure']);
  });

  test('a refused plan that is left ends with 1, and its errors are shown once', async () => {
    const broken = createAction('b.txt').replace(/- \*\*File Path.*\n/, '');
    const { terminal } = start([broken]);
    await sees(terminal, 'The plan was refused', /q quit/);
    terminal.send('q');
    expect(await terminal.ended).toEqual({ exit: 1, signal: null });
    expect(terminal.history().split('needs a File Path')).toHaveLength(2);
    expect(terminal.history()).toContain('Refused: 1 error; nothing was run.');
  });
});
