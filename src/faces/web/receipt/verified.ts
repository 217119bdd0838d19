import type { ActionRecord, LandingCheck, Run } from '../../../core/report/record.js';
import { describeSubject } from '../../../core/report/subject.js';
import type { ResultStatus } from '../../../core/task-result/types.js';
import type { VerificationRun } from '../../../tasks/types.js';
import { block, details, facts, type Pair, showText } from './receipt-html.js';

/** A result of the run's task, as the ledger has it. */
export interface LedgerResult {
  task: string;
  at: string;
  claimed: ResultStatus;
  status: ResultStatus;
  verification: VerificationRun | null;
  /** From the root. */
  log: string;
  sha256: string;
  /** Completes the sentence "The log …"; null if it is as the ledger has it. */
  problem: string | null;
}

/** One thing that was verified. */
export interface ShownCheck {
  state: 'Passed' | 'Failed' | 'Not verified';
  html: string;
}

/** What was verified of a run, as its record has it, and the ledger for the work of a task. */
export function listChecks(run: Run, results: readonly LedgerResult[]): ShownCheck[] {
  return [
    ...run.actions.flatMap((action) => (action.verification ? showLanding(action, action.verification) : [])),
    ...run.actions.flatMap(showExpected),
    ...results.map(showResult),
  ];
}

function showLanding({ outcome }: ActionRecord, { command, prepare, confined }: LandingCheck): ShownCheck {
  const isDone = outcome.status !== 'not-run';
  return check(outcome.status === 'success' ? 'Passed' : 'Failed', command, [
    facts([
      ['Verified', 'the project with the kept changes, in a fresh copy, before they landed'],
      ...one('Run first', prepare),
      ['Confined', confined ? 'yes' : 'no'],
      ...(isDone ? [['Outcome', outcome.summary] as const, ...one('Exit code', outcome.exitCode)] : []),
    ]),
    ...(isDone ? [...text('Output', outcome.output?.text), ...text('Errors', outcome.error?.text)] : []),
  ]);
}

/** A command's Expected Outcome, which teddy looks for in its output. */
function showExpected(action: ActionRecord, at: number): ShownCheck[] {
  const { outcome } = action;
  const expected = outcome.status === 'not-run' ? undefined : outcome.expectedOutcome;
  if (expected === undefined || outcome.status === 'not-run') return [];
  const missing = expected.missing.map((each) => ['Not in the output', each] as const);
  return [
    check(expected.met ? 'Passed' : 'Failed', describeSubject(action), [
      facts([
        ['Verified', `the expected outcome of action ${at + 1}`],
        ...one('Exit code', outcome.exitCode),
        ...missing,
      ]),
    ]),
  ];
}

function showResult(result: LedgerResult): ShownCheck {
  const { task, at, claimed, status, verification, log, sha256, problem } = result;
  const isPassed = verification !== null && verification.exitCode === 0 && !verification.vacuous;
  return check(verification === null ? 'Not verified' : isPassed ? 'Passed' : 'Failed', task, [
    facts([
      ['Verified', `the result of the task ${task}`],
      ['Recorded', at],
      ['Claimed', claimed],
      ['Found', status],
      ...(verification ? verificationFacts(verification) : []),
      ['Log', log],
      ...(problem === null ? [] : [['Problem', `The log ${problem}.`] as const]),
    ]),
    facts([['Ledger', sha256]], 'hash'),
    ...text('Output', verification?.outputSummary || undefined),
  ]);
}

function verificationFacts({ command, exitCode, vacuous, flaky }: VerificationRun): Pair[] {
  return [
    ['Command', command],
    ['Exit code', String(exitCode ?? 'none')],
    ...(vacuous ? [['Note', 'No test ran, so it proves nothing.'] as const] : []),
    ...(flaky ? [['Note', 'It failed, and passed when it was run again.'] as const] : []),
  ];
}

function check(state: ShownCheck['state'], name: string, parts: readonly string[]): ShownCheck {
  const looks = { Passed: 'success', Failed: 'failure', 'Not verified': '' };
  const head = `<h3><code>${showText(name)}</code> <span class="state">${state}</span></h3>`;
  return { state, html: block(looks[state], [head, ...parts]) };
}

function one(name: string, value: string | number | null | undefined): Pair[] {
  return value === undefined || value === null ? [] : [[name, String(value)]];
}

function text(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [details(name, value)];
}
