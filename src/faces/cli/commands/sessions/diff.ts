import {
  environmentVariables,
  isTerminal,
  writeError,
  writeOutput,
} from '../../../../node/terminal/terminal.js';
import { type CommandRun, diffTurn, type TurnDiff } from '../../../../sessions/diff-turn.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, type Paint, paintFor, resultJson, visible, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';
import type { CellStyle } from '../../table.js';

export const diffCommand = new TeddyCommand('diff')
  .description('what a turn changed in files')
  .argument('<turn>', '03, or login/03')
  .run(diff)
  .helpText(`Examples:
  teddy diff 03                     of the session last worked in
  teddy diff login/03

What commands changed is not shown: only they know.`);

/** The difference alone goes to standard output, so that it can be kept and applied; what is to be said goes beside it. */
export async function diff(turn: string, options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const found = await diffTurn(workspace, turn, environmentVariables());
  if (options.json) writeOutput(resultJson(root, found));
  else {
    const text = found.files.map((file) => file.diff ?? '').join('');
    writeOutput(isTerminal('stdout') ? paintDiff(text, paintFor('stdout', options)) : text);
    writeError(remarks(found, paintFor('stderr', options)));
  }
  // A turn that was never carried out changed nothing; of one that was, something should be known.
  return found.reason !== null && found.run !== null ? 1 : 0;
}

/** For a terminal: nothing in it acts there. */
export function paintDiff(text: string, paint: Paint): string {
  let inHunk = false;
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('diff --git ')) inHunk = false;
      else if (line.startsWith('@@ ')) inHunk = true;
      const style = styleOf(line, inHunk);
      const shown = visible(line);
      return style === undefined ? shown : paint(style, shown);
    })
    .join('\n');
}

function styleOf(line: string, inHunk: boolean): CellStyle | undefined {
  if (line === '') return undefined;
  if (!inHunk) return 'bold';
  if (line.startsWith('@@ ')) return 'cyan';
  if (line.startsWith('\\')) return 'dim';
  return line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : undefined;
}

/** What the difference itself does not tell. */
export function remarks(
  { turn, run, undone, left = [], reason, files, commands }: TurnDiff,
  paint: Paint,
): string {
  const but = left.length === 0 ? '' : `, but for ${left.map(visibleLine).join(', ')}`;
  if (reason !== null) return `${visibleLine(reason)}\n`;
  const untold = files.flatMap((file) => (file.reason === null ? [] : [visibleLine(file.reason)]));
  return [
    ...(files.length === 0 ? [`${visibleLine(turn)} changed no file.`] : []),
    ...untold.map((sentence) => paint('yellow', sentence)),
    ...(undone ? [paint('yellow', `The run ${run} was undone${but}; this is what it had changed.`)] : []),
    ...(commands.length > 0 ? ['Commands that ran; what they changed is not shown:'] : []),
    ...commands.map((command) => `  ${describeCommand(command)}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function describeCommand({ number, description, command }: CommandRun): string {
  const [first, ...more] = (command ?? '').trim().split('\n');
  const words = command === null ? (description ?? '') : `${first}${more.length > 0 ? ' …' : ''}`;
  return `action ${number} EXECUTE${words === '' ? '' : `: ${visibleLine(words)}`}`;
}
