import { foldAgentName } from '../core/agent-report/fields.js';
import { parseManual } from '../core/agent-report/manual/parse.js';
import type { Manual } from '../core/agent-report/types.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import type { Workspace } from '../workspace/workspace.js';
import {
  type AgentFile,
  AgentFolder,
  compareNames,
  describeUnknown,
  refuseManual,
  replacesAgent,
  stemOf,
} from './agent-folder.js';
import { BUILT_IN, BUILT_IN_PLANNERS } from './built-in.js';
import { readBuiltInPlanner, readPlanner } from './planners.js';
import type { Agent, AgentKind, BrokenAgent, FoundAgent } from './types.js';

/**
 * Lists all agents by name. A project's agent replaces the built-in one of the same name and kind. Throws `UserError`
 * if the folder is unreadable.
 */
export function listAgents(workspace: Workspace): Agent[] {
  return AgentFolder.open(workspace, (folder) => {
    const own = folder.readAll().map(readAgent);
    const isFree = (kind: AgentKind) => {
      const taken = new Set(
        own.flatMap((agent) => (replacesAgent(agent, kind) ? [foldAgentName(agent.name)] : [])),
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

/** Finds a subagent's manual, the project's own before the built-in one. Names are case-insensitive. */
export function findAgent(workspace: Workspace, name: string): FoundAgent {
  return AgentFolder.open(workspace, (folder) => {
    const file = folder.find(foldAgentName(name));
    const own = file && readAgent(file);
    const text = BUILT_IN.get(foldAgentName(name));
    // A planner's prompt of the same name does not hide the manual.
    if (text !== undefined && !(own && replacesAgent(own, 'subagent')))
      return asFound(readBuiltIn([foldAgentName(name), text]));
    if (own) return asFound(own);
    const known = [...[...folder.files.values()].flat().map(stemOf), ...BUILT_IN.keys()];
    return { status: 'unknown', reason: describeUnknown('agent', name, known) };
  });
}

/** Throws `UserError` if there is no such manual or it is unusable. */
export function requireManual(workspace: Workspace, name: string): Manual {
  const found = findAgent(workspace, name);
  if (found.status === 'found') return found.manual;
  throw new UserError(found.reason);
}

/**
 * Null if there is no such subagent. Throws `UserError` if its manual is broken: ignoring it would accept what it
 * forbids.
 */
export function findManual(workspace: Workspace, name: string): Manual | null {
  const found = findAgent(workspace, name);
  if (found.status === 'found') return found.manual;
  if (found.status === 'refused' && found.kind === 'broken') throw new UserError(found.reason);
  return null;
}

/** Hashes the parts of a manual that an agent is briefed with or judged by. */
export function markManual(manual: Manual): string {
  return sha256(JSON.stringify(manual));
}

function readAgent(file: AgentFile | BrokenAgent): Agent {
  if (file.kind === 'broken') return file;
  if (file.kind === 'planner') return readPlanner(file);
  const { kind, name, path } = file;
  const { manual, issues } = parseManual(name, file.text);
  return manual ? { kind, name, path, manual, issues } : refuseManual(file, kind, issues);
}

/** Tests prove that the built-in manuals are valid. */
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
