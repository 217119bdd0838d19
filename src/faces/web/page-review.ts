import { keyNames } from '../../config/redactor.js';
import type { Config, Policy } from '../../config/types.js';
import { environmentVariables } from '../../node/terminal/terminal.js';
import { chooseReviewer, RestApproval, resolvePathIn } from '../../review/compose.js';
import { shareReview } from '../../review/shared-review.js';
import type { ExecuteOptions } from '../../runs/execute-plan.js';
import { interruptsOf, withStop } from '../../runs/interrupts.js';
import { LiveOutputWriter } from '../../runs/output.js';
import { listProjectFiles } from '../../workspace/files/project-files.js';
import type { RunFolder } from '../../workspace/runs/run-folder.js';
import { openTree } from '../../workspace/tree.js';
import type { Workspace } from '../../workspace/workspace.js';

interface PageReview {
  workspace: Workspace;
  config: Config;
  policy: Policy;
  interrupt: AbortController;
  /** Called with the run once it has a folder. */
  onRun(run: string): void;
}

/** How a plan runs that this server reviews: its questions are open to every face, and no terminal is asked. */
export async function openPageReview({
  workspace,
  config,
  policy,
  interrupt,
  onRun,
}: PageReview): Promise<Omit<ExecuteOptions, 'path' | 'id' | 'turn'>> {
  const { root } = workspace;
  let folder: RunFolder | undefined;
  const live = new LiveOutputWriter(() => folder!);
  const person = shareReview({
    person: undefined,
    rest: new RestApproval(),
    folder: () => folder!,
    interrupt: interrupt.signal,
    show: () => {},
  });
  const isAllowed = config.review.reads === 'allow';
  const readable = isAllowed ? new Set((await listProjectFiles(root)).files) : undefined;
  const resolve = resolvePathIn(root);
  return {
    workspace,
    tree: openTree(root),
    reviewer: chooseReviewer({ policy, readable, person, resolve }),
    settings: config,
    keepGoing: false,
    tip: config.report.tip,
    keep: config.runs.keep,
    environment: environmentVariables(),
    keyNames: keyNames(config),
    interrupts: (listen) =>
      withStop(
        interruptsOf(interrupt.signal),
        workspace,
        () => folder?.id,
      )((name) => {
        listen(name);
        if (name === 'stop') interrupt.abort();
      }),
    isReviewAborted: () => interrupt.signal.aborted,
    emit: (event) => live.listen(event),
    onFolder: (opened) => {
      folder = opened;
      onRun(opened.id);
    },
  };
}
