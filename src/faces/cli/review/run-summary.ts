import { readLink } from '../../../core/markdown/inline.js';
import { hasEffect } from '../../../core/plan/actions.js';
import { describeKept } from '../../../core/report/markdown.js';
import type { ActionRecord, Run } from '../../../core/report/record.js';
import { countActions } from '../../../core/report/record.js';
import type { Paint } from '../output.js';
import { visibleLine } from '../output.js';
import { wrapWords } from '../table.js';
import { cutToWidth, textWidth } from '../terminal/line.js';
import { plural } from '../words.js';

interface SummaryOptions {
  paint: Paint;
  width: number;
  /** A sentence on the clipboard. */
  copied: string | undefined;
  /** How the user can continue. */
  next: string;
  /** The command that undoes the run; false hints at none. */
  undo: string | false;
  /** Whether the user has already seen why the plan was refused. */
  isSeen: boolean;
}

/** Limits the actions and errors, for 15 lines in total. */
const MOST_NOTABLE = 9;

/** How a run ended, in at most 15 lines: what needs attention, then where everything is. */
export function runSummaryLines(
  run: Run,
  { paint, width, copied, next, undo, isSeen }: SummaryOptions,
): string[] {
  return [
    describeEnd(run, paint),
    ...(run.refused && isSeen ? [] : notableLines(run, { paint, width })),
    `Report:   .teddy/runs/${run.id}/report.md`,
    ...(copied === undefined ? [] : wrapWords(copied, width)),
    ...(undo !== false && hasChangedFiles(run)
      ? [`Undo:     ${undo} reverts the file changes of this run`]
      : []),
    ...(next === '' ? [] : [next]),
  ];
}

/** What needs attention: errors of a refused plan, else failures and what was dropped. */
export function notableLines(run: Run, { paint, width }: Pick<SummaryOptions, 'paint' | 'width'>): string[] {
  const notable = run.refused ? describeErrors(run) : describeNotable(run, width);
  const shown = notable.length > MOST_NOTABLE ? notable.slice(0, MOST_NOTABLE - 1) : notable;
  const more = notable.length - shown.length;
  return [
    ...shown.map((line) => cutToRow(`  ${visibleLine(line)}`, width)),
    ...(more > 0 ? [paint('dim', `  … and ${more} more, in the report`)] : []),
  ];
}

function describeEnd(run: Run, paint: Paint): string {
  if (run.refused)
    return `${paint('red', 'Refused:')} ${plural(errorsOf(run).length, 'error')}; nothing was run.`;
  const { total, skipped, succeeded, failed } = countActions(run.actions);
  if (run.overall === 'Skipped') return `${paint('yellow', 'Skipped:')} nothing was run.`;
  const counts = [
    `${succeeded} of ${plural(total, 'action')} succeeded`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(', ');
  const colour = run.overall === 'Completed' ? 'green' : run.overall === 'Failed' ? 'red' : 'yellow';
  return `${paint(colour, `${run.overall}:`)} ${counts}.`;
}

function describeErrors(run: Run): string[] {
  return errorsOf(run).map(({ line, message }) => `${line === undefined ? '' : `line ${line}: `}${message}`);
}

export function errorsOf({ issues }: Run): Run['issues'] {
  return issues.filter(({ severity }) => severity === 'error');
}

/** Failures first, then what was dropped or skipped. What succeeded is only counted. */
function describeNotable({ kind, actions, stateChanges, overall }: Run, width: number): string[] {
  const lines = { failed: [] as string[], kept: [] as string[] };
  const skipped: Skip[] = [];
  for (const { section, decision, notApplied } of stateChanges) {
    lines.failed.push(...notApplied.map((why) => `✘ ${section}: ${why}`));
    if (decision.status === 'skipped') skipped.push({ name: section, reason: decision.reason });
  }
  for (const [at, record] of actions.entries()) {
    const name = `${at + 1} ${[record.type, labelOf(record)].filter((part) => part !== '').join(' ')}`;
    const { outcome, decision } = record;
    if (outcome.status === 'failure') lines.failed.push(describeFailure(name, outcome.summary, width));
    else if (outcome.status === 'success' && outcome.kept && outcome.kept.dropped.length > 0)
      lines.kept.push(`✔ ${name}: kept ${describeKept(outcome.kept)}`);
    else if (outcome.status === 'not-run')
      skipped.push({
        name,
        number: at + 1,
        reason: decision.status === 'skipped' ? decision.reason : null,
      });
  }
  const isAll = overall === 'Skipped' && skipped.every(({ reason }) => reason === null);
  return [
    ...lines.failed,
    ...lines.kept,
    ...(isAll ? [] : describeSkips(skipped, kind === 'changeset' ? 'dropped' : 'skipped')),
  ];
}

const LEAST_NAME = 24;
const AROUND_NAME = '  ✘ : ';

/** The reason matters more than the end of a long name. */
function describeFailure(name: string, reason: string, width: number): string {
  const room = Math.max(width - 1 - AROUND_NAME.length - textWidth(visibleLine(reason)), LEAST_NAME);
  return `✘ ${cutToRow(visibleLine(name), room)}: ${reason}`;
}

interface Skip {
  name: string;
  /** The action's; a section has none. */
  number?: number;
  reason: string | null;
}

/** One line for actions in a row with the same reason, as after quitting. */
function describeSkips(skips: readonly Skip[], word: 'dropped' | 'skipped'): string[] {
  const rows: Skip[][] = [];
  for (const skip of skips) {
    const last = rows.at(-1)?.at(-1);
    const continues =
      last?.number !== undefined && skip.number === last.number + 1 && skip.reason === last.reason;
    if (continues) rows.at(-1)!.push(skip);
    else rows.push([skip]);
  }
  return rows.flatMap((row) =>
    row.length < 3
      ? row.map(({ name, reason }) => `– ${name}: ${describeSkip(reason, word)}`)
      : [`– ${row[0]!.number} to ${row.at(-1)!.number}: ${describeSkip(row[0]!.reason, word)}`],
  );
}

function describeSkip(reason: string | null, word: string): string {
  return reason === null ? word : reason.startsWith('Not run') ? reason : `${word}: ${reason}`;
}

/** The file or page that an action is about; a command is known by its description. */
function labelOf({ metadata, type }: ActionRecord): string {
  const described = type === 'EXECUTE' ? metadata.Description : undefined;
  const written = metadata['File Path'] ?? metadata.Resource ?? described?.trim().replace(/\.$/, '') ?? '';
  return readLink(written)?.text ?? written;
}

function hasChangedFiles({ actions }: Run): boolean {
  return actions.some(
    (action) =>
      hasEffect(action, 'writes') &&
      action.outcome.status === 'success' &&
      action.outcome.doneIn === undefined,
  );
}

export function cutToRow(line: string, width: number): string {
  const short = cutToWidth(line, width - 1);
  return short === line ? line : `${short}…`;
}
