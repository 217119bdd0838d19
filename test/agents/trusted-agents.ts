import { realpathSync } from 'node:fs';
import { AgentFolder } from '../../src/agents/agent-folder.js';
import { trustAgentsOnce } from '../../src/config/project.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

/** A project with these agent files, trusted as they are. */
export function projectWithAgents(files: Record<string, string | Uint8Array>): Workspace {
  const entries = Object.entries(files).map(([name, text]) => [`.teddy/agents/${name}`, text]);
  return trustAgentsOf(new Workspace(makeFolder(Object.fromEntries(entries))));
}

export function trustAgentsOf(workspace: Workspace): Workspace {
  trustAgentsOnce(
    realpathSync(workspace.root),
    AgentFolder.open(workspace, (folder) => folder.readForTrust()),
  );
  return workspace;
}
