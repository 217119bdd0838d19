import type { Hono } from 'hono';
import { dropDraft, loadDraft, saveDraft } from '../../inbox/drafts.js';
import { answerInbox, type InboxProject, listInbox } from '../../inbox/inbox.js';
import { giveAnswer, listOpenQuestions } from '../../review/run-questions.js';
import { requestStop } from '../../runs/interrupts.js';
import { Sessions } from '../../sessions/turns/sessions.js';
import { openTree } from '../../workspace/tree.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { AgentReviews } from './agent-reviews.js';
import type { Answered, Draft, Inbox } from './api.js';
import { ChangeWatcher } from './change-watcher.js';
import type { EventHub } from './events.js';
import { readPostedAnswer } from './posted-answer.js';
import { type ApiEnv, ApiProblem, readObject, replyJson, requireText } from './requests.js';
import type { SessionWork } from './session-work.js';
import { listChangesItems, viewChanges } from './views/changesets.js';
import { viewMetricResults, viewMetrics } from './views/metrics.js';
import { listRunItems } from './views/run-state.js';
import { RunViews } from './views/runs.js';
import { listSessionItems, viewSession } from './views/sessions.js';
import { viewTask, viewTasks } from './views/tasks.js';
import { previewOnPage, undoOnPage } from './views/undo.js';
import type { WebProject } from './web-project.js';

export interface RouteContext {
  project: WebProject;
  hub: EventHub;
  work: SessionWork;
  reviews: AgentReviews;
  /** Whether a session's token is still good. */
  hasAccess(session: string): boolean;
}

export function addRoutes(app: Hono<ApiEnv>, context: RouteContext): void {
  addInbox(app, context);
  addRuns(app, context);
  addProject(app, context);
  addEvents(app, context);
}

function addInbox(app: Hono<ApiEnv>, { project: web, hub, work, reviews }: RouteContext): void {
  const { workspace, isTrusted, requireTrusted } = web;
  const openInbox = async (): Promise<InboxProject> => ({
    workspace,
    tree: openTree(workspace.root),
    config: await web.readConfig(),
    requireTrusted,
    continueSession: (session, next) => work.continue(session, next),
    reviewProposal: (proposal) => reviews.reviewProposal(proposal),
    reviewChanges: (id) => reviews.reviewChanges(id),
  });
  app.get('/api/inbox', async () => {
    const questions = listInbox(await openInbox());
    const inbox: Inbox = { root: workspace.root, trusted: await isTrusted(), questions };
    return replyJson(inbox);
  });
  app.post('/api/questions/:id', async (c) => {
    const id = c.req.param('id');
    const posted = await readPostedAnswer(c.req.raw);
    const { status } = await answerInbox(await openInbox(), id, posted, 'page');
    if (status === 'answered') throw new ApiProblem(409, 'This question is no longer open.');
    if (status === 'changed') throw new ApiProblem(409, 'What is asked has changed. Look at it again.');
    dropDraft(workspace, id);
    hub.send({ type: 'changed', what: 'inbox' });
    return replyJson({ status } satisfies Answered);
  });
  app.get('/api/questions/:id/draft', (c) =>
    replyJson({ text: loadDraft(workspace, c.req.param('id')) } satisfies Draft),
  );
  app.put('/api/questions/:id/draft', async (c) => {
    const id = c.req.param('id');
    const text = requireText(await readObject(c.req.raw, ['text']), 'text');
    const isMessage = id.startsWith(MESSAGE) && hasSession(workspace, id.slice(MESSAGE.length));
    if (!isMessage && !listInbox(await openInbox()).some((question) => question.id === id))
      throw new ApiProblem(409, 'This question is no longer open.');
    saveDraft(workspace, id, text);
    return replyJson({ text } satisfies Draft);
  });
}

