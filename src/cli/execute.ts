import { executePlan } from '../turn/index.js';
import { openTree } from '../workspace/tree.js';
import { carryOut, type ExecuteOptions } from './carry-out.js';
import { requireOutput } from './deliver-report.js';
import { dryRun } from './dry-run.js';
import { readPlanInput } from './input.js';
import { findPlace } from './place.js';
import { isOfSession, pathInside } from './plan-origin.js';
import { openTrusted } from './project.js';

export async function execute(file: string | undefined, options: ExecuteOptions): Promise<number> {
  requireOutput(options);
  const isTurn = isOfSession(findPlace(options).root, file, options.session);
  if (!options.dryRun && isTurn) {
    const { executeInSession } = await import('./session-faces.js');
    return executeInSession(file, options);
  }
  const project = await openTrusted(options);
  const input = await readPlanInput(file);
  if (options.dryRun) return dryRun(input, { ...project, tree: openTree(project.root), isTurn }, options);
  const path = pathInside(project.root, file);
  return carryOut(input.text, project, options, (execution) =>
    executePlan(input.text, { ...execution, path }),
  );
}
