import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Access } from '../../../src/faces/web/access.js';
import type { Inbox } from '../../../src/faces/web/api.js';
import { buildApi } from '../../../src/faces/web/api-app.js';
import { EventHub } from '../../../src/faces/web/events.js';
import { UserError } from '../../../src/node/errors.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder } from '../../folder.js';
import { listDone, openFullProject } from './full-project.js';
import { jsonHeaders, type RunningServer, send, sendRaw } from './page-client.js';

// TRUST 14 to 17 for every route that the router has: a new one cannot be left out.

const HASH = 'f'.repeat(64);

/** A body that each route takes; null for those that read. */
const BODIES: Readonly<Record<string, object | null>> = {
  'POST /api/session': { code: 'A'.repeat(43) },
  'GET /api/inbox': null,
  'POST /api/questions/:id': { hash: HASH, decision: 'approve' },
  'GET /api/questions/:id/draft': null,
  'PUT /api/questions/:id/draft': { text: 'half a tho' },
  'GET /api/changes': null,
  'GET /api/changes/:id': null,
  'GET /api/runs': null,
  'GET /api/runs/:id': null,
  'GET /api/runs/:id/actions/:number': null,
  'GET /api/runs/:id/undo': null,
  'POST /api/runs/:id/undo': { hash: HASH },
  'POST /api/runs/:id/stop': {},
  'GET /api/sessions': null,
  'GET /api/sessions/:name': null,
  'POST /api/sessions/:name/message': { hash: HASH, text: 'hello' },
  'POST /api/sessions/:name/stop': {},
  'GET /api/tasks': null,
  'GET /api/tasks/:id': null,
  'GET /api/metrics': null,
  'GET /api/metrics/results': null,
  'GET /api/events': null,
};

interface Route {
  method: string;
  path: string;
  body: object | null;
}

const ROUTES = Object.entries(BODIES).map(([name, body]): Route => {
  const [method, path] = name.split(' ') as [string, string];
  return { method, path, body };
});

function fill({ path }: Route, id: string): string {
  return path.replace(/:\w+/g, encodeURIComponent(id));
}

function sendTo(server: RunningServer, route: Route, id: string, headers: Record<string, string | string[]>) {
  const body = route.body === null ? {} : { body: JSON.stringify(route.body) };
  return send(server, fill(route, id), { method: route.method, headers, ...body });
}

test('every route of the router is in this list', () => {
  const project = {
    workspace: new Workspace(makeFolder()),
    isTrusted: async () => false,
    readConfig: async () => undefined,
    requireTrusted: () => Promise.reject(new UserError('not trusted')),
  };
  const { app } = buildApi(new Access(), new EventHub(), { project, version: '0', onNotice: () => {} });
  const routes = app.routes.filter(({ method }) => method !== 'ALL').map((r) => `${r.method} ${r.path}`);
  expect(routes.sort()).toEqual(Object.keys(BODIES).sort());
});

/** Sizes and times of all files, without drafts and the files that are only locked. */
function mark(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map((each) => join(each.parentPath, each.name));
  return Object.fromEntries(
    paths
      .filter((path) => !/\/drafts\/|\/lock$/.test(path) && existsSync(path))
      .map((path) => [path, `${statSync(path).size} ${statSync(path).mtimeMs}`]),
  );
}

/** Every question is still open, nothing was done, and no model was asked. */
async function expectUntouched({ cwd, page, model, questions }: Full, before: Record<string, string>) {
  const inbox = await page.get<Inbox>('/api/inbox');
  expect(inbox.questions.map(({ id, hash }) => `${id} ${hash}`)).toEqual(
    questions.map(({ id, hash }) => `${id} ${hash}`),
  );
  expect(listDone(cwd)).toEqual([]);
  expect(existsSync(join(cwd, 'done.txt'))).toBe(true);
  expect(model.requests).toEqual([]);
  expect(mark(cwd)).toEqual(before);
}

type Full = Awaited<ReturnType<typeof openFullProject>>;

