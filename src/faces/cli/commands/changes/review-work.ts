import { keyNames, redactorFor } from '../../../../config/redactor.js';
import { checkConfinement } from '../../../../confine/check.js';
import type { Run } from '../../../../core/report/record.js';
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
import { watchStop } from '../../../../review/run-questions.js';
import { shareReview } from '../../../../review/shared-review.js';
import { type ReviewedChangeset, reviewChangeset } from '../../../../runs/changeset/review-changeset.js';
import type { Verification } from '../../../../runs/changeset/verify-landing.js';
import type { Work } from '../../../../workspace/copy/work.js';
import type { RunFolder } from '../../../../workspace/runs/run-folder.js';
import { openTree } from '../../../../workspace/tree.js';
import type { ReportFormat } from '../../command.js';
import { deliverReport } from '../../deliver.js';
import { type GlobalOptions, paintFor, visibleLine } from '../../output.js';
import type { TrustedProject } from '../../project.js';
import { createProgress } from '../../review/progress.js';
import { runSummaryLines } from '../../review/run-summary.js';
import { openTerminalReview, type TerminalReview } from '../../review/terminal-review.js';

export interface ReviewCommandOptions extends GlobalOptions {
  yes?: boolean;
  verify?: string;
  landing?: 'review' | 'auto';
  unconfined?: boolean;
  format?: ReportFormat;
  output?: string;
  print?: boolean;
  copy: boolean;
}

/** Asks about an agent's changes, lands what is kept, and delivers the report. The work is closed afterwards. */
export async function reviewWork(
  work: Work,
  project: TrustedProject,
  options: ReviewCommandOptions,
): Promise<number> {
  const command = options.verify ?? work.record.verify;
  const isAutomatic = options.yes === true || options.landing === 'auto';
  if (options.landing === 'auto' && command === undefined)
    throw new UserError('--landing auto needs --verify: only what a command has verified lands unseen.', {
      isUsage: true,
    });
  const interrupt = new AbortController();
  let folder: RunFolder | undefined;
  const rest = new RestApproval();
  const terminal = isAutomatic ? undefined : openReview(project.root, rest, () => folder!, options);
  if (!isAutomatic && terminal === undefined)
    throw new UserError(
      'Approval needed for these changes, but there is no terminal. Use --yes, or --landing auto with --verify.',
    );
  const endSignals = onSignals((name) => interrupt.abort(name));
  const endStop = watchStop(
    project.workspace,
    () => folder?.id,
    () => interrupt.abort('stop'),
  );
  try {
    const reviewed = await reviewChangeset(work, {
      workspace: project.workspace,
      reviewer: chooseWho(project, options, terminal, { rest, folder: () => folder!, interrupt }),
      redactor: redactorFor(null, environmentVariables(), keyNames(project.config)),
      emit: terminal?.listen ?? createProgress({ color: options.color }),
      tip: project.config.report.tip,
      keep: project.config.runs.keep,
      verification:
        command === undefined
          ? undefined
          : await prepareVerification(command, project, options, interrupt.signal),
      onFolder: (opened) => {
        folder = opened;
      },
    });
    terminal?.close();
    return await finish(
      work,
      reviewed,
      project,
      options,
      terminal?.interrupted() ?? interrupt.signal.aborted,
    );
  } finally {
    endSignals();
    endStop();
    terminal?.close();
  }
}

function openReview(
  root: string,
  rest: RestApproval,
  folder: () => RunFolder,
  { color }: ReviewCommandOptions,
): TerminalReview | undefined {
  return openTerminalReview({
    ...{ root, color, rest, keepGoing: false, tree: openTree(root) },
    draftFolder: () => folder().makeDrafts(),
    allowReads: () => Promise.reject(new Error('an agent reads in its copy')),
  });
}

/** A deny of the policy first; then `--yes`, or the user at the terminal and every other face. */
function chooseWho(
  { root, policy }: TrustedProject,
  { yes, landing }: ReviewCommandOptions,
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
  const isAutomatic = yes === true || landing === 'auto';
  return chooseReviewer({ policy, yes: isAutomatic, person, resolve: resolvePathIn(root) });
}

async function prepareVerification(
  command: string,
  { root, config }: TrustedProject,
  { unconfined }: ReviewCommandOptions,
  signal: AbortSignal,
): Promise<Verification> {
  const environment = environmentVariables();
  const { on, network, write, hide } = config.confine;
  const checked = unconfined || !on ? undefined : await checkConfinement({ root, environment, signal });
  if (checked?.available === false)
    throw new UserError(
      `The verification cannot be confined: ${checked.cause}. ${checked.remedy}, or pass --unconfined.`,
    );
  return {
    ...{
      command,
      prepare: config.verify.prepare,
      tools: checked?.tools,
      network,
      write,
      hide,
      environment,
      signal,
    },
    timeoutMs: config.execute.timeoutMs,
    redactor: redactorFor(null, environment, keyNames(config)),
  };
}

async function finish(
  work: Work,
  reviewed: ReviewedChangeset,
  project: TrustedProject,
  options: ReviewCommandOptions,
  isInterrupted: boolean,
): Promise<number> {
  if (reviewed.status === 'failed') {
    work.close();
    throw new UserError(reviewed.reason);
  }
  if (reviewed.status === 'nothing') {
    writeError('Nothing to review: the project has all of these changes already.\n');
    return 0;
  }
  if (reviewed.kept) work.close();
  const { run } = reviewed;
  const print = options.print || options.json || !isTerminal('stdout');
  const copied = await deliverReport(run, project.config.report, { ...options, print });
  if (isTerminal('stderr')) {
    const lines = runSummaryLines(run, {
      paint: paintFor('stderr', options),
      width: terminalWidth(),
      copied,
      next: describeNext(work.id, reviewed),
      undo: 'teddy undo',
      isSeen: false,
    });
    writeError(`\n${lines.join('\n')}\n`);
  }
  return isInterrupted ? 130 : exitCodeOf(run);
}

function describeNext(
  id: string,
  { landed, kept, feedback }: Extract<ReviewedChangeset, { status: 'reviewed' }>,
) {
  if (!kept) return '';
  if (feedback !== undefined)
    return `Next:     teddy wrap --again ${id} gives the agent what was dropped; teddy changes drop ${id} removes it`;
  return landed ? '' : `Nothing landed. Your decisions are kept: teddy changes review ${visibleLine(id)}`;
}

function exitCodeOf({ actions }: Run): number {
  return actions.some(({ outcome }) => outcome.status === 'failure') ? 1 : 0;
}
