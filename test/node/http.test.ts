import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Admit, admitter } from '../../src/node/http/admission.js';
import { type FetchOptions, fetchAdmitted, fetchUrl, readRedirect } from '../../src/node/http/fetch-url.js';
import { requestJson } from '../../src/node/http/service.js';

const OPTIONS: FetchOptions = { timeoutMs: 20_000, maxBytes: 100_000, allowPrivate: true };

/** The origin of a real server. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close(() => {}).closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One that speaks no HTTP of its own. */
async function serveRaw(speak: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    speak(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const text = (fetched: { bytes?: Uint8Array }) => Buffer.from(fetched.bytes ?? []).toString();
const whenAsked = (answer: string) => (socket: Socket) => socket.once('data', () => socket.write(answer));

describe('fetchUrl', () => {
  test('gives body, type and where it came from', async () => {
    const origin = await serve((_, response) => {
      response.setHeader('content-type', 'Text/HTML; charset="UTF-8"').end('hello');
    });
    const fetched = await fetchUrl(`${origin}/a b?q=1#part`, OPTIONS);
    expect(fetched).toMatchObject({
      status: 'ok',
      finalUrl: `${origin}/a%20b?q=1#part`,
      httpStatus: 200,
      contentType: 'text/html',
      charset: 'utf-8',
    });
    expect(text(fetched as { bytes: Uint8Array })).toBe('hello');
  });

  test('another HTTP status is an answer too', async () => {
    const origin = await serve((_, response) => void response.writeHead(404).end('nothing here'));
    expect(await fetchUrl(origin, OPTIONS)).toMatchObject({ status: 'ok', httpStatus: 404 });
  });

  test.each([
    ['gzip', gzipSync('packed')],
    ['x-gzip', gzipSync('packed')],
    ['deflate', deflateSync('packed')],
    ['br', brotliCompressSync('packed')],
    ['BR', brotliCompressSync('packed')],
    ['identity', Buffer.from('packed')],
    ['', Buffer.from('packed')],
  ])('%s is decoded', async (encoding, body) => {
    const origin = await serve(
      (_, response) => void response.setHeader('content-encoding', encoding).end(body),
    );
    const fetched = await fetchUrl(origin, OPTIONS);
    expect(text(fetched as { bytes: Uint8Array })).toBe('packed');
  });

  test('an empty body is empty, whatever its encoding', async () => {
    const origin = await serve((_, response) => void response.setHeader('content-encoding', 'gzip').end());
    expect(await fetchUrl(origin, OPTIONS)).toMatchObject({ status: 'ok', bytes: Buffer.alloc(0) });
  });

  test.each([
    ['unknown', 'zip', Buffer.from('x'), 'is encoded as "zip", which is not known here'],
    ['broken', 'gzip', Buffer.from('not gzip'), 'could not be read (Z_DATA_ERROR)'],
    ['cut short', 'gzip', gzipSync('packed').subarray(0, 15), 'could not be read (Z_BUF_ERROR)'],
  ])('an encoding that is %s fails', async (_, encoding, body, reason) => {
    const origin = await serve(
      (_, response) => void response.setHeader('content-encoding', encoding).end(body),
    );
    expect(await fetchUrl(origin, OPTIONS)).toEqual({ status: 'failed', reason });
  });

  test.each<[string, string]>([
    ['file:///etc/passwd', 'is neither http nor https'],
    ['ftp://example.org/', 'is neither http nor https'],
    ['data:text/plain,hello', 'is neither http nor https'],
    ['javascript:alert(1)', 'is neither http nor https'],
    ['http://user:word@example.org/', 'holds a user name or password'],
    ['https://user@example.org/', 'holds a user name or password'],
    ['/etc/passwd', 'is not a URL'],
    ['http://', 'is not a URL'],
    ['http://[::1', 'is not a URL'],
    ['http://a b/', 'is not a URL'],
    ['http://999.1.1.1/', 'is not a URL'],
    ['', 'is not a URL'],
  ])('%s is refused', async (url, reason) => {
    expect(await fetchUrl(url, OPTIONS)).toEqual({ status: 'refused', reason });
  });

  test('a private address is refused unless allowed, and not asked', async () => {
    let asked = 0;
    const origin = await serve((_, response) => {
      asked++;
      response.end();
    });
    expect(await fetchUrl(origin, { ...OPTIONS, allowPrivate: false })).toEqual({
      status: 'refused',
      reason: 'leads to 127.0.0.1, which is not a public address (loopback)',
      isPrivate: true,
    });
    expect(asked).toBe(0);
  });

  test('nobody there', async () => {
    const origin = await serve(() => {});
    const gone = origin.replace(/\d+$/, '1');
    expect(await fetchUrl(gone, OPTIONS)).toEqual({ status: 'failed', reason: 'refuses connections' });
  });

  test('headers that cannot be sent', async () => {
    const origin = await serve((_, response) => void response.end());
    const fetched = await fetchUrl(origin, { ...OPTIONS, headers: { 'x-a': 'line\nbreak' } });
    expect(fetched).toMatchObject({ status: 'failed' });
  });
});

describe('the address that was checked is the one that is asked', () => {
  /** Stands in for a name in the public internet: our servers are on loopback. */
  const publicName: Admit = async (url, signal) =>
    url.hostname.endsWith('.public.test')
      ? { status: 'admitted', addresses: [{ address: '127.0.0.1', family: 4 }] }
      : admitter({ allowPrivate: false })(url, signal);

  test('the name is not looked up again, and is sent as the host', async () => {
    const origin = await serve((request, response) => void response.end(request.headers.host));
    const { port } = new URL(origin);
    const fetched = await fetchAdmitted(`http://a.public.test:${port}/`, OPTIONS, publicName);
    expect(text(fetched as { bytes: Uint8Array })).toBe(`a.public.test:${port}`);
  });

  test('a redirect to a private address is refused', async () => {
    let asked = 0;
    const inside = await serve((_, response) => {
      asked++;
      response.end('secret');
    });
    const origin = await serve(
      (_, response) => void response.writeHead(302, { location: `${inside}/keys` }).end(),
    );
    const url = `http://a.public.test:${new URL(origin).port}/`;
    expect(await fetchAdmitted(url, OPTIONS, publicName)).toEqual({
      status: 'refused',
      reason: `leads to ${inside}/keys, which leads to 127.0.0.1, which is not a public address (loopback)`,
      isPrivate: true,
    });
    expect(asked).toBe(0);
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:10.0.0.1]/',
    'http://localhost/',
    'http://0x7f.1/',
    '//127.0.0.1/',
    'file:///etc/passwd',
    'http://user:word@a.public.test/',
    'gopher://127.0.0.1/',
    'http://[broken',
  ])('nor to %s', async (location) => {
    const origin = await serve((_, response) => void response.writeHead(307, { location }).end());
    const url = `http://a.public.test:${new URL(origin).port}/`;
    expect(await fetchAdmitted(url, OPTIONS, publicName)).toMatchObject({ status: 'refused' });
  });
});

describe('redirects', () => {
  test('five are followed, relative ones too', async () => {
    const origin = await serve((request, response) => {
      const step = Number(request.url!.slice(1));
      if (step === 5) response.end('there');
      else response.writeHead(301, { location: `./${step + 1}` }).end('a body that nobody reads');
    });
    expect(await fetchUrl(`${origin}/0`, OPTIONS)).toMatchObject({ status: 'ok', finalUrl: `${origin}/5` });
  });

  test('six are not', async () => {
    const origin = await serve((_, response) => void response.writeHead(302, { location: '/' }).end());
    expect(await fetchUrl(origin, OPTIONS)).toEqual({
      status: 'failed',
      reason: 'redirects more than 5 times',
    });
  });

  test('the body of one is not read, however long', async () => {
    const origin = await serve((request, response) => {
      if (request.url !== '/') return void response.end('there');
      response.writeHead(302, { location: '/there' });
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(100_000)));
      };
      response.on('drain', write);
      write();
    });
    expect(await fetchUrl(origin, OPTIONS)).toMatchObject({ status: 'ok', finalUrl: `${origin}/there` });
  });

  test('one without Location is an answer', async () => {
    const origin = await serve((_, response) => void response.writeHead(302).end('where?'));
    expect(await fetchUrl(origin, OPTIONS)).toMatchObject({ status: 'ok', httpStatus: 302 });
  });

  test("the caller's headers stay with the first origin", async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    const first = await serve((request, response) => {
      seen.push(request.headers.authorization);
      const location = request.url === '/' ? '/here' : other;
      response.writeHead(302, { location }).end();
    });
    await fetchUrl(first, { ...OPTIONS, headers: { Authorization: 'Bearer x' } });
    expect(seen).toEqual(['Bearer x', 'Bearer x', undefined]);
  });

  test('none leads from https to http', () => {
    const from = new URL('https://example.org/a');
    expect(readRedirect(from, 'http://example.org/')).toMatchObject({ status: 'refused' });
    expect(readRedirect(from, '//other.example/')).toMatchObject({ status: 'url' });
    expect(readRedirect(new URL('http://example.org'), 'https://example.org/')).toMatchObject({
      status: 'url',
    });
  });
});

