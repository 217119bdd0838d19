import type { RunListener } from '../../runs/events.js';
import type { CommitProgress } from '../../workspace/commit/change.js';
import type { Workspace } from '../../workspace/workspace.js';
import { type ProgressLine, type ProgressOptions, startProgress } from './terminal/progress-line.js';

const WORDS: Record<CommitProgress['phase'], string> = {
  copying: 'Saving copies of the old files',
  staging: 'Preparing the new files',
  placing: 'Writing files',
  recovering: 'Completing an interrupted change',
};

/** Does some work on the files of a project, and shows at a terminal how far it is if it takes long. */
export async function showProgress<T>(
  workspace: Workspace,
  what: string,
  options: { color: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const line = startProgress(what, options);
  workspace.onProgress = (progress) => updateLine(line, progress);
  try {
    return await work();
  } finally {
    workspace.onProgress = undefined;
    line.end();
  }
}

/** Shows how far a large commit of a run is, until the run has something to report. */
export function showCommits(
  workspace: Workspace,
  listen: RunListener,
  options: ProgressOptions,
): { listen: RunListener; close(): void } {
  let line: ProgressLine | undefined;
  const end = () => {
    line?.end();
    line = undefined;
  };
  workspace.onProgress = (progress) => {
    line ??= startProgress(WORDS[progress.phase], options);
    updateLine(line, progress);
  };
  return {
    listen(event) {
      end();
      listen(event);
    },
    close() {
      workspace.onProgress = undefined;
      end();
    },
  };
}

function updateLine(line: ProgressLine, { phase, done, of }: CommitProgress): void {
  line.update(WORDS[phase], { done, of, unit: 'files' });
}
