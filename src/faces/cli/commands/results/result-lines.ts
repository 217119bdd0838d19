import type { Issue } from '../../../../core/issue.js';
import type { Check, Verdict, VerdictName } from '../../../../core/task-result/types.js';
import { onSignals, writeError } from '../../../../node/terminal/terminal.js';
import type { CapturedResult, TaskRef, VerificationRun } from '../../../../tasks/types.js';
import { issueLines } from '../../issue-lines.js';
import { issueJson, type Paint, visible, visibleLine } from '../../output.js';
import { hang, wrapText } from '../../table.js';
import { exactTime } from '../../words.js';
import { firstLineOf, type Outlook, questionJson } from '../tasks/task-lines.js';

/** The names of the fields on one line. */
export const RESULT_FIELD_NAMES =
  'A result has status, task_name, files_modified, verification (command, exit_code, output_summary), done_criteria_met, evidence, error and metadata; teddy result --help explains them.';

const MARKS = {
  passed: ['green', '✓'],
  warned: ['yellow', '!'],
  failed: ['red', '✗'],
  'not-checked': ['dim', '-'],
} as const satisfies Record<Check['state'], readonly [Parameters<Paint>[0], string]>;

const VERDICTS = { VALID: 'green', VALID_WITH_WARNINGS: 'yellow', INVALID: 'red' } as const;

export interface PlanName {
  id: string;
  path: string;
}

/** The JSON fields of a verdict, shared by all result commands. */
export function verdictJson({ verdict, issues, match }: Verdict, plan: PlanName) {
  return {
    verdict,
    issues: issues.map((issue) => ({ ...issueJson(issue), field: issue.field ?? null })),
    plan: plan.id,
    planPath: plan.path,
    task: match && {
      id: `${plan.id}:${match.task.index}`,
      index: match.task.index,
      name: match.task.name,
      match: match.match,
    },
  };
}

/** The checklist, every broken rule below it, and the verdict. */
export function verdictLines({ verdict, issues, checks }: Verdict, paint: Paint): string[] {
  return [
    ...checks.map(({ state, said }) => {
      const [style, mark] = MARKS[state];
      return `${paint(style, mark)} ${hang(wrapText(visibleLine(said), 2), 2)}`;
    }),
    '',
    ...issues.flatMap((issue) => [...resultIssueLines(issue, paint), '']),
    `Result: ${paintVerdict(verdict, paint)}`,
  ];
}

/** `error  line 4, verification.exit_code  success-exit-code`, and below it what is wrong and what to write. */
export function resultIssueLines(issue: Issue & { field?: string }, paint: Paint): string[] {
  const { line, field } = issue;
  const place = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(field === undefined ? [] : [visibleLine(field)]),
  ].join(', ');
  return issueLines(issue, place, paint);
}

export function paintVerdict(verdict: VerdictName, paint: Paint): string {
  return paint(VERDICTS[verdict], verdict);
}

const COLUMN = 'STATE.md  '.length;

/** Notes on a change for the user, one line each. */
export function noteLines(
  notes: readonly Pick<Issue, 'severity' | 'message' | 'hint'>[],
  paint: Paint,
): string[] {
  return notes
    .filter(({ severity }) => severity !== 'info')
    .map(({ message, hint }) => visibleLine(hint === undefined ? message : `${message} ${hint}`))
    .map((note) => `${paint('yellow', 'note')}      ${hang(wrapText(note, COLUMN), COLUMN)}`);
}

const MARKED = { success: 'completed', failure: 'failed', blocked: 'blocked' } as const;
const COLOURS = { success: 'green', failure: 'red', blocked: 'yellow' } as const;

/** What changed in the project's files. */
export function captureLines(captured: CapturedResult, paint: Paint): string[] {
  const { notes, conflicts } = captured;
  const message = 'Another program changed these files at the same time; everything was read again.';
  return [
    ...appliedLines(captured, paint),
    ...noteLines(conflicts > 0 ? [...notes, { severity: 'warning', message }] : notes, paint),
  ];
}

