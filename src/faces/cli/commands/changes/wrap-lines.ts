import type { ChangedFile } from '../../../../core/changeset/changeset.js';
import { listFirst } from '../../../../core/text.js';
import type { ReviewedChangeset } from '../../../../runs/changeset/review-changeset.js';
import type { WrapEnd, WrapStart } from '../../../../runs/wrap.js';
import type { Work } from '../../../../workspace/copy/work.js';
import { type Paint, visibleLine } from '../../output.js';
import { plural } from '../../words.js';

/** So many paths are named; of the others, the number. */
const MOST_NAMED = 3;
const MOST_FILES = 12;

/** At most three lines: what the program is, what it can write, and what it cannot see. */
export function describeWrapStart(
  { record, copy }: Work,
  { lending }: WrapStart,
  { confined, network }: { confined: boolean; network: boolean },
  paint: Paint,
): string[] {
  const name = visibleLine(record.command[0]!);
  const lines = confined
    ? [
        `${paint('bold', 'Confined:')} ${name} can change only a copy of this project; network ${network ? 'on' : 'off'}.`,
      ]
    : [`${paint('yellow', 'Not confined:')} ${name} works in a copy, but can change all that you can.`];
  const lent = copy.lent.filter(({ path }) => !path.startsWith('.git/')).map(({ path }) => path);
  const how = {
    overlay: 'changes there are not kept',
    'read-only': 'read-only',
    linked: 'the agent can change them',
  };
  if (lending !== undefined)
    lines.push(paint('dim', `From your project: ${nameSome(lent)} (${how[lending]}).`));
  const missing =
    copy.withheld.length === 0 ? [] : [`Not in the copy: ${nameSome(copy.withheld)} (secrets).`];
  const rest = [...missing, ...copy.notes.map(visibleLine)].join(' ');
  return rest === '' ? lines : [...lines, paint('dim', rest)];
}

/** A review that follows lists the files itself. */
export function describeWrapEnd(
  { id, record }: Work,
  { exitCode, changes }: WrapEnd,
  isReviewed: boolean,
  paint: Paint,
): string[] {
  const name = visibleLine(record.command[0]!);
  const ended = exitCode === 0 ? [] : [describeExit(name, exitCode)];
  if (changes.status === 'unreadable')
    return [...ended, paint('red', visibleLine(changes.reason)), `The copy is kept: .teddy/changes/${id}`];
  const ignored =
    changes.ignored.length === 0
      ? []
      : [paint('dim', `Not kept (ignored by git, or a submodule): ${nameSome(changes.ignored)}.`)];
  if (changes.status === 'none') return [...ended, `${name} changed nothing.`, ...ignored];
  if (isReviewed) return [...ended, ...ignored];
  const { files, skipped } = changes;
  const counts = files.map(countLines);
  const [added, removed] = [
    sum(counts.map((count) => count.added)),
    sum(counts.map((count) => count.removed)),
  ];
  return [
    ...ended,
    `${paint('bold', `${plural(files.length, 'file')} changed`)} (${paint('green', `+${added}`)} ${paint('red', `−${removed}`)})`,
    ...files.slice(0, MOST_FILES).map((file) => `  ${describeFile(file, paint)}`),
    ...(files.length > MOST_FILES ? [`  and ${files.length - MOST_FILES} more`] : []),
    ...skipped.slice(0, MOST_NAMED).map(({ path, reason }) => `Left out: ${visibleLine(path)} ${reason}.`),
    ...(skipped.length > MOST_NAMED ? [`Left out: ${skipped.length - MOST_NAMED} more.`] : []),
    ...ignored,
    `Nothing in the project has changed yet. Review: teddy changes review ${id}`,
  ];
}

export function wrapJson({ id, record }: Work, { exitCode, changes }: WrapEnd, review?: ReviewedChangeset) {
  const run = review?.status === 'reviewed' ? review : undefined;
  const isKept = review === undefined ? changes.status !== 'none' : run?.kept === true;
  return {
    id: isKept ? id : null,
    command: record.command,
    exitCode,
    files:
      changes.status === 'some'
        ? changes.files.map(({ path, from, change, binary, ...file }) => ({
            path,
            ...(from !== undefined && { from }),
            change,
            binary,
            ...countLines({ path, change, binary, ...file }),
          }))
        : [],
    skipped: changes.status === 'some' ? changes.skipped : [],
    ignored: changes.status === 'unreadable' ? [] : changes.ignored,
    error: changes.status === 'unreadable' ? changes.reason : null,
    landed: run?.landed ?? false,
    run: run?.run.id ?? null,
  };
}

function describeExit(name: string, code: number): string {
  return code > 128 ? `${name} was ended by signal ${code - 128}.` : `${name} exited with ${code}.`;
}

function describeFile(file: ChangedFile, paint: Paint): string {
  const { added, removed } = countLines(file);
  const from = file.from === undefined ? '' : ` (was ${visibleLine(file.from)})`;
  const counts = file.binary
    ? 'binary'
    : [added && paint('green', `+${added}`), removed && paint('red', `−${removed}`)]
        .filter(Boolean)
        .join(' ');
  return `${file.change.padEnd(8)} ${visibleLine(file.path)}${from} ${counts}`.trimEnd();
}

function countLines({ hunks }: ChangedFile): { added: number; removed: number } {
  return {
    added: sum(hunks.map(({ after }) => after.count)),
    removed: sum(hunks.map(({ before }) => before.count)),
  };
}

const nameSome = (paths: readonly string[]) => listFirst(paths, { say: visibleLine, most: MOST_NAMED });

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
