import { relative } from 'node:path';
import { PLAN_ISSUES, type PlanIssueCode } from '../formats/plan/index.js';
import { countActions, type Run } from '../formats/report/index.js';
import { environmentVariables, isTerminal, onSignals, realPath, writeError } from '../platform/index.js';
import { executePlan } from '../turn/index.js';
import { openTree, type RunFolder } from '../workspace/index.js';
import { chooseReviewers } from './choose-reviewers.js';
import { deliverReport, requireOutput } from './deliver-report.js';
import { dryRun } from './dry-run.js';
import { readPlanInput } from './input.js';
import { plural } from './issue-lines.js';
import type { GlobalOptions } from './options.js';
import { paintFor } from './paint.js';
import { openTrusted } from './project.js';
import type { ReportFormat } from './report-formats.js';
import { visible } from './visible.js';

export interface ExecuteOptions extends GlobalOptions {
  yes?: boolean;
  dryRun?: boolean;
  keepGoing?: boolean;
  decisions?: string;
  format?: ReportFormat;
  output?: string;
  copy: boolean;
}

export async function execute(file: string | undefined, options: ExecuteOptions): Promise<number> {
  requireOutput(options);
  const project = await openTrusted(options);
  const input = await readPlanInput(file);
  const tree = openTree(project.root);
  if (options.dryRun) return dryRun(input, { ...project, tree }, options);

  let folder: RunFolder | undefined;
  let unkept = false;
  const { reviewer, listen, interrupted, close } = await chooseReviewers(
    input.text,
    project,
    options,
    () => folder!,
  );
  try {
    const run = await executePlan(input.text, {
      workspace: project.workspace,
      tree,
      path: pathInside(project.root, file),
      reviewer,
      settings: project.config,
      keepGoing: options.keepGoing ?? false,
      tip: project.config.report.tip,
      keep: project.config.runs.keep,
      environment: environmentVariables(),
      interrupts: onSignals,
      emit: listen,
      onFolder: (begun) => {
        folder = begun;
      },
      onUnkept: (reason) => {
        unkept = true;
        writeError(`${visible(reason)}\n`);
      },
    });
    await deliverReport(run, project.config.report.tip, options);
    if (isTerminal('stderr') && !unkept) writeError(`${describeEnd(run, options)}\n`);
    return interrupted() ? 130 : Math.max(exitCodeOf(run), unkept ? 1 : 0);
  } finally {
    close();
  }
}

function exitCodeOf({ interrupted, refused, actions, stateChanges }: Run): number {
  if (interrupted !== null) return 130;
  const failed =
    actions.some(({ outcome }) => outcome.status === 'failure') ||
    stateChanges.some(({ notApplied }) => notApplied.length > 0);
  return refused || failed ? 1 : 0;
}

/** The last line for a person, after a report that may be long. */
function describeEnd(run: Run, options: ExecuteOptions): string {
  const paint = paintFor('stderr', options);
  const report = `.teddy/runs/${run.id}/report.md`;
  const { total, skipped, succeeded, failed } = countActions(run.actions);
  if (run.refused) {
    const errors = run.issues.filter(({ severity }) => severity === 'error');
    const foreseen = errors.every(({ code }) => isPrediction(code));
    const way = foreseen && errors.length > 0 ? ' --keep-going goes on in spite of them.' : '';
    return `${paint('red', `Refused: ${plural(errors.length, 'error')}; nothing was done.`)}${way} Report: ${report}`;
  }
  const counts = [
    `${succeeded} of ${plural(total, 'action')} succeeded`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(', ');
  const colour = run.overall === 'Completed' ? 'green' : run.overall === 'Failed' ? 'red' : 'yellow';
  const wrote = run.actions.some(
    ({ type, outcome }) => (type === 'CREATE' || type === 'EDIT') && outcome.status === 'success',
  );
  const undo = wrote ? ' teddy undo puts the files back.' : '';
  return `${paint(colour, `${run.overall}:`)} ${counts}. Report: ${report}.${undo}`;
}

function isPrediction(code: string): boolean {
  return Object.hasOwn(PLAN_ISSUES, code) && PLAN_ISSUES[code as PlanIssueCode].kind === 'prediction';
}

/** The plan's path from the root; null where it came from elsewhere. */
function pathInside(root: string, file: string | undefined): string | null {
  if (file === undefined || file === '-') return null;
  const real = realPath(file);
  const path = real === undefined ? '' : relative(root, real);
  return path === '' || path.startsWith('..') || path.startsWith('/') ? null : path;
}