/** Ids that mean something somewhere, and ids that lead out of every folder. */
function idsOf({ questions, ended, work }: Full): string[] {
  const runs = questions.flatMap((question) => ('run' in question ? question.run : []));
  const real = [
    ...questions.map(({ id }) => id),
    ...runs,
    ended,
    work,
    'walk',
    'message:walk',
    '01-01:1',
    '1',
    '0',
  ];
  return [...real, '..', '../..', 'a/b', '\\', '\0', '__proto__', 'constructor', '%2e%2e', ' ', '-1', '1e9'];
}

describe('every route, against everyone else', () => {
  test('is refused without a token, with a wrong one, and to every other site', async () => {
    const full = await openFullProject();
    const { server, page, cwd } = full;
    const before = mark(cwd);
    const own = { ...page.headers, ...jsonHeaders(server) };
    const { origin: _, ...withoutOrigin } = own;
    for (const route of ROUTES) {
      const name = `${route.method} ${route.path}`;
      const statusOf = async (headers: Record<string, string | string[]>) =>
        [name, (await sendTo(server, route, 'walk', headers)).status] as const;
      if (route.path !== '/api/session')
        for (const headers of [jsonHeaders(server), { ...own, authorization: `Bearer ${'A'.repeat(43)}` }])
          expect(await statusOf(headers)).toEqual([name, 401]);
      for (const headers of [
        { ...own, host: 'rebound.example' },
        { ...own, host: `localhost:${server.port}` },
        { ...own, origin: 'http://rebound.example' },
        { ...own, origin: 'null' },
        { ...own, 'sec-fetch-site': 'cross-site' },
        { ...own, 'sec-fetch-site': 'none' },
      ])
        expect(await statusOf(headers)).toEqual([name, 403]);
      if (route.method === 'GET') continue;
      expect(await statusOf(withoutOrigin)).toEqual([name, 403]);
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json; charset=utf-7',
      ])
        expect(await statusOf({ ...own, 'content-type': type })).toEqual([name, 415]);
    }
    await expectUntouched(full, before);
  });

  test('takes its own method and its own keys, and nothing else', async () => {
    const full = await openFullProject();
    const { server, page, cwd } = full;
    const before = mark(cwd);
    const headers = { ...page.headers, ...jsonHeaders(server) };
    const known = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`));
    for (const route of ROUTES) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (known.has(`${method} ${route.path}`)) continue;
        const sent =
          method === 'GET'
            ? { method, headers }
            : { method, headers: { ...headers, 'content-length': '2' }, body: '{}' };
        const { status } = await send(server, fill(route, 'walk'), sent);
        expect([method, route.path, status]).toEqual([method, route.path, 404]);
      }
      if (route.body === null) continue;
      const wrong = [
        ...['', '{', 'null', '[]', '"x"', '1', '{"__proto__": {"hash": "x"}}'],
        ...['command', 'path', 'content', 'cwd', 'env', 'model', '__proto__', 'constructor'].map((key) =>
          JSON.stringify(route.body)
            .replace(/^\{/, `{${JSON.stringify(key)}: "x",`)
            .replace(',}', '}'),
        ),
        ...Object.keys(route.body).flatMap((key) =>
          [1, null, [], {}, true].map((value) => JSON.stringify({ ...route.body, [key]: value })),
        ),
        ...Object.keys(route.body).map((key) => JSON.stringify({ ...route.body, [key]: undefined })),
      ];
      for (const body of [...wrong, new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])]) {
        const { status } = await send(server, fill(route, 'walk'), { method: route.method, headers, body });
        expect([route.path, body, status]).toEqual([route.path, body, 400]);
      }
      const long = JSON.stringify({ hash: 'x'.repeat(1024 * 1024 + 1) });
      const sent = { method: route.method, headers, body: long };
      expect(await send(server, fill(route, 'walk'), sent).catch(() => ({ status: 413 }))).toMatchObject({
        status: 413,
      });
    }
    await expectUntouched(full, before);
  });

  test('answers every id with 4xx where it would change something, and never with a fault', async () => {
    const full = await openFullProject();
    const { server, page, cwd } = full;
    const before = mark(cwd);
    const headers = { ...page.headers, ...jsonHeaders(server) };
    const isStop = ({ path }: Route, id: string) => path === '/api/runs/:id/stop' && idIsRun(full, id);
    for (const route of ROUTES) {
      if (route.path === '/api/events') continue;
      for (const id of idsOf(full)) {
        if (isStop(route, id)) continue;
        const { status } = await sendTo(server, route, id, headers);
        const isRead = route.method === 'GET' || route.path.endsWith('/draft');
        const expected = isRead ? [200, 404, 409, 400] : [400, 401, 404, 409];
        expect([route.method, route.path, id, expected.includes(status) ? 'fine' : status]).toEqual([
          ...[route.method, route.path, id, 'fine'],
        ]);
      }
    }
    await expectUntouched(full, before);
  });

  test('reads only: HEAD and GET, also in a crowd and cut short, change nothing', async () => {
    const full = await openFullProject();
    const { server, page, cwd } = full;
    const before = mark(cwd);
    for (const route of ROUTES.filter(({ method, path }) => method === 'GET' && path !== '/api/events')) {
      const ids = [...idsOf(full)];
      for (const method of ['GET', 'HEAD'])
        await Promise.all(ids.map((id) => send(server, fill(route, id), { method, headers: page.headers })));
      const head = `GET ${fill(route, 'walk')} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`;
      await sendRaw(
        server,
        `${head}Authorization: ${page.headers.authorization}\r\nContent-Length: 5\r\nConnection: close\r\n\r\n{"a":`,
      );
    }
    await expectUntouched(full, before);
  });
});

function idIsRun({ questions }: Full, id: string): boolean {
  return questions.some((question) => 'run' in question && question.run === id);
}

describe('a fuzz of every route', () => {
  const RUNS = process.env.TEDDY_SOAK ? 10_000 : 500;

  test('whatever the ids and the bodies are, no answer is a fault, and without a hash nothing happens', async () => {
    const full = await openFullProject();
    const { server, page, cwd } = full;
    const before = mark(cwd);
    const ids = fc.oneof(
      fc.constantFrom(...idsOf(full)),
      fc
        .string({ unit: 'binary', minLength: 1, maxLength: 40 })
        .map((text) => text.replace(/[\ud800-\udfff]/g, '?')),
    );
    const words = fc.oneof(
      fc.constantFrom('approve', 'skip', 'rest', 'quit', 'edit', 'reply', 'action', 'result', HASH, ''),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    const values = fc.oneof(
      words,
      fc.jsonValue(),
      fc.array(fc.record({ line: fc.anything(), text: fc.anything() }), { maxLength: 4 }),
    );
    const keys = ['hash', 'decision', 'reason', 'text', 'edits', 'comments', 'keep', 'dropReasons', 'code'];
    const bodies = fc.oneof(
      fc.dictionary(fc.constantFrom(...keys), values),
      fc.record({ hash: words, decision: words, text: words }),
      fc.record({ hash: words, text: words }),
      fc.record({ hash: words }),
      fc.json(),
      fc.uint8Array({ maxLength: 300 }),
    );
    const routes = fc.constantFrom(
      ...ROUTES.filter(({ path }) => path !== '/api/events' && path !== '/api/session'),
    );
    const headers = { ...page.headers, ...jsonHeaders(server) };
    await fc.assert(
      fc.asyncProperty(routes, ids, bodies, async (route, id, given) => {
        if (route.path === '/api/runs/:id/stop' && idIsRun(full, id)) return;
        const body = given instanceof Uint8Array || typeof given === 'string' ? given : toJson(given);
        const sent = route.method === 'GET' ? { headers } : { method: route.method, headers, body };
        const { status } = await send(server, fill(route, id), sent);
        expect(status === 200 || (status >= 400 && status < 500)).toBe(true);
        if (status === 200) expect(route.method === 'GET' || route.path.endsWith('/draft')).toBe(true);
      }),
      { numRuns: RUNS },
    );
    await expectUntouched(full, before);
  });
});

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