describe('limits', () => {
  const large = 'x'.repeat(200_000);

  test.each<[string, RequestListener]>([
    ['announced', (_, response) => void response.setHeader('content-length', large.length).end(large)],
    [
      'not announced',
      (_, response) => {
        response.write(large);
        response.end();
      },
    ],
    [
      'endless',
      (_, response) => {
        const write = () => {
          while (!response.destroyed && response.write(large));
        };
        response.on('drain', write);
        write();
      },
    ],
    ['a gzip bomb', (_, response) => void response.setHeader('content-encoding', 'gzip').end(bomb)],
    ['a brotli bomb', (_, response) => void response.setHeader('content-encoding', 'br').end(brotliBomb)],
    [
      'endless, and empty once decoded',
      (_, response) => {
        response.setHeader('content-encoding', 'gzip');
        const empty = Buffer.concat(new Array(1000).fill(gzipSync('')));
        const write = () => {
          while (!response.destroyed && response.write(empty));
        };
        response.on('drain', write);
        write();
      },
    ],
  ])('a body that is %s', async (_, answer) => {
    const origin = await serve(answer);
    expect(await fetchUrl(origin, OPTIONS)).toEqual({
      status: 'failed',
      reason: 'is larger than 100000 bytes',
    });
  });
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const brotliBomb = brotliCompressSync(Buffer.alloc(5_000_000));

  test('exactly the limit is let through', async () => {
    const origin = await serve((_, response) => void response.end('x'.repeat(100_000)));
    expect(await fetchUrl(origin, OPTIONS)).toMatchObject({ status: 'ok' });
  });

  test.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['stops in its body', (_, response) => void response.write('some')],
    ['drips', (_, response) => dripInto(response)],
    ['redirects to itself, slowly', (_, response) => redirectSlowly(response)],
  ])('a server that %s', async (_, answer) => {
    const origin = await serve(answer);
    const fetched = await fetchUrl(origin, { ...OPTIONS, timeoutMs: 200 });
    expect(fetched).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('did not answer in 0.2 s'),
    });
  });

  test('a head that never ends', async () => {
    const address = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write(`x-${'a'.repeat(1000)}: b\r\n`), 1);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await fetchUrl(`http://${address}`, OPTIONS)).toEqual({
      status: 'failed',
      reason: 'could not be read (HPE_HEADER_OVERFLOW)',
    });
  });

  test('a handshake that is not answered', async () => {
    const address = await serveRaw(() => {});
    expect(await fetchUrl(`https://${address}`, { ...OPTIONS, connectMs: 100 })).toEqual({
      status: 'failed',
      reason: 'could not be reached in 0.1 s',
    });
  });

  test('abort, before and during', async () => {
    const abort = new AbortController();
    const origin = await serve(() => abort.abort());
    const aborted = { status: 'failed', reason: 'was not waited for' };
    expect(await fetchUrl(origin, { ...OPTIONS, signal: abort.signal })).toEqual(aborted);
    expect(await fetchUrl(origin, { ...OPTIONS, signal: abort.signal })).toEqual(aborted);
  });

  function dripInto(response: { write(text: string): void; on(event: 'close', listener: () => void): void }) {
    const timer = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(timer));
  }

  function redirectSlowly(response: Parameters<RequestListener>[1]) {
    setTimeout(() => response.writeHead(302, { location: '/' }).end(), 90);
  }
});

