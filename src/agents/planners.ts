import { foldAgentName } from '../core/agent-report/fields.js';
import { readAgentHead } from '../core/agent-report/manual/parse.js';
import { unwrapValue } from '../core/markdown/inline.js';
import { findFrontmatter } from '../core/markdown/lines.js';
import { planGuide } from '../core/plan/guide.js';
import type { Workspace } from '../workspace/workspace.js';
import { type AgentFile, AgentFolder, compareNames, describeUnknown, replacesAgent } from './agent-folder.js';
import { BUILT_IN_PLANNERS } from './built-in.js';
import type { BrokenAgent, FoundPlanner, Planner } from './types.js';

/** The planner of a session unless another is chosen. */
export const DEFAULT_PLANNER = 'assistant';

/**
 * Lists all usable planners by name. A project's planner replaces the built-in one of the same name. Throws `UserError`
 * if the folder is unreadable.
 */
export function listPlanners(workspace: Workspace): Planner[] {
  return AgentFolder.open(workspace, (folder) => {
    const own = folder
      .readAll()
      .filter((file) => replacesAgent(file, 'planner'))
      .map(asPlanner);
    const taken = new Set(own.map(({ name }) => foldAgentName(name)));
    const others = [...BUILT_IN_PLANNERS].filter(([name]) => !taken.has(name)).map(readBuiltInPlanner);
    return [...own, ...others].filter((agent) => agent.kind === 'planner').sort(compareNames);
  });
}

/** Finds a planner, the project's own before the built-in one. Names match in any case, quoted or not. */
export function findPlanner(workspace: Workspace, name: string): FoundPlanner {
  const key = foldAgentName(unwrapValue(name.trim()).trim());
  const found = AgentFolder.open(workspace, (folder): FoundPlanner | undefined => {
    const own = folder.find(key);
    if (own && replacesAgent(own, 'planner')) {
      const planner = asPlanner(own);
      return planner.kind === 'planner'
        ? { status: 'found', planner }
        : { status: 'refused', reason: planner.reason };
    }
    const text = BUILT_IN_PLANNERS.get(key);
    // A manual of the same name does not hide the prompt.
    if (text !== undefined) return { status: 'found', planner: readBuiltInPlanner([key, text]) };
    if (!own) return undefined;
    const reason = `${own.path} is the manual of a subagent (kind: subagent), not the system prompt of a planner.`;
    return { status: 'refused', reason };
  });
  if (found) return found;
  const known = listPlanners(workspace).map((planner) => planner.name);
  return { status: 'unknown', reason: describeUnknown('planner', name, known) };
}

/** Renders the whole system prompt: the planner's own text, the agents it can hand over to, and the plan format. */
export function renderPrompt(planner: Planner, others: readonly Planner[]): string {
  return [planner.prompt, describeAgents(planner, others), planGuide()].join('\n\n');
}

function describeAgents(planner: Planner, others: readonly Planner[]): string {
  const agents = others
    .filter(({ name }) => foldAgentName(name) !== foldAgentName(planner.name))
    .toSorted(compareNames)
    .map(({ name, purpose }) => `- ${name}${purpose === null ? '' : `: ${purpose.replace(/\s+/g, ' ')}`}`);
  const whom =
    agents.length === 0
      ? 'There is no agent to INVOKE.'
      : `You can INVOKE these agents by name:\n\n${agents.join('\n')}`;
  return `# Agents\n\nYour name is ${planner.name}. ${whom}`;
}

/** Reads a file of `kind: planner`. A prompt is required: otherwise the model would get only the format. */
export function readPlanner({ name, path, purpose, text }: AgentFile): Planner | BrokenAgent {
  const prompt = promptOf(text);
  if (prompt !== '') return { kind: 'planner', name, path, purpose, prompt };
  const reason = `${path} has no prompt: write one below its frontmatter.`;
  return { kind: 'broken', name, path, meant: 'planner', reason, issues: [] };
}

export function readBuiltInPlanner([name, text]: [string, string]): Planner {
  return { kind: 'planner', name, path: null, purpose: readAgentHead(text).purpose, prompt: promptOf(text) };
}

function asPlanner(file: AgentFile | BrokenAgent): Planner | BrokenAgent {
  return file.kind === 'broken' ? file : readPlanner(file);
}

function promptOf(text: string): string {
  const front = findFrontmatter(text);
  const body = typeof front === 'string' ? '' : text.slice(front.next).replaceAll('\r\n', '\n');
  const lines = body.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  return first === -1 ? '' : lines.slice(first).join('\n').trimEnd();
}
