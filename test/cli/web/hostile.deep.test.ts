import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ActionDetail, Inbox, InboxQuestion, RunView } from '../../../src/faces/web/api.js';
import { proposedText } from '../../../src/review/question.js';
import { makeFolder } from '../../folder.js';
import { createAction, executeAction, planOf } from '../execute/program.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { jsonHeaders, PageClient, type RunningServer, send, sendRaw, startServer } from './page-client.js';

const MB = 1024 * 1024;

async function isWell(page: PageClient): Promise<void> {
  expect(await page.get('/api/runs')).toBeInstanceOf(Array);
  expect(page.server.process.exitCode).toBe(null);
}

describe('TRUST 17: limits', () => {
  test('a body of more than 1 MB is refused, announced or not, whole or in chunks', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    const headers = { ...page.headers, ...jsonHeaders(server) };
    for (const size of [MB + 1, 10 * MB]) {
      const body = JSON.stringify({ hash: 'x'.repeat(size), decision: 'approve' });
      const sent = { method: 'POST', headers, body };
      const chunked = { ...sent, headers: { ...headers, 'transfer-encoding': 'chunked' } };
      for (const each of [sent, chunked]) {
        const reply = await send(server, '/api/questions/x', each).catch(() => ({ status: 413 }));
        expect(reply).toMatchObject({ status: 413 });
      }
    }
    await isWell(page);
  });

  test('lines of 10 MB: in the address, in a header, in a method, without an end', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    const long = 'x'.repeat(10 * MB);
    const host = `Host: 127.0.0.1:${server.port}\r\n`;
    for (const bytes of [
      `GET /${long} HTTP/1.1\r\n${host}\r\n`,
      `GET / HTTP/1.1\r\n${host}X-Long: ${long}\r\n\r\n`,
      `${long} / HTTP/1.1\r\n${host}\r\n`,
      long,
    ])
      expect(await sendRaw(server, bytes)).toMatch(/^(?:HTTP\/1.1 4|$)/);
    await isWell(page);
  });

  test('a client that sends a byte now and then is cut off; others are served meanwhile', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    const slow = openSocket(server);
    const closed = new Promise((resolve) => slow.on('close', resolve));
    slow.write('GET / HTTP/1.1\r\n');
    const drip = setInterval(() => slow.write('X-A: b\r\n'), 500);
    onTestFinished(() => clearInterval(drip));
    await isWell(page);
    await closed;
    await isWell(page);
  });

  test('a page that stops reading its events does not fill the memory of the server', async () => {
    const cwd = makeFolder({ 'plan.md': planOf('Loud', executeAction(LOUD)), '.git/HEAD': '' });
    const server = await startServer(cwd);
    const page = await PageClient.open(server);
    const deaf = openSocket(server);
    deaf.pause();
    deaf.write(
      `GET /api/events?after=0 HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${page.headers.authorization}\r\n\r\n`,
    );
    const words = [process.execPath, TEDDY, 'execute', 'plan.md', '--no-copy', '--yes'];
    const terminal = new TestTerminal(words, { cwd });
    await terminal.ended;
    await isWell(page);
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(400 * 1024);
  });

  test('500 connections that send nothing do not keep the page out', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    const sockets = Array.from({ length: 500 }, () => openSocket(server));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.on('connect', resolve))));
    // The oldest of them make room.
    await Promise.all(
      sockets
        .slice(0, 300)
        .map((socket) => socket.closed || new Promise((resolve) => socket.on('close', resolve))),
    );
    expect(sockets.slice(-100).filter((socket) => socket.destroyed)).toEqual([]);
    for (let times = 0; times < 5; times++) await isWell(page);
    const events = await page.follow();
    const more = Array.from({ length: 300 }, () => openSocket(server));
    await Promise.all(more.map((socket) => new Promise((resolve) => socket.on('connect', resolve))));
    await isWell(page);
    expect(events.isOpen).toBe(true);
  });

  test('no more than 32 streams are open at once', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    for (let count = 0; count < 32; count++) await page.follow();
    await expect(page.follow()).rejects.toThrow('429');
    await isWell(page);
  });
});

const LOUD = 'i=0; while [ $i -lt 40 ]; do head -c 262144 /dev/zero | tr "\\0" x; echo; i=$((i+1)); done';

function openSocket({ port }: RunningServer): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

