import type { Hono } from 'hono';
import { answerInbox, listInbox } from '../../inbox/inbox.js';
import { openTree } from '../../workspace/tree.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { Answered, Inbox } from './api.js';
import { readPostedAnswer } from './posted-answer.js';
import { type ApiEnv, ApiProblem, replyJson } from './requests.js';
import { listRunItems } from './run-views.js';

export interface WebProject {
  workspace: Workspace;
  /** Whether this user has seen the project's own config, policy and agent files. */
  isTrusted(): Promise<boolean>;
}

export function addRoutes(app: Hono<ApiEnv>, { workspace, isTrusted }: WebProject): void {
  const project = () => ({ workspace, tree: openTree(workspace.root) });
  app.get('/api/inbox', async () => {
    const questions = listInbox(project());
    const inbox: Inbox = { root: workspace.root, trusted: await isTrusted(), questions };
    return replyJson(inbox);
  });
  app.post('/api/questions/:id', async (c) => {
    const posted = await readPostedAnswer(c.req.raw);
    const { status } = answerInbox(project(), c.req.param('id'), posted, 'page');
    if (status === 'answered') throw new ApiProblem(409, 'This question is no longer open.');
    if (status === 'changed') throw new ApiProblem(409, 'What is asked has changed. Look at it again.');
    return replyJson({ status } satisfies Answered);
  });
  app.get('/api/runs', () => replyJson(listRunItems(workspace)));
}
