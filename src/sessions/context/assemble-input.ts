import { listProjectFiles } from '../../workspace/files/project-files.js';
import { SortedPaths } from '../../workspace/files/sorted-paths.js';
import { lookTogether, type SteadyTree } from '../../workspace/tree.js';
import { turnName } from '../turns/turn.js';
import { type Chosen, chooseResources } from './choose-resources.js';
import {
  charactersOf,
  mostNamed,
  section,
  toFencedBlock,
  tokensOf,
  toOneLine,
  writeLeftOut,
} from './input-parts.js';
import { resolveContext } from './resolve-context.js';
import type { AssembledInput, ContextSource, InputFacts } from './types.js';

export interface AssembleOptions {
  /** Absolute, with symbolic links resolved. */
  root: string;
  /** In ascending precedence: `global.context`, `session.context`, `turn.context`. */
  sources: readonly ContextSource[];
  /** The text of a page that was fetched; undefined if it was not. */
  pages(url: string): string | undefined;
  facts: InputFacts;
  /** In tokens; 0 means no limit. */
  budget: number;
  mask(text: string): string;
  onRead?: ((done: number, of: number) => void) | undefined;
}

interface Project {
  files: SortedPaths;
  note: string | null;
}

/** The largest share of the remaining budget that the tree may use. */
const TREE_SHARE = 1 / 4;
/** Characters reserved for the sections around the resources, whose length is not known in advance. */
const RESERVE = 400;

/**
 * Writes `input.md`; the same files and facts give the same bytes. Messages and reports are always included;
 * the tree, then the resources, share the rest of the budget.
 */
export async function assembleInput(options: AssembleOptions): Promise<AssembledInput> {
  const { root } = options;
  const { files, note } = await listProjectFiles(root);
  const project = { files: new SortedPaths(files), note };
  return lookTogether(root, (tree) => assemble(options, project, tree));
}

function assemble(options: AssembleOptions, { files, note }: Project, tree: SteadyTree): AssembledInput {
  const { sources, facts, budget, mask } = options;
  const told: Part[] = [{ name: 'Facts', pieces: [writeFacts(facts)] }, ...writeMessages(facts, mask)];
  const report: Part = { name: 'Last Report', pieces: [writeReport(facts, mask)] };
  const limit = budget === 0 ? Number.POSITIVE_INFINITY : charactersOf(budget);
  const room = limit - lengthOf([...told, report]) - RESERVE;

  const drawn = drawTree(files, Math.max(0, room * TREE_SHARE));
  const project: Part = { name: 'Project', pieces: [writeProject(files, note, drawn, mask)] };
  const { resources, leftOut } = resolveContext(sources, files, tree);
  const named = mostNamed(budget);
  const left = { characters: room - lengthOf([project]), named };
  const chosen = chooseResources(resources, leftOut, left, { ...options, tree });

  for (;;) {
    const context: Part = { name: 'Context', pieces: writeContext(chosen) };
    const missing: Part = { name: 'Left Out', pieces: writeLeftOut(chosen.leftOut, named, mask) };
    const above = [...told, project, context, missing].filter(({ pieces }) => pieces.length > 0);
    const account = writeBudget([...above, report], budget);
    if (account.tokens > budget && budget !== 0 && takeOutLast(chosen)) continue;
    return {
      text: [...above.flatMap(({ pieces }) => pieces), account.text, ...report.pieces].join('\n'),
      tokens: account.tokens,
      budget,
      resources: chosen.included.map(({ text, ...resource }) => resource),
      leftOut: chosen.leftOut,
      tree: { files: files.paths.length, shown: drawn.shown, tokens: tokensOf(lengthOf([project])) },
    };
  }
}

/** Returns false if there was none. */
function takeOutLast(chosen: Chosen): boolean {
  const last = chosen.included.pop();
  if (!last) return false;
  const { target, from, tokens } = last;
  chosen.leftOut.push({ target, from, reason: 'does not fit into the budget', tokens });
  return true;
}

function writeContext({ included }: Chosen): string[] {
  if (included.length === 0) return [section('## Context', 'There is no file or page in it.')];
  return ['## Context\n', ...included.map(({ text }) => text)];
}

