import { realPath } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { readUserSettings, readUserState, writeUserState } from '../node/user-folders.js';
import { openTree } from '../workspace/tree.js';
import {
  type ConfigLayer,
  type ConfigRead,
  combineLayers,
  readConfigLayer,
  readEnvironmentLayer,
} from './config-file.js';
import type { PolicyRead } from './policy-file.js';
import {
  CONFIG_FILE,
  type ConfigProblem,
  type LoadedProject,
  POLICY_FILE,
  type PolicyRule,
  type ProjectFile,
} from './types.js';

export const PROJECT_FILES = [CONFIG_FILE, POLICY_FILE] as const;

/** A config or policy that was read: the user's or the project's. */
interface Source {
  owner: PolicyRule['owner'];
  /** As messages name it. */
  path: string;
  text: string;
}

/**
 * Reads the user's and the project's config and policy, each once: whatever changes on disk afterwards, a run uses what
 * was read here. A missing file sets nothing; one that cannot be read is a problem. Throws `UserError` where the user's
 * own config folder cannot be used.
 */
export async function loadProject(root: string): Promise<LoadedProject> {
  const real = realPath(root) ?? root;
  const files: ProjectFile[] = [];
  const problems: ConfigProblem[] = [];
  for (const path of PROJECT_FILES) {
    const read = openTree(real).text(path);
    if (read.status === 'text') files.push(fileOf(path, read.text));
    else if (read.status === 'refused') {
      problems.push({ file: path, line: null, key: null, message: `The file ${read.reason}.` });
    }
  }
  const [config, policy] = await Promise.all([
    readConfigs(sourcesOf(CONFIG_FILE, files)),
    readPolicies(sourcesOf(POLICY_FILE, files)),
  ]);
  for (const read of [config, policy]) if (read.status === 'refused') problems.push(...read.problems);
  if (problems.length > 0 || config.status === 'refused' || policy.status === 'refused') {
    return { status: 'refused', root: real, files, problems };
  }
  return { status: 'loaded', root: real, files, config: config.config, policy: policy.policy };
}

/** The user's file, then the project's. */
function sourcesOf(path: string, files: readonly ProjectFile[]): Source[] {
  const user = readUserSettings(path.slice(path.lastIndexOf('/') + 1));
  const project = files.find((file) => file.path === path);
  return [
    ...(user?.text === undefined ? [] : [{ owner: 'user' as const, path: user.path, text: user.text }]),
    ...(project === undefined ? [] : [{ owner: 'project' as const, path, text: project.text }]),
  ];
}

async function readConfigs(sources: readonly Source[]): Promise<ConfigRead> {
  const layers: Partial<Record<Source['owner'], ConfigLayer>> = {};
  const problems: ConfigProblem[] = [];
  for (const { owner, path, text } of sources) {
    const read = await readConfigLayer(text, path);
    if (read.status === 'layer') layers[owner] = read.layer;
    else problems.push(...read.problems);
  }
  const environment = readEnvironmentLayer(environmentVariables());
  if (environment.status === 'refused') problems.push(...environment.problems);
  const combined = combineLayers(
    layers.user,
    layers.project,
    environment.status === 'layer' ? environment.layer : undefined,
  );
  if (problems.length === 0) return combined;
  if (combined.status === 'refused') problems.push(...combined.problems);
  return { status: 'refused', problems };
}

/** The user's rules come first: a project cannot allow what the user wants to be asked about. */
async function readPolicies(sources: readonly Source[]): Promise<PolicyRead> {
  const rules: PolicyRule[] = [];
  const problems: ConfigProblem[] = [];
  for (const { owner, path, text } of sources) {
    // A policy is about actions, which few commands load.
    const { parsePolicy } = await import('./policy-file.js');
    const read = await parsePolicy(text, path, owner);
    if (read.status === 'policy') rules.push(...read.policy.rules);
    else problems.push(...read.problems);
  }
  return problems.length > 0 ? { status: 'refused', problems } : { status: 'policy', policy: { rules } };
}

export function fileOf(path: string, text: string): ProjectFile {
  return { path, text, sha256: sha256(text) };
}

/** Files of a project that count once this user has seen them: its config and policy, or with `kind` its agents. */
export interface TrustSubject {
  root: string;
  files: readonly ProjectFile[];
  kind?: 'agents';
}

export interface TrustCheck {
  trusted: boolean;
  /** The files that this user has not seen as they are now. */
  unseen: ProjectFile[];
  /** Those that were seen, and are gone: what they forbade is allowed now. */
  removed: string[];
  /** Whether all of it was seen before, as it was then. */
  changed: boolean;
  /** Something that the user should know: a sentence. */
  note: string | null;
}

