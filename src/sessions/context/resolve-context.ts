import { type ContextLine, matchesTarget, parseContext } from '../../core/context/context-file.js';
import type { Tree } from '../../core/tree.js';
import type { SortedPaths } from '../../workspace/files/sorted-paths.js';
import type { ContextResource, ContextSource, LeftOut } from './types.js';

const MOST_LINES = 10_000;
/** Each glob is matched against every file. */
const MOST_GLOBS = 500;

interface Resolved {
  resources: ContextResource[];
  leftOut: LeftOut[];
}

/** A line and the name of its context file. */
type SourceLine = ContextLine & { from: string };

/**
 * Resolves context lines to resources. The last line that matches a resource decides; results start with the
 * last source. Explicit paths may name files outside `files`; folders and globs match only those in it.
 */
export function resolveContext(sources: readonly ContextSource[], files: SortedPaths, tree: Tree): Resolved {
  const read = sources.map((source) => readSource(source, tree));
  const { kept, leftOut } = lastOfEach(read.flatMap(({ lines }) => lines));
  const said = decide(kept, files, tree);
  const all = [...said, ...leftOut].sort(byPlace(sources));
  return {
    resources: all.flatMap(({ brings }) => brings),
    leftOut: [...all.flatMap(({ why }) => why ?? []), ...read.flatMap(({ cut }) => cut ?? [])],
  };
}

function readSource(
  { name, text }: ContextSource,
  tree: Tree,
): { lines: SourceLine[]; cut: LeftOut | undefined } {
  const all = parseContext(text, tree);
  const lines = all.slice(0, MOST_LINES).map((line) => ({ ...line, from: name }));
  const next = all[MOST_LINES];
  const target = `${name} from line ${next?.line} on`;
  const cut = next && leave(target, name, `is not read: it has more than ${MOST_LINES} lines`);
  return { lines, cut };
}

/** The effect of one line. */
interface Said {
  line: SourceLine;
  brings: ContextResource[];
  why?: LeftOut;
}

/** Keeps the last of each set of equal lines, included or excluded. Returns the last lines first. */
function lastOfEach(lines: readonly SourceLine[]): { kept: SourceLine[]; leftOut: Said[] } {
  const seen = new Set<string>();
  const kept: SourceLine[] = [];
  const leftOut: Said[] = [];
  let globs = 0;
  for (const line of lines.toReversed()) {
    const key = keyOf(line);
    if (seen.has(key)) continue;
    seen.add(key);
    if (line.kind !== 'glob' || ++globs <= MOST_GLOBS) kept.push(line);
    else leftOut.push(bringNothing(line, `is not read: there are more than ${MOST_GLOBS} globs`));
  }
  return { kept, leftOut };
}

function keyOf(line: SourceLine): string {
  if (line.kind === 'url') return line.url;
  if (line.kind === 'path') return `/${line.path}`;
  return `*${line.out ? line.text.slice(1).trimStart() : line.text}`;
}

/** Goes from the last line to the first, so that the first decision on a file is final. */
function decide(lines: readonly SourceLine[], files: SortedPaths, tree: Tree): Said[] {
  const isDecided = new Uint8Array(files.paths.length);
  const out: SourceLine[] = [];
  return lines.map((line) => {
    if (line.kind === 'unreadable') return bringNothing(line, line.reason);
    if (line.kind === 'url')
      return { line, brings: line.out ? [] : [{ kind: 'url', target: line.url, from: line.from }] };
    const matches = line.kind === 'glob' ? files.matching(line.components) : files.at(line.path);
    const fresh = matches.filter((at) => !isDecided[at]);
    for (const at of fresh) isDecided[at] = 1;
    if (line.out) {
      out.push(line);
      return { line, brings: [] };
    }
    if (matches.length > 0) return { line, brings: fresh.map((at) => asFile(files.paths[at]!, line)) };
    if (line.kind === 'glob') return bringNothing(line, 'matches no file');
    if (out.some((each) => matchesTarget(each, line.path))) return { line, brings: [] };
    const reason = explainUnlisted(tree, line.path);
    return reason === undefined ? { line, brings: [asFile(line.path, line)] } : bringNothing(line, reason);
  });
}

/** Why an unlisted path adds nothing; undefined if it is a file, which is then read like any other. */
function explainUnlisted(tree: Tree, path: string): string | undefined {
  const stat = tree.stat(path);
  if (stat === undefined) return 'does not exist';
  if (stat.kind !== 'folder') return undefined;
  return 'is a folder without a file that git lists; name what it holds one by one';
}

function byPlace(sources: readonly ContextSource[]): (one: Said, other: Said) => number {
  const rank = new Map(sources.map(({ name }, i) => [name, -i]));
  return ({ line: one }, { line: other }) =>
    rank.get(one.from)! - rank.get(other.from)! || one.line - other.line;
}

function asFile(target: string, { from }: SourceLine): ContextResource {
  return { kind: 'file', target, from };
}

function bringNothing(line: SourceLine, reason: string): Said {
  return { line, brings: [], why: leave(line.text, line.from, reason) };
}

function leave(target: string, from: string, reason: string): LeftOut {
  return { target, from, reason, tokens: null };
}
