import { isoUtc, now } from '../../../../node/clock.js';
import { UserError } from '../../../../node/errors.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import { rotateLogs as rotate } from '../../../../tasks/logs/rotate.js';
import { verifyLogs as verify } from '../../../../tasks/logs/verify-logs.js';
import { commandGroup, TeddyCommand } from '../../command.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from '../../output.js';
import { showProgress, startProgress } from '../../terminal/progress-line.js';
import { plural } from '../../words.js';
import { openToRead, openToWrite } from '../tasks/open.js';

interface RotateOptions extends GlobalOptions {
  dryRun?: boolean;
}

type Checked = Awaited<ReturnType<typeof verify>>;

/** The number of problems to print. */
const MOST_SHOWN = 50;

const verifyLogsCommand = new TeddyCommand('verify')
  .description('check the logs of all results for missing or changed entries')
  .run(verifyLogs)
  .helpText(`Examples:
  teddy logs verify
  teddy logs verify --json
  teddy logs verify --root ../shop

Exit codes: 0 nothing is missing or changed, 1 something is, 2 unreadable.`);

const rotateLogsCommand = new TeddyCommand('rotate')
  .description('move logs older than 30 days, and all but the last 10 batches, to archive/')
  .option('--dry-run', 'only show what would be moved')
  .run(rotateLogs)
  .helpText(`Examples:
  teddy logs rotate
  teddy logs rotate --dry-run
  teddy logs rotate --dry-run --json

The first result of each day does this automatically.`);

export const logsCommand = commandGroup('logs', [verifyLogsCommand, rotateLogsCommand])
  .description('check and archive the logs of results')
  .helpText(`Examples:
  teddy logs verify
  teddy logs rotate --dry-run
  teddy logs rotate`);

async function verifyLogs(options: GlobalOptions): Promise<number> {
  const project = await openToRead(options);
  const what = 'Checking logs';
  const progress = startProgress(what, options);
  const onProgress = (done: number, of: number) => progress.update(what, { done, of, unit: 'logs' });
  const checked = await verify(project, onProgress).finally(() => progress.end());
  printResult(project.workspace.root, options, checked, (paint) => toWords(checked, paint));
  return checked.ok ? 0 : 1;
}

function toWords({ ok, entries, problems }: Checked, paint: Paint): string[] {
  if (entries === 0 && ok) return ['There are no logs here yet.'];
  if (ok) return [`${plural(entries, 'result')}: ${paint('green', 'all logs are present and unchanged')}.`];
  return [
    `${plural(entries, 'result')}: ${paint('red', plural(problems.length, 'problem'))}`,
    ...problems
      .slice(0, MOST_SHOWN)
      .map(({ code, message }) => `  ${visibleLine(message)} ${paint('dim', code)}`),
    ...(problems.length > MOST_SHOWN ? [`  and ${problems.length - MOST_SHOWN} more; --json lists all`] : []),
  ];
}

async function rotateLogs(options: RotateOptions): Promise<number> {
  const project = await openToWrite(options);
  const dryRun = options.dryRun ?? false;
  const today = isoUtc(now()).slice(0, 'YYYY-MM-DD'.length);
  const rotated = await showProgress(project.workspace, 'Archiving logs', options, () =>
    rotate(project, today, { dryRun }),
  );
  if (rotated.status === 'failed') throw new UserError(visibleLine(rotated.reason));
  const { days, sessions, left } = rotated;
  for (const { path, reason } of left)
    writeError(`${visibleLine(path)} ${visibleLine(reason)}, so it was not moved.\n`);
  printResult(project.workspace.root, options, { dryRun, days, sessions, left }, () =>
    describeRotation(days, sessions, dryRun),
  );
  return left.length > 0 ? 1 : 0;
}

function describeRotation(days: readonly string[], sessions: readonly string[], dryRun: boolean): string[] {
  if (days.length === 0 && sessions.length === 0)
    return ['Nothing to archive: logs stay for 30 days, and the last 10 batches.'];
  const count = [
    ...(days.length > 0 ? [`${plural(days.length, 'day')} of logs`] : []),
    ...(sessions.length > 0
      ? [sessions.length === 1 ? '1 past batch' : `${sessions.length} past batches`]
      : []),
  ].join(' and ');
  return [
    `${dryRun ? 'Would move' : 'Moved'} ${count} to the archive:`,
    ...[...days, ...sessions].map((name) => `  ${visibleLine(name)}`),
  ];
}
