import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { createAction, execTeddy, planOf } from './program.js';

const COMMANDS = [
  ...['execute', 'undo', 'redo', 'diff', 'runs', 'runs prune', 'report', 'init', 'setup', 'trust'],
  ...[
    'validate',
    'preprocess',
    'inbox',
    'new',
    'get-prompt',
    'sessions',
    'history',
    'memos',
    'plan',
    'context',
  ],
  ...['changes', 'changes list', 'changes show', 'changes drop', 'changes prune', 'task brief'],
  ...['result', 'result submit', 'result check'],
  ...['task', 'task list', 'task next', 'task start', 'task show', 'task resolve'],
  ...['metrics', 'state', 'logs', 'logs verify', 'logs rotate', 'orchestrate'],
  ...['agent', 'agent list', 'agent brief', 'agent schema', 'agent check'],
  ...['agent merge', 'agent context-map', 'agent decide', 'agent stats'],
];

describe.each(COMMANDS)('teddy %s --help', (command) => {
  test('fits on 80 columns and has examples, and each of them is understood', async () => {
    const words = command.split(' ');
    const { exit, stdout, stderr } = await execTeddy([...words, '--help'], { cwd: makeFolder() });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const examples = examplesIn(stdout);
    expect(examples.length).toBeGreaterThanOrEqual(3);
    expect(examples.some((example) => example.slice(0, words.length).join(' ') === command)).toBe(true);
    const runs = examples.map(async (example) => {
      const cwd = makeFolder({
        'plan.md': planOf('An example', createAction('a.txt')),
        'd.yaml': 'default: skip\n',
      });
      // A review on the page would wait for the page.
      const run = example.includes('--web') ? [...example, '--dry-run'] : example;
      const { stderr } = await execTeddy(run, { cwd });
      expect(stderr, example.join(' ')).not.toMatch(
        /unknown|too many|must be one of|see teddy .*--help|bug in teddy/,
      );
    });
    await Promise.all(runs);
  });
});

/** The words of each `teddy …` under Examples, up to the two spaces before what it is for, or a redirection. */
function examplesIn(help: string): string[][] {
  const [, section = ''] = help.split('Examples:\n');
  // What goes on behind a backslash or a pipe is one line.
  const lines = section.replace(/ \\\n +/g, ' ').replace(/\|\n +/g, '| ');
  return [...lines.matchAll(/^ {2}(?:[^\n|]*\| )?teddy (.*)$/gm)].map(([, line]) =>
    [
      ...line!
        .split(/ {2,}| [<>|] | && /)[0]!
        .trim()
        .matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g),
    ].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2')),
  );
}