/** One file for each root and kind, so that two who write at once never write the same. */
const FOLDER = 'trust';

/** What `--trust` approved, by root, as it was then: it lasts as long as this process. */
const agentsForThisCommand = new Map<string, ReadonlyMap<string, unknown>>();

/**
 * Whether this user has seen the project's files as they are: what they say may run commands and open the network.
 * Where there are none, there is nothing to see. Throws `UserError` where the user's own folder cannot be read.
 */
export function checkTrust({ root, files, kind }: TrustSubject): TrustCheck {
  const { seen, note } = files.length === 0 ? readSeenIfAny(root, kind) : readSeen(root, kind);
  const unseen = files.filter(({ path, sha256 }) => seen.get(path) !== sha256);
  // Programs that are gone forbade nothing, and only those who would run them look at them.
  const removed = [...seen.keys()].filter(
    (path) => path !== GIT_PROGRAMS && files.every((file) => file.path !== path),
  );
  const trusted = unseen.length === 0 && removed.length === 0;
  const changed = !trusted && unseen.every(({ path }) => seen.has(path));
  return { trusted, unseen, removed, changed, note: files.length === 0 ? null : note };
}

/** Keeps, outside the project, that this user has seen these files; programs that they saw before stay. Throws `UserError` where that cannot be kept. */
export function trustProject({ root, files, kind }: TrustSubject): void {
  const programs = readSeen(root, kind).seen.get(GIT_PROGRAMS);
  const hashes = {
    ...(programs !== undefined && { [GIT_PROGRAMS]: programs }),
    ...Object.fromEntries(hashesOf(files)),
  };
  writeUserState(FOLDER, nameFor(root, kind), `${JSON.stringify({ root, files: hashes }, null, 2)}\n`);
}

/** For `--trust`: these files count, as they are, while this process runs. */
export function trustAgentsOnce(root: string, files: readonly ProjectFile[]): void {
  agentsForThisCommand.set(root, hashesOf(files));
}

/** The hashes of the agent files that count, by path. Throws `UserError` where the user's own folder cannot be read. */
export function readTrustedAgents(root: string): ReadonlyMap<string, unknown> {
  return agentsForThisCommand.get(root) ?? readSeen(root, 'agents').seen;
}

function hashesOf(files: readonly ProjectFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, sha256 }) => [path, sha256]));
}

/** Where there is nothing to trust, a user without a home has nothing to fear. */
function readSeenIfAny(root: string, kind: TrustSubject['kind']): ReturnType<typeof readSeen> {
  try {
    return readSeen(root, kind);
  } catch {
    return { seen: new Map(), note: null };
  }
}

function readSeen(
  root: string,
  kind: TrustSubject['kind'],
): { seen: ReadonlyMap<string, unknown>; note: string | null } {
  const text = readUserState(FOLDER, nameFor(root, kind));
  if (text === undefined) return { seen: new Map(), note: null };
  try {
    const kept = JSON.parse(text) as { root?: unknown; files?: unknown };
    if (kept.root === root && kept.files !== null && typeof kept.files === 'object') {
      return { seen: new Map(Object.entries(kept.files)), note: null };
    }
  } catch {}
  return {
    seen: new Map(),
    note: 'The record of your trust in this project is damaged, so you are asked again.',
  };
}

function nameFor(root: string, kind: TrustSubject['kind']): string {
  return kind === undefined ? `${sha256(root)}.json` : `${sha256(root)}-${kind}.json`;
}

/** Not a file of the project: lines of `.git/config`, or of files that it includes. */
const GIT_PROGRAMS = '.git/config (programs)';

/**
 * The programs that the repository's own git config names and that work in its files would run: filters, merge drivers
 * and what those may use, a line each. Null where there are none. Reading runs nothing. Never throws.
 */
export async function readGitPrograms(root: string): Promise<ProjectFile | null> {
  const { openRepository } = await import('../node/git/work-tree.js');
  const opened = await openRepository(root);
  const config = opened.status === 'ok' ? await opened.tree.readConfig() : opened;
  if (config.status !== 'ok' || config.programs.length === 0) return null;
  return fileOf(GIT_PROGRAMS, `${config.programs.join('\n')}\n`);
}

/** Each as `readGitPrograms` has it. */
export function programLines({ text }: ProjectFile): string[] {
  return text.split('\n').filter((line) => line !== '');
}
