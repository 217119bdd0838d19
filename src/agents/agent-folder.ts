import { fileOf, readTrustedAgents } from '../config/project.js';
import type { ProjectFile } from '../config/types.js';
import { foldAgentName, isAgentName } from '../core/agent-report/fields.js';
import { parseManual, readAgentHead } from '../core/agent-report/manual/parse.js';
import type { ManualIssue } from '../core/agent-report/types.js';
import { addToGroup } from '../core/groups.js';
import { compareText, shorten } from '../core/text.js';
import { UserError } from '../node/errors.js';
import { decodeText, MB, realPath } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';
import type { AgentKind, BrokenAgent } from './types.js';

const FOLDER = '.teddy';
const AGENTS_FOLDER = `${FOLDER}/agents`;
const LIMIT = MB;
const MOST_FILES = 500;
const ENDING = '.md';

/** An agent file that states its kind; it may still turn out to be invalid. */
export interface AgentFile {
  kind: AgentKind;
  name: string;
  path: string;
  purpose: string | null;
  text: string;
}

/** The project's agent files. Only files that the user has seen and trusted in their current form count. */
export class AgentFolder {
  /** File names as written, by agent name. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  private trusted: ReadonlyMap<string, unknown> | undefined;

  /** Throws `UserError` if the folder is unreadable. */
  constructor(
    private readonly view: View,
    private readonly root: string,
  ) {
    this.files = listAgentFiles(view);
  }

  static open<T>(workspace: Workspace, work: (folder: AgentFolder) => T): T {
    return workspace.view((view) => work(new AgentFolder(view, workspace.root)));
  }

  readAll(): (AgentFile | BrokenAgent)[] {
    return [...this.files.values()].flatMap((names) => this.readNamesakes(names));
  }

  find(key: string): AgentFile | BrokenAgent | undefined {
    const names = this.files.get(key);
    return names && this.readNamesakes(names)[0];
  }

  /** Lists every file that could be used, for the user to review before trusting them. */
  readForTrust(): ProjectFile[] {
    return [...this.files.values()].flat().flatMap((file) => {
      const read = isAgentName(stemOf(file)) ? readText(this.view, pathOf(file)) : undefined;
      return read && 'text' in read ? [fileOf(pathOf(file), read.text)] : [];
    });
  }

  /** Returns one agent, or all the files that claim its name. */
  private readNamesakes(files: readonly string[]): (AgentFile | BrokenAgent)[] {
    const [first, second] = files;
    if (second === undefined) return [this.readFile(first!)];
    const both = files.map(quote).join(' and ');
    const reason = `${both} in ${AGENTS_FOLDER} have the same name, because case does not count; rename or remove one of them.`;
    return files.map((file) => broken(file, reason));
  }

  private readFile(file: string): AgentFile | BrokenAgent {
    const name = stemOf(file);
    const path = pathOf(file);
    if (!isAgentName(name)) {
      const rule = 'use at most 100 letters, digits, ".", "_" and "-", starting with a letter or digit';
      return broken(file, `${quote(file)} in ${AGENTS_FOLDER} is not a valid agent name: ${rule}.`);
    }
    const read = readText(this.view, path);
    if ('reason' in read) return broken(file, read.reason);
    this.trusted ??= readTrustedAgents(realPath(this.root) ?? this.root);
    if (this.trusted.get(path) !== sha256(read.text)) return broken(file, `${path} ${UNTRUSTED}`);
    const { kind, purpose } = readAgentHead(read.text);
    if (kind !== null) return { kind, name, path, purpose, text: read.text };
    return refuseManual({ name, path }, null, parseManual(name, read.text).issues);
  }
}

const UNTRUSTED = 'is not trusted in its current form. Run `teddy trust` to review it, or pass --trust once.';

function listAgentFiles(view: View): Map<string, string[]> {
  // An unlistable folder looks empty; built-in agents would then silently replace the project's.
  if (view.list(FOLDER).includes('agents') && !view.isFolder(FOLDER, 'agents'))
    throw new UserError(`${AGENTS_FOLDER} must be a folder; it is a link or a file.`);
  const names = view
    .list(AGENTS_FOLDER)
    .filter((file) => file.toLowerCase().endsWith(ENDING) && !file.startsWith('.'));
  if (names.length > MOST_FILES)
    throw new UserError(`${AGENTS_FOLDER} has ${names.length} agents; the limit is ${MOST_FILES}.`);
  const files = new Map<string, string[]>();
  for (const file of names) {
    addToGroup(files, foldAgentName(stemOf(file)), file);
  }
  return files;
}

function readText(view: View, path: string): { text: string } | { reason: string } {
  try {
    const read = view.read(path, LIMIT);
    if (read.status === 'missing') return { reason: `${path} no longer exists.` };
    if (read.status === 'refused') return { reason: `${path} ${read.reason}.` };
    const decoded = decodeText(read.bytes);
    return decoded.status === 'text' ? { text: decoded.text } : { reason: `${path} ${decoded.reason}.` };
  } catch (error) {
    if (error instanceof UserError) return { reason: error.message };
    throw error;
  }
}

/** Describes a file that is not a valid manual. */
export function refuseManual(
  { name, path }: Pick<AgentFile, 'name' | 'path'>,
  meant: AgentKind | null,
  issues: ManualIssue[],
): BrokenAgent {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const line = first?.line === undefined ? '' : `:${first.line}`;
  const reason = `${path}${line} cannot be used: ${first?.message ?? 'it is not a manual.'}${more}`;
  return { kind: 'broken', name, path, meant, reason, issues };
}

function broken(file: string, reason: string): BrokenAgent {
  return { kind: 'broken', name: stemOf(file), path: pathOf(file), meant: null, reason, issues: [] };
}

/** Whether a file replaces an agent of this kind with the same name. A file without a kind replaces any. */
export function replacesAgent(agent: { kind: AgentKind } | BrokenAgent, kind: AgentKind): boolean {
  return agent.kind === 'broken' ? agent.meant === null || agent.meant === kind : agent.kind === kind;
}

export function stemOf(file: string): string {
  return file.slice(0, -ENDING.length);
}

function pathOf(file: string): string {
  return `${AGENTS_FOLDER}/${file}`;
}

/** `There is no agent "x". Available: a, b, c.` */
export function describeUnknown(what: string, name: string, known: Iterable<string>): string {
  const names = [...new Set(known)].filter(isAgentName).sort(compareText);
  const shown = names.length > 20 ? `${names.slice(0, 20).join(', ')} …` : names.join(', ');
  return `There is no ${what} ${quote(name)}. Available: ${shown}.`;
}

function quote(text: string): string {
  return JSON.stringify(shorten(text, 120));
}

export function compareNames(a: { name: string }, b: { name: string }): number {
  return compareText(foldAgentName(a.name), foldAgentName(b.name)) || compareText(a.name, b.name);
}
