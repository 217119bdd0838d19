import type { Hono } from 'hono';
import type { Workspace } from '../../workspace/workspace.js';
import type { Inbox } from './api.js';
import { type ApiEnv, replyJson } from './requests.js';
import { listRunItems } from './run-views.js';

export interface WebProject {
  workspace: Workspace;
  /** Whether this user has seen the project's own config, policy and agent files. */
  isTrusted(): Promise<boolean>;
}

export function addRoutes(app: Hono<ApiEnv>, { workspace, isTrusted }: WebProject): void {
  app.get('/api/inbox', async () => {
    const inbox: Inbox = { root: workspace.root, trusted: await isTrusted(), questions: [] };
    return replyJson(inbox);
  });
  app.get('/api/runs', () => replyJson(listRunItems(workspace)));
}
