import { join } from 'node:path';
import { currentFolder, lookAt, writeOutput } from '../platform/index.js';
import { findRoot } from '../workspace/index.js';
import type { GlobalOptions } from './options.js';
import { type Paint, paintFor } from './paint.js';
import { visibleJson } from './visible.js';

const PLAN = 'plan.md';

/** What to do next, given what is in this folder. */
export function welcome(version: string, options: GlobalOptions): number {
  const folder = currentFolder();
  const root = findRoot(folder, options.root);
  const hasPlan = lookAt(join(folder, PLAN)) !== 'missing';
  const steps = hasPlan ? stepsWithPlan() : stepsWithoutPlan();
  writeOutput(
    options.json
      ? `${visibleJson({ version, root, plan: hasPlan ? PLAN : null, next: steps.map(([command]) => command) })}\n`
      : toWords(version, hasPlan, steps, paintFor('stdout', options)),
  );
  return 0;
}

type Step = readonly [command: string, purpose: string];

function stepsWithPlan(): Step[] {
  return [
    [`teddy validate ${PLAN}`, 'say whether it can be carried out here'],
    [`teddy preprocess ${PLAN}`, 'repair its code fences, where an agent got them wrong'],
    [`teddy validate ${PLAN} --json`, 'the same verdict, for the agent to mend the plan'],
  ];
}

function stepsWithoutPlan(): Step[] {
  return [
    ['teddy validate', 'check the answer that you copied'],
    ['teddy preprocess', 'repair its code fences, in the clipboard'],
    [`teddy validate ${PLAN}`, `check it once you have saved it as ${PLAN}`],
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
    'teddy --help lists every command; teddy validate --help has examples.',
    '',
  ].join('\n');
}
