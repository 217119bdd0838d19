import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { createAction, editAction, executeAction, planOf } from '../execute/program.js';
import { teddy } from '../teddy.js';
import { oneTask } from './one-task.js';

const NASTY = '<script>alert(1)</script><img src=x onerror=alert(1)>\u202e"\'&amp;';

test('a receipt is one file: what was proposed, decided and done, with hashes, and nothing in it acts', () => {
  const plan = planOf(NASTY, createAction('a.txt', `${NASTY}\n`), executeAction("printf '<b>%s</b>' hello"));
  const cwd = makeFolder({ 'plan.md': plan.replace('A file.', NASTY), '.git/HEAD': '' });
  expect(teddy(['execute', 'plan.md', '--yes', '--no-copy'], { cwd })).toMatchObject({ exit: 0 });
  expect(teddy(['report', '--format', 'html', '--output', 'r.html'], { cwd })).toMatchObject({
    exit: 0,
    stdout: '',
    stderr: 'Wrote r.html.\n',
  });
  const html = readFileSync(join(cwd, 'r.html'), 'utf8');
  const { document } = parseHTML(html);
  const shown = NASTY.replace('\u202e', '<U+202E>');
  expect(document.querySelector('h1')!.textContent).toBe(shown);
  expect(document.querySelectorAll('script, img, iframe, link, b, a, object')).toHaveLength(0);
  for (const element of document.querySelectorAll('*'))
    for (const { name } of element.attributes) expect(name).not.toMatch(/^on|^src$|^href$|^style$/);
  const style = document.querySelector('style')!.textContent;
  const hash = createHash('sha256').update(style).digest('base64');
  expect(document.querySelector('meta[http-equiv]')!.getAttribute('content')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  );
  const text = document.querySelector('main')!.textContent;
  for (const wanted of [
    'sealed by this user, and unchanged',
    'approved by --yes',
    "File 'a.txt' created.",
    "printf '<b>%s</b>' hello",
    '### 1. Synthesis',
    '<b>hello</b>',
    `+${shown}`,
    createHash('sha256')
      .update(readFileSync(join(cwd, 'plan.md')))
      .digest('hex'),
  ])
    expect(text).toContain(wanted);
  expect(html).not.toContain('\u202e');
});

test('a receipt has the hash of every file that records the run, and of each changed file before and after', () => {
  const plan = planOf('Hashes', createAction('new.txt'), editAction('old.txt', 'b\n', 'B\n'));
  const cwd = makeFolder({ 'plan.md': plan, 'old.txt': 'a\nb\nc\n', '.git/HEAD': '' });
  expect(teddy(['execute', 'plan.md', '--yes', '--no-copy'], { cwd })).toMatchObject({ exit: 0 });
  const { document } = parseHTML(teddy(['report', '--format', 'html'], { cwd }).stdout);
  const rows = [...document.querySelectorAll('dt')].map((name) => [
    name.textContent,
    name.nextElementSibling!.textContent,
  ]);
  const folder = join(cwd, '.teddy/runs');
  const run = join(folder, readdirSync(folder).find((name) => /^\d/.test(name))!);
  const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
  const journal = readdirSync(join(run, 'journal')).map((name) => `journal/${name}`);
  expect(journal.filter((name) => name.endsWith('.json')).length).toBeGreaterThanOrEqual(1);
  for (const name of ['plan.md', 'report.md', 'run.json', 'seal', ...journal])
    expect(rows, name).toContainEqual([name, hashOf(readFileSync(join(run, name)))]);
  for (const row of [
    ['Before', hashOf('a\nb\nc\n')],
    ['After', hashOf('a\nB\nc\n')],
    ['Before', 'no file'],
    ['After', hashOf(readFileSync(join(cwd, 'new.txt')))],
  ])
    expect(rows).toContainEqual(row);
});

/** Each entry of the chapter `Verified`: its heading, its state and its facts. */
function listVerified(cwd: string) {
  const { document } = parseHTML(teddy(['report', '--format', 'html'], { cwd }).stdout);
  const entries = [];
  const chapter = [...document.querySelectorAll('h2')].find(({ textContent }) => textContent === 'Verified');
  for (let each = chapter?.nextElementSibling; each?.localName === 'section'; each = each.nextElementSibling)
    entries.push({
      name: each.querySelector('h3 code')!.textContent,
      state: each.querySelector('.state')!.textContent,
      facts: [...each.querySelectorAll('dt')].map(
        (dt) => `${dt.textContent}: ${dt.nextElementSibling!.textContent}`,
      ),
      texts: [...each.querySelectorAll('pre')].map((pre) => pre.textContent.trim()),
    });
  const head = [...document.querySelectorAll('main > dl dt')].find(
    ({ textContent }) => textContent === 'Verified',
  );
  return {
    count: head?.nextElementSibling?.textContent,
    note: chapter?.nextElementSibling?.textContent,
    entries,
  };
}

