import type { Run } from '../../../../core/report/record.js';
import type { RunCommand } from '../../../../runs/undo-run.js';
import type { LeftFile, RestoredFiles } from '../../../../workspace/runs/undo.js';
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
}

/** A line for each file: restored, deleted, or left as it is, why, and how to see the other text. */
export function fileLines(
  { restored, deleted, refused }: RestoredFiles,
  { dryRun = false, other }: FileWords,
  paint: Paint,
): string[] {
  const [restore, remove, leave] = dryRun ? ['restore', 'delete', 'leave'] : ['restored', 'deleted', 'left'];
  const gone = new Set(deleted);
  const label = (verb: string | undefined, colour: Parameters<Paint>[0]) =>
    `  ${paint(colour, verb!.padEnd(restore!.length))}  `;
  const left = ({ path, reason, oldText }: LeftFile) => [
    `${label(leave, 'yellow')}${visibleLine(path)}: it ${visibleLine(reason)}`,
    `  ${' '.repeat(restore!.length)}  ${oldText === null ? `no ${other}: there was no file` : `${other}: cat ${quoteWord(oldText)}`}`,
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
