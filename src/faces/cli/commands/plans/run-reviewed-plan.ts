import { keyNames } from '../../../../config/redactor.js';
import { setUserSetting } from '../../../../config/user-config.js';
import { PLAN_ISSUES, type PlanIssueCode } from '../../../../core/plan/issues.js';
import { readPlan } from '../../../../core/plan/read.js';
import type { Run } from '../../../../core/report/record.js';
import type { Tree } from '../../../../core/tree.js';
import { UserError } from '../../../../node/errors.js';
import { files } from '../../../../node/file-calls.js';
import { MB, readBytes } from '../../../../node/files.js';
import {
  environmentVariables,
  isTerminal,
  onSignals,
  terminalWidth,
  writeError,
} from '../../../../node/terminal/terminal.js';
import { chooseReviewer, RestApproval, resolvePathIn } from '../../../../review/compose.js';
import { type Decisions, parseDecisions } from '../../../../review/decisions.js';
import type { Reviewer } from '../../../../review/question.js';
import type { RunListener } from '../../../../runs/events.js';
import type { ExecuteOptions as Execution } from '../../../../runs/execute-plan.js';
import { withStop } from '../../../../runs/interrupts.js';
import { LiveOutputWriter } from '../../../../runs/output.js';
import { PLAN_COPY } from '../../../../runs/plan-copy.js';
import { listProjectFiles } from '../../../../workspace/files/project-files.js';
import type { RunFolder } from '../../../../workspace/runs/run-folder.js';
import { openTree } from '../../../../workspace/tree.js';
import type { ReportFormat } from '../../command.js';
import { deliverReport } from '../../deliver.js';
import { decodeInput, requireBytes } from '../../input.js';
import { type GlobalOptions, paintFor, visible, visibleLine } from '../../output.js';
import { describeProblems, type TrustedProject } from '../../project.js';
import { createProgress } from '../../review/progress.js';
import type { RefusedPlan } from '../../review/refused-plan.js';
import type { ReplyReader } from '../../review/reply.js';
import { errorsOf, runSummaryLines } from '../../review/run-summary.js';
import type { TerminalReview } from '../../review/terminal-review.js';
import { showCommits } from '../../terminal/progress-line.js';

export interface ExecuteCommandOptions extends GlobalOptions {
  yes?: boolean;
  dryRun?: boolean;
  keepGoing?: boolean;
  /** The run to continue; true means the last one. */
  continue?: string | true;
  decisions?: string;
  format?: ReportFormat;
  output?: string;
  /** Print the report also at a terminal. */
  print?: boolean;
  copy: boolean;
  /** Review it on the page. */
  web?: boolean;
  /** With `--dry-run`: show style warnings, too. */
  verbose?: boolean;
  /** How the user undoes the run from here, if not with teddy undo; false hints at nothing after the run. */
  undoHint?: string | false;
  /** Reads what is typed as a reply to the agent. */
  readReply?: ReplyReader;
  /** A session's name; false for none; undefined derives it from the plan's origin. */
  session?: string | false;
}

/** The options of every run, in a session or not. */
type AnyExecution = Omit<Execution, 'path' | 'turn'>;

interface PlanSource {
  execute(execution: AnyExecution): Promise<Run>;
  /** Reviews a refused plan again after the user has edited it. */
  retry(text: string): Promise<number>;
  /** How to continue after the run; null prints nothing. */
  describeNext?(run: Run): string | null;
}

/** With `--web`, the page is open for as long as the run, and then until the user closes it or presses Ctrl-C. */
export async function runReviewedPlan(
  text: string,
  project: TrustedProject,
  options: ExecuteCommandOptions,
  source: PlanSource,
): Promise<number> {
  const interrupt = new AbortController();
  if (!options.web) return runAtFaces(text, project, options, source, interrupt);
  const { servePage } = await import('../web/serve-page.js');
  const announce = (url: string) => writeError(`Review it on the page; this link works once:\n${url}\n`);
  const server = await servePage(project, options, { announce, open: true });
  if (!isTerminal('stderr')) void server.idle.then(() => interrupt.abort('idle'));
  try {
    const code = await runAtFaces(text, project, options, source, interrupt);
    const interrupted = new Promise<void>((resolve) => {
      onSignals(() => resolve());
    });
    const isOver = interrupt.signal.aborted && interrupt.signal.reason !== 'stop';
    if (!isOver && server.hasPage()) {
      writeError('The page is still open. Close it, or press Ctrl-C, to end.\n');
      await Promise.race([server.left(), server.idle, interrupted]);
    }
    return code;
  } finally {
    await server.close();
  }
}

