import { keyNames, redactorOf } from '../config/redactor.js';
import type { Config, InertConfig, Policy } from '../config/types.js';
import { checkConfinement } from '../confine/check.js';
import { UserError } from '../node/errors.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { chooseReviewer, RestApproval, resolvePathIn } from '../review/compose.js';
import type { Question, Reviewer } from '../review/question.js';
import type { AnsweringFace } from '../review/run-questions.js';
import { shareReview } from '../review/shared-review.js';
import { type ReviewedChangeset, reviewChangeset } from '../runs/changeset/review-changeset.js';
import type { Verification } from '../runs/changeset/verify-landing.js';
import type { RunEvent, RunListener } from '../runs/events.js';
import type { ExecuteOptions } from '../runs/execute-plan.js';
import { type Interrupts, interruptsOf, withStop } from '../runs/interrupts.js';
import { LiveOutputWriter } from '../runs/output.js';
import { filesOfTask } from '../tasks/plans/tasks.js';
import { openCapture } from '../tasks/project.js';
import type { Work, WorkRecord } from '../workspace/copy/work.js';
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
  project: ReviewedProject,
  face: ReviewFace,
): Promise<Omit<ExecuteOptions, 'path' | 'id' | 'turn'>> {
  const { workspace, config, interrupt } = project;
  const { root } = workspace;
  const isAllowed = config.review.reads === 'allow';
  const readable = isAllowed ? new Set((await listProjectFiles(root)).files) : undefined;
  return {
    ...shareFace(project, face, readable),
    workspace,
    tree: openTree(root),
    settings: config,
    keepGoing: false,
    environment: environmentVariables(),
    keyNames: keyNames(config),
    isReviewAborted: () => interrupt.signal.aborted,
  };
}

/** The same for an agent's changes, verified where the work has a command for it. The caller ends the work. */
export async function reviewWorkIn(
  project: ReviewedProject,
  face: ReviewFace,
  work: Work,
): Promise<ReviewedChangeset> {
  const { workspace, config, interrupt } = project;
  const { interrupts, ...shared } = shareFace(project, face, undefined);
  const redactor = redactorOf(config, environmentVariables());
  const endInterrupts = interrupts(() => interrupt.abort());
  try {
    const { verify } = work.record;
    const verification =
      verify === undefined
        ? undefined
        : await prepareVerification(verify, project, { signal: interrupt.signal });
    const taskFiles = filesOfWork(work.record, project);
    return await reviewChangeset(work, { ...shared, workspace, redactor, verification, taskFiles });
  } finally {
    endInterrupts();
  }
}

/** Those that the task of this work names; null without one. */
export function filesOfWork(
  { task }: WorkRecord,
  { workspace, config }: { workspace: Workspace; config: InertConfig },
): string[] | null {
  return task === undefined ? null : filesOfTask(openCapture(workspace, config), task);
}

/** How a command verifies what an agent's changes make of the project. Throws `UserError` where it cannot be confined. */
export async function prepareVerification(
  command: string,
  { workspace: { root }, config }: { workspace: Workspace; config: Config },
  { unconfined = false, signal }: { unconfined?: boolean | undefined; signal: AbortSignal },
): Promise<Verification> {
  const environment = environmentVariables();
  const { on, network, write, hide, bring } = config.confine;
  const checked = unconfined || !on ? undefined : await checkConfinement({ root, environment, signal });
  if (checked?.available === false)
    throw new UserError(
      `The verification cannot be confined: ${checked.cause}. ${checked.remedy}, or use \`teddy changes review --unconfined\`.`,
    );
  return {
    command,
    prepare: config.verify.prepare,
    tools: checked?.tools,
    environment,
    signal,
    network,
    write,
    hide,
    bring,
    timeoutMs: config.execute.timeoutMs,
    redactor: redactorOf(config, environment),
  };
}

/** Who decides, and what listens. */
function shareFace(
  { workspace, config, policy, interrupt }: ReviewedProject,
  { onRun, person: own, onQuestion, listen }: ReviewFace,
  readable: ReadonlySet<string> | undefined,
) {
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
  const resolve = resolvePathIn(workspace.root);
  const reviewer = chooseReviewer({ policy, readable, person, resolve });
  return {
    reviewer: {
      ...reviewer,
      resolve(question: Question) {
        // One without a hash only asks whether anything decides by itself.
        if (question.hash !== '') onQuestion?.(question);
        return reviewer.resolve(question);
      },
    },
    tip: config.report.tip,
    keep: config.runs.keep,
    interrupts: ((listen) =>
      withStop(
        interruptsOf(interrupt.signal),
        workspace,
        () => folder?.id,
      )((name) => {
        listen(name);
        if (name === 'stop') interrupt.abort();
      })) as Interrupts,
    emit: (event: RunEvent) => {
      live.listen(event);
      listen?.(event);
    },
    onFolder: (opened: RunFolder) => {
      folder = opened;
      onRun(opened.id);
    },
  };
}
