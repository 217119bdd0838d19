import { join } from 'node:path';
import { currentFolder, lookAt, writeOutput } from '../platform/index.js';
import { listRuns } from '../turn/index.js';
import type { Workspace } from '../workspace/index.js';
import type { GlobalOptions } from './options.js';
import { type Paint, paintFor } from './paint.js';
import { openPlace } from './place.js';
import { visibleJson } from './visible.js';

const PLAN = 'plan.md';

/** What to do next, given what is in this folder. */
export async function welcome(version: string, options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openPlace(options);
  const hasPlan = lookAt(join(currentFolder(), PLAN)) !== 'missing';
  const lastRun = listRuns(workspace).find(({ undone }) => !undone)?.id ?? null;
  const [execute, validate] = hasPlan ? stepsWithPlan() : stepsWithoutPlan();
  const second: Step = hasTasks(workspace) ? NEXT_TASK : validate;
  const steps = [execute, second, ...(lastRun ? stepsAfterRun() : [])];
  writeOutput(
    options.json
      ? `${visibleJson({ version, root, plan: hasPlan ? PLAN : null, lastRun, next: steps.map(([command]) => command) })}\n`
      : toWords(version, hasPlan, steps, paintFor('stdout', options)),
  );
  return 0;
}

type Step = readonly [command: string, purpose: string];

const NEXT_TASK: Step = ['teddy task next', 'which tasks of the PLAN.md files can begin now'];

/** By the usual places alone: config may name others, but nobody was asked yet whether it is trusted. */
function hasTasks(workspace: Workspace): boolean {
  try {
    return workspace.view(
      (view) =>
        view.look('.planning') === 'folder' ||
        view.look('.ultraplan/plans') === 'folder' ||
        view.list('').some((name) => name.endsWith('-PLAN.md')),
    );
  } catch {
    return false;
  }
}

function stepsWithPlan(): [Step, Step] {
  return [
    [`teddy execute ${PLAN}`, 'decide on each action and carry it out'],
    [`teddy validate ${PLAN}`, 'only say whether it can be carried out here'],
  ];
}

function stepsWithoutPlan(): [Step, Step] {
  return [
    ['teddy execute', 'decide on each action of the plan that you copied'],
    ['teddy validate', 'only check it'],
  ];
}

function stepsAfterRun(): Step[] {
  return [
    ['teddy report', 'what the last run did'],
    ['teddy undo', 'put its files back as they were'],
  ];
}

function toWords(version: string, hasPlan: boolean, steps: Step[], paint: Paint): string {
  const width = Math.max(...steps.map(([command]) => command.length));
  return [
    `${paint('bold', `teddy ${version}`)}: agents propose a plan, you decide, teddy acts and tells the truth.`,
    '',
    hasPlan
      ? `There is a ${PLAN} in this folder. Next:`
      : `There is no ${PLAN} in this folder. Ask your agent for one and copy its answer; then:`,
    '',
    ...steps.map(([command, purpose]) => `  ${paint('cyan', command.padEnd(width))}   ${purpose}`),
    '',
    'teddy --help lists every command; teddy execute --help has examples.',
    '',
  ].join('\n');
}