/** Reviews a plan, runs what was approved, and delivers the report. A refused plan can be edited and tried again. */
async function runAtFaces(
  text: string,
  project: TrustedProject,
  options: ExecuteCommandOptions,
  { execute, retry, describeNext }: PlanSource,
  interrupt: AbortController,
): Promise<number> {
  let folder: RunFolder | undefined;
  let unsaved = false;
  const liveOutput = new LiveOutputWriter(() => folder!);
  const { reviewer, listen, terminal, interrupted, close } = await chooseReviewers(
    text,
    project,
    options,
    () => folder!,
    interrupt.signal,
  );
  try {
    const run = await execute({
      workspace: project.workspace,
      tree: openTree(project.root),
      reviewer,
      settings: project.config,
      keepGoing: options.keepGoing ?? false,
      tip: project.config.report.tip,
      keep: project.config.runs.keep,
      environment: environmentVariables(),
      keyNames: keyNames(project.config),
      interrupts: (listener) =>
        withStop(
          onSignals,
          project.workspace,
          () => folder?.id,
        )((name) => {
          listener(name);
          // At a terminal, the review has keys for the signals.
          if (name === 'stop' || terminal === undefined) interrupt.abort(name);
        }),
      isReviewAborted: () => interrupted() || terminal?.isLost() === true,
      emit: (event) => {
        listen(event);
        liveOutput.listen(event);
      },
      onFolder: (opened) => {
        folder = opened;
      },
      onUnsaved: (reason) => {
        unsaved = true;
        writeError(`${visible(reason)}\n`);
      },
    });
    const isSeen = terminal !== undefined && run.refused && !isPredicted(run);
    const edited = isSeen
      ? await terminal.askAboutRefused(await describeRefusal(run, text), () => openDrafts(folder!))
      : undefined;
    if (edited !== undefined) {
      close();
      return await retry(edited);
    }
    const print = options.print || options.json || !isTerminal('stdout');
    const copied = await deliverReport(run, project.config.report, { ...options, print });
    const next = describeNext?.(run);
    if (!unsaved && next !== null) printEnd(run, options, { copied, isSeen, next });
    return interrupted() ? 130 : Math.max(exitCodeOf(run), unsaved ? 1 : 0);
  } finally {
    close();
  }
}

function exitCodeOf({ interrupted, refused, actions, stateChanges }: Run): number {
  if (interrupted !== null) return 130;
  const failed =
    actions.some(({ outcome }) => outcome.status === 'failure') ||
    stateChanges.some(({ notApplied }) => notApplied.length > 0);
  return refused || failed ? 1 : 0;
}

async function describeRefusal(run: Run, text: string): Promise<RefusedPlan> {
  const { describeRefused } = await import('../../../../sessions/ask-plan.js');
  const path = `.teddy/runs/${run.id}/${PLAN_COPY}`;
  return { text, issues: run.issues, path, feedback: describeRefused(run.issues) };
}

/** The drafts folder of a finished run. */
function openDrafts({ path }: RunFolder): string {
  const drafts = `${path}/journal/drafts`;
  if (files.statAt(drafts) === undefined) files.mkdir(drafts, 0o700);
  return drafts;
}

/** At a terminal: how the run ended. For scripts: a refusal that standard output does not show. */
function printEnd(
  run: Run,
  options: ExecuteCommandOptions,
  { copied, isSeen, next }: { copied: string | undefined; isSeen: boolean; next: string | undefined },
): void {
  const anyway = run.refused && isPredicted(run) ? 'Use --keep-going to run it anyway.' : describeRest(run);
  if (isTerminal('stderr') || (run.refused && options.output !== undefined)) {
    const lines = runSummaryLines(run, {
      paint: paintFor('stderr', options),
      width: terminalWidth(),
      copied,
      next: options.undoHint === false ? '' : (next ?? anyway),
      undo: options.undoHint ?? 'teddy undo',
      isSeen,
    });
    writeError(`${isTerminal('stderr') ? '\n' : ''}${lines.join('\n')}\n`);
  } else if (run.refused && next !== undefined) writeError(`${next}\n`);
}

