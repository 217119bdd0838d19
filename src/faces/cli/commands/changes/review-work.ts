import { Option } from 'commander';
import { keyNames, redactorFor } from '../../../../config/redactor.js';
import { UserError } from '../../../../node/errors.js';
import {
  environmentVariables,
  isTerminal,
  onSignals,
  terminalWidth,
  writeError,
} from '../../../../node/terminal/terminal.js';
import { chooseReviewer, RestApproval, resolvePathIn } from '../../../../review/compose.js';
import type { Reviewer } from '../../../../review/question.js';
import { shareReview } from '../../../../review/shared-review.js';
import { type ReviewedChangeset, reviewChangeset } from '../../../../runs/changeset/review-changeset.js';
import { withStop } from '../../../../runs/interrupts.js';
import type { Work } from '../../../../workspace/copy/work.js';
import type { RunFolder } from '../../../../workspace/runs/run-folder.js';
import { openTree } from '../../../../workspace/tree.js';
import { filesOfWork, prepareVerification } from '../../../open-review.js';
import type { ReportFormat } from '../../command.js';
import { deliverReport } from '../../deliver.js';
import { type GlobalOptions, paintFor } from '../../output.js';
import type { TrustedProject } from '../../project.js';
import { createProgress } from '../../review/progress.js';
import { openTerminalReview, type TerminalReview } from '../../review/terminal-review.js';
import { describeReviewEnd } from './review-lines.js';

/** Who decides on an agent's changes, and how they are verified. */
export interface ReviewChoices extends GlobalOptions {
  yes?: boolean;
  verify?: string;
  landing?: Landing;
  unconfined?: boolean;
}

type Landing = 'review' | 'auto';

/** Where the report goes. */
export interface DeliveryOptions extends GlobalOptions {
  format?: ReportFormat;
  output?: string;
  print?: boolean;
  copy: boolean;
}

export function landingOption(): Option {
  return new Option('--landing <how>', 'auto lands what the verify command passes, without asking').choices([
    'review',
    'auto',
  ]);
}

/** Only what a command has verified lands unseen. Throws `UserError`. */
export function requireVerify({ landing }: ReviewChoices, verify: string | undefined): void {
  if (landing === 'auto' && verify === undefined)
    throw new UserError('--landing auto needs --verify: only what a command has verified lands unseen.');
}

export interface WorkReview {
  reviewed: Exclude<ReviewedChangeset, { status: 'failed' }>;
  isInterrupted: boolean;
}

/** Asks about an agent's changes, and lands what is kept. The work is closed afterwards. Throws `UserError`. */
export async function reviewWork(
  work: Work,
  project: TrustedProject,
  options: ReviewChoices,
): Promise<WorkReview> {
  const command = options.verify ?? work.record.verify;
  requireVerify(options, command);
  const isAutomatic = options.yes === true || options.landing === 'auto';
  const interrupt = new AbortController();
  let folder: RunFolder | undefined;
  const rest = new RestApproval();
  const terminal = isAutomatic ? undefined : openReview(project.root, rest, () => folder!, options);
  if (!isAutomatic && terminal === undefined)
    throw new UserError(
      'Approval needed for these changes, but there is no terminal. Use --yes, or --landing auto with --verify.',
    );
  const interrupts = withStop(onSignals, project.workspace, () => folder?.id);
  const endInterrupts = interrupts((name) => interrupt.abort(name));
  try {
    const reviewed = await reviewChangeset(work, {
      workspace: project.workspace,
      reviewer: chooseWho(project, isAutomatic, terminal, { rest, folder: () => folder!, interrupt }),
      redactor: redactorFor(null, environmentVariables(), keyNames(project.config)),
      taskFiles: filesOfWork(work.record, project),
      emit: terminal?.listen ?? createProgress({ color: options.color }),
      tip: project.config.report.tip,
      keep: project.config.runs.keep,
      verification:
        command === undefined
          ? undefined
          : await prepareVerification(command, project, { ...options, signal: interrupt.signal }),
      onFolder: (opened) => {
        folder = opened;
      },
    });
    if (reviewed.status === 'failed') throw new UserError(reviewed.reason);
    return { reviewed, isInterrupted: terminal?.interrupted() || interrupt.signal.aborted };
  } finally {
    endInterrupts();
    terminal?.close();
    work.close();
  }
}

function openReview(
  root: string,
  rest: RestApproval,
  folder: () => RunFolder,
  { color }: GlobalOptions,
): TerminalReview | undefined {
  return openTerminalReview({
    root,
    color,
    rest,
    keepGoing: false,
    tree: openTree(root),
    draftFolder: () => folder().makeDrafts(),
    allowReads: () => Promise.reject(new Error('an agent reads in its copy')),
  });
}

/** A deny of the policy first; then `--yes`, or the user at the terminal and every other face. */
function chooseWho(
  { root, policy }: TrustedProject,
  isAutomatic: boolean,
  terminal: TerminalReview | undefined,
  { rest, folder, interrupt }: { rest: RestApproval; folder: () => RunFolder; interrupt: AbortController },
): Reviewer {
  const person =
    terminal &&
    shareReview({
      person: terminal.reviewer,
      rest,
      folder,
      interrupt: interrupt.signal,
      show: terminal.show,
    });
  return chooseReviewer({ policy, yes: isAutomatic, person, resolve: resolvePathIn(root) });
}

/** Delivers the report and the feedback, and says how the review ended. Returns the exit code. */
export async function endReview(
  id: string,
  { reviewed, isInterrupted }: WorkReview,
  report: TrustedProject['config']['report'],
  options: DeliveryOptions & { print: boolean },
): Promise<number> {
  if (reviewed.status === 'nothing') {
    writeError('Nothing to review: the project has all of these changes already.\n');
    return 0;
  }
  const { run, feedback } = reviewed;
  const copied = await deliverReport(run, report, {
    ...options,
    copy: options.copy && feedback !== undefined,
    feedback,
  });
  if (isTerminal('stderr') || !options.print) {
    const look = { paint: paintFor('stderr', options), width: terminalWidth(), copied };
    const lines = describeReviewEnd(id, reviewed, look);
    writeError(`${isTerminal('stderr') ? '\n' : ''}${lines.join('\n')}\n`);
  }
  return isInterrupted ? 130 : run.actions.some(({ outcome }) => outcome.status === 'failure') ? 1 : 0;
}
