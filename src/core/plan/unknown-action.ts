import { type Lines, lineText } from '../markdown/lines.js';
import { shorten } from '../text.js';
import { ACTION_TYPES } from './actions.js';
import { foldActionName, hasMetadata, readActionName } from './grammar.js';
import { type PlanIssueLog, planLine, reportStray } from './issues.js';

/** Operations that plans do not have, with the command to use instead. */
const ABSENT = [
  {
    names: ['DELETE', 'DELETE_FILE', 'REMOVE', 'REMOVE_FILE', 'RM', 'UNLINK'],
    does: 'deletes a file',
    command: 'git rm path/to/file',
  },
  {
    names: ['MOVE', 'MOVE_FILE', 'RENAME', 'RENAME_FILE', 'MV'],
    does: 'moves or renames a file',
    command: 'git mv old/path new/path',
  },
  { names: ['COPY', 'COPY_FILE', 'CP'], does: 'copies a file', command: 'cp old/path new/path' },
];

/**
 * Whether a line is a heading that is meant as an action of a name that the format does not have: in capitals, or with
 * metadata under it.
 */
export function isUnknownAction(lines: Lines, line: number): boolean {
  const heading = /^#{1,6}\s*(.*)$/.exec(lineText(lines, line).trim())?.[1];
  if (heading === undefined || heading.length > 80) return false;
  if (/^`[A-Z_]+`/.test(heading)) return true;
  const { whole, first } = readWords(heading);
  if (![whole, first].some((name) => readActionName(name) ?? findAbsent(name))) return false;
  return hasMetadata(lines, line, ACTION_TYPES) || /^[*]*[A-Z_]{2,}(?![a-z])/.test(heading);
}

/** The action that a line names without being a heading: "**CREATE**", "1. `EDIT` a.txt", "**Action 2: READ**", "EXECUTE:". */
export function readActionWord(text: string): string | undefined {
  const match =
    /^(?:\d+[.)]\s+|[-*+]\s+(?:\[[ xX]\]\s+)?)?(?:[*_`]{1,3}(?:Action(?: \d+)?: ?`?)?([A-Z_]+)`?:?[*_`]{1,3}|([A-Z_]+):?$)/.exec(
      text.trim(),
    );
  const name = match?.[1] ?? match?.[2];
  return ACTION_TYPES.find((type) => type === name);
}

/** Text that has no place among the actions: it is ignored, unless it was meant as an action. */
export function reportText(lines: Lines, line: number, log: PlanIssueLog): void {
  const text = lineText(lines, line).trim();
  const type = readActionWord(text);
  if (type === undefined) {
    reportStray(lines, line, log);
    return;
  }
  log.add('action-unknown', `"${shorten(text, 60)}" is not a heading, so it starts no action.`, {
    line: planLine(line),
    hint: `Write "### \`${type}\`", with the action's metadata under it.`,
  });
}

/** All words of a heading as a name, and the first: `### DELETE src/a.ts` and `### Edit: src/a.ts` say more than one. */
function readWords(heading: string): { whole: string; first: string } {
  const words = foldActionName(heading);
  return { whole: words, first: /^[A-Z]*/.exec(words)![0] };
}

function findAbsent(name: string): (typeof ABSENT)[number] | undefined {
  return ABSENT.find(({ names }) => names.includes(name));
}

/** Why a heading among the actions starts none, and what to write. `written` is the heading with its `#`. */
export function explainUnknownAction(heading: string, written: string): { message: string; hint: string } {
  const { whole, first } = readWords(heading);
  const name = findAbsent(whole) ? whole : first;
  const absent = findAbsent(name);
  if (absent) {
    return {
      message: `Unknown action ${name}: no action of a plan ${absent.does}.`,
      hint: `An EXECUTE with "${absent.command}" does it.`,
    };
  }
  const meant = (readActionName(`\`${whole}\``) ?? readActionName(first))?.type;
  const isName =
    /^[A-Z_]{1,40}$/.test(whole) && (readActionName(heading) !== undefined || !/\s/.test(heading));
  const message = `Unknown action ${isName ? whole : written}.`;
  if (!meant) return { message, hint: `Expected one of ${ACTION_TYPES.join(', ')}, as in "### \`CREATE\`".` };
  return {
    message: `${message} Did you mean ${meant}?`,
    hint: `Write "### \`${meant}\`", with the action's metadata under it.`,
  };
}
