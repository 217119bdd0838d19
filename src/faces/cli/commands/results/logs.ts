import { isoUtc, now } from '../../../../node/clock.js';
import { UserError } from '../../../../node/errors.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import { rotateLogs as rotate } from '../../../../tasks/logs/rotate.js';
import { verifyLogs as verify } from '../../../../tasks/logs/verify-logs.js';
import { commandGroup, TeddyCommand } from '../../command.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from '../../output.js';
import { plural } from '../../words.js';
import { openToRead, openToWrite } from '../tasks/open.js';

interface RotateOptions extends GlobalOptions {
  dryRun?: boolean;
}

type Checked = Awaited<ReturnType<typeof verify>>;

/** How many problems a person is shown. */
const MOST_SHOWN = 50;

const verifyLogsCommand = new TeddyCommand('verify')
  .description('check every log against the ledger, and the ledger against itself')
  .run(verifyLogs)
  .helpText(`Examples:
  teddy logs verify
  teddy logs verify --json

Exit codes: 0 nothing is missing or changed, 1 something is, 2 not readable.`);

const rotateLogsCommand = new TeddyCommand('rotate')
  .description('move logs older than 30 days, and all but the last 10 sessions, to archive/')
  .option('--dry-run', 'only say what would be moved')
  .run(rotateLogs)
  .helpText(`Examples:
  teddy logs rotate
  teddy logs rotate --dry-run --json

The first result of a day does this too.`);

export const logsCommand = commandGroup('logs', [verifyLogsCommand, rotateLogsCommand])
  .description('the log of all results: is it whole, and what of it is old')
  .helpText(`Examples:
  teddy logs verify
  teddy logs rotate --dry-run`);

async function verifyLogs(options: GlobalOptions): Promise<number> {
  const project = await openToRead(options);
  const checked = await verify(project);
  printResult(project.workspace.root, options, checked, (paint) => toWords(checked, paint));
  return checked.ok ? 0 : 1;
}

function toWords({ ok, entries, problems }: Checked, paint: Paint): string[] {
  if (entries === 0 && ok) return ['There are no logs here yet.'];
  if (ok)
    return [`${plural(entries, 'result')}: ${paint('green', 'every log is there and as it was written')}.`];
  return [
    `${plural(entries, 'result')}: ${paint('red', plural(problems.length, 'problem'))}`,
    ...problems
      .slice(0, MOST_SHOWN)
      .map(({ code, message }) => `  ${visibleLine(message)} ${paint('dim', code)}`),
    ...(problems.length > MOST_SHOWN
      ? [`  and ${problems.length - MOST_SHOWN} more; --json has them all`]
      : []),
  ];
}

async function rotateLogs(options: RotateOptions): Promise<number> {
  const project = await openToWrite(options);
  const dryRun = options.dryRun ?? false;
  const today = isoUtc(now()).slice(0, 'YYYY-MM-DD'.length);
  const rotated = await rotate(project, today, { dryRun });
  if (rotated.status === 'failed') throw new UserError(visibleLine(rotated.reason));
  const { days, sessions, left } = rotated;
  for (const { path, reason } of left)
    writeError(`${visibleLine(path)} ${visibleLine(reason)}, so it stays where it is.\n`);
  printResult(project.workspace.root, options, { dryRun, days, sessions, left }, () =>
    describeRotation(days, sessions, dryRun),
  );
  return left.length > 0 ? 1 : 0;
}

function describeRotation(days: readonly string[], sessions: readonly string[], dryRun: boolean): string[] {
  if (days.length === 0 && sessions.length === 0)
    return ['Nothing is old enough for the archive: logs stay for 30 days, and the last 10 sessions.'];
  const count = [
    ...(days.length > 0 ? [`${plural(days.length, 'day')} of logs`] : []),
    ...(sessions.length > 0 ? [plural(sessions.length, 'past session')] : []),
  ].join(' and ');
  return [
    `${count} ${dryRun ? 'would go' : 'went'} to the archive:`,
    ...[...days, ...sessions].map((name) => `  ${visibleLine(name)}`),
  ];
}
