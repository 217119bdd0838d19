import { Hono } from 'hono';
import { AnswerRefused } from '../../inbox/run-answers.js';
import { UserError } from '../../node/errors.js';
import type { Access } from './access.js';
import { AgentReviews } from './agent-reviews.js';
import type { ApiError, SessionStart } from './api.js';
import type { EventHub } from './events.js';
import { type ApiEnv, ApiProblem, readObject, replyJson, requireText } from './requests.js';
import { addRoutes } from './routes.js';
import { SessionWork } from './session-work.js';
import type { WebProject } from './web-project.js';

export interface ApiOptions {
  project: WebProject;
  version: string;
  /** A sentence that the user should see in the terminal. */
  onNotice(sentence: string): void;
}

export interface Api {
  app: Hono<ApiEnv>;
  /** Ends what it has started. */
  close(): Promise<void>;
}

/** Everything under `/api`: without a token, only the exchange of a code. */
export function buildApi(access: Access, hub: EventHub, { project, version, onNotice }: ApiOptions): Api {
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    if (c.req.method === 'POST' && c.req.path === '/api/session') return next();
    const session = access.sessionOf(c.req.header('authorization'));
    if (session === undefined) return refuseAccess(access, 'Open the link that teddy web printed.');
    c.env.onAccess();
    c.set('session', session);
    await next();
  });
  app.post('/api/session', async (c) => {
    const code = requireText(await readObject(c.req.raw, ['code']), 'code');
    // Other users can see the words that the browser is started with, and so the code.
    if (c.env.isOtherUser()) return refuseAccess(access, 'Another user opened this page.');
    const redeemed = access.redeem(code);
    if (redeemed.status === 'token') {
      c.env.onAccess();
      const start: SessionStart = { token: redeemed.token, root: project.workspace.root, version };
      return replyJson(start);
    }
    if (redeemed.again) {
      hub.endRevoked();
      onNotice(USED_TWICE);
    }
    return refuseAccess(access, 'This link was used before, or is not one of ours.');
  });
  const work = new SessionWork(project, hub);
  const reviews = new AgentReviews(project, hub);
  addRoutes(app, { project, hub, work, reviews, hasAccess: (session) => access.has(session) });
  app.notFound(() => replyJson({ error: 'There is nothing at this address.' } satisfies ApiError, 404));
  app.onError((error) => {
    if (error instanceof AnswerRefused) return replyJson({ error: error.message }, 400);
    if (error instanceof ApiProblem) return replyJson({ error: error.message }, error.status);
    if (error instanceof UserError) return replyJson({ error: error.message }, 409);
    return replyJson({ error: `This is a bug in teddy: ${error.message}` }, 500);
  });
  return { app, close: async () => void (await Promise.all([work.close(), reviews.close()])) };
}

const USED_TWICE =
  'A link was used twice: both pages that opened it are locked now. Press Enter for a new link.';

async function refuseAccess(access: Access, error: string): Promise<Response> {
  const isInTurn = await access.slowDown();
  return isInTurn ? replyJson({ error }, 401) : replyJson({ error: 'Too many wrong tokens.' }, 429);
}
