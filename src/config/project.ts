import { realPath } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { readUserSettings } from '../node/user-folders.js';
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
