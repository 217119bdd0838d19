import { fileName } from '../capture/index.js';
import { Unusable } from '../platform/index.js';
import type { Update, UpdateResult, View, Workspace } from '../workspace/index.js';

/** What the orchestrator keeps between its runs, from the root. None of it belongs into a repository. */
export const STATE_FOLDER = '.ultraplan/state';

export const STATE = {
  ignore: `${STATE_FOLDER}/.gitignore`,
  /** The kernel's lock on it says that an orchestrator works here. */
  lock: `${STATE_FOLDER}/lock`,
  /** Who that is. */
  holder: `${STATE_FOLDER}/holder.json`,
  queue: `${STATE_FOLDER}/queue.jsonl`,
  journal: `${STATE_FOLDER}/journal.jsonl`,
  /** Process groups that were begun. */
  processes: `${STATE_FOLDER}/processes.jsonl`,
  /** What executors printed, as it came. */
  output: `${STATE_FOLDER}/output`,
  worktrees: `${STATE_FOLDER}/worktrees`,
  /** What attempts changed that were not landed. */
  patches: `${STATE_FOLDER}/patches`,
} as const;

/** What an attempt printed: `output/03-01-2.1.txt`. */
export function outputFile(task: string, attempt: number): string {
  return `${STATE.output}/${fileName(task.replace(':', '-'))}.${attempt}.txt`;
}

/** The largest file of lines that is read here. */
export const LARGEST_STATE_FILE = 256 * 1024 * 1024;

/** Folders in which files grow, and that therefore have to be there. Git makes the one of its worktrees itself. */
const IGNORING = [STATE_FOLDER, STATE.output, STATE.patches];

/** Makes the folder, and keeps git from looking into it. Throws `Unusable` where it cannot. */
export async function prepareState(workspace: Workspace): Promise<void> {
  await updateState(workspace, STATE_FOLDER, (view) => ({
    changes: IGNORING.map((folder) => `${folder}/.gitignore`)
      .filter((path) => view.look(path) === 'missing')
      .map((path) => ({ path, before: null, after: new TextEncoder().encode('*\n') })),
    value: undefined,
  }));
}

/** An update that succeeds, or `Unusable`: the one that `work` throws, else with a sentence about `path`. */
export async function updateState<T>(
  workspace: Workspace,
  path: string,
  work: (view: View) => Update<T>,
): Promise<T> {
  let thrown: unknown;
  const result = await workspace.update((view) => {
    try {
      return work(view);
    } catch (error) {
      thrown = error;
      throw error;
    }
  });
  if (thrown instanceof Unusable) throw thrown;
  if (result.status !== 'committed') throw new Unusable(`${path} cannot be written: ${describe(result)}.`);
  if (result.lost.length === 0) return result.value;
  throw new Unusable(`${result.lost.join(', ')}: another program wrote there at the same time.`);
}

function describe(result: Exclude<UpdateResult<unknown>, { status: 'committed' }>): string {
  switch (result.status) {
    case 'conflict':
      return result.conflicts.map(({ path, reason }) => `${path} ${reason}`).join('; ');
    case 'refused':
      return `${result.path} ${result.reason}`;
    case 'locked':
      return 'another teddy has held the lock on this project for too long';
    default:
      return result.reason.replace(/\.$/, '');
  }
}
