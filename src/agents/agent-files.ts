import {
  foldName,
  isAgentName,
  type ManualIssue,
  parseManual,
  readAgentHead,
} from '../formats/agent-report/index.js';
import { decodeText, MB, Unusable } from '../platform/index.js';
import type { View, Workspace } from '../workspace/index.js';
import { BUILT_IN } from './built-in.js';
import type { Agent, BrokenAgent, FoundAgent } from './types.js';

const FOLDER = '.teddy';
export const AGENTS_FOLDER = `${FOLDER}/agents`;
const LIMIT = MB;
const MOST_FILES = 500;
const ENDING = '.md';

/**
 * All agents by name: the project's own, and those that come with the program and have no namesake among them. Throws
 * `Unusable` where the folder cannot be seen.
 */
export function listAgents(workspace: Workspace): Agent[] {
  return workspace.view((view) => {
    const files = listFiles(view);
    const own = [...files.values()].flatMap((names) => readNamesakes(view, names));
    const taken = new Set(own.flatMap(({ kind, name }) => (kind === 'planner' ? [] : [foldName(name)])));
    const others = [...BUILT_IN].filter(([name]) => !taken.has(name)).map(readBuiltIn);
    return [...own, ...others].sort(
      (a, b) => compare(foldName(a.name), foldName(b.name)) || compare(a.name, b.name),
    );
  });
}

/** The manual of a subagent, the project's own before the one that comes with the program. Names match in any case. */
export function findAgent(workspace: Workspace, name: string): FoundAgent {
  return workspace.view((view) => {
    const files = listFiles(view);
    const names = files.get(foldName(name));
    const own = names && readNamesakes(view, names)[0]!;
    const text = BUILT_IN.get(foldName(name));
    // A planner's prompt of the same name is no manual, and takes none away.
    if (text !== undefined && (!own || own.kind === 'planner'))
      return asFound(readBuiltIn([foldName(name), text]));
    if (own) return asFound(own);
    return { status: 'unknown', reason: describeUnknown(name, files) };
  });
}

/** The names of agent files as they are written, by the name that they stand for. */
function listFiles(view: View): Map<string, string[]> {
  // What cannot be listed looks empty, and then other manuals would be used in the place of those behind it.
  if (view.list(FOLDER).includes('agents') && !view.isFolder(FOLDER, 'agents'))
    throw new Unusable(`${AGENTS_FOLDER} is a link or a file, and must be a folder.`);
  const names = view
    .list(AGENTS_FOLDER)
    .filter((file) => file.toLowerCase().endsWith(ENDING) && !file.startsWith('.'));
  if (names.length > MOST_FILES)
    throw new Unusable(`${AGENTS_FOLDER} holds ${names.length} agents, and may hold ${MOST_FILES}.`);
  const files = new Map<string, string[]>();
  for (const file of names) {
    const key = foldName(stemOf(file));
    files.set(key, [...(files.get(key) ?? []), file]);
  }
  return files;
}

/** One agent, or all the files that claim to be it. */
function readNamesakes(view: View, files: readonly string[]): Agent[] {
  const [first, second] = files;
  if (second === undefined) return [readFile(view, first!)];
  const both = files.map(quote).join(' and ');
  const reason = `${both} in ${AGENTS_FOLDER} are one name, since case does not count; rename or remove one of them.`;
  return files.map((file) => broken(file, reason));
}

function readFile(view: View, file: string): Agent {
  const name = stemOf(file);
  const path = pathOf(file);
  if (!isAgentName(name)) {
    const rule =
      'it consists of letters, digits, ".", "_" and "-", begins with a letter or digit, and has 100 of them at most';
    return broken(file, `${quote(file)} in ${AGENTS_FOLDER} cannot be the name of an agent: ${rule}.`);
  }
  const read = readText(view, path);
  if ('reason' in read) return broken(file, read.reason);
  const { kind, purpose } = readAgentHead(read.text);
  if (kind === 'planner') return { kind, name, path, purpose };
  const { manual, issues } = parseManual(name, read.text);
  if (manual) return { kind: 'subagent', name, path, manual, issues };
  return broken(file, describeIssues(path, issues), issues);
}

function readText(view: View, path: string): { text: string } | { reason: string } {
  try {
    const read = view.read(path, LIMIT);
    if (read.status === 'missing') return { reason: `${path} is gone.` };
    if (read.status === 'refused') return { reason: `${path} ${read.reason}.` };
    const decoded = decodeText(read.bytes);
    return decoded.status === 'text' ? { text: decoded.text } : { reason: `${path} ${decoded.reason}.` };
  } catch (error) {
    if (error instanceof Unusable) return { reason: error.message };
    throw error;
  }
}

/** Tests have proven each of them. */
function readBuiltIn([name, text]: [string, string]): Agent {
  const { manual, issues } = parseManual(name, text, { proven: true });
  if (!manual) throw new Error(`the built-in manual ${name} is broken: ${issues[0]?.message}`);
  return { kind: 'subagent', name, path: null, manual, issues };
}

function asFound(agent: Agent): FoundAgent {
  const path = agent.path ?? '';
  switch (agent.kind) {
    case 'subagent':
      return { status: 'found', manual: agent.manual, path: agent.path, issues: agent.issues };
    case 'planner': {
      const reason = `${path} is the system prompt of a planner (kind: planner), not the manual of a subagent.`;
      return { status: 'refused', kind: agent.kind, reason, path, issues: [] };
    }
    case 'broken':
      return { status: 'refused', kind: agent.kind, reason: agent.reason, path, issues: agent.issues };
  }
}

function broken(file: string, reason: string, issues: ManualIssue[] = []): BrokenAgent {
  return { kind: 'broken', name: stemOf(file), path: pathOf(file), reason, issues };
}

function describeIssues(path: string, issues: readonly ManualIssue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const line = first?.line === undefined ? '' : `:${first.line}`;
  return `${path}${line} cannot be used: ${first?.message ?? 'it is no manual.'}${more}`;
}

function describeUnknown(name: string, files: ReadonlyMap<string, readonly string[]>): string {
  const known = [...new Set([...[...files.values()].flat().map(stemOf), ...BUILT_IN.keys()])];
  const names = known.filter(isAgentName).sort(compare);
  return `There is no agent ${quote(name)}. There are ${names.slice(0, 20).join(', ')}${names.length > 20 ? ' …' : ''}.`;
}

function stemOf(file: string): string {
  return file.slice(0, -ENDING.length);
}

function pathOf(file: string): string {
  return `${AGENTS_FOLDER}/${file}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
