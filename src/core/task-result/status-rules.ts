import type { Task } from '../task-plan/types.js';
import type { ResultDraft } from './fields.js';
import type { ResultIssueCode } from './issue-codes.js';
import type { ResultIssueLog } from './issue-log.js';
import { saysNoTestRan } from './vacuous.js';
import { describe, quoteValue } from './wording.js';

/** What a null in `verification` depends on: nothing ran, or nothing can be run. */
export function judgeNulls(draft: ResultDraft, task: Task | undefined, log: ResultIssueLog): void {
  if (!draft.status || draft.status === 'blocked' || !task?.verify?.command) return;
  const wanted = [
    [
      'command',
      draft.command,
      'a text',
      `Write the command that was run: ${quoteValue(task.verify.command)}`,
    ],
    ['exit_code', draft.exitCode, 'a whole number', 'Run the command and write its exit code.'],
    ['output_summary', draft.outputSummary, 'a text', 'Say in a line what the command printed.'],
  ] as const;
  for (const [key, value, name, hint] of wanted) {
    if (value === null)
      log.add('field-type', ['verification', key], `verification.${key} is null, not ${name}.`, hint);
  }
}

/** The rules of each status, on the fields that could be read. */
export function judgeStatus(draft: ResultDraft, task: Task | undefined, log: ResultIssueLog): void {
  if (draft.status === 'success') judgeSuccess(draft, task, log);
  if (draft.status === 'failure') judgeFailure(draft, log);
  if (draft.status === 'blocked') judgeBlocked(draft, log);
  if (draft.status && draft.status !== 'blocked' && task && !task.verify?.command) {
    const said = task.verify ? 'is not known to be a command' : 'is missing';
    const message = `The <verify> of ${quoteValue(task.name)} ${said}: nobody can check this ${draft.status} by running it.`;
    log.add(
      'unverified',
      ['verification'],
      message,
      'Say in the evidence what was looked at, and what was seen. For the author of the plan: a command in <verify><automated>…</automated></verify>, or there in backticks, can be run.',
    );
  }
}

function judgeSuccess(draft: ResultDraft, task: Task | undefined, log: ResultIssueLog): void {
  const { exitCode, doneCriteriaMet, error, evidence, outputSummary } = draft;
  if (typeof exitCode === 'number' && exitCode !== 0) {
    const message = `A success has exit code 0; verification.exit_code is ${exitCode}.`;
    log.add(
      'exit-code-not-zero',
      ['verification', 'exit_code'],
      message,
      'Write status: failure, and say why in error.',
    );
  }
  if (doneCriteriaMet === false) {
    const message = 'A success meets its criteria; done_criteria_met is false.';
    log.add(
      'done-not-met',
      ['done_criteria_met'],
      message,
      'Write status: failure while criteria are not met.',
    );
  }
  if (typeof error === 'string') {
    const message = `A success has no error; error is ${describe(error)}.`;
    log.add('error-not-null', ['error'], message, 'Write error: null, without quotes.');
  }
  if (evidence?.trim() === '')
    log.add(
      'evidence-empty',
      ['evidence'],
      'evidence is empty.',
      'Say what was done and how the criteria are met.',
    );
  judgeCommand(draft, task, log);
  if (outputSummary && saysNoTestRan(outputSummary) !== null) {
    const message = `verification.output_summary says that no test ran: ${quoteValue(outputSummary.trim())}.`;
    const hint = 'A command that passes without a test proves nothing: check what it selects.';
    log.add('vacuous', ['verification', 'output_summary'], message, hint);
  }
}

function judgeCommand({ command }: ResultDraft, task: Task | undefined, log: ResultIssueLog): void {
  const planned = task?.verify?.command;
  if (!planned || typeof command !== 'string' || squeeze(command) === squeeze(planned)) return;
  const message = `verification.command is ${quoteValue(command)}, and <verify> says ${quoteValue(planned)}.`;
  log.add(
    'command-differs',
    ['verification', 'command'],
    message,
    'Run the command of the plan, and report that one.',
  );
}

function judgeFailure({ error, doneCriteriaMet }: ResultDraft, log: ResultIssueLog): void {
  requireError('failure', error, log);
  if (doneCriteriaMet === true) {
    const message = 'A failure does not meet its criteria; done_criteria_met is true.';
    log.add('done-but-failed', ['done_criteria_met'], message, 'Write done_criteria_met: false.');
  }
}

function judgeBlocked(draft: ResultDraft, log: ResultIssueLog): void {
  const { error, filesModified, command, doneCriteriaMet } = draft;
  requireError('blocked result', error, log);
  const broken = (code: ResultIssueCode, path: string[], message: string, hint: string) =>
    log.add(code, path, `A blocked task ${message}.`, hint);
  if (filesModified && filesModified.length > 0) {
    const hint = 'Write files_modified: [], or status: failure when work was begun.';
    broken('files-but-blocked', ['files_modified'], `changes no file; ${filesModified.length} listed`, hint);
  }
  if (typeof command === 'string') {
    const message = `verifies nothing; verification.command is ${describe(command)}`;
    broken(
      'command-but-blocked',
      ['verification', 'command'],
      message,
      'Write command: null, without quotes.',
    );
  }
  if (doneCriteriaMet === true) {
    const hint = 'Write done_criteria_met: false.';
    broken('done-but-blocked', ['done_criteria_met'], 'meets no criteria; done_criteria_met is true', hint);
  }
}

function requireError(what: string, error: string | null | undefined, log: ResultIssueLog): void {
  const hint = 'Say in error what went wrong, or what is missing, and name the task that it waits for.';
  if (error === null) log.add('error-null', ['error'], `A ${what} has an error; error is null.`, hint);
  else if (error?.trim() === '') log.add('error-empty', ['error'], `The error of a ${what} is empty.`, hint);
}

function squeeze(command: string): string {
  return command.replace(/\s+/g, ' ').trim();
}