describe('broken servers', () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  test.each([
    ['no chunk size', `${chunked}zz\r\nabc\r\n`],
    ['a chunk longer than said', `${chunked}2\r\nabcdef\r\n0\r\n\r\n`],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'length and chunks',
      `HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
  ])('%s', async (_, answer) => {
    const address = await serveRaw(whenAsked(answer));
    expect(await fetchUrl(`http://${address}`, OPTIONS)).toMatchObject({ status: 'failed' });
  });

  test.each([
    ['before its answer', ''],
    ['in its head', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['in a chunk', `${chunked}5\r\nab`],
    ['before the last chunk', `${chunked}2\r\nab\r\n`],
    ['short of its length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab'],
  ])('one that breaks off %s', async (_, answer) => {
    const address = await serveRaw((socket) => socket.once('data', () => socket.end(answer)));
    expect(await fetchUrl(`http://${address}`, OPTIONS)).toMatchObject({ status: 'failed' });
  });

  test('https where only http is spoken', async () => {
    const origin = await serve((_, response) => void response.end());
    expect(await fetchUrl(origin.replace('http', 'https'), OPTIONS)).toMatchObject({ status: 'failed' });
  });
});

describe('requestJson', () => {
  const request = { method: 'POST', timeoutMs: 20_000, maxBytes: 1000, trusted: true } as const;

  test('sends and reads JSON, at a private address', async () => {
    const origin = await serve(async (incoming, response) => {
      const chunks = await incoming.toArray();
      const { method, headers } = incoming;
      const seen = { method, type: headers['content-type'], key: headers['x-key'] };
      response.end(JSON.stringify({ ...seen, body: JSON.parse(Buffer.concat(chunks).toString()) }));
    });
    const answer = await requestJson(origin, { ...request, headers: { 'X-Key': 'k' }, body: { q: 'grüße' } });
    expect(answer).toEqual({
      status: 'ok',
      httpStatus: 200,
      value: { method: 'POST', type: 'application/json', key: 'k', body: { q: 'grüße' } },
    });
  });

  test("a service's own error is an answer", async () => {
    const origin = await serve((_, response) => void response.writeHead(429).end('{"error":"slow down"}'));
    expect(await requestJson(origin, { ...request, method: 'GET' })).toEqual({
      status: 'ok',
      httpStatus: 429,
      value: { error: 'slow down' },
    });
  });

  test.each<[string, RequestListener, string]>([
    [
      'no JSON',
      (_, response) => void response.writeHead(502).end('<html>'),
      'did not answer with JSON (HTTP 502)',
    ],
    ['nothing', (_, response) => void response.writeHead(204).end(), 'did not answer with JSON (HTTP 204)'],
    ['too much', (_, response) => void response.end(`"${'x'.repeat(1000)}"`), 'is larger than 1000 bytes'],
    [
      'a redirect',
      (_, response) => void response.writeHead(307, { location: 'http://elsewhere/' }).end(),
      'answers with a redirect to http://elsewhere/, which is not followed',
    ],
  ])('%s is said', async (_, answer, reason) => {
    expect(await requestJson(await serve(answer), request)).toMatchObject({ reason });
  });

  test('what cannot be sent, or asked, is said', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const origin = await serve((_, response) => void response.end('{}'));
    expect(await requestJson(origin, { ...request, body: circle })).toMatchObject({ status: 'failed' });
    expect(await requestJson('file:///etc/passwd', request)).toMatchObject({ status: 'refused' });
  });
});
