import { openRepository } from '../node/git/work-tree.js';
import { fileOf } from './project.js';
import type { ProjectFile } from './types.js';

/** Not a file of the project: lines that stand in `.git/config`, or in what that includes. */
export const GIT_PROGRAMS = '.git/config (programs)';

/**
 * The programs that the repository's own git config names and that work in its files would run: filters, merge drivers
 * and what those may use, a line each. Null where there are none. Reading runs nothing. Never throws.
 */
export async function readGitPrograms(root: string): Promise<ProjectFile | null> {
  const opened = await openRepository(root);
  const config = opened.status === 'ok' ? await opened.tree.readConfig() : opened;
  if (config.status !== 'ok' || config.programs.length === 0) return null;
  return fileOf(GIT_PROGRAMS, `${config.programs.join('\n')}\n`);
}

/** Each as `readGitPrograms` has it. */
export function programLines({ text }: ProjectFile): string[] {
  return text.split('\n').filter((line) => line !== '');
}
