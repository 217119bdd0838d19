import type { Run } from '../../../../core/report/record.js';
import type { RunCommand } from '../../../../runs/undo-run.js';
import type { LeftFile, RestoredFiles } from '../../../../workspace/runs/restored-files.js';
import { type Paint, visibleLine } from '../../output.js';
import { quoteWord } from '../../words.js';

export function runLine({ id, plan }: Pick<Run, 'id' | 'plan'>, outcome: string, paint: Paint): string {
  return `${paint('bold', id)}  ${visibleLine(plan.title ?? 'Unreadable plan')}: ${outcome}`;
}

interface FileWords {
  /** Nothing was done yet. */
  dryRun?: boolean;
  /** The text that can be viewed for a file that was left unchanged. */
  other: 'old text' | "run's text";
  /** Whose diff has the old text. */
  run?: string;
}

/** A line for each file: restored, deleted, or left as it is, why, and how to see the other text. */
export function fileLines(
  { restored, deleted, refused }: RestoredFiles,
  { dryRun = false, other, run }: FileWords,
  paint: Paint,
): string[] {
  const [restore, remove, leave] = dryRun ? ['restore', 'delete', 'leave'] : ['restored', 'deleted', 'left'];
  const gone = new Set(deleted);
  const label = (verb: string | undefined, colour: Parameters<Paint>[0]) =>
    `  ${paint(colour, verb!.padEnd(restore!.length))}  `;
  const left = ({ path, reason, oldText, lost }: LeftFile) => [
    `${label(leave, 'yellow')}${visibleLine(path)}: it ${visibleLine(reason)}`,
    ...(lost
      ? []
      : [
          `  ${' '.repeat(restore!.length)}  ${oldText === null ? `no ${other}: there was no file` : `${other}: ${run === undefined ? `cat ${quoteWord(oldText)}` : `teddy diff ${run.slice(-4)} ${quoteWord(path)}`}`}`,
        ]),
  ];
  return [
    ...restored.map(
      (path) => (gone.has(path) ? label(remove, 'red') : label(restore, 'green')) + visibleLine(path),
    ),
    ...refused.flatMap(left),
  ];
}

export function commandLines(heading: string, commands: readonly RunCommand[]): string[] {
  if (commands.length === 0) return [];
  const describe = ({ number, description }: RunCommand) =>
    `  action ${number} EXECUTE${description === null ? '' : `: ${visibleLine(description)}`}`;
  return [heading, ...commands.map(describe)];
}

/** What undo leaves of the effects of commands. */
export function leftoverLines(commands: readonly RunCommand[], refused: readonly LeftFile[]): string[] {
  const named = new Set(refused.map(({ path }) => path));
  const left = commands
    .flatMap(({ unrestorable }) => unrestorable)
    .filter(({ path }) => !named.has(path))
    .map(({ path, reason }) => `  ${visibleLine(path)}: it ${visibleLine(reason)}`);
  const moved = commands.flatMap(({ moved }) => moved);
  return [
    ...(left.length > 0 ? ['Changed by commands and left as it is:', ...left] : []),
    ...moved.flatMap(({ name, from, to, revert }) => [
      `git: ${visibleLine(name)} moved from ${shortId(from)} to ${shortId(to)}; to move it back:`,
      `  ${visibleLine(revert)}`,
    ]),
    ...commandLines(
      'Undo does not cover ignored files, nested repositories or other folders:',
      commands.filter(({ recorded }) => recorded),
    ),
    ...commandLines(
      'Commands are not undone:',
      commands.filter(({ recorded }) => !recorded),
    ),
  ];
}

/** An id is shortened as git does; a branch is not. */
function shortId(value: string | null): string {
  if (value === null) return 'nothing';
  return /^[0-9a-f]{40,64}$/.test(value) ? value.slice(0, 8) : visibleLine(value);
}