function writeProject(
  { paths }: SortedPaths,
  note: string | null,
  drawn: DrawnTree,
  mask: (text: string) => string,
): string {
  const paragraphs = [describeTree(paths.length, drawn)];
  if (note !== null) paragraphs.unshift(toOneLine(note));
  if (drawn.text !== '') paragraphs.push(toFencedBlock(mask(drawn.text), 'text'));
  return section('## Project', ...paragraphs);
}

function describeTree(count: number, { shown, text }: DrawnTree): string {
  const files = count === 1 ? '1 file' : `${count} files`;
  if (count === 0) return 'It has no files.';
  if (shown === 'all') return `${files}:`;
  if (text === '') return `${files}, for whose names the budget has no room.`;
  return `${files}. They do not all fit into the budget: these are folders, with the number of files in each.`;
}

/** The title and the facts about the session and the machine. */
function writeFacts({ session, date, system, project }: InputFacts): string {
  const title = session
    ? `# Input: turn ${turnName(session.turn)} of session ${toOneLine(session.name)}`
    : '# Input';
  const facts = [
    ['Agent', session?.agent],
    ['Date', date],
    ['System', system],
    ['Project', project],
  ].flatMap(([name, value]) => (value === undefined ? [] : `- **${name}:** ${toOneLine(value)}`));
  return section(title, facts.join('\n'));
}

/** The sections that are included whatever the budget is: memos, messages and rationale. */
function writeMessages(facts: InputFacts, mask: (text: string) => string): Part[] {
  const { memos, task, handoff, message, earlier, rationale } = facts;
  const parts: Part[] = [];
  const add = (name: string, ...paragraphs: string[]) =>
    parts.push({ name, pieces: [section(`## ${name}`, ...paragraphs)] });
  if (memos.length === 0) add('Memos', 'There are none.');
  else add('Memos', toFencedBlock(mask(memos.map(writeMemo).join('\n')), 'text'));
  if (task)
    add(
      'Task',
      `From ${toOneLine(task.from)}, who waits for your CONCLUDE:`,
      toFencedBlock(mask(task.message), 'markdown'),
    );
  if (handoff)
    add(
      'Handoff',
      `From ${toOneLine(handoff.from)}, who has concluded:`,
      toFencedBlock(mask(handoff.message), 'markdown'),
    );
  if (message !== null && message.trim() !== '')
    add('Message', 'From the user:', toFencedBlock(mask(message), 'markdown'));
  else if (earlier)
    add(
      'Message',
      `The user says nothing new. In turn ${turnName(earlier.turn)} it was:`,
      toFencedBlock(mask(earlier.text), 'markdown'),
    );
  else add('Message', 'The user has not said anything yet.');
  if (rationale)
    add(
      'Your Last Rationale',
      `Of turn ${turnName(rationale.turn)}:`,
      toFencedBlock(mask(rationale.text), 'text'),
    );
  return parts;
}

function writeReport({ report }: InputFacts, mask: (text: string) => string): string {
  if (!report) return section('## Last Report', 'There is none yet.');
  const turn = turnName(report.turn);
  return section(
    '## Last Report',
    `Of turn ${turn}:`,
    ...(report.undone ? [describeUndone(turn, report.undone.left.map(mask))] : []),
    toFencedBlock(mask(report.text), 'markdown'),
  );
}

function describeUndone(turn: string, left: readonly string[]): string {
  const but = left.length === 0 ? '' : `, but not those to ${left.map(toOneLine).join(', ')}`;
  return `Turn ${turn} was undone since: its changes to files were taken back${but}.`;
}

/** Continuation lines are indented, so that a memo cannot imitate a second one. */
function writeMemo(memo: string): string {
  return `- ${memo.trimEnd().replace(/\r\n?|\n/g, '\n  ')}`;
}

/** A part of the input: pieces of text, separated by empty lines. */
interface Part {
  name: string;
  /** Each ends with a newline. */
  pieces: readonly string[];
}

