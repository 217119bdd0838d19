import {
  checkTrust,
  loadProject,
  type TrustSubject,
  trustAgentsOnce,
  trustProject,
} from '../../config/project.js';
import {
  type Config,
  type ConfigProblem,
  type InertConfig,
  POLICY_FILE,
  type Policy,
  type ProjectFile,
} from '../../config/types.js';
import { checkClock } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { currentFolder, exit, writeError } from '../../node/terminal/terminal.js';
import { findRoot } from '../../workspace/root.js';
import { Workspace } from '../../workspace/workspace.js';
import { type GlobalOptions, paintFor, visible, visibleLine } from './output.js';
import { plural } from './words.js';

/** The folder that a command works in. */
export interface Project {
  root: string;
  workspace: Workspace;
}

/** Finds the root, and recovers and reports interrupted runs. */
export async function openProject(options: GlobalOptions, place = findProject(options)): Promise<Project> {
  requireClock();
  await endDeadRuns(place, options);
  return place;
}

export function requireClock(): void {
  const clock = checkClock();
  if (clock.status === 'refused') throw new UserError(clock.reason);
}

/** Finds the root without recovering runs. */
export function findProject(options: GlobalOptions): Project {
  const root = findRootFor(options);
  return { root, workspace: new Workspace(root) };
}

export function findRootFor(options: GlobalOptions): string {
  return findRoot(currentFolder(), options.root);
}

export async function endDeadRuns({ workspace }: Project, options: GlobalOptions): Promise<void> {
  if (!workspace.isUnfinished()) return;
  // Loads all of runs and sessions, and is seldom needed.
  const { recoverRuns } = await import('../../sessions/recover-runs.js');
  const { showProgress } = await import('./terminal/progress-line.js');
  const ended = await showProgress(workspace, 'Recovering an interrupted run', options, () =>
    recoverRuns(workspace),
  );
  const paint = paintFor('stderr', options);
  for (const { id, plan } of ended) {
    const title = plan.title === null ? '' : ` (${visibleLine(plan.title)})`;
    writeError(
      `${paint('yellow', `The run ${id}${title} was interrupted.`)}\nReport:   .teddy/runs/${id}/report.md\n`,
    );
  }
}

/** A project for commands that only read. They need no trust: nothing in these settings acts. */
export interface InspectedProject extends Project {
  config: InertConfig;
}

export async function openToInspect(options: GlobalOptions): Promise<InspectedProject> {
  return inspectOpened(await openProject(options));
}

export async function inspectOpened(project: Project): Promise<InspectedProject> {
  return previewOpened(project);
}

/** A project for previews, without trust: the commands in its settings are shown but not run. */
export async function openToPreview(options: GlobalOptions): Promise<Omit<TrustedProject, 'files'>> {
  return previewOpened(await openProject(options));
}

async function previewOpened(project: Project): Promise<Omit<TrustedProject, 'files'>> {
  const loaded = await loadProject(project.root);
  if (loaded.status === 'refused') throw new UserError(describeProblems(loaded.problems));
  return { ...project, config: loaded.config, policy: loaded.policy };
}

export interface TrustedProject extends Project {
  config: Config;
  policy: Policy;
  /** The trusted files that config and policy come from. */
  files: readonly ProjectFile[];
}

/** Opens a project whose config and policy this user has reviewed and trusted. */
export async function openTrusted(options: GlobalOptions, place?: Project): Promise<TrustedProject> {
  return trustOpened(await openProject(options, place), options);
}

export async function trustOpened(project: Project, options: GlobalOptions): Promise<TrustedProject> {
  const loaded = await loadProject(project.root);
  if (!options.trust) await requireTrust(loaded, options);
  if (loaded.status === 'refused') throw new UserError(describeProblems(loaded.problems));
  return { ...project, config: loaded.config, policy: loaded.policy, files: loaded.files };
}

/**
 * Opens a project to write in, with trusted config and policy. Unfinished commits of dead processes are not recovered
 * here: every commit does that first, and doing it twice would take the lock twice.
 */
export async function openTasks(place: Project, options: GlobalOptions): Promise<TrustedProject> {
  requireClock();
  if (place.workspace.deadRuns().length > 0) await endDeadRuns(place, options);
  return trustOpened(place, options);
}

/** Requires trust in the project's agent files, unless `--trust` is given. */
export async function trustAgents(project: Project, options: GlobalOptions): Promise<void> {
  const subject = await readAgentSubject(project);
  if (options.trust) trustAgentsOnce(subject.root, subject.files);
  else await requireTrust(subject, options);
}

