import { repairPlan } from '../../../../core/plan/read.js';
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
  .description('repair the code fences of a plan')
  .argument('[file]', 'the plan, repaired in place; - for standard input (default: the clipboard)')
  .option('--check', 'write nothing; exit with 1 if there is something to repair')
  .option('--no-copy', "print the clipboard's plan instead of copying it back")
  .run(preprocess)
  .helpText(`Examples:
  teddy preprocess plan.md          repair the file in place
  teddy preprocess plan.md --check  list what would be repaired
  teddy preprocess                  repair the plan in the clipboard
  teddy preprocess - < answer.md > plan.md

Exit codes: 0 repaired or nothing to repair, 1 the fences are ambiguous (or
--check found something to repair), 2 the plan cannot be read.`);

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

/** Writes the text to where the plan came from, or prints it. */
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
      throw new UserError(`${name} ${written.reason}; use --no-copy to print the plan instead.`);
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
  if (refused) return `${paint('red', 'not repaired')}, nothing was changed`;
  if (!changed) return paint('green', 'nothing to repair');
  return paint('yellow', `${plural(repairs.length, 'repair')} ${check ? 'to make' : 'made'}`);
}

/** A repair can be among the issues as well; it is shown once. */
function isRepair(issue: PlanIssue, { repairs }: RepairResult): boolean {
  return (
    issue.severity !== 'error' && repairs.some(({ kind, line }) => kind === issue.code && line === issue.line)
  );
}
