import { listProjectFiles } from '../../workspace/files/project-files.js';
import { SortedPaths } from '../../workspace/files/sorted-paths.js';
import { lookTogether, type SteadyTree } from '../../workspace/tree.js';
import { lengthOf, type Part, writeBudget } from './budget.js';
import { type Chosen, chooseResources } from './choose-resources.js';
import { mostNamed, writeLeftOut } from './left-out.js';
import { fenced, oneLine, section } from './markdown-parts.js';
import { type DrawnTree, drawTree } from './project-tree.js';
import { resolveContext } from './resolve-context.js';
import { charactersOf, tokensOf } from './tokens.js';
import { writeFacts, writeReport, writeTold } from './told-sections.js';
import type { AssembledInput, ContextSource, InputFacts } from './types.js';

export interface InputOptions {
  /** A real path. */
  root: string;
  /** In the order in which they overrule each other: `global.context`, `session.context`, `turn.context`. */
  sources: readonly ContextSource[];
  /** The page of a URL as it was read; undefined where it was not. */
  pages(url: string): string | undefined;
  facts: InputFacts;
  /** In tokens; 0 is no limit. */
  budget: number;
  mask(text: string): string;
}

interface Project {
  files: SortedPaths;
  note: string | null;
}

/** The part of what is left for the tree that goes to it at most. */
const TREE_SHARE = 1 / 4;
/** About what the sections around the resources take that cannot be known before. */
const RESERVE = 400;

/**
 * What a model is told in a turn, as the text of `input.md`. The same files and facts give the same bytes. What people
 * and agents said always stands; the tree and then the resources get what the budget leaves.
 */
export async function assembleInput(options: InputOptions): Promise<AssembledInput> {
  const { root } = options;
  const { files, note } = await listProjectFiles(root);
  const project = { files: new SortedPaths(files), note };
  return lookTogether(root, (tree) => assemble(options, project, tree));
}

function assemble(options: InputOptions, { files, note }: Project, tree: SteadyTree): AssembledInput {
  const { sources, facts, budget, mask } = options;
  const told: Part[] = [{ name: 'Facts', pieces: [writeFacts(facts)] }, ...writeTold(facts, mask)];
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

/** Whether there was one. */
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
  if (note !== null) paragraphs.unshift(oneLine(note));
  if (drawn.text !== '') paragraphs.push(fenced(mask(drawn.text), 'text'));
  return section('## Project', ...paragraphs);
}

function describeTree(count: number, { shown, text }: DrawnTree): string {
  const files = count === 1 ? '1 file' : `${count} files`;
  if (count === 0) return 'It has no files.';
  if (shown === 'all') return `${files}:`;
  if (text === '') return `${files}, for whose names the budget has no room.`;
  return `${files}. They do not all fit into the budget: these are folders, with the number of files in each.`;
}
