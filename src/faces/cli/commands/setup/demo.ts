import { join, resolve } from 'node:path';
import { UserError } from '../../../../node/errors.js';
import { makeNewFolder } from '../../../../node/files.js';
import { currentFolder, isTerminal, writeError } from '../../../../node/terminal/terminal.js';
import { type CommandEnd, TeddyCommand } from '../../command.js';
import { type GlobalOptions, type Paint, paintFor, printResult, visibleLine } from '../../output.js';
import { openProject, writeNewFiles } from '../../project.js';
import { quoteWord } from '../../words.js';
import plan from './demo-project/plan.md';

/** The project that `teddy demo` creates: a bug, a plan that fixes it, and an action that is better skipped. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  'plan.md': plan,
  'src/total.mjs': `/** The price of an order, in cents. */
export function total(items) {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  return sum;
}
`,
  'notes.txt': 'Ask the baker about the price of apples.\n',
  // It also makes the folder a root of its own, whatever repository it is in.
  '.teddy/memos.yaml': '- Prices are in cents.\n',
};

export const demoCommand = new TeddyCommand('demo')
  .description('try teddy in a new throwaway project: review a plan, run it, undo it')
  .argument('[dir]', 'the folder to create (default: teddy-demo)')
  .run(demo)
  .helpText(`Examples:
  teddy demo                       create teddy-demo here and start the review
  teddy demo /tmp/try-teddy        create it somewhere else
  teddy demo --json                only create it; print what to do next

Existing files are never changed; teddy writes only to the new folder.`);

/** How many folders `teddy-demo-2`, `teddy-demo-3` … are tried before you are asked to name one. */
const MOST_DEMOS = 100;

export async function demo(dir: string | undefined, options: GlobalOptions): Promise<CommandEnd> {
  const folder = createFolder(dir);
  const root = await writeProject(folder, options);
  const commands = [
    `teddy execute ${quoteWord(join(folder, 'plan.md'))} --root ${quoteWord(folder)}`,
    `teddy undo --root ${quoteWord(folder)}`,
  ];
  const json = { folder, plan: join(folder, 'plan.md'), commands };
  if (options.json || !isTerminal('stdout')) {
    printResult(root, options, json, (paint) => [
      ...introduce(folder, paint),
      '',
      ...nextLines(folder, paint, false),
    ]);
    return { code: 0, root };
  }
  const paint = paintFor('stderr', options);
  writeError(`${[...introduce(folder, paint), ''].join('\n')}\n`);
  const { execute } = await import('../plans/execute.js');
  const code = await execute(join(folder, 'plan.md'), {
    ...options,
    root: folder,
    copy: false,
    undoHint: false,
  });
  writeError(`\n${nextLines(folder, paint, true).join('\n')}\n`);
  return { code, root };
}

/** The new folder, as you would type it. */
function createFolder(dir: string | undefined): string {
  const numbered = Array.from({ length: MOST_DEMOS - 1 }, (_, at) => `teddy-demo-${at + 2}`);
  const names = dir === undefined ? ['teddy-demo', ...numbered] : [dir];
  for (const name of names) {
    const made = makeNewFolder(resolve(currentFolder(), name));
    if (made === 'made') return name;
    if (made === 'no-parent')
      throw new UserError(`${visibleLine(name)} cannot be created: the folder above it does not exist.`);
  }
  throw new UserError(`${visibleLine(names.at(-1)!)} already exists. Name a new folder: teddy demo DIR`);
}

async function writeProject(folder: string, options: GlobalOptions): Promise<string> {
  const { root, workspace } = await openProject({ ...options, root: folder });
  workspace.requireStore();
  const files = Object.entries(DEMO_FILES).map(([path, text]) => ({ path, text }));
  const problem = await writeNewFiles(workspace, files);
  if (problem !== undefined)
    throw new UserError(`The demo could not be written to ${visibleLine(folder)} (${problem}).`);
  return root;
}

function introduce(folder: string, paint: Paint): string[] {
  const key = (name: string) => paint('cyan', name);
  return [
    `Created ${paint('bold', visibleLine(folder))}: a small project with a bug, and an agent's plan to fix it.`,
    '',
    `${key('y')} approves an action and runs it, ${key('n')} skips it, ${key('e')} edits it first,`,
    `${key('v')} shows all of it, ${key('a')} approves the rest, ${key('q')} quits, ${key('?')} lists all keys.`,
    'The last action deletes notes.txt. You may want to skip that one.',
  ];
}

function nextLines(folder: string, paint: Paint, isReviewed: boolean): string[] {
  const steps = [
    [`cd ${quoteWord(folder)}`, 'go to the demo'],
    ...(isReviewed ? [] : [['teddy plan.md', 'review the plan and run what you approve'] as const]),
    ['teddy undo', 'restore the files that it changed'],
    ['teddy get-prompt', 'in your project: copy the prompt for your chat window'],
    ['teddy setup', 'or connect a model of your own; then: teddy chat'],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  return [
    'Next:',
    ...steps.map(([command, about]) => `  ${paint('cyan', command.padEnd(width))}   ${about}`),
  ];
}
