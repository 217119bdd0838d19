import { writeError } from '../../../../node/terminal/terminal.js';
import { rebuildMetrics } from '../../../../tasks/metrics/rebuild.js';
import { plural } from '../../issue-lines.js';
import type { GlobalOptions } from '../../options.js';
import type { Paint } from '../../paint.js';
import { printResult } from '../../result-json.js';
import { visibleLine } from '../../visible.js';
import { openToWrite } from '../tasks/open.js';

type Rebuilt = Awaited<ReturnType<typeof rebuildMetrics>>;

/** How many differences a person is shown. */
const MOST_SHOWN = 20;

/** Counts everything again from the log, and puts what differs right. */
export async function rebuild(options: GlobalOptions): Promise<number> {
  const project = await openToWrite(options);
  const rebuilt = await rebuildMetrics(project, { write: true });
  for (const damaged of rebuilt.damaged) writeError(`${describeDamage(damaged)}\n`);
  printResult(project.workspace.root, options, rebuilt, (paint) => toWords(rebuilt, paint));
  return rebuilt.drift ? 1 : 0;
}

function toWords({ drift, differences, results }: Rebuilt, paint: Paint): string {
  const counted = `${plural(results, 'result')} counted again from the log`;
  if (!drift) return `${counted}: ${paint('green', 'no difference')}.\n`;
  const files = new Set(differences.map(({ file }) => file)).size;
  return [
    `${counted}: ${paint('red', `${plural(differences.length, 'difference')} in ${plural(files, 'file')}`)}`,
    ...differences.slice(0, MOST_SHOWN).map((each) => `  ${describeDifference(each)}`),
    ...(differences.length > MOST_SHOWN
      ? [`  and ${differences.length - MOST_SHOWN} more; --json has them all`]
      : []),
    describeEnd(differences),
    '',
  ].join('\n');
}

type Difference = Rebuilt['differences'][number];

function describeEnd(differences: readonly Difference[]): string {
  if (differences.every(isLeft)) return 'No counter was changed.';
  return differences.some(isLeft)
    ? 'The counters were put right, where there is a log to go by.'
    : 'The counters were put right.';
}

/** Its logs are gone or were changed: the record is all that is left of them, and stays. */
function isLeft({ field, recorded, logged }: Difference): boolean {
  return field === null && recorded !== null && (logged === 0 || logged === null || logged === 'changed');
}

/** `.ultraplan/logs/summary/project.json: results was 4, the log has 5` */
function describeDifference({ file, field, recorded, logged }: Difference): string {
  const say = (value: unknown) => (value === null ? 'nothing' : visibleLine(String(value)));
  if (field !== null)
    return `${visibleLine(file)}: ${visibleLine(field)} was ${say(recorded)}, the log has ${say(logged)}`;
  if (isLeft({ file, field, recorded, logged }))
    return `${visibleLine(file)}: ${logged === 'changed' ? 'a log of it was changed' : 'there is no log for it any more'}, so it stays as it is`;
  const state = recorded === null ? 'missing' : recorded === 'damaged' ? 'damaged' : 'wrong';
  return `${visibleLine(file)}: was ${state}, the log has ${plural(Number(logged), 'result')} for it`;
}

function describeDamage({ path, reason }: Rebuilt['damaged'][number]): string {
  return `${visibleLine(path)} ${visibleLine(reason)}, so it was not counted.`;
}
