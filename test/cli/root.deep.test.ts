import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../folder.js';
import { PLAN, TEDDY } from './teddy.js';

const PLAN_MD = PLAN.replace('### `CHAT_WITH_USER`\nShall we begin?\n', '')
  .replace('Exploration', 'Implementation')
  .concat('### `CREATE`\n- **File Path:** [a.txt](/a.txt)\n````text\na\n````\n');

const RESULT = `status: success
task_name: "Task 1: Make it"
files_modified: []
verification:
  command: "test -f made.txt"
  exit_code: 0
  output_summary: "It is there"
done_criteria_met: true
evidence: "Made it"
error: null
metadata:
  duration_ms: 1000
  attempt: 1
  executor_id: "e"
`;

function makeProject(): string {
  return realpathSync(
    makeFolder({
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.teddy/sessions/.keep': '',
      'deep/plan.md': PLAN_MD,
      'deep/refused.md': '# Nothing\n',
      'deep/result.yaml': RESULT,
      'deep/report.json': '{}',
      'deep/map.json': '[["a", null]]',
      'made.txt': '',
      '01-01-PLAN.md':
        '<tasks>\n<task type="auto">\n  <name>Task 1: Make it</name>\n  <verify>test -f made.txt</verify>\n</task>\n</tasks>\n',
    }),
  );
}

/** Without `leaveOutRoot`: all that comes. */
function run(cwd: string, words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TEDDY, ...words], {
    cwd,
    env: {
      PATH: process.env.PATH,
      TMPDIR: tmpdir(),
      HOME: join(cwd, '..', 'home'),
      XDG_STATE_HOME: join(cwd, '.state'),
    },
    encoding: 'utf8',
    input: '',
    detached: true,
    timeout: 30_000,
  } as Parameters<typeof spawnSync>[2]);
  return { exit: status, stdout: String(stdout), stderr: String(stderr) };
}

/** In an order in which each finds what it needs; below the root, so that the current folder is another. */
const COMMANDS: readonly string[][] = [
  [],
  ['preprocess', 'plan.md', '--check'],
  ['validate', 'plan.md'],
  ['validate', 'refused.md'],
  ['execute', 'plan.md', '--dry-run'],
  ['execute', 'plan.md', '--yes'],
  ['execute', 'refused.md', '--yes'],
  ['runs'],
  ['report'],
  ['undo', '--dry-run'],
  ['runs', 'prune', '--keep', '9'],
  ['init'],
  ['trust', '--yes'],
  ['task', 'list'],
  ['task', 'list', '--plan', '01-01'],
  ['task', 'next'],
  ['task', 'start', '01-01:1'],
  ['task', 'show', '01-01:1'],
  ['task', 'resolve', '01-01:1', 'retry'],
  ['result', 'check', 'result.yaml', '--plan', '01-01'],
  ['result', 'submit', 'result.yaml', '--plan', '01-01'],
  ['metrics'],
  ['metrics', '--rebuild'],
  ['state'],
  ['logs', 'verify'],
  ['logs', 'rotate', '--dry-run'],
  ['agent', 'list'],
  ['agent', 'brief', 'investigator', '--task-id', 't', '--goal', 'g'],
  ['agent', 'check', 'report.json'],
  ['agent', 'context-map', 'map.json'],
  ['agent', 'stats'],
  ['new', 'first'],
  ['sessions'],
  ['history'],
  ['context'],
  ['get-prompt'],
  ['orchestrate', '--dry-run', '--executor', 'human'],
];

test('every JSON result names the root', () => {
  const root = makeProject();
  const missing = COMMANDS.flatMap((words) => {
    const { exit, stdout, stderr } = run(join(root, 'deep'), [...words, '--json']);
    if (exit === 2) return [`${words.join(' ')}: ${stderr}`];
    const value: unknown = JSON.parse(stdout);
    const items = Array.isArray(value) ? value : [value];
    const named = items.every((item) => (item as { root?: string }).root === root);
    return named ? [] : [`${words.join(' ')}: ${stdout.slice(0, 200)}`];
  });
  expect(missing).toEqual([]);
});

test('every text result ends with the root, on standard error and once', () => {
  const root = makeProject();
  const wrong = COMMANDS.flatMap((words) => {
    const { exit, stdout, stderr } = run(join(root, 'deep'), words);
    const [before = '', after] = stderr.split(`Root: ${root}\n`);
    const ends = exit !== 2 && after === '' && (before === '' || before.endsWith('\n'));
    return ends && !stdout.includes(`Root: ${root}`) ? [] : [`${words.join(' ')}: ${exit} ${stderr}`];
  });
  expect(wrong).toEqual([]);
});

describe('a command that exits with 2', () => {
  test.each([
    [['validate', 'nowhere.md']],
    [['validate', 'nowhere.md', '--json']],
    [['undo']],
    [['execute', 'plan.md']],
    [['task', 'show', '07-01:9']],
  ])('%s names the root', (words) => {
    const root = makeProject();
    const { exit, stderr } = run(join(root, 'deep'), words);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^teddy: .*\n/);
    expect(stderr.split('\n').at(-2)).toBe(`Root: ${root}`);
  });

  test.each([[['validate', '--nonsense']], [['task']], [['--root', 'nowhere', 'runs']]])(
    '%s says nothing of a root, which it never looked for',
    (words) => {
      expect(run(makeProject(), words).stderr).not.toContain('Root:');
    },
  );
});

test('a run that makes another root of the current folder is told of where it ran', () => {
  const root = makeProject();
  const deep = join(root, 'deep');
  const plan = PLAN_MD.replace(
    /### `CREATE`[\s\S]*/,
    '### `EXECUTE`\n- **Description:** Begin\n- **Expected Outcome:** A folder.\n````shell\nmkdir deep/.git\n````\n',
  );
  writeFileSync(join(deep, 'plan.md'), plan);
  expect(run(deep, ['execute', 'plan.md', '--yes']).stderr.split('\n').at(-2)).toBe(`Root: ${root}`);
  expect(run(deep, ['runs']).stderr).toBe(`Root: ${deep}\n`);
});

test('the root is the one that --root names, and is shown with what cannot be seen in it', () => {
  const root = makeProject();
  const odd = join(root, 'shop\u001b[31m\u202E\n');
  mkdirSync(odd);
  writeFileSync(join(odd, 'plan.md'), PLAN_MD);
  for (const words of [
    ['--root', odd, 'validate', 'plan.md'],
    ['validate', 'plan.md', '--root', odd],
  ]) {
    const { stderr } = run(odd, words);
    expect(stderr).toBe(`Root: ${root}/shop<U+001B>[31m<U+202E><U+000A>\n`);
  }
  expect(JSON.parse(run(odd, ['validate', 'plan.md', '--root', odd, '--json']).stdout)).toMatchObject({
    root: odd,
  });
});
