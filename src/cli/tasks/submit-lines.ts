import type { CapturedResult } from '../../capture/index.js';
import type { ResultStatus } from '../../formats/task-result/index.js';
import type { Paint } from '../paint.js';
import { visibleLine } from '../visible.js';
import { exactTime } from './amounts.js';

const MARKED = { success: 'completed', failure: 'failed', blocked: 'blocked' } as const;
const COLOURS = { success: 'green', failure: 'red', blocked: 'yellow' } as const;

/** What became of the project's files. */
export function outcomeLines(captured: CapturedResult, paint: Paint): string[] {
  const log = visibleLine(captured.logged);
  switch (captured.status) {
    case 'rejected':
      return [`Nothing was applied. The result is kept, with these reasons: ${log}`];
    case 'duplicate':
      return [`Nothing was changed: this result was captured before. Its log: ${log}`];
    case 'applied':
      return appliedLines(captured, log, paint);
  }
}

function appliedLines(captured: CapturedResult, log: string, paint: Paint): string[] {
  const { plan, verdict, effectiveStatus, notes, conflicts } = captured;
  const task = `${plan.id}:${verdict.match?.task.index ?? '?'}`;
  const rows: [string, string][] = [
    ['PLAN.md', `${visibleLine(plan.path)}: ${visibleLine(task)} ${describeMark(effectiveStatus, paint)}`],
    ['STATE.md', visibleLine(captured.statePath)],
    ['Log', log],
    ...(captured.session === null
      ? []
      : [['Session', visibleLine(captured.session)] satisfies [string, string]]),
  ];
  return [
    ...rows.map(([name, value]) => `${name.padEnd('STATE.md'.length)}  ${value}`),
    ...notes
      .filter(({ severity }) => severity !== 'info')
      .map(({ message }) => `${paint('yellow', 'note')}      ${visibleLine(message)}`),
    ...(conflicts > 0
      ? [`${paint('yellow', 'note')}      Another program changed these files meanwhile; all was read again.`]
      : []),
  ];
}

function describeMark(status: ResultStatus | null, paint: Paint): string {
  return status === null ? '' : paint(COLOURS[status], MARKED[status]);
}

/** Whether what was claimed holds; nothing where nobody asked. */
export function describeVerification(
  { status, verdict, verification, effectiveStatus }: CapturedResult,
  asked: boolean,
  paint: Paint,
): string[] {
  if (!asked || status !== 'applied') return [];
  const claimed = verdict.result?.status;
  if (verification === null) {
    return claimed === 'success'
      ? [`Verified  ${paint('yellow', 'no')}: the task names no command that can be run`]
      : [];
  }
  const end =
    verification.exitCode === null ? 'does not end by itself' : `exits with ${verification.exitCode}`;
  const command = `\`${visibleLine(verification.command)}\` ${end}`;
  if (claimed !== effectiveStatus) {
    return [paint('red', `The result claimed ${claimed}, but ${command}: recorded as ${effectiveStatus}.`)];
  }
  return [`Verified  ${command} (${exactTime(verification.durationMs)})`];
}
