import {
  type Config,
  type ConfigProblem,
  checkTrust,
  DEFAULTS,
  describeForTrust,
  loadProject,
  type Policy,
  type Project,
  trustProject,
} from '../config/index.js';
import { checkClock, currentFolder, Unusable, writeError } from '../platform/index.js';
import { recoverRuns } from '../turn/index.js';
import { findRoot, Workspace } from '../workspace/index.js';
import type { GlobalOptions } from './options.js';
import { paintFor } from './paint.js';
import { visible, visibleLine } from './visible.js';

/** The folder that a command works in, with nothing left over from a process that died. */
export interface Place {
  root: string;
  workspace: Workspace;
}

export interface TrustedProject extends Place {
  config: Config;
  policy: Policy;
}

/** Finds the root, and ends what a killed run left: whoever was cut off is told about with the next command. */
export async function openPlace(options: GlobalOptions): Promise<Place> {
  const clock = checkClock();
  if (clock.status === 'refused') throw new Unusable(clock.reason);
  const root = findRoot(currentFolder(), options.root);
  const workspace = new Workspace(root);
  const paint = paintFor('stderr', options);
  for (const { id, plan } of await recoverRuns(workspace, DEFAULTS.report.tip)) {
    const title = plan.title === null ? '' : ` (${visibleLine(plan.title)})`;
    writeError(
      `${paint('yellow', `The run ${id}${title} was cut off.`)} What is known of it: .teddy/runs/${id}/report.md\n`,
    );
  }
  return { root, workspace };
}

/** The same with the project's config and policy, once this user has seen and trusted them. */
export async function openTrusted(options: GlobalOptions): Promise<TrustedProject> {
  const place = await openPlace(options);
  const project = await loadProject(place.root);
  if (!options.trust) await requireTrust(project, options);
  if (project.status === 'refused') throw new Unusable(describeProblems(project.problems));
  return { ...place, config: project.config, policy: project.policy };
}

export function describeProblems(problems: readonly ConfigProblem[]): string {
  return problems
    .map(({ file, line, key, message }) => {
      const where = [`${file}${line === null ? '' : `:${line}`}`, ...(key === null ? [] : [key])].join(', ');
      return visible(`${where}: ${message}`);
    })
    .join('\n');
}

/** Shows what was not seen yet, and asks; throws where the answer is no or nobody can be asked. */
export async function requireTrust(project: Project, options: { color: boolean }): Promise<void> {
  const { trusted, unseen, note } = checkTrust(project);
  if (trusted) return;
  const names = unseen.map(({ path }) => path).join(' and ');
  if (note !== null) writeError(`${note}\n`);
  const { confirm } = await import('./review/confirm.js');
  const answer = await confirm(
    {
      title: `Do you trust ${names}?`,
      about:
        'What stands there can run commands and open the network. You are asked once, and again after a change.',
      texts: describeForTrust({ files: unseen }).map(({ path, text }) => ({ name: path, text })),
      yes: 'trust it',
      no: 'leave it, and stop here',
    },
    options,
  );
  if (answer === 'yes') return trustProject(project);
  const way = 'teddy trust shows it and asks; --trust says yes for one command.';
  if (answer === 'nobody') {
    throw new Unusable(
      `${names} is not trusted by you yet, and nobody can be asked: there is no terminal. ${way}`,
    );
  }
  throw new Unusable(`${names} is not trusted, so nothing was done. ${way}`);
}
