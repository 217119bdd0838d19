import { relative } from 'node:path';
import { lookAt, realPath } from '../platform/index.js';
import { executePlan } from '../turn/index.js';
import { openTree } from '../workspace/index.js';
import { carryOut, type ExecuteOptions } from './carry-out.js';
import { requireOutput } from './deliver-report.js';
import { dryRun } from './dry-run.js';
import { readPlanInput } from './input.js';
import { findPlace } from './place.js';
import { openTrusted } from './project.js';

const SESSIONS = '.teddy/sessions';

export async function execute(file: string | undefined, options: ExecuteOptions): Promise<number> {
  requireOutput(options);
  if (!options.dryRun && isOfSession(file, options)) {
    const { executeInSession } = await import('./session-faces.js');
    return executeInSession(file, options);
  }
  const project = await openTrusted(options);
  const input = await readPlanInput(file);
  if (options.dryRun) return dryRun(input, { ...project, tree: openTree(project.root) }, options);
  const path = pathInside(project.root, file);
  return carryOut(input.text, project, options, (execution) =>
    executePlan(input.text, { ...execution, path }),
  );
}

/** A plan from the clipboard is a turn of the session last worked in; so is one that lies in a turn's own folder. */
function isOfSession(file: string | undefined, options: ExecuteOptions): boolean {
  if (options.session === false) return false;
  if (options.session !== undefined) return true;
  const { root } = findPlace(options);
  if (file === undefined) return lookAt(`${root}/${SESSIONS}`) === 'folder';
  return pathInside(root, file)?.startsWith(`${SESSIONS}/`) === true;
}

/** The plan's path from the root; null where it came from elsewhere. */
function pathInside(root: string, file: string | undefined): string | null {
  if (file === undefined || file === '-') return null;
  const real = realPath(file);
  const path = real === undefined ? '' : relative(root, real);
  return path === '' || path.startsWith('..') || path.startsWith('/') ? null : path;
}
