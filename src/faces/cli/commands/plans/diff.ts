import { UserError } from '../../../../node/errors.js';
import {
  environmentVariables,
  isTerminal,
  writeError,
  writeOutput,
} from '../../../../node/terminal/terminal.js';
import { type CommandRun, diffRun, readOldText } from '../../../../runs/diff/diff-run.js';
import { findRun } from '../../../../runs/run-list.js';
import { diffTurn, type TurnDiff } from '../../../../sessions/diff-turn.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { TeddyCommand } from '../../command.js';
import { pathsMeant } from '../../input.js';
import { type GlobalOptions, type Paint, paintFor, resultJson, visible, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';
import type { CellStyle } from '../../table.js';

/** The diff of a run or a turn. */
type FoundDiff = Omit<TurnDiff, 'turn'> & { turn?: string };

export const diffCommand = new TeddyCommand('diff')
  .description('show what a run or a turn changed in files')
  .argument('[run]', 'a run (default: the last one), or a turn: 03, login/03')
  .argument('[file]', 'print only this file, as it was before the run')
  .run(diff)
  .helpText(`Examples:
  teddy diff                        the last run
  teddy diff k3x9 > changes.patch   a run by its id, for git apply
  teddy diff login/03               turn 3 of session login
  teddy diff k3x9 src/a.ts          src/a.ts as it was before the run

Changes that commands made are shown, except to ignored files and .git.`);

/** Only the diff goes to standard output, so that it can be saved and applied; remarks go to standard error. */
export async function diff(
  named: string | undefined,
  file: string | undefined,
  options: GlobalOptions,
): Promise<number> {
  const { root, workspace } = await openProject(options);
  if (file !== undefined) return printOldText(workspace, named, file, options);
  const found = findDiff(workspace, named);
  if (options.json) writeOutput(resultJson(root, found));
  else {
    const text = found.files.map((file) => file.diff ?? '').join('');
    writeOutput(isTerminal('stdout') ? paintDiff(text, paintFor('stdout', options)) : text);
    writeError(remarks(found, paintFor('stderr', options)));
  }
  // A turn without a run has no changes; for a run, a missing diff is an error.
  return found.reason !== null && found.run !== null ? 1 : 0;
}

function printOldText(
  workspace: Workspace,
  named: string | undefined,
  file: string,
  options: GlobalOptions,
): number {
  const { run, reason } = findDiff(workspace, named);
  if (run === null) throw new UserError(visibleLine(reason!));
  const old = readOldText(workspace, run, pathsMeant(workspace.root, file), environmentVariables());
  if (options.json) writeOutput(resultJson(workspace.root, { run, file, ...old }));
  else if (old.status === 'none') writeError(`${visibleLine(old.reason)}\n`);
  else {
    writeOutput(isTerminal('stdout') ? visible(old.text) : old.text);
    if (old.masked) writeError('Secrets in it are masked.\n');
  }
  return old.status === 'text' ? 0 : 1;
}

/** The id of a run has at least four characters and no slash. */
const TURN = /^\d{1,3}$|\//;

function findDiff(workspace: Workspace, named: string | undefined): FoundDiff {
  const environment = environmentVariables();
  if (named !== undefined && TURN.test(named)) return diffTurn(workspace, named, environment);
  const found = findRun(workspace, named);
  if (found.status === 'missing') throw new UserError(visibleLine(found.reason));
  return diffRun(workspace, found.run.id, environment);
}

/** For a terminal: control characters are made visible. */
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

/** Changes that the diff itself does not show. */
export function remarks(
  { turn, run, undone, left = [], reason, plan, files, commands }: FoundDiff,
  paint: Paint,
): string {
  const but = left.length === 0 ? '' : `, except for ${left.map(visibleLine).join(', ')}`;
  if (reason !== null) return `${visibleLine(reason)}\n`;
  const unrecorded = commands.filter(({ recorded }) => !recorded);
  const unknown = files.flatMap((file) => (file.reason === null ? [] : [visibleLine(file.reason)]));
  return [
    ...(files.length === 0 ? [`${visibleLine(turn ?? `Run ${run}`)} changed no file.`] : []),
    ...unknown.map((sentence) => paint('yellow', sentence)),
    ...(undone ? [paint('yellow', `Run ${run} was undone${but}; this is what it had changed.`)] : []),
    ...(unrecorded.length > 0 ? ['Changes of these commands are not shown:'] : []),
    ...unrecorded.map((command) => `  ${describeCommand(command)}`),
    ...(unrecorded.length > 0 && plan !== 'verified' ? [paint('yellow', explainPlan(run, plan))] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function explainPlan(run: string | null, plan: FoundDiff['plan']): string {
  if (plan === 'unverified')
    return 'An older version of teddy recorded this run without sealing its plan: the commands are not verified.';
  const fact = plan === 'altered' ? 'was changed after the run' : 'is missing';
  return `.teddy/runs/${run}/plan.md ${fact}: the text of its commands is not shown.`;
}

function describeCommand({ number, description, command }: CommandRun): string {
  const [first, ...more] = (command ?? '').trim().split('\n');
  const words = command === null ? (description ?? '') : `${first}${more.length > 0 ? ' …' : ''}`;
  return `action ${number} EXECUTE${words === '' ? '' : `: ${visibleLine(words)}`}`;
}
