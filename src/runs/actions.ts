import { decisiveTexts, writtenTexts } from '../core/plan/actions.js';
import { simulateRead } from '../core/plan/simulate.js';
import type { Action, ActionType, CreateAction, ExecuteAction, ReadAction } from '../core/plan/types.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { Done, UnrestorableFile } from '../core/report/record.js';
import { codePointName, findHidden } from '../core/text.js';
import { realPathIn, type Tree } from '../core/tree.js';
import type { ProcessMark } from '../node/process/process-table.js';
import type { Preview } from '../review/question.js';
import type { Risk } from '../review/risks.js';
import type { CommandChanges } from '../workspace/snapshot/snapshot.js';
import { captureText } from './output.js';
import type { CommitNote } from './progress.js';
import type { RunContext } from './run-context.js';
import { failure, success } from './run-record.js';
import type { NextTurn } from './turn-state.js';

interface ActionContext {
  number: number;
  /** Counted from 1: a failed command can be run again. */
  attempt: number;
  /** The user's answer, for CHAT_WITH_USER. */
  reply: string | undefined;
  tree: Tree;
  context: RunContext;
  /** Where the action is part of a session. */
  nextTurn: NextTurn | undefined;
  /** The plan has an INVOKE or a CONCLUDE, so that the next turn has the context of another agent. */
  handsOver: boolean;
  isInContext(path: string): boolean;
  /** Told of the command's process before the command begins. */
  onProcess(mark: ProcessMark): void;
}

interface ActionRunner<A extends Action> {
  /** Carries it out. Left out where its commit does that. */
  perform?(action: A, execution: ActionContext): Done | Promise<Done>;
  /** What a person should notice before saying yes. */
  risks?(action: A, preview: Preview): Risk[];
}

/**
 * How each action runs; everything else about it is in `core/plan/actions.ts`. Processes and the network are loaded when
 * an action needs them, because most plans only write files.
 */
const RUNNERS: { [T in ActionType]: ActionRunner<Extract<Action, { type: T }>> } = {
  CREATE: { risks: risksOfCreate },
  READ: {
    perform: read,
    risks: ({ resource }) =>
      resource.kind === 'url' ? [{ kind: 'network', message: 'opens a connection to the network' }] : [],
  },
  EDIT: {},
  EXECUTE: {
    perform: execute,
    risks: risksOfExecute,
  },
  RESEARCH: {
    async perform(action, { context }) {
      const { research } = await import('./web/research.js');
      return research(action, context);
    },
    risks: (_, preview) =>
      preview.kind === 'will-fail'
        ? []
        : [{ kind: 'network', message: 'sends its queries to a search service' }],
  },
  CHAT_WITH_USER: { perform: (_, { reply }) => ({ ...success('The user replied.'), reply: reply ?? '' }) },
  INVOKE: {
    perform({ agent }, { nextTurn }) {
      const refusal = nextTurn?.refuseAgent(agent);
      return refusal === undefined ? success(`Handed over to ${agent}.`) : failure(refusal);
    },
  },
  CONCLUDE: {
    perform: (_, { nextTurn }) =>
      nextTurn?.caller === null ? { ...success('Concluded.'), notes: [NO_CALLER] } : success('Concluded.'),
  },
  PRUNE: {
    perform: ({ resource: { target } }, { isInContext }) =>
      isInContext(target)
        ? success(`'${target}' removed from the next turn's context.`)
        : { ...success(`'${target}' was not in the context.`), notes: [NOT_IN_CONTEXT] },
  },
};

function runnerOf<A extends Action>(action: A): ActionRunner<A> {
  return RUNNERS[action.type] as unknown as ActionRunner<A>;
}

/** Carries out an approved action that writes no file. Never throws. */
export async function perform(action: Action, execution: ActionContext): Promise<Done> {
  try {
    const runner = runnerOf(action);
    if (!runner.perform) throw new Error(`${action.type} is done by its commit`);
    return await runner.perform(action, execution);
  } catch (error) {
    return failure(`Internal error in teddy: ${error instanceof Error ? error.message : error}`);
  }
}

const NOT_IN_CONTEXT = 'It was not in the context, so nothing changed.';
const NO_CALLER =
  'No agent is waiting for this: the work ends here, and your next message goes to the same agent.';