export async function readAgentSubject({ root, workspace }: Project): Promise<TrustSubject> {
  // Loads the whole parser for manuals, which most commands do not use.
  const { AgentFolder } = await import('../../agents/agent-folder.js');
  return { root, files: AgentFolder.open(workspace, (folder) => folder.readForTrust()), kind: 'agents' };
}

/** Config and policy that the user has trusted, without asking. Throws `UserError` for others. */
export async function requireTrustedConfig({ root }: Project): Promise<{ config: Config; policy: Policy }> {
  const loaded = await loadProject(root);
  if (loaded.status === 'refused') throw new UserError(describeProblems(loaded.problems));
  if (!checkTrust(loaded).trusted)
    throw new UserError('This project is not trusted yet. Run `teddy trust` in a terminal first.');
  return loaded;
}

/** Whether this user has trusted the current config, policy and agent files. */
export async function isProjectTrusted(project: Project): Promise<boolean> {
  const subjects = [await loadProject(project.root), await readAgentSubject(project)];
  return subjects.every((subject) => checkTrust(subject).trusted);
}

export function describeProblems(problems: readonly ConfigProblem[]): string {
  return problems
    .map(({ file, line, message }) => visible(`${file}${line === null ? '' : `:${line}`}: ${message}`))
    .join('\n');
}

/** Settings that can act come first; comments and plain settings are folded. */
async function foldFile(file: ProjectFile): Promise<{ name: string; text: string; summary?: string[] }> {
  const shown = { name: file.path, text: file.text };
  const { summarizeForTrust } = await import('../../config/trust-summary.js');
  const summary = await summarizeForTrust(file);
  if (summary === undefined) return shown;
  const { acts, plain } = summary;
  const kind = file.path === POLICY_FILE ? 'rule' : 'plain setting';
  const rest = [
    ...(/(?:^|\s)#/.test(file.text) ? ['comments'] : []),
    ...(plain === 0 ? [] : [plural(plain, kind)]),
  ].join(' and ');
  if (rest === '') return { ...shown, summary: acts.length === 0 ? ['Nothing in it acts.'] : acts };
  const folded = acts.length === 0 ? `Only ${rest}: nothing in it acts.` : `Not shown: ${rest}.`;
  return { ...shown, summary: [...acts, folded] };
}

const SETTINGS_CAN = 'This file can make teddy run commands and use the network.';
const SEVERAL_CAN = 'These files can make teddy run commands and use the network.';
const AGENTS_CAN = 'Agent files are prompts for your agents, and decide which of their reports count.';

/** Shows what is new and asks; throws if the answer is no or there is no terminal. */
export async function requireTrust(
  project: TrustSubject,
  options: { color: boolean },
  way = 'Run `teddy trust` to review {it}, or pass --trust once.',
): Promise<void> {
  const { trusted, unseen, removed, changed, note } = checkTrust(project);
  if (trusted) return;
  const paths = [...unseen.map(({ path }) => path), ...removed];
  const names = paths.length > 3 ? `${paths[0]} and ${paths.length - 1} more` : paths.join(' and ');
  const [are, have, them] = paths.length > 1 ? ['are', 'have', 'them'] : ['is', 'has', 'it'];
  if (note !== null) writeError(`${note}\n`);
  const { confirm } = await import('./review/terminal-review.js');
  const settingsCan = paths.length > 1 ? SEVERAL_CAN : SETTINGS_CAN;
  const answer = await confirm(
    {
      root: project.root,
      title: changed ? `Do you still trust ${names}?` : `Do you trust ${names}?`,
      about: `${project.kind === 'agents' ? AGENTS_CAN : settingsCan} teddy asks once, and again after every change.`,
      texts: [
        ...(await Promise.all(unseen.map(foldFile))),
        ...removed.map((path) => ({
          name: `${path} was deleted: what it forbade is allowed now.`,
          text: '',
        })),
      ],
      yes: `trust ${them}`,
      no: 'stop here',
    },
    options,
  );
  if (answer === 'yes') return trustProject(project);
  if (answer === 'interrupted') exit(130);
  if (answer === 'no') throw new UserError(`${names} ${are} not trusted, so nothing was done.`);
  const state = changed ? `${have} changed since you trusted ${them}.` : `${are} not trusted yet.`;
  throw new UserError(`${names} ${state} ${way.replace('{it}', them!)}`);
}

/** Creates files that do not exist yet, all or none; returns why it could not. */
export async function writeNewFiles(
  workspace: Workspace,
  files: readonly { path: string; text: string }[],
): Promise<string | undefined> {
  const changes = files.map(({ path, text }) => ({
    path,
    before: null,
    after: new TextEncoder().encode(text),
  }));
  const result = await workspace.commit(changes, { origin: 'tool' });
  if (result.status === 'committed') return undefined;
  return 'reason' in result ? result.reason : result.status;
}
