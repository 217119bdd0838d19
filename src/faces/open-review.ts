import { keyNames } from '../config/redactor.js';
import type { Config, Policy } from '../config/types.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { chooseReviewer, RestApproval, resolvePathIn } from '../review/compose.js';
import type { Question, Reviewer } from '../review/question.js';
import type { AnsweringFace } from '../review/run-questions.js';
import { shareReview } from '../review/shared-review.js';
import type { RunListener } from '../runs/events.js';
import type { ExecuteOptions } from '../runs/execute-plan.js';
import { interruptsOf, withStop } from '../runs/interrupts.js';
import { LiveOutputWriter } from '../runs/output.js';
import { listProjectFiles } from '../workspace/files/project-files.js';
import type { RunFolder } from '../workspace/runs/run-folder.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';

export interface ReviewFace {
  /** Called with the run once it has a folder. */
  onRun(run: string): void;
  /** The user in this face, and its name; without one, only other faces answer. */
  person?: { reviewer: Reviewer; face: AnsweringFace };
  /** Called with every question, before anything decides on it. */
  onQuestion?(question: Question): void;
  listen?: RunListener;
}

interface ReviewedProject {
  workspace: Workspace;
  config: Config;
  policy: Policy;
  interrupt: AbortController;
}

/** How a plan runs that is reviewed outside a terminal: its questions are open to every face. */
export async function openReview(
  { workspace, config, policy, interrupt }: ReviewedProject,
  { onRun, person: own, onQuestion, listen }: ReviewFace,
): Promise<Omit<ExecuteOptions, 'path' | 'id' | 'turn'>> {
  const { root } = workspace;
  let folder: RunFolder | undefined;
  const live = new LiveOutputWriter(() => folder!);
  const person = shareReview({
    person: own?.reviewer,
    face: own?.face,
    rest: new RestApproval(),
    folder: () => folder!,
    interrupt: interrupt.signal,
    show: () => {},
  });
  const isAllowed = config.review.reads === 'allow';
  const readable = isAllowed ? new Set((await listProjectFiles(root)).files) : undefined;
  const resolve = resolvePathIn(root);
  const reviewer = chooseReviewer({ policy, readable, person, resolve });
  return {
    workspace,
    tree: openTree(root),
    reviewer: {
      ...reviewer,
      resolve(question) {
        // One without a hash only asks whether anything decides by itself.
        if (question.hash !== '') onQuestion?.(question);
        return reviewer.resolve(question);
      },
    },
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
    emit: (event) => {
      live.listen(event);
      listen?.(event);
    },
    onFolder: (opened) => {
      folder = opened;
      onRun(opened.id);
    },
  };
}