describe.skipIf(noPython)(`TRUST 16: what a model writes${noPython}`, () => {
  test('markup, bidirectional characters and escape sequences arrive as they are, as JSON alone', async () => {
    const nasty = '<script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u001b]0;x\u0007\u2066&amp;"\'';
    const plan = planOf(
      nasty,
      createAction('a.txt', `${nasty}\n`),
      executeAction(`printf '%s' '${nasty.replaceAll("'", '')}'`),
    ).replace('A file.', nasty);
    const cwd = makeFolder({ 'plan.md': plan, '.git/HEAD': '' });
    const server = await startServer(cwd);
    const page = await PageClient.open(server);
    const words = [process.execPath, TEDDY, 'execute', 'plan.md', '--no-copy'];
    const terminal = new TestTerminal(words, { cwd, columns: 100, rows: 50 });
    const first = await nextQuestion(page, () => true);
    const run = 'run' in first ? first.run : '';
    expect(first.title).toBe(nasty);
    const view = await page.get<RunView>(`/api/runs/${run}`);
    expect(view.plan?.title).toBe(nasty);
    const detail = await page.get<ActionDetail>(`/api/runs/${run}/actions/1`);
    expect(proposedText(detail.question!)).toMatchObject({ after: `${nasty}\n` });
    for (const path of ['/api/inbox', '/api/runs', `/api/runs/${run}`, `/api/runs/${run}/actions/1`]) {
      const { headers } = await send(server, path, { headers: page.headers });
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
      });
    }
    const comment = { line: 1, text: nasty };
    await page.post(`/api/questions/${first.id}`, {
      hash: first.hash,
      decision: 'skip',
      reason: nasty,
      comments: [comment],
    });
    const second = await nextQuestion(page, ({ id }) => id !== first.id);
    await page.post(`/api/questions/${second.id}`, { hash: second.hash, decision: 'approve' });
    await terminal.ended;
    const ended = await page.get<RunView>(`/api/runs/${run}`);
    expect(ended.actions.map(({ status }) => status)).toEqual(['skipped', 'success']);
    const record = (await page.get<ActionDetail>(`/api/runs/${run}/actions/1`)).record;
    expect(record?.decision).toEqual({ status: 'skipped', by: 'person', reason: nasty, comments: [comment] });
  });
});

async function nextQuestion(
  page: PageClient,
  fits: (question: InboxQuestion) => boolean,
): Promise<InboxQuestion> {
  for (;;) {
    const found = (await page.get<Inbox>('/api/inbox')).questions.find(fits);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a fuzz of the API', () => {
  const RUNS = process.env.TEDDY_SOAK ? 5000 : 300;
  const paths = fc.oneof(
    fc.webPath().map((path) => `/api${path}`),
    fc
      .string({ unit: 'binary', maxLength: 60 })
      .map((text) => `/${encodeURIComponent(text.replace(/[\ud800-\udfff]/g, '?'))}`),
  );
  const bodies = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 2000 }),
    fc
      .record({ hash: fc.string(), decision: fc.string(), text: fc.anything(), comments: fc.anything() })
      .map((value) => {
        try {
          return JSON.stringify(value) ?? '';
        } catch {
          return '';
        }
      }),
    fc.constant('['.repeat(500_000)),
  );

  test('whatever is sent, no answer is a fault of the server, and it goes on', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    const methods = fc.constantFrom(
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
    );
    await fc.assert(
      fc.asyncProperty(paths, methods, bodies, fc.boolean(), async (path, method, body, hasToken) => {
        const headers = { ...jsonHeaders(server), ...(hasToken ? page.headers : {}) };
        if (!hasToken && path !== '/') return;
        const sent = method === 'GET' || method === 'HEAD' ? { method, headers } : { method, headers, body };
        const { status } = await send(server, path, sent);
        expect(status === 200 || (status >= 400 && status < 500)).toBe(true);
      }),
      { numRuns: RUNS },
    );
    await isWell(page);
  });

  test('bytes that are not HTTP', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 500 }), async (bytes) => {
        const end = new TextEncoder().encode('\r\n\r\n');
        // The server waits ten seconds for the rest of what may become a request, such as an empty line.
        const answer = await sendRaw(server, new Uint8Array([...bytes, ...end]), { ends: true });
        expect(answer).toMatch(/^(?:HTTP\/1.1 4|$)/);
      }),
      // fast-check counts down to zero, and would miss it with a fraction.
      { numRuns: Math.round(RUNS / 3) },
    );
    await isWell(page);
  });
});
