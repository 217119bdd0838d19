import { diffHunks, type Hunk } from '../changeset/hunks.js';
import type { Tree } from '../tree.js';
import { simulateEdit } from './simulate.js';
import type { CreateAction, EditAction, EditPair } from './types.js';

/** Unchanged lines on either side that make a FIND unique; more would hardly help. */
const MOST_CONTEXT = 20;

/**
 * The action with which a file becomes `after`, as the user edited it: an EDIT with a pair for each change. A new file, and
 * changes that no pair can express, are a CREATE.
 */
export function rewriteAction(
  action: CreateAction | EditAction,
  { path, before }: { path: string; before: string | null },
  after: string,
  tree: Tree,
): CreateAction | EditAction {
  if (action.type === 'CREATE') {
    // The user has seen where it ends.
    const { cutOff: _, ...whole } = action;
    return { ...whole, content: after };
  }
  const { line, metadata, description } = action;
  const edits = writePairs(before ?? '', after, path, line);
  if (edits !== undefined) {
    const edited: EditAction = { ...action, edits };
    const result = simulateEdit(edited, tree);
    if (result.status === 'written' && result.after === after) return edited;
  }
  return {
    type: 'CREATE',
    line,
    metadata,
    path: action.path,
    description,
    content: after,
    overwrite: true,
  };
}

/** Undefined if a FIND would not be unique. The last change comes first, so that the lines above it are as they were. */
function writePairs(before: string, after: string, path: string, line: number): EditPair[] | undefined {
  const lines = before.split('\n');
  const pairs: EditPair[] = [];
  for (const hunk of diffHunks(before, after, path).toReversed()) {
    const pair = writePair(hunk, lines);
    if (pair === undefined) return undefined;
    pairs.push({ ...pair, line });
    lines.splice(hunk.before.start, hunk.before.count, ...addedLines(hunk));
  }
  return pairs;
}

function writePair(hunk: Hunk, lines: readonly string[]): { find: string; replace: string } | undefined {
  const { start, count } = hunk.before;
  const added = addedLines(hunk);
  const text = lines.join('\n');
  for (let context = count === 0 || added.length === 0 ? 1 : 0; context <= MOST_CONTEXT; context++) {
    const above = lines.slice(Math.max(0, start - context), start);
    const below = lines.slice(start + count, start + count + context);
    const find = [...above, ...lines.slice(start, start + count), ...below].join('\n');
    if (text.indexOf(find) === text.lastIndexOf(find))
      return { find, replace: [...above, ...added, ...below].join('\n') };
  }
  return undefined;
}

function addedLines({ lines }: Hunk): string[] {
  return lines.filter((row) => row.startsWith('+')).map((row) => row.slice(1).replace(/\n$/, ''));
}
