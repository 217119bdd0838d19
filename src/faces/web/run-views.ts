import { listRuns } from '../../runs/run-list.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { RunItem } from './api.js';

export function listRunItems(workspace: Workspace): RunItem[] {
  return listRuns(workspace).map(({ id, title, startedAt, overall, undone, interrupted }) => ({
    id,
    title,
    startedAt,
    status: interrupted ? 'interrupted' : 'ended',
    overall,
    undone,
  }));
}
