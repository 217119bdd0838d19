import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { jsonHeaders, PageClient, redeem, send, sendRaw, startServer } from './page-client.js';

// TRUST 14 to 17, as an attacker would try them: each of these requests is refused by one defence alone.

const PATHS = ['/', '/page.js', '/api/inbox', '/api/session', '/api/events', '/nothing'];

describe('TRUST 14: who may ask at all', () => {
  test('it listens on 127.0.0.1 and nowhere else', async () => {
    const server = await startServer();
    const port = server.port.toString(16).toUpperCase().padStart(4, '0');
    const listening = ['tcp', 'tcp6'].flatMap((name) =>
      readFileSync(`/proc/net/${name}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${port}`)),
    );
    expect(listening.map(([, local]) => local)).toEqual([`0100007F:${port}`]);
  });

  test.each([
    ['another name that leads here', 'rebound.example'],
    ['localhost, which is not the name in the link', 'localhost:PORT'],
    ['another port', '127.0.0.1:1'],
    ['a name that starts like ours', '127.0.0.1:PORT.example'],
    ['no port', '127.0.0.1'],
    ['other letters for the same address', '0x7f.1:PORT'],
  ])('a foreign Host is refused on every path and method: %s', async (_, host) => {
    const server = await startServer();
    const { headers: token } = await PageClient.open(server);
    const headers = { ...token, ...jsonHeaders(server), host: host.replace('PORT', String(server.port)) };
    for (const path of PATHS)
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS'])
        expect(await send(server, path, { method, headers })).toMatchObject({ status: 403 });
  });

  test('what follows a refused request gets no answer of its own', async () => {
    const server = await startServer();
    const own = `Host: 127.0.0.1:${server.port}\r\n`;
    for (let times = 0; times < 30; times++) {
      const text = await sendRaw(server, `OPTIONS /./ HTTP/1.1\r\n${own}\r\nnull`);
      expect(text.match(/HTTP\/1\.1 \d+/g) ?? []).toHaveLength(text === '' ? 0 : 1);
    }
  });

  test('no Host and two Hosts are refused', async () => {
    const server = await startServer();
    expect(await sendRaw(server, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 400/);
    expect(await sendRaw(server, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 403/);
    const own = `Host: 127.0.0.1:${server.port}\r\n`;
    const two = `GET / HTTP/1.1\r\n${own}Host: rebound.example\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(server, two)).toMatch(/^HTTP\/1.1 4/);
    const absolute = `GET http://rebound.example/ HTTP/1.1\r\n${own}Connection: close\r\n\r\n`;
    expect(await sendRaw(server, absolute)).toMatch(/^HTTP\/1.1 400/);
  });

  test.each([
    ['missing', undefined],
    ['null, as a sandboxed frame sends it', 'null'],
    ['of another site', 'http://rebound.example'],
    ['of another port of this machine', 'http://127.0.0.1:1'],
    ['with another scheme', 'https://127.0.0.1:PORT'],
  ])('a change needs our Origin; refused: %s', async (_, origin) => {
    const server = await startServer();
    const { headers: token } = await PageClient.open(server);
    const given = origin && { origin: origin.replace('PORT', String(server.port)) };
    const headers = { ...token, 'content-type': 'application/json', ...given };
    const sent = { method: 'POST', headers, body: '{}' };
    expect(await send(server, '/api/runs/x/stop', sent)).toMatchObject({ status: 403 });
    expect(await send(server, '/api/session', sent)).toMatchObject({ status: 403 });
  });

  test('a foreign Origin is refused for reading, too', async () => {
    const server = await startServer();
    const { headers } = await PageClient.open(server);
    const foreign = { headers: { ...headers, origin: 'http://rebound.example' } };
    expect(await send(server, '/api/inbox', foreign)).toMatchObject({ status: 403 });
  });

  test.each(['cross-site', 'same-site', 'none', 'SAME-ORIGIN'])(
    'Sec-Fetch-Site %s is refused, but for the page itself when it is typed',
    async (site) => {
      const server = await startServer();
      const page = await PageClient.open(server);
      const headers = { ...page.headers, 'sec-fetch-site': site };
      expect(await send(server, '/api/inbox', { headers })).toMatchObject({ status: 403 });
      expect(await send(server, '/page.js', { headers })).toMatchObject({ status: 403 });
      expect(await send(server, '/', { headers })).toMatchObject({ status: site === 'none' ? 200 : 403 });
    },
  );

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/plain; application/json',
    'application/json, text/plain',
  ])('a form of another site cannot post: %s', async (type) => {
    const server = await startServer();
    const { headers: token } = await PageClient.open(server);
    const headers = { ...token, origin: server.origin, 'content-type': type };
    const sent = { method: 'POST', headers, body: JSON.stringify({ code: server.code }) };
    expect(await send(server, '/api/session', sent)).toMatchObject({ status: 415 });
  });

  test('no answer has a header for other sites or a cookie, and none can be framed', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    const foreign = { headers: { origin: 'http://rebound.example' } };
    const replies = await Promise.all([
      send(server, '/'),
      send(server, '/page.js'),
      send(server, '/api/inbox', { headers: page.headers }),
      send(server, '/api/inbox'),
      send(server, '/api/inbox', foreign),
      send(server, '/api/inbox', { method: 'OPTIONS', ...foreign }),
    ]);
    for (const { headers } of replies) {
      expect(Object.keys(headers).filter((name) => /^access-control|^set-cookie/.test(name))).toEqual([]);
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });

  test('a request that expects something is refused like every other one, and gets nothing before that', async () => {
    const server = await startServer();
    const own = `Host: 127.0.0.1:${server.port}\r\n`;
    for (const expected of ['100-continue', 'something else'])
      for (const host of ['Host: rebound.example\r\n', own]) {
        const head = `POST /api/session HTTP/1.1\r\n${host}Expect: ${expected}\r\nContent-Length: 2\r\n\r\n`;
        expect(await sendRaw(server, head)).toMatch(/^HTTP\/1.1 403 Forbidden\r\ncontent-security-policy: /);
      }
  });

  test('a WebSocket is not opened, whatever it sends', async () => {
    const server = await startServer();
    const { token } = await PageClient.open(server);
    const head = [
      'GET /api/events HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      `Origin: ${server.origin}`,
      `Authorization: Bearer ${token}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ];
    expect(await sendRaw(server, `${head.join('\r\n')}\r\n\r\n`)).toBe('');
    expect(await sendRaw(server, `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${head[1]}\r\n\r\n`)).toBe('');
  });

  test('reading changes nothing: a GET of what a POST does is not found', async () => {
    // A run that came with the project: whoever looks at it may not have a key yet.
    const foreign = '.teddy/runs/20200101-000000-aaaa';
    const seal = `${'0'.repeat(64)}\n${JSON.stringify({ run: '20200101-000000-aaaa' })}\n`;
    const server = await startServer(
      makeFolder({ [`${foreign}/run.json`]: '{}', [`${foreign}/seal`]: seal }),
    );
    const { headers } = await PageClient.open(server);
    const before = readdirSync(server.cwd, { recursive: true }).sort();
    for (const path of ['/api/session', '/api/runs/x/stop', '/api/questions/x', '/api/sessions/x/message'])
      expect(await send(server, path, { headers })).toMatchObject({ status: 404 });
    const looks = ['inbox', 'runs', 'changes', 'sessions', 'tasks', 'metrics', 'metrics/results'];
    for (const path of [...looks, 'questions/x/draft', 'runs/x/undo', `runs/${foreign.split('/')[2]}`])
      await send(server, `/api/${path}`, { headers });
    expect(readdirSync(server.cwd, { recursive: true }).sort()).toEqual(before);
  });
});

describe('TRUST 15: tokens and codes', () => {
  test('every address of the API needs a token, also those that do not exist', async () => {
    const server = await startServer();
    const paths = [
      '/api/inbox',
      '/api/runs',
      '/api/runs/x',
      '/api/events',
      '/api/tasks',
      '/api/metrics',
      '/api/sessions',
    ];
    for (const path of [...paths, '/api', '/api/', '/api/nothing', '/API/inbox', '/nothing'])
      expect(await send(server, path)).toMatchObject({ status: 401 });
    const posted = { method: 'POST', headers: jsonHeaders(server), body: '{}' };
    expect(await send(server, '/api/questions/x', posted)).toMatchObject({ status: 401 });
  });

  test('a token in the query, in a cookie, cut short or with another scheme does not count', async () => {
    const server = await startServer();
    const { token } = await PageClient.open(server);
    expect(await send(server, `/api/inbox?token=${token}`)).toMatchObject({ status: 401 });
    const wrong = [
      { cookie: `token=${token}` },
      { authorization: `Basic ${token}` },
      { authorization: `Bearer ${token.slice(1)}` },
      { authorization: `Bearer ${token}x` },
      { authorization: 'Bearer ' },
      { 'x-token': token },
    ];
    for (const headers of wrong)
      expect(await send(server, '/api/inbox', { headers })).toMatchObject({ status: 401 });
  });

  test('a code gives a token once; its second use revokes that token, ends its stream and is reported', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    expect(await page.get('/api/inbox')).toEqual({ root: server.cwd, trusted: true, questions: [] });
    const events = await page.follow();
    expect(await redeem(server, server.code)).toMatchObject({ status: 401 });
    expect(await send(server, '/api/inbox', { headers: page.headers })).toMatchObject({ status: 401 });
    expect(server.notices()).toContain('A link was used twice');
    await events.ended;
  });

  test('a second tab needs a code of its own, which Enter prints', async () => {
    const server = await startServer();
    const first = await PageClient.open(server);
    server.process.stdin!.write('\n');
    const { url } = JSON.parse(await server.nextLine()) as { url: string };
    const second = await PageClient.open(server, url.split('#c=')[1]);
    expect(second.token).not.toBe(first.token);
    expect(await first.get('/api/runs')).toEqual([]);
    expect(await second.get('/api/runs')).toEqual([]);
  });

  test('a local program that tries the port learns nothing, and its guesses take turns', async () => {
    const server = await startServer();
    const page = await send(server, '/');
    expect(page.text).not.toContain(server.code);
    const started = performance.now();
    const guesses = Array.from({ length: 8 }, () => redeem(server, 'A'.repeat(43)));
    for (const reply of await Promise.all(guesses)) expect(reply.status).toBe(401);
    expect(performance.now() - started).toBeGreaterThan(8 * 200);
    const flood = Array.from({ length: 80 }, () => redeem(server, 'B'.repeat(43)));
    expect((await Promise.all(flood)).some(({ status }) => status === 429)).toBe(true);
    expect(await redeem(server, server.code)).toMatchObject({ status: 200 });
  });

  test('neither token nor code is in a file, in what is started, or in the words of the process', async () => {
    const server = await startServer();
    const { token } = await PageClient.open(server);
    const pid = server.process.pid!;
    const seen = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1'));
    const files = readdirSync(server.cwd, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    for (const text of [...seen, ...files, server.notices()]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(server.code);
    }
  });
});

describe('TRUST 16: what it takes and gives', () => {
  test.each([
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/package.json',
    '/page.js/../../package.json',
    '/./page/index.html',
    '/index.html',
    '/page.js%00.html',
    '/\\..\\package.json',
    '/api/runs/..%2f..%2fplan.md',
    '/api/runs/%2e%2e/%2e%2e',
    '/api/runs/20200101-000000-aaaa%2f..',
    '/api/runs/__proto__',
    '/api/runs/x/actions/../../..',
    '/api/questions/..%2fdraft/draft',
  ])('no path leads to a file: %s', async (path) => {
    const server = await startServer();
    const { headers } = await PageClient.open(server);
    const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`;
    const reply = await sendRaw(
      server,
      `${head}Authorization: ${headers.authorization}\r\nConnection: close\r\n\r\n`,
    );
    const isDraft = path.endsWith('/draft');
    expect(reply).toMatch(isDraft ? /\{"text":null\}$/ : /^HTTP\/1.1 4/);
    expect(reply).not.toContain('teddy-cli');
  });

  test('the page may load only what this server serves; styles need a nonce that changes', async () => {
    const server = await startServer();
    const policies = [await send(server, '/'), await send(server, '/')].map(
      ({ headers }) => headers['content-security-policy'] as string,
    );
    const [nonce, other] = policies.map((policy) => /'nonce-([a-z0-9]{32})'/.exec(policy)?.[1]);
    expect(nonce).toBeDefined();
    expect(other).not.toBe(nonce);
    expect(policies[0]!.replace(nonce!, 'N')).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'nonce-N'; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  test('a command, a path or another key in the body is refused', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    const answer = { hash: 'x', decision: 'approve' };
    for (const more of [{ command: 'id' }, { path: '/etc/passwd' }, { content: 'x' }, { cwd: '/' }])
      expect(await page.post('/api/questions/x', { ...answer, ...more })).toMatchObject({ status: 400 });
    expect(await page.post('/api/runs/x/undo', { path: '.' })).toMatchObject({ status: 400 });
  });
});