function addRuns(app: Hono<ApiEnv>, { project: { workspace, readConfig }, hub }: RouteContext): void {
  const views = new RunViews(workspace);
  app.get('/api/changes', () => replyJson(listChangesItems(workspace)));
  app.get('/api/changes/:id', async (c) =>
    replyJson(found(await viewChanges(workspace, c.req.param('id'), await readConfig()))),
  );
  app.get('/api/runs', () => replyJson(listRunItems(workspace)));
  app.get('/api/runs/:id', async (c) => replyJson(found(views.view(c.req.param('id'), await readConfig()))));
  app.get('/api/runs/:id/actions/:number', (c) =>
    replyJson(found(views.detail(c.req.param('id'), Number(c.req.param('number'))))),
  );
  app.get('/api/runs/:id/undo', async (c) =>
    replyJson(found(await previewOnPage(workspace, c.req.param('id')))),
  );
  app.post('/api/runs/:id/undo', async (c) => {
    const hash = requireText(await readObject(c.req.raw, ['hash']), 'hash');
    const id = c.req.param('id');
    const undone = found(await undoOnPage(workspace, id, hash));
    hub.send({ type: 'changed', what: 'runs' });
    hub.send({ type: 'run', id });
    return replyJson(undone);
  });
  app.post('/api/runs/:id/stop', async (c) => {
    await readObject(c.req.raw, []);
    if (!stopRun(workspace, c.req.param('id'))) throw new ApiProblem(409, 'This run is over.');
    return replyJson({ status: 'accepted' } satisfies Answered);
  });
}

/** A run that waits for an answer is answered; one that runs a command ends it. */
function stopRun(workspace: Workspace, run: string): boolean {
  const open = listOpenQuestions(workspace).find((question) => question.run === run);
  if (open === undefined) return requestStop(workspace, run);
  const answer = { decision: 'quit', reason: null } as const;
  return giveAnswer(workspace, open, { hash: open.hash, face: 'page', answer }).status === 'accepted';
}

/** Sessions, tasks and metrics. */
function addProject(app: Hono<ApiEnv>, { project: { workspace, readConfig }, work }: RouteContext): void {
  const requireConfig = async () => {
    const config = await readConfig();
    if (config === undefined) throw new ApiProblem(409, 'The config of this project cannot be read.');
    return config;
  };
  app.get('/api/sessions', async () => replyJson(await listSessionItems(workspace)));
  app.get('/api/sessions/:name', async (c) => {
    const config = await readConfig();
    const describe = (name: string) => work.describe(name, config);
    return replyJson(found(await viewSession(workspace, c.req.param('name'), describe)));
  });
  app.post('/api/sessions/:name/message', async (c) => {
    const name = c.req.param('name');
    const body = await readObject(c.req.raw, ['hash', 'text']);
    const message = { hash: requireText(body, 'hash'), text: requireText(body, 'text') };
    if (!hasSession(workspace, name)) throw new ApiProblem(404, 'There is no such session.');
    await work.send(name, message);
    dropDraft(workspace, `${MESSAGE}${name}`);
    return replyJson({ status: 'accepted' } satisfies Answered);
  });
  app.post('/api/sessions/:name/stop', async (c) => {
    await readObject(c.req.raw, []);
    if (!work.stop(c.req.param('name'))) throw new ApiProblem(409, 'Nothing is under way here.');
    return replyJson({ status: 'accepted' } satisfies Answered);
  });
  app.get('/api/tasks/:id', async (c) =>
    replyJson(found(viewTask(workspace, await requireConfig(), c.req.param('id')))),
  );
  app.get('/api/tasks', async () => replyJson(viewTasks(workspace, await requireConfig())));
  app.get('/api/metrics', async () => replyJson(viewMetrics(workspace, await requireConfig())));
  app.get('/api/metrics/results', async () => replyJson(viewMetricResults(workspace, await requireConfig())));
}

function addEvents(app: Hono<ApiEnv>, { project: { workspace }, hub, hasAccess }: RouteContext): void {
  const watcher = new ChangeWatcher(workspace, hub);
  app.get('/api/events', (c) => {
    // Nothing would read the stream, or close it.
    if (c.req.method === 'HEAD') throw new ApiProblem(405, 'The stream of events can only be read.');
    const after = c.req.query('after') ?? '0';
    if (!/^\d{1,15}$/.test(after)) throw new ApiProblem(400, 'after must be a number.');
    const session = c.get('session');
    const response = hub.open(
      Number(after),
      () => hasAccess(session),
      () => watcher.rest(),
    );
    watcher.start();
    return response;
  });
}

/** Drafts of the next message of a session have this id. */
const MESSAGE = 'message:';

function hasSession(workspace: Workspace, name: string): boolean {
  return new Sessions(workspace).names().includes(name);
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new ApiProblem(404, 'There is nothing at this address.');
  return value;
}