const SHOWN_NEXT = "The content is in the next turn's context, as far as its budget allows.";

/** The outcome of a CREATE or EDIT, once its commit is made. */
export function describeWrite(action: Action, preview: Extract<Preview, { kind: 'write' }>): Done {
  const { path, before, after, matched } = preview;
  if (before === after)
    return { ...success('Nothing to write.'), unchanged: 'the file already had this content' };
  const replaced = before !== null && action.type === 'CREATE';
  const verb = before === null ? 'created' : replaced ? 'replaced' : 'edited';
  return {
    ...success(`File '${path}' ${verb}.`),
    ...(replaced && { replaced }),
    ...(matched !== null && { matched }),
  };
}

/** Runs a command between two looks at the project's files; its outcome says what it changed. */
async function execute(
  action: ExecuteAction,
  { number, attempt, context, onProcess }: ActionContext,
): Promise<Done> {
  const { runCommand } = await import('./run-command.js');
  const name = attempt === 1 ? `${number}` : `${number}-${attempt}`;
  const before = await context.recordState();
  const done = await runCommand(action, name, context, onProcess);
  const note = (changes: CommandChanges): CommitNote => ({ kind: 'command', number, changes });
  const compared = before.status === 'recorded' ? await before.compare(note) : before;
  if (compared.status === 'compared') return { ...done, ...compared.changes };
  const unknown = `Undo does not cover what the command changed, because it could not be recorded: ${compared.reason}.`;
  return { ...done, notes: [...(done.notes ?? []), unknown] };
}

async function read(action: ReadAction, execution: ActionContext): Promise<Done> {
  const { number, tree, context, nextTurn } = execution;
  const { kind, target } = action.resource;
  let unkept: string | undefined;
  let length = Number.POSITIVE_INFINITY;
  const keep = async (text: string) => {
    length = text.length;
    unkept = await nextTurn?.keepPage(target, context.redactor.mask(text));
  };
  const readPage = async () => (await import('./web/read-url.js')).readUrl(target, number, context, keep);
  const done = await (kind === 'url' ? readPage() : readFile(action, number, tree, context));
  if (!nextTurn || done.status !== 'success') return done;
  const note = (text: string): Done => ({ ...done, notes: [...(done.notes ?? []), text] });
  if (unkept !== undefined) return note(unkept);
  const file = kind === 'file' ? tree.text(target) : undefined;
  if (file?.status === 'text') length = file.text.length;
  if (execution.handsOver || length > nextTurn.mostCharacters) return done;
  const noted = note(SHOWN_NEXT);
  // Of a part nothing else would say what was in it.
  if (action.lines !== null || !nextTurn.isModelInformed) return noted;
  const { output: _, ...rest } = noted;
  return rest;
}

/** READ of a file, of some of its lines, or of a folder: its listing. */
async function readFile(action: ReadAction, number: number, tree: Tree, context: RunContext): Promise<Done> {
  const reading = simulateRead(action, tree);
  if (reading.status === 'will-fail')
    return failure(reading.problems.map(({ message }) => message).join('\n'));
  const path = action.resource.target;
  if (reading.status === 'folder') return readFolder(realPathIn(tree, path), number, context);
  const output = captureText(shownPart(reading, context.redactor), `${number}-content.txt`, context);
  return { ...success(`Read '${path}'.`), output };
}

const LEVELS = 2;

