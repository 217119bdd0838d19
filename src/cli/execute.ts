import { relative } from 'node:path';
import type { Run } from '../formats/report/index.js';
import { environmentVariables, onSignals, realPath } from '../platform/index.js';
import { executePlan } from '../turn/index.js';
import { openTree, type RunFolder } from '../workspace/index.js';
import { chooseReviewers } from './choose-reviewers.js';
import { deliverReport, requireOutput } from './deliver-report.js';
import { dryRun } from './dry-run.js';
import { readPlanInput } from './input.js';
import type { GlobalOptions } from './options.js';
import { openTrusted } from './project.js';
import type { ReportFormat } from './report-formats.js';

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
    });
    await deliverReport(run, project.config.report.tip, options);
    return interrupted() ? 130 : exitCodeOf(run);
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

/** The plan's path from the root; null where it came from elsewhere. */
function pathInside(root: string, file: string | undefined): string | null {
  if (file === undefined || file === '-') return null;
  const real = realPath(file);
  const path = real === undefined ? '' : relative(root, real);
  return path === '' || path.startsWith('..') || path.startsWith('/') ? null : path;
}
