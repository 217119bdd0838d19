import { readLink } from '../../../core/markdown/inline.js';
import { hasEffect } from '../../../core/plan/actions.js';
import { describeKept } from '../../../core/report/markdown.js';
import type { ActionRecord, Run } from '../../../core/report/record.js';
import { countActions } from '../../../core/report/record.js';
import type { Paint } from '../output.js';
import { visibleLine } from '../output.js';
import { cutToWidth } from '../terminal/line.js';
import { plural } from '../words.js';

interface SummaryOptions {
  paint: Paint;
  width: number;
  /** A sentence on the clipboard. */
  copied: string | undefined;
  /** How the user can continue. */
  next: string;
  /** Whether the user has already seen why the plan was refused. */
  isSeen: boolean;
}

/** Limits the actions and errors, for 15 lines in total. */
const MOST_NOTABLE = 9;

/** How a run ended, in at most 15 lines: what needs attention, then where everything is. */
export function runSummaryLines(run: Run, { paint, width, copied, next, isSeen }: SummaryOptions): string[] {
  const notable = run.refused ? (isSeen ? [] : describeErrors(run)) : describeNotable(run);
  const shown = notable.length > MOST_NOTABLE ? notable.slice(0, MOST_NOTABLE - 1) : notable;
  const more = notable.length - shown.length;
  return [
    describeEnd(run, paint),
    ...shown.map((line) => cut(`  ${visibleLine(line)}`, width)),
    ...(more > 0 ? [paint('dim', `  … and ${more} more, in the report`)] : []),
    `Report:   .teddy/runs/${run.id}/report.md`,
    ...(copied === undefined ? [] : [copied]),
    ...(hasChangedFiles(run) ? ['Undo:     teddy undo reverts the file changes of this run'] : []),
    ...(next === '' ? [] : [next]),
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
function describeNotable({ actions, stateChanges }: Run): string[] {
  const lines = { failed: [] as string[], kept: [] as string[], skipped: [] as string[] };
  for (const { section, decision, notApplied } of stateChanges) {
    lines.failed.push(...notApplied.map((why) => `✘ ${section}: ${why}`));
    if (decision.status === 'skipped') lines.skipped.push(`– ${section}: ${describeSkip(decision.reason)}`);
  }
  for (const [at, record] of actions.entries()) {
    const name = `${at + 1} ${[record.type, labelOf(record)].filter((part) => part !== '').join(' ')}`;
    const { outcome, decision } = record;
    if (outcome.status === 'failure') lines.failed.push(`✘ ${name}: ${outcome.summary}`);
    else if (outcome.status === 'success' && outcome.kept)
      lines.kept.push(`✔ ${name}: kept ${describeKept(outcome.kept)}`);
    else if (outcome.status === 'not-run')
      lines.skipped.push(
        `– ${name}: ${describeSkip(decision.status === 'skipped' ? decision.reason : null)}`,
      );
  }
  return [...lines.failed, ...lines.kept, ...lines.skipped];
}

function describeSkip(reason: string | null): string {
  return reason === null ? 'skipped' : reason.startsWith('Not run') ? reason : `skipped: ${reason}`;
}

/** The file or page that an action is about. */
function labelOf({ metadata }: ActionRecord): string {
  const written = metadata['File Path'] ?? metadata.Resource ?? '';
  return readLink(written)?.text ?? written;
}

function hasChangedFiles({ actions }: Run): boolean {
  return actions.some((action) => hasEffect(action, 'writes') && action.outcome.status === 'success');
}

function cut(line: string, width: number): string {
  const short = cutToWidth(line, width - 1);
  return short === line ? line : `${short}…`;
}