async function readFolder(path: string, number: number, context: RunContext): Promise<Done> {
  const { files, note } = await context.listFiles();
  const text = listLevels(files, path === '.' ? '' : `${path}/`);
  const output = captureText(text, `${number}-content.txt`, context);
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

/** What a person should notice before saying yes. */
export function findRisks(
  action: Action,
  preview: Preview,
  unrestorable: readonly UnrestorableFile[] = [],
): Risk[] {
  const own = runnerOf(action).risks?.(action, preview) ?? [];
  const lost = action.type === 'EXECUTE' ? risksOfLoss(unrestorable) : [];
  return [...own, ...lost, ...risksOfWrite(preview), ...hiddenCharacters(action)];
}

const MOST_NAMED = 3;

/** `undo could not restore big.bin (is larger than 50 MB) and 2 more files` */
function risksOfLoss(files: readonly UnrestorableFile[]): Risk[] {
  if (files.length === 0) return [];
  const named = files.slice(0, MOST_NAMED).map(({ path, reason }) => `${path} (${reason})`);
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : '';
  return [{ kind: 'unrestorable', message: `undo could not restore ${named.join(', ')}${more}` }];
}

function risksOfCreate({ cutOff, overwrite }: CreateAction, preview: Preview): Risk[] {
  const risks: Risk[] = [];
  if (cutOff)
    risks.push({ kind: 'cut-off', message: 'the answer was cut off: the end of this file is missing' });
  if (overwrite && preview.kind === 'write' && preview.before !== null) {
    const message = 'Overwrite: the agent asks to replace an existing file';
    risks.push({ kind: 'overwrite', message });
  } else if (overwrite) {
    risks.push(guard('Overwrite', 'the agent asks to replace the file if it exists'));
  }
  return risks;
}

function risksOfExecute({ allowFailure, timeout, command }: ExecuteAction): Risk[] {
  const risks: Risk[] = [];
  if (allowFailure)
    risks.push(guard('Allow Failure', 'the agent asks to continue even if the command fails'));
  if (timeout !== null) risks.push(guard('Timeout', `the agent sets the time limit to ${timeout} s`));
  if (DELETES.test(command)) risks.push({ kind: 'deletes', message: 'may delete or discard something' });
  if (NETWORK.test(command)) risks.push({ kind: 'network', message: 'may use the network' });
  if (PROTECTED.test(command)) {
    risks.push({
      kind: 'protected',
      message: 'names .git, .teddy or .ultraplan, which no other action may change',
    });
  }
  return risks;
}

function guard(label: string, message: string): Risk {
  return { kind: 'agent-guard', message: `${label}: ${message}` };
}

// Words that a glance should not miss. They prove nothing: any command can do anything.
const DELETES =
  /(?:^|[\s;&|(`])(?:rm|rmdir|unlink|shred|truncate|dd|mkfs\S*|git\s+(?:clean|reset|checkout|restore|push|branch\s+-D))(?=\s|$)|\s-(?:delete|exec)\b/;
const NETWORK =
  /(?:^|[\s;&|(`])(?:curl|wget|nc|ncat|ssh|scp|rsync|ftp|telnet|git\s+(?:push|pull|fetch|clone)|(?:npm|pnpm|yarn|pip3?|cargo|gem|go|brew|apt|apt-get|docker)\s+(?:install|i|ci|add|publish|update|upgrade|get|pull|push))(?=\s|$)|\bhttps?:\/\//;
const PROTECTED = /(?:^|[\s/"'=(])\.(?:git|teddy|ultraplan)(?:\/|\b)/i;

const LARGE_CHANGE = 200;

function risksOfWrite(preview: Preview): Risk[] {
  if (preview.kind !== 'write' || preview.before === null) return [];
  const { before, after } = preview;
  const risks: Risk[] = [];
  const removed = countLines(before) - countLines(after);
  if (after === '') risks.push({ kind: 'deletes', message: 'leaves the file empty' });
  else if (removed >= LARGE_CHANGE / 4 || (removed > 10 && removed * 2 > countLines(before))) {
    risks.push({ kind: 'deletes', message: `the file loses ${removed} of ${countLines(before)} lines` });
  }
  const changed = Math.abs(removed) + changedSpan(before, after);
  if (changed > LARGE_CHANGE) risks.push({ kind: 'large-diff', message: 'a large change' });
  return risks;
}

function hiddenCharacters(action: Action): Risk[] {
  const queries = 'queries' in action ? action.queries : [];
  const found = [...decisiveTexts(action), ...writtenTexts(action), ...queries]
    .map(findHidden)
    .find((each) => each !== undefined);
  if (found === undefined) return [];
  return [
    { kind: 'hidden-characters', message: `contains invisible characters, such as ${codePointName(found)}` },
  ];
}

function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Lines between the first and the last that differ. */
function changedSpan(before: string, after: string): number {
  const old = before.split('\n');
  const now = after.split('\n');
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return Math.max(old.length, now.length) - head - tail;
}
