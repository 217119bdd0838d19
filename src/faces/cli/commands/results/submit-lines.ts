import type { ResultStatus } from '../../../../core/task-result/types.js';
import { onSignals, writeError } from '../../../../node/terminal/terminal.js';
import type { CapturedResult, TaskRef, VerificationRun } from '../../../../tasks/types.js';
import type { Paint } from '../../paint.js';
import { issueJson } from '../../result-json.js';
import { visible, visibleLine } from '../../visible.js';
import { exactTime } from '../tasks/amounts.js';
import { firstLineOf } from '../tasks/next-lines.js';
import { type Outlook, questionJson } from '../tasks/status.js';
import { noteLines, verdictJson } from './verdict-lines.js';

const MARKED = { success: 'completed', failure: 'failed', blocked: 'blocked' } as const;
const COLOURS = { success: 'green', failure: 'red', blocked: 'yellow' } as const;

/** What became of the project's files. */
export function captureLines(captured: CapturedResult, paint: Paint): string[] {
  const log = visibleLine(captured.logged);
  switch (captured.status) {
    case 'rejected':
      return [
        `Nothing was applied. The result is kept, with these reasons: ${log}`,
        ...captureNotes(captured, paint),
      ];
    case 'duplicate':
      return [
        captured.notes.some(({ code }) => code === 'key-reused')
          ? 'Nothing was applied.'
          : `This result was captured before, and does not count again. Its log: ${log}`,
        ...captureNotes(captured, paint),
      ];
    case 'applied':
      return appliedLines(captured, log, paint);
  }
}

function appliedLines(captured: CapturedResult, log: string, paint: Paint): string[] {
  const { plan, verdict, effectiveStatus, notes } = captured;
  const isLate = notes.some(({ code }) => code === 'result-late');
  const task = `${plan.id}:${verdict.match?.task.index ?? '?'}`;
  const rows: [string, string][] = [
    [
      'PLAN.md',
      `${visibleLine(plan.path)}: ${visibleLine(task)} ${isLate ? 'stays completed' : describeMark(effectiveStatus, paint)}`,
    ],
    ['STATE.md', visibleLine(captured.statePath)],
    ['Log', log],
    ...(captured.session === null
      ? []
      : [['Session', visibleLine(captured.session)] satisfies [string, string]]),
  ];
  return [
    ...rows.map(([name, value]) => `${name.padEnd('STATE.md'.length)}  ${value}`),
    ...captureNotes(captured, paint),
  ];
}

function captureNotes({ notes, conflicts }: CapturedResult, paint: Paint): string[] {
  const message = 'Another program changed these files meanwhile; all was read again.';
  return noteLines(conflicts > 0 ? [...notes, { severity: 'warning', message }] : notes, paint);
}

function describeMark(status: ResultStatus | null, paint: Paint): string {
  return status === null ? '' : paint(COLOURS[status], MARKED[status]);
}

/** What became of a result, for programs. */
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

/** Whether what was claimed holds; nothing where nobody asked. `claim` is who said what. */
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
      ? [`Verified  ${paint('yellow', 'no')}: the task names no command that can be run`]
      : [];
  }
  const found = `\`${visibleLine(firstLineOf(verification.command))}\` ${visibleLine(describeEnd(verification))}`;
  if (isTrue(captured)) return [`Verified  ${found} (${exactTime(verification.durationMs)})`];
  return status === 'applied'
    ? [paint('red', `${claim}, but ${found}: recorded as ${effectiveStatus}.`)]
    : [
        paint('red', `The earlier claim does not hold: it says ${claimed}, but ${found}.`),
        'What was captured stays as it is. A result with the next metadata.attempt, submitted with --verify, puts it right.',
      ];
}

/** Whether what a result claims is what we saw, if we looked. */
export function isTrue({ verdict, verification, effectiveStatus }: CapturedResult): boolean {
  const claimed = verdict.result?.status;
  if (effectiveStatus !== null && effectiveStatus !== claimed) return false;
  return (
    claimed !== 'success' || verification === null || (verification.exitCode === 0 && !verification.vacuous)
  );
}

/** `exits with 1`, or why it did not end by itself. */
function describeEnd({ exitCode, outputSummary, vacuous }: VerificationRun): string {
  if (vacuous) return 'runs no test';
  if (exitCode !== null) return `exits with ${exitCode}`;
  const [reason = ''] = outputSummary.split('\n', 1);
  return /^The command (.+)\.$/.exec(reason)?.[1] ?? 'does not end by itself';
}

/** A command that verifies a claim, as a person sees it. From when it begins a signal stops it, and teddy not before it. */
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
      tellOfVerify(task, command, this.paint);
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

function tellOfVerify({ id }: TaskRef, command: string, paint: Paint): void {
  const [first = '', ...more] = visible(command).split('\n');
  const lines = [first, ...more.map((line) => `         ${line}`)].join('\n');
  writeError(`${paint('dim', `Verifying ${visibleLine(id)}.`)}\nRunning: ${paint('bold', lines)}\n`);
}
