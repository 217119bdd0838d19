import { simulateRead } from '../core/plan/simulate.js';
import type { Action, ReadAction } from '../core/plan/types.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { Done } from '../core/report/record.js';
import { realPathIn, type Tree } from '../core/tree.js';
import type { ProcessMark } from '../node/process/process-table.js';
import { captureText } from './capture-text.js';
import { runCommand } from './execute/run-command.js';
import { failure } from './failure.js';
import { readUrl } from './read-url/read-url.js';
import { research } from './research/research.js';
import type { RunContext } from './run-context.js';
import { success } from './run-record.js';
import type { NextTurn } from './state/turn-state.js';

interface ActionContext {
  number: number;
  /** The user's answer, for CHAT_WITH_USER. */
  reply: string | undefined;
  tree: Tree;
  hands: RunContext;
  /** Where the action is part of a session. */
  nextTurn: NextTurn | undefined;
  /** The plan has an INVOKE or a CONCLUDE, so that the next turn has the context of another agent. */
  handsOver: boolean;
  isInContext(path: string): boolean;
  /** Told of the command's process before the command begins. */
  onProcess(mark: ProcessMark): void;
}

/** Carries out an approved action that writes no file. Never throws. */
export async function perform(action: Action, means: ActionContext): Promise<Done> {
  try {
    return await doAction(action, means);
  } catch (error) {
    return failure(`Something went wrong in teddy itself: ${error instanceof Error ? error.message : error}`);
  }
}

function doAction(action: Action, means: ActionContext): Done | Promise<Done> {
  const { number, reply, hands, nextTurn, onProcess } = means;
  switch (action.type) {
    case 'READ':
      return read(action, means);
    case 'EXECUTE':
      return runCommand(action, number, hands, onProcess);
    case 'RESEARCH':
      return research(action, hands);
    case 'CHAT_WITH_USER':
      return { ...success('The user replied.'), reply: reply ?? '' };
    case 'PRUNE':
      return means.isInContext(action.resource.target)
        ? success(`'${action.resource.target}' is taken out of the next turn's context.`)
        : { ...success(`'${action.resource.target}' was not in the context.`), notes: [NOT_IN_CONTEXT] };
    case 'INVOKE': {
      const refusal = nextTurn?.refuseAgent(action.agent);
      return refusal === undefined ? success(`Handed over to ${action.agent}.`) : failure(refusal);
    }
    case 'CONCLUDE':
      return nextTurn?.hasCaller === false
        ? { ...success('Concluded.'), notes: [NOBODY_WAITS] }
        : success('Concluded.');
    case 'CREATE':
    case 'EDIT':
      throw new Error(`${action.type} is done by its commit`);
  }
}

const NOT_IN_CONTEXT = 'It was not in the context, so nothing changed.';
const NOBODY_WAITS = 'Nobody waits for this: the line of work ends here, and the same agent goes on.';
const SHOWN_NEXT = 'The next turn shows it, as far as its budget goes.';

async function read(action: ReadAction, means: ActionContext): Promise<Done> {
  const { number, tree, hands, nextTurn } = means;
  const { kind, target } = action.resource;
  let unkept: string | undefined;
  let length = Number.POSITIVE_INFINITY;
  const keep = async (text: string) => {
    length = text.length;
    unkept = await nextTurn?.keepPage(target, hands.redactor.mask(text));
  };
  const done =
    kind === 'url' ? await readUrl(target, number, hands, keep) : await readFile(action, number, tree, hands);
  if (!nextTurn || done.status !== 'success') return done;
  const note = (text: string): Done => ({ ...done, notes: [...(done.notes ?? []), text] });
  if (unkept !== undefined) return note(unkept);
  const file = kind === 'file' ? tree.text(target) : undefined;
  if (file?.status === 'text') length = file.text.length;
  if (means.handsOver || length > nextTurn.mostCharacters) return done;
  const noted = note(SHOWN_NEXT);
  // Of a part nothing else would say what was in it.
  if (action.lines !== null || !nextTurn.isTold) return noted;
  const { output: _, ...rest } = noted;
  return rest;
}

/** READ of a file, of some of its lines, or of a folder: its listing. */
async function readFile(action: ReadAction, number: number, tree: Tree, hands: RunContext): Promise<Done> {
  const reading = simulateRead(action, tree);
  if (reading.status === 'doomed') return failure(reading.problems.map(({ message }) => message).join('\n'));
  const path = action.resource.target;
  if (reading.status === 'folder') return readFolder(realPathIn(tree, path), number, hands);
  const output = captureText(shownPart(reading, hands.redactor), `${number}-content.txt`, hands);
  return { ...success(`Read '${path}'.`), output };
}

const LEVELS = 2;

async function readFolder(path: string, number: number, hands: RunContext): Promise<Done> {
  const { files, note } = await hands.listFiles();
  const text = listLevels(files, path === '.' ? '' : `${path}/`);
  const output = captureText(text, `${number}-content.txt`, hands);
  return { ...success(`Listed '${path}'.`), output, ...(note === null ? {} : { notes: [note] }) };
}

/** The names in a folder and in the folders in it; deeper folders as one line each. */
function listLevels(files: readonly string[], folder: string): string {
  const names = files
    .filter((file) => file.startsWith(folder))
    .map((file) => file.slice(folder.length).split('/'))
    .map((parts) => (parts.length > LEVELS ? `${parts.slice(0, LEVELS).join('/')}/` : parts.join('/')));
  return [...new Set(names)].map((name) => `${folder}${name}\n`).join('');
}

/**
 * The part with secrets masked that begin before it: the lines of a private key do not say what they are. What the
 * text up to the part's end has beyond the text up to its start is what may be shown of it.
 */
function shownPart({ text, before }: { text: string; before: string }, redactor: Redactor): string {
  if (before === '') return text;
  const start = redactor.mask(before);
  const whole = redactor.mask(before + text);
  if (whole === before + text) return text;
  let common = 0;
  while (common < start.length && start[common] === whole[common]) common++;
  // Not from the middle of a mask, whose hash may differ between the two.
  const mask = whole.lastIndexOf('[masked:', common);
  return whole.slice(mask !== -1 && whole.indexOf(']', mask) >= common ? mask : common);
}