/** How to run what is left of a plan that was quit, or stopped at a failure. */
export function describeRest({ id, actions, refused }: Run): string {
  const isStopped =
    actions.at(-1)?.outcome.status === 'not-run' ||
    actions.some(({ outcome }) => outcome.status === 'failure');
  return isStopped && !refused
    ? `Continue: teddy execute --continue ${id.slice(-4)} runs the rest of this plan`
    : '';
}

/** Whether all errors are predictions: the plan can be run, but would fail on the current files. */
export function isPredicted(run: Run): boolean {
  const errors = errorsOf(run);
  return errors.length > 0 && errors.every(({ code }) => isPrediction(code));
}

function isPrediction(code: string): boolean {
  return Object.hasOwn(PLAN_ISSUES, code) && PLAN_ISSUES[code as PlanIssueCode].kind === 'prediction';
}

interface Review {
  reviewer: Reviewer;
  listen: RunListener;
  /** Undefined if the user is not asked. */
  terminal: TerminalReview | undefined;
  /** Whether the user ended the review with Ctrl-C. */
  interrupted(): boolean;
  close(): void;
}

/** Who decides: the policy, a decisions file, and then either `--yes` or the user at the terminal. */
async function chooseReviewers(
  text: string,
  { root, workspace, policy, config }: TrustedProject,
  { yes, web = false, color, keepGoing = false, decisions: file, readReply }: ExecuteCommandOptions,
  folder: () => RunFolder,
  interrupt: AbortSignal,
): Promise<Review> {
  const tree = openTree(root);
  const decisions = file === undefined ? undefined : await readDecisions(file, text, tree);
  const isAutomatic = yes || (decisions && decisions.default !== null);
  const isAllowed = config.review.reads === 'allow';
  // At the terminal, the user can allow reads during the review.
  const readable = isAllowed || !isAutomatic ? new Set<string>() : undefined;
  const listReadable = async () => {
    for (const file of (await listProjectFiles(root)).files) readable?.add(file);
  };
  if (isAllowed && text.includes('READ')) await listReadable();
  const rest = new RestApproval();
  // The review screen takes time to load.
  const terminal = isAutomatic
    ? undefined
    : (await import('../../review/terminal-review.js')).openTerminalReview({
        root,
        color,
        keepGoing,
        tree,
        rest,
        readReply,
        draftFolder: () => folder().makeDrafts(),
        async allowReads() {
          const path = await setUserSetting('review.reads', 'allow');
          await listReadable();
          return path;
        },
      });
  const person = terminal || web ? await shareWithFaces(terminal, rest, folder, interrupt) : undefined;
  const listen = terminal?.listen ?? createProgress({ color });
  const commits =
    terminal || isTerminal('stderr')
      ? showCommits(workspace, listen, { color, draw: terminal?.drawProgress })
      : undefined;
  return {
    reviewer: chooseReviewer({ policy, decisions, readable, yes, person, resolve: resolvePathIn(root) }),
    terminal,
    listen: commits?.listen ?? listen,
    interrupted: () => terminal?.interrupted() ?? (person !== undefined && interrupt.aborted),
    close() {
      commits?.close();
      terminal?.close();
    },
  };
}

/** Lets every face answer the questions, with or without a terminal. */
async function shareWithFaces(
  terminal: TerminalReview | undefined,
  rest: RestApproval,
  folder: () => RunFolder,
  interrupt: AbortSignal,
): Promise<Reviewer> {
  const { shareReview } = await import('../../../../review/shared-review.js');
  const show = terminal?.show ?? ((line: string) => writeError(`${line}\n`));
  return shareReview({ person: terminal?.reviewer, rest, folder, interrupt, show });
}

async function readDecisions(file: string, text: string, tree: Tree): Promise<Decisions | undefined> {
  const { plan } = readPlan(text, tree);
  // It will be refused anyway.
  if (plan === null) return undefined;
  const written = decodeInput(requireBytes(visibleLine(file), readBytes(file, MB)));
  const parsed = await parseDecisions(written.text, plan, file);
  if (parsed.status === 'decisions') return parsed.decisions;
  throw new UserError(describeProblems(parsed.problems));
}