/** In characters, including the empty line after each piece. */
function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((all, { pieces }) => pieces.reduce((sum, piece) => sum + piece.length + 1, all), 0);
}

/** The section that lists the tokens of each part and the total, including its own. */
function writeBudget(parts: readonly Part[], budget: number): { text: string; tokens: number } {
  const others = lengthOf(parts);
  const items = parts.map((part) => item(part.name, String(tokensOf(lengthOf([part])))));
  const write = (total: number) =>
    section('## Budget', [...items, item('Total', describeTotal(total, budget))].join('\n'));
  // The total only ever grows, so this terminates.
  for (let total = 0; ; ) {
    const text = write(total);
    const tokens = tokensOf(others + text.length);
    if (tokens === total) return { text, tokens };
    total = tokens;
  }
}

function item(name: string, value: string): string {
  return `- **${name}:** ${value}`;
}

function describeTotal(total: number, budget: number): string {
  if (budget === 0) return `${total} tokens, without a limit`;
  const over = total > budget ? '; the parts that are always included exceed the budget' : '';
  return `${total} of ${budget} tokens${over}`;
}

export interface DrawnTree {
  /** One line for each file or folder, indented by two spaces a level. Empty if nothing fits. */
  text: string;
  shown: 'all' | 'folders';
}

/** Draws all files if they fit into `most` characters, otherwise as many levels of folders as fit. */
export function drawTree(files: SortedPaths, most: number): DrawnTree {
  const all = drawFiles(files, most);
  return all === undefined
    ? { text: drawFolders(files, most), shown: 'folders' }
    : { text: all, shown: 'all' };
}

/** Undefined if the files do not fit. */
function drawFiles(files: SortedPaths, most: number): string | undefined {
  let text = '';
  let before: readonly string[] = [];
  for (const group of files.groups) {
    const { folders, from, to } = group;
    for (let depth = sharedDepth(before, folders); depth < folders.length; depth++)
      text += `${indent(depth)}${toOneLine(folders[depth]!)}/\n`;
    const margin = indent(folders.length);
    for (let at = from; at < to; at++) text += `${margin}${toOneLine(files.nameAt(at, group))}\n`;
    if (text.length > most) return undefined;
    before = folders;
  }
  return text;
}

/** The folders with their file counts, as many levels as fit; then the files of the root, if they fit. */
function drawFolders(files: SortedPaths, most: number): string {
  const lines = countFolders(files).map(({ name, depth, files: count }) => ({
    depth,
    text: `${indent(depth)}${toOneLine(name)}/ (${count})\n`,
  }));
  const sizes: number[] = [];
  for (const { depth, text } of lines) sizes[depth] = (sizes[depth] ?? 0) + text.length;
  let levels = 0;
  let length = 0;
  while (levels < sizes.length && length + sizes[levels]! <= most) length += sizes[levels++]!;
  const folders = lines.flatMap(({ depth, text }) => (depth < levels ? text : [])).join('');
  const own = files.paths.flatMap((path) => (path.includes('/') ? [] : `${toOneLine(path)}\n`)).join('');
  return levels > 0 && length + own.length <= most ? folders + own : folders;
}

interface CountedFolder {
  name: string;
  /** The number of parent folders. */
  depth: number;
  /** Includes the files of subfolders. */
  files: number;
}

function countFolders({ groups }: SortedPaths): CountedFolder[] {
  const all: CountedFolder[] = [];
  const around: CountedFolder[] = [];
  let before: readonly string[] = [];
  for (const { folders, from, to } of groups) {
    for (let depth = sharedDepth(before, folders); depth < folders.length; depth++) {
      const folder = { name: folders[depth]!, depth, files: 0 };
      around[depth] = folder;
      all.push(folder);
    }
    for (let depth = 0; depth < folders.length; depth++) around[depth]!.files += to - from;
    before = folders;
  }
  return all;
}

/** The paths are sorted, so each folder appears in one run of groups and is drawn once. */
function sharedDepth(before: readonly string[], folders: readonly string[]): number {
  let shared = 0;
  while (shared < folders.length && folders[shared] === before[shared]) shared++;
  return shared;
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}