function appliedLines(captured: CapturedResult, paint: Paint): string[] {
  const { plan, verdict, effectiveStatus: status, session } = captured;
  const log = visibleLine(captured.logged);
  const isNoted = (code: string) => captured.notes.some((note) => note.code === code);
  if (captured.status === 'rejected')
    return [`Nothing was applied. The rejected result and the reasons are in ${log}`];
  if (captured.status === 'duplicate')
    return isNoted('key-reused')
      ? ['Nothing was applied.']
      : [`Duplicate: this result was already recorded in ${log}`];
  const task = visibleLine(`${plan.id}:${verdict.match?.task.index ?? '?'}`);
  const marked = status === null ? '' : paint(COLOURS[status], MARKED[status]);
  const mark = isNoted('result-late') ? 'stays completed' : marked;
  return [
    `PLAN.md   ${visibleLine(plan.path)}: ${task} ${mark}`,
    `STATE.md  ${visibleLine(captured.statePath)}`,
    `Log       ${log}`,
    ...(session === null ? [] : [`Batch     ${visibleLine(session)}`]),
  ];
}

/** The outcome of a result, for `--json`. */
export function capturedJson(captured: CapturedResult, { next, asking, waiting }: Outlook) {
  const { status, verdict, plan, verification, notes } = captured;
  return {
    ...verdictJson(verdict, plan),
    applied: status === 'applied',
    duplicate: status === 'duplicate',
    logged: captured.logged,
    claimedStatus: verdict.result?.status ?? null,
    effectiveStatus: captured.effectiveStatus,
    verification,
    session: captured.session,
    statePath: captured.statePath,
    notes: notes.map(issueJson),
    conflicts: captured.conflicts,
    next,
    asking: asking.map(({ id, name, question }) => ({ id, name, ...questionJson(question) })),
    waiting,
    allDone: captured.allDone,
  };
}

/** Whether the claim is true; empty if verification was not requested. `claim`: who claimed what. */
export function describeVerification(
  captured: CapturedResult,
  asked: boolean,
  paint: Paint,
  claim = `The result claimed ${captured.verdict.result?.status}`,
): string[] {
  const { status, verdict, verification, effectiveStatus } = captured;
  if (!asked || status === 'rejected') return [];
  const claimed = verdict.result?.status;
  if (verification === null) {
    return claimed === 'success'
      ? [`Verified  ${paint('yellow', 'no')}: the task has no verify command`]
      : [];
  }
  const found = `\`${visibleLine(firstLineOf(verification.command))}\` ${visibleLine(describeEnd(verification))}`;
  if (isTrue(captured)) return [`Verified  ${found} (${exactTime(verification.durationMs)})`];
  return status === 'applied'
    ? [paint('red', `${claim}, but ${found}: recorded as ${effectiveStatus}.`)]
    : [
        paint('red', `The recorded claim is false: it says ${claimed}, but ${found}.`),
        'The record was not changed. To correct it, submit a result with the next metadata.attempt and --verify.',
      ];
}

/** Whether the claim agrees with the verification, if there was one. */
export function isTrue({ verdict, verification, effectiveStatus }: CapturedResult): boolean {
  const claimed = verdict.result?.status;
  if (effectiveStatus !== null && effectiveStatus !== claimed) return false;
  return (
    claimed !== 'success' || verification === null || (verification.exitCode === 0 && !verification.vacuous)
  );
}

/** `exited with 1`, or why it did not end by itself. */
function describeEnd({ exitCode, outputSummary, vacuous }: VerificationRun): string {
  if (vacuous) return 'ran no test';
  if (exitCode !== null) return `exited with ${exitCode}`;
  const [reason = ''] = outputSummary.split('\n', 1);
  return /^The command (.+)\.$/.exec(reason)?.[1] ?? 'did not end by itself';
}

/** Shows a verify command and its output. Once it runs, a signal stops the command before teddy. */
export class Verifying {
  private readonly interruption = new AbortController();
  private stopListening: (() => void) | undefined;

  /** `approve` is asked before the command runs; without it, the command was approved before. */
  constructor(
    private readonly paint: Paint,
    private readonly approve?: (task: TaskRef, command: string) => Promise<void>,
  ) {}

  readonly options = {
    signal: this.interruption.signal,
    onVerify: async (task: TaskRef, command: string): Promise<void> => {
      await this.approve?.(task, command);
      this.stopListening ??= onSignals(() => this.interruption.abort());
      const lines = hang(visible(command), 'Running: '.length);
      const { paint } = this;
      writeError(`${paint('dim', `Verifying ${visibleLine(task.id)}.`)}\nRunning: ${paint('bold', lines)}\n`);
    },
    onOutput: (_: string, output: string): void => writeError(visible(output)),
  };

  get interrupted(): boolean {
    return this.interruption.signal.aborted;
  }

  end(): void {
    this.stopListening?.();
  }
}
