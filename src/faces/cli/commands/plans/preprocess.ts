import { repairPlan } from '../../../../core/plan/repair/repair.js';
import type { PlanIssue, RepairResult } from '../../../../core/plan/types.js';
import { UserError } from '../../../../node/errors.js';
import { replaceFile } from '../../../../node/files.js';
import { writeClipboard } from '../../../../node/terminal/clipboard.js';
import { writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { readPlanInput } from '../../input.js';
import { planIssueText } from '../../issue-lines.js';
import { type GlobalOptions, issueJson, type Paint, paintFor, resultJson, visible } from '../../output.js';
import { findRootFor } from '../../project.js';
import { plural } from '../../words.js';

interface Options extends GlobalOptions {
  check?: boolean;
  copy: boolean;
}

export const preprocessCommand = new TeddyCommand('preprocess')
  .description('repair the code fences of a plan, without guessing')
  .argument('[file]', 'the plan, repaired in place; - for standard input, nothing for the clipboard')
  .option('--check', 'write nothing; exit with 1 if something would change')
  .option('--no-copy', 'print the plan from the clipboard instead of copying it back')
  .run(preprocess)
  .addHelpText(
    'after',
    `
Examples:
  teddy preprocess plan.md          repair the file in place
  teddy preprocess plan.md --check  only say what would change
  teddy preprocess                  repair the plan in the clipboard
  teddy preprocess - < answer.md > plan.md

Exit codes: 0 repaired or nothing to repair, 1 it cannot be decided (or --check
found something to change), 2 it cannot be read.`,
  );

export async function preprocess(file: string | undefined, options: Options): Promise<number> {
  const root = findRootFor(options);
  const input = await readPlanInput(file);
  const result = repairPlan(input.text);
  const refused = result.issues.some((issue) => issue.severity === 'error');
  if (!options.check)
    await deliver(file, input.name, refused ? input.text : result.text, result.changed && !refused, options);
  const { changed, repairs, issues } = result;
  if (options.json) writeOutput(resultJson(root, { changed, repairs, issues: issues.map(issueJson) }));
  else writeError(toWords(input.name, result, refused, options, paintFor('stderr', options)));
  return refused || (options.check && changed) ? 1 : 0;
}

/** Puts the text where the plan came from, or on standard output where it cannot go back. */
async function deliver(
  file: string | undefined,
  name: string,
  text: string,
  changed: boolean,
  { json, copy }: Options,
): Promise<void> {
  if (file === '-' || (file === undefined && !copy)) {
    if (!json) writeOutput(text);
  } else if (changed && file === undefined) {
    const written = await writeClipboard(text);
    if (written.status === 'refused') {
      throw new UserError(`${name} ${written.reason}; with --no-copy the plan is printed instead.`);
    }
  } else if (changed && file !== undefined) {
    const replaced = replaceFile(file, new TextEncoder().encode(text));
    if (replaced.status === 'refused') throw new UserError(`${name} ${replaced.reason}.`);
  }
}

function toWords(
  name: string,
  result: RepairResult,
  refused: boolean,
  options: Options,
  paint: Paint,
): string {
  const verdict = `${paint('bold', name)}: ${describe(result, refused, options, paint)}\n`;
  const repairs = refused ? [] : result.repairs.map(({ message }) => `  ${visible(message)}\n`);
  const issues = result.issues.filter((issue) => !isRepair(issue, result));
  return [verdict, ...repairs, ...issues.map((issue) => `\n${planIssueText(issue, null, paint)}`)].join('');
}

function describe(
  { changed, repairs }: RepairResult,
  refused: boolean,
  { check }: Options,
  paint: Paint,
): string {
  if (refused) return `${paint('red', 'not repaired')}, left as it is`;
  if (!changed) return paint('green', 'nothing to repair');
  return paint('yellow', `${plural(repairs.length, 'repair')} ${check ? 'to make' : 'made'}`);
}

/** A repair may stand among the issues as well; it is told once. */
function isRepair(issue: PlanIssue, { repairs }: RepairResult): boolean {
  return (
    issue.severity !== 'error' && repairs.some(({ kind, line }) => kind === issue.code && line === issue.line)
  );
}
