import { foldAgentName } from '../core/agent-report/manual/agent-name.js';
import { parseManual } from '../core/agent-report/manual/parse.js';
import type { Workspace } from '../workspace/workspace.js';
import {
  type AgentFile,
  compareNames,
  describeUnknown,
  listAgentFiles,
  readNamesakes,
  refuseManual,
  standsFor,
  stemOf,
} from './agent-folder.js';
import { BUILT_IN, BUILT_IN_PLANNERS } from './built-in.js';
import { readBuiltInPlanner, readPlanner } from './planners.js';
import type { Agent, AgentKind, BrokenAgent, FoundAgent } from './types.js';

/**
 * All agents by name: the project's own, and those that come with the program and have no namesake of their kind among
 * them. Throws `UserError` where the folder cannot be seen.
 */
export function listAgents(workspace: Workspace): Agent[] {
  return workspace.view((view) => {
    const own = [...listAgentFiles(view).values()].flatMap((names) =>
      readNamesakes(view, names).map(readAgent),
    );
    const isFree = (kind: AgentKind) => {
      const taken = new Set(
        own.flatMap((agent) => (standsFor(agent, kind) ? [foldAgentName(agent.name)] : [])),
      );
      return ([name]: [string, string]) => !taken.has(name);
    };
    return [
      ...own,
      ...[...BUILT_IN].filter(isFree('subagent')).map(readBuiltIn),
      ...[...BUILT_IN_PLANNERS].filter(isFree('planner')).map(readBuiltInPlanner),
    ].sort(compareNames);
  });
}

/** The manual of a subagent, the project's own before the one that comes with the program. Names match in any case. */
export function findAgent(workspace: Workspace, name: string): FoundAgent {
  return workspace.view((view) => {
    const files = listAgentFiles(view);
    const names = files.get(foldAgentName(name));
    const own = names && readAgent(readNamesakes(view, names)[0]!);
    const text = BUILT_IN.get(foldAgentName(name));
    // A planner's prompt of the same name is no manual, and takes none away.
    if (text !== undefined && !(own && standsFor(own, 'subagent')))
      return asFound(readBuiltIn([foldAgentName(name), text]));
    if (own) return asFound(own);
    const known = [...[...files.values()].flat().map(stemOf), ...BUILT_IN.keys()];
    return { status: 'unknown', reason: describeUnknown('agent', name, known) };
  });
}

function readAgent(file: AgentFile | BrokenAgent): Agent {
  if (file.kind === 'broken') return file;
  if (file.kind === 'planner') return readPlanner(file);
  const { kind, name, path } = file;
  const { manual, issues } = parseManual(name, file.text);
  return manual ? { kind, name, path, manual, issues } : refuseManual(file, kind, issues);
}

/** Tests have proven each of them. */
function readBuiltIn([name, text]: [string, string]): Agent {
  const { manual, issues } = parseManual(name, text, { proven: true });
  if (!manual) throw new Error(`the built-in manual ${name} is broken: ${issues[0]?.message}`);
  return { kind: 'subagent', name, path: null, manual, issues };
}

function asFound(agent: Agent): FoundAgent {
  const path = agent.path ?? '';
  if (agent.kind === 'subagent')
    return { status: 'found', manual: agent.manual, path: agent.path, issues: agent.issues };
  if (agent.kind === 'broken' && agent.meant !== 'planner')
    return { status: 'refused', kind: agent.kind, reason: agent.reason, path, issues: agent.issues };
  const reason = `${path} is the system prompt of a planner (kind: planner), not the manual of a subagent.`;
  return { status: 'refused', kind: 'planner', reason, path, issues: [] };
}
