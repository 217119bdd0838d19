import { realPath } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import { openTree } from '../workspace/tree.js';
import { DEFAULTS, parseConfig } from './config-file.js';
import {
  CONFIG_FILE,
  type ConfigProblem,
  type LoadedProject,
  POLICY_FILE,
  type Policy,
  type ProjectFile,
} from './types.js';

export const PROJECT_FILES = [CONFIG_FILE, POLICY_FILE] as const;

const NO_POLICY: Policy = { rules: [] };

/**
 * Reads the project's config and policy, each once: whatever changes on disk afterwards, a run goes by what was read
 * here. A file that is missing has its defaults; one that cannot be read is a problem. Never throws.
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
    readWith(parseConfig, files, CONFIG_FILE),
    // A policy is about actions, which few commands load.
    readWith(async (text) => (await import('./policy-file.js')).parsePolicy(text), files, POLICY_FILE),
  ]);
  for (const read of [config, policy]) if (read?.status === 'refused') problems.push(...read.problems);
  if (problems.length > 0) return { status: 'refused', root: real, files, problems };
  return {
    status: 'loaded',
    root: real,
    files,
    config: config?.status === 'config' ? config.config : structuredClone(DEFAULTS),
    policy: policy?.status === 'policy' ? policy.policy : NO_POLICY,
  };
}

export function fileOf(path: string, text: string): ProjectFile {
  return { path, text, sha256: sha256(text) };
}

async function readWith<T>(
  parse: (text: string) => Promise<T>,
  files: readonly ProjectFile[],
  path: string,
): Promise<T | undefined> {
  const file = files.find((each) => each.path === path);
  return file && parse(file.text);
}