test('a receipt says what was verified of a plan: the expected outcomes of its commands', () => {
  const expecting = (words: string, label: string) =>
    executeAction(`echo ${words}`).replace(
      /(- \*\*Description:\*\*).*/,
      `$1 ${label}\n- **Expected Outcome:** \`3 passed\` is printed.`,
    );
  const cwd = makeFolder({
    'plan.md': planOf('Tests', expecting('3 passed', 'Good'), expecting('1 failed', 'Bad')),
    'bare.md': planOf('Bare', createAction('a.txt')),
    '.git/HEAD': '',
  });
  teddy(['execute', 'plan.md', '--yes', '--no-copy'], { cwd });
  expect(listVerified(cwd)).toMatchObject({
    count: '1 passed, 1 failed',
    entries: [
      {
        name: 'Good',
        state: 'Passed',
        facts: ['Verified: the expected outcome of action 1', 'Exit code: 0'],
      },
      { name: 'Bad', state: 'Failed', facts: expect.arrayContaining(['Not in the output: 3 passed']) },
    ],
  });
  teddy(['execute', 'bare.md', '--yes', '--no-copy'], { cwd });
  expect(listVerified(cwd)).toEqual({
    count: 'nothing',
    note: 'There was no command to verify it with.',
    entries: [],
  });
});

/** Lands what an agent made, with a command that verifies it. */
function landVerified(verify: string): string {
  const cwd = makeFolder({
    'a.txt': 'a\n',
    '.teddy/config.yaml': 'verify: {prepare: "echo ready > ready"}\n',
  });
  execFileSync('git', ['init', '-q'], { cwd });
  teddy(['trust', '--yes'], { cwd });
  const words = ['wrap', '--unconfined', '--landing', 'auto', '--verify', verify, '--'];
  teddy([...words, 'sh', '-c', 'echo A > a.txt'], { cwd });
  return cwd;
}

test('a receipt says how the changes of an agent were verified, also after a crash', () => {
  const cwd = landVerified('cat ready a.txt');
  const expected = {
    count: '1 passed',
    entries: [
      {
        name: 'cat ready a.txt',
        state: 'Passed',
        facts: [
          'Verified: the project with the kept changes, in a fresh copy, before they landed',
          'Run first: echo ready > ready',
          'Confined: no',
          'Outcome: `cat ready a.txt` succeeded.',
          'Exit code: 0',
        ],
        texts: ['ready\nA'],
      },
    ],
  };
  expect(listVerified(cwd)).toMatchObject(expected);
  const folder = join(cwd, '.teddy/runs');
  const run = readdirSync(folder).find((name) => /^\d/.test(name))!;
  expect(teddy(['report', '--format', 'html'], { cwd }).stdout).toContain(
    createHash('sha256')
      .update(readFileSync(join(folder, run, 'changes.diff')))
      .digest('hex'),
  );
  // The next command writes it again, from the journal.
  rmSync(join(folder, run, 'run.json'));
  expect(
    teddy(['execute', '-', '--yes', '--no-copy'], { cwd, input: planOf('Next', createAction('b.txt')) }).exit,
  ).toBe(0);
  const { document } = parseHTML(teddy(['report', run, '--format', 'html'], { cwd }).stdout);
  expect(document.querySelector('main')!.textContent).toContain('Run first');
});

test('a receipt says which verification kept the changes of an agent from landing', () => {
  const cwd = landVerified('echo no; exit 3');
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('a\n');
  expect(listVerified(cwd)).toMatchObject({
    count: '1 failed',
    entries: [{ state: 'Failed', facts: expect.arrayContaining(['Exit code: 3']), texts: ['no'] }],
  });
});

test('a receipt of the work of a task has its result, the verification and the hash of the ledger', () => {
  const result = (status: string) =>
    `status: success\ntask_name: "Task 1: Say hello"\nfiles_modified: [hello.txt]\nverification: {command: "test -e hello.txt", exit_code: 0, output_summary: ""}\ndone_criteria_met: true\nevidence: "${status}"\nerror: null\nmetadata: {duration_ms: 5, attempt: 1, executor_id: me}\n`;
  const cwd = makeFolder({
    '.planning/01-01-PLAN.md': oneTask('cat hello.txt'),
    'plan.md': planOf('Hello', createAction('other.txt')),
    '.git/HEAD': '',
  });
  teddy(['trust', '--yes'], { cwd });
  const env = { TEDDY_TASK_ID: '01-01:1' };
  expect(teddy(['execute', 'plan.md', '--yes', '--no-copy'], { cwd, env })).toMatchObject({ exit: 0 });
  const submit = ['result', 'submit', '-', '--plan', '01-01', '--verify'];
  expect(teddy(submit, { cwd, input: result('It is there.') })).toMatchObject({ exit: 1 });
  const ledger = readFileSync(join(cwd, '.ultraplan/logs/ledger.jsonl'), 'utf8');
  const { sha256, log } = JSON.parse(ledger) as { sha256: string; log: string };
  expect(listVerified(cwd)).toMatchObject({
    count: '1 failed',
    entries: [
      {
        name: '01-01:1',
        state: 'Failed',
        facts: [
          'Verified: the result of the task 01-01:1',
          expect.stringMatching(/^Recorded: 20/),
          'Claimed: success',
          'Found: failure',
          'Command: cat hello.txt',
          'Exit code: 1',
          `Log: .ultraplan/logs/${log}`,
          `Ledger: ${sha256}`,
        ],
        texts: [expect.stringContaining('No such file')],
      },
    ],
  });
});
