import type { ActionRecord, Run } from '../../../../core/report/record.js';
import type { ReviewedChangeset } from '../../../../runs/changeset/review-changeset.js';
import { type Paint, visibleLine } from '../../output.js';
import { cutToRow, notableLines } from '../../review/run-summary.js';
import { plural } from '../../words.js';

type Reviewed = Extract<ReviewedChangeset, { status: 'reviewed' }>;

interface Look {
  paint: Paint;
  width: number;
  /** A sentence on the clipboard. */
  copied: string | undefined;
}

const OUTPUT_LINES = 8;

/** How the review of an agent's work ended: what landed or why nothing did, and how to continue. */
export function describeReviewEnd(id: string, reviewed: Reviewed, { paint, width, copied }: Look): string[] {
  const { run, landed, kept, feedback } = reviewed;
  const verification = run.actions.find(isFailedCommand);
  const details = verification
    ? outputLines(verification, paint, width)
    : notableLines(run, { paint, width });
  return [
    headline(reviewed, verification, paint),
    ...(landed || verification || feedback !== undefined ? details : []),
    `Report:   .teddy/runs/${run.id}/report.md`,
    ...(copied === undefined ? [] : [copied]),
    ...(landed ? ['Undo:     teddy undo restores the files as they were'] : []),
    ...(kept ? nextLines(id, reviewed) : []),
  ];
}

function headline(
  { run, landed, feedback }: Reviewed,
  verification: ActionRecord | undefined,
  paint: Paint,
): string {
  const files = run.actions.filter(({ type }) => type !== 'EXECUTE');
  const done = files.filter(({ outcome }) => outcome.status === 'success').length;
  if (landed)
    return `${paint('green', 'Landed:')} ${done === files.length ? plural(done, 'file') : `${done} of ${plural(files.length, 'file')}`}.`;
  const nothing = paint('yellow', 'Nothing landed:');
  if (feedback === undefined) return `${nothing} the review is not finished.`;
  const failed = verification ?? files.find(({ outcome }) => outcome.status === 'failure');
  if (failed === undefined) return `${nothing} no change was kept.`;
  const why = failed.outcome.status === 'failure' ? failed.outcome.summary : '';
  return `${paint('red', 'Nothing landed:')} ${visibleLine(why.replace(/^Not landed: /, ''))}`;
}

function isFailedCommand({ type, outcome }: Run['actions'][number]): boolean {
  return type === 'EXECUTE' && outcome.status === 'failure';
}

/** The end of what a command printed. */
function outputLines({ outcome }: ActionRecord, paint: Paint, width: number): string[] {
  if (outcome.status !== 'failure') return [];
  const text = [outcome.output, outcome.error].map((each) => each?.text ?? '').join('');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-OUTPUT_LINES).map((line) => paint('dim', cutToRow(`  ${visibleLine(line)}`, width)));
}

function nextLines(id: string, { landed, run, feedback }: Reviewed): string[] {
  const isFailed = !landed && run.overall === 'Failed';
  const ways = [
    ...(feedback === undefined ? [`teddy changes review ${id}   continues the review`] : []),
    ...(feedback !== undefined && isFailed ? [`teddy changes review ${id}   reviews it again`] : []),
    ...(feedback === undefined
      ? []
      : [
          `teddy wrap --again ${id}   the agent gets this feedback`,
          `teddy changes drop ${id}   deletes its copy`,
        ]),
  ];
  return ways.map((way, at) => `${at === 0 ? 'Next:     ' : '          '}${way}`);
}
