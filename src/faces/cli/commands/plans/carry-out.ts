import { keyNames } from '../../../../config/key-names.js';
import { PLAN_ISSUES, type PlanIssueCode } from '../../../../core/plan/issue-codes.js';
import { countActions } from '../../../../core/report/overall.js';
import type { Run } from '../../../../core/report/record.js';
import {
  environmentVariables,
  isTerminal,
  onSignals,
  writeError,
} from '../../../../node/terminal/terminal.js';
import type { ExecuteOptions as Execution } from '../../../../runs/execute-plan.js';
import type { RunFolder } from '../../../../workspace/runs/run-folder.js';
import { openTree } from '../../../../workspace/tree.js';
import { plural } from '../../issue-lines.js';
import type { GlobalOptions } from '../../options.js';
import { paintFor } from '../../paint.js';
import type { TrustedProject } from '../../project.js';
import { visible } from '../../visible.js';
import { chooseReviewers } from './choose-reviewers.js';
import { deliverReport } from './deliver-report.js';
import type { ReportFormat } from './report-formats.js';

export interface ExecuteWords extends GlobalOptions {
  yes?: boolean;
  dryRun?: boolean;
  keepGoing?: boolean;
  decisions?: string;
  format?: ReportFormat;
  output?: string;
  copy: boolean;
  /** A session's name; false: in none; undefined: as the plan's way here has it. */
  session?: string | false;
}

/** What a run needs, whoever's plan it is. */
export type AnyExecution = Omit<Execution, 'path' | 'turn'>;

/**
 * Lets whoever decides decide on a plan, has it carried out, and tells what came of it. `describeNext` says to a person
 * what can follow.
 */
export async function carryOut(
  text: string,
  project: TrustedProject,
  options: ExecuteWords,
  execute: (execution: AnyExecution) => Promise<Run>,
  describeNext?: (run: Run) => string,
): Promise<number> {
  let folder: RunFolder | undefined;
  let unkept = false;
  const { reviewer, listen, interrupted, close } = await chooseReviewers(
    text,
    project,
    options,
    () => folder!,
  );
  try {
    const run = await execute({
      workspace: project.workspace,
      tree: openTree(project.root),
      reviewer,
      settings: project.config,
      keepGoing: options.keepGoing ?? false,
      tip: project.config.report.tip,
      keep: project.config.runs.keep,
      environment: environmentVariables(),
      keyNames: keyNames(project.config),
      interrupts: onSignals,
      isLeft: interrupted,
      emit: listen,
      onFolder: (begun) => {
        folder = begun;
      },
      onUnkept: (reason) => {
        unkept = true;
        writeError(`${visible(reason)}\n`);
      },
    });
    await deliverReport(run, project.config.report, options);
    if (!unkept) tellEnd(run, options, describeNext);
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

/** A person is told how it ended; a script, of a refusal that standard output does not show or that moved its plan. */
function tellEnd(run: Run, options: ExecuteWords, describeNext?: (run: Run) => string): void {
  const anyway = run.refused && isForeseen(run) ? '--keep-going goes on in spite of them.' : '';
  const next = describeNext?.(run) ?? anyway;
  if (isTerminal('stderr') || (run.refused && options.output !== undefined))
    writeError(`${`${describeEnd(run, options)} ${next}`.trimEnd()}\n`);
  else if (run.refused && describeNext) writeError(`${next}\n`);
}

/** The last line for a person, after a report that may be long. */
function describeEnd(run: Run, options: ExecuteWords): string {
  const paint = paintFor('stderr', options);
  const report = `.teddy/runs/${run.id}/report.md`;
  const { total, skipped, succeeded, failed } = countActions(run.actions);
  if (run.refused) {
    return `${paint('red', `Refused: ${plural(errorsOf(run).length, 'error')}; nothing was done.`)} Report: ${report}.`;
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

/** Whether all that is wrong with a plan is that it would fail on the files as they are. */
export function isForeseen(run: Run): boolean {
  const errors = errorsOf(run);
  return errors.length > 0 && errors.every(({ code }) => isPrediction(code));
}

function errorsOf({ issues }: Run): Run['issues'] {
  return issues.filter(({ severity }) => severity === 'error');
}

function isPrediction(code: string): boolean {
  return Object.hasOwn(PLAN_ISSUES, code) && PLAN_ISSUES[code as PlanIssueCode].kind === 'prediction';
}
