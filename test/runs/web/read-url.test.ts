import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readUrl } from '../../../src/runs/web/read-url.js';
import { makeRunContext } from '../run-context.js';
import { serve } from '../serve.js';

/** A server with one document. */
const serveOne = (body: string | Uint8Array, contentType?: string) =>
  serve((_, response) => {
    if (contentType !== undefined) response.setHeader('content-type', contentType);
    response.end(body);
  });

async function readOne(body: string | Uint8Array, contentType?: string, context = makeRunContext()) {
  const origin = await serveOne(body, contentType);
  return { origin, done: await readUrl(`${origin}/doc`, 3, context) };
}

describe('text is read as it is', () => {
  test.each<[string | undefined, string | undefined]>([
    ['text/plain', undefined],
    ['text/plain; charset=utf-8', undefined],
    ['text/markdown', 'markdown'],
    ['application/json', 'json'],
    ['application/vnd.api+json; charset=utf-8', 'json'],
    ['application/xml', 'xml'],
    ['image/svg+xml', 'xml'],
    ['application/x-yaml', 'yaml'],
    ['text/css', 'css'],
    [undefined, undefined],
  ])('%s', async (contentType, language) => {
    const { origin, done } = await readOne('# Größe\n\n<b>5</b> < 6 &amp;\n', contentType);
    expect(done).toEqual({
      status: 'success',
      summary: `${origin}/doc was read.`,
      output: { text: '# Größe\n\n<b>5</b> < 6 &amp;\n', ...(language && { language }) },
    });
  });

  test.each<[string, Uint8Array, string | undefined]>([
    ['latin1, by the header', Buffer.from('Größe', 'latin1'), 'text/plain; charset=ISO-8859-1'],
    ['utf-16, by the header', Buffer.from('Größe', 'utf16le'), 'text/plain; charset=utf-16le'],
    ['utf-16, by its mark', Buffer.from('\ufeffGröße', 'utf16le'), 'text/plain; charset=utf-8'],
    ['utf-8 with a mark', Buffer.from('\ufeffGröße'), 'text/plain; charset=latin1'],
  ])('%s', async (_, bytes, contentType) => {
    const { done } = await readOne(bytes, contentType);
    expect(done.output).toEqual({ text: 'Größe' });
    expect(done.notes).toBeUndefined();
  });

  test('what could not be decoded is noted', async () => {
    const { done } = await readOne(Buffer.from('Größe', 'latin1'), 'text/plain');
    expect(done).toMatchObject({
      output: { text: 'Gr\ufffd\ufffde' },
      notes: [expect.stringContaining('\ufffd')],
    });
    const unknown = await readOne('text', 'text/plain; charset=klingon');
    expect(unknown.done).toMatchObject({
      output: { text: 'text' },
      notes: [expect.stringContaining('"klingon"')],
    });
  });

  test('a long one is head and tail, and whole in a file, masked', async () => {
    const secret = ['ghp_', 'R4nd0mT0k3nQxZ7bYv', 'K2mWpLs8HdFgJc1eUa'].join('');
    const lines = Array.from({ length: 1000 }, (_, at) => `${at} ${secret}\n`).join('');
    const context = makeRunContext({ execute: { outputLines: 4 } });
    const masked = context.redactor.mask(secret);
    const mask = (text: string) => text.replaceAll(secret, masked);
    expect(masked).toMatch(/^\[masked:/);
    const { done } = await readOne(lines, 'text/plain', context);
    const file = `${context.outputs.shown}/3-content.txt`;
    expect(done.output).toEqual({
      text: `0 ${masked}\n1 ${masked}\n[… 996 of 1,000 lines left out; all of it is in ${file} …]\n998 ${masked}\n999 ${masked}\n`,
      whole: { file, bytes: mask(lines).length, lines: 1000 },
    });
    expect(readFileSync(join(context.root, file), 'utf8')).toBe(mask(lines));
  });

  test('an empty one', async () => {
    expect((await readOne('', 'text/plain')).done).toMatchObject({ status: 'success', output: { text: '' } });
  });
});

describe('what is not read', () => {
  test.each([
    ['image/png', 'is image/png, which is not text'],
    ['application/octet-stream', 'is application/octet-stream, which is not text'],
    ['application/pdf', 'is application/pdf, which is not text'],
    ['nonsense', 'is nonsense, which is not text'],
  ])('%s', async (contentType, reason) => {
    const { origin, done } = await readOne('some text', contentType);
    const sentence = `${origin}/doc ${reason}.`;
    expect(done).toEqual({ status: 'failure', summary: sentence, error: { text: `${sentence}\n` } });
  });

  test('bytes that call themselves text', async () => {
    const { done } = await readOne(Uint8Array.from([65, 0, 66]), 'text/plain');
    expect(done).toMatchObject({ status: 'failure', summary: expect.stringContaining('is binary') });
  });

  test.each([400, 401, 404, 410, 429, 500, 503])('HTTP %i', async (status) => {
    const origin = await serve((_, response) => void response.writeHead(status).end('<h1>Oh no</h1>'));
    const done = await readUrl(origin, 1, makeRunContext());
    expect(done).toMatchObject({ status: 'failure', summary: `${origin} answered with HTTP ${status}.` });
    expect(done.output).toBeUndefined();
  });

  test('a private address, unless allowed', async () => {
    let asked = 0;
    const origin = await serve((_, response) => {
      asked++;
      response.end('text');
    });
    const done = await readUrl(origin, 1, makeRunContext({ read: { allowPrivate: false } }));
    expect(done).toMatchObject({
      status: 'failure',
      summary: `${origin} leads to 127.0.0.1, which is not a public address (loopback). To allow it, set \`read.allowPrivate: true\` in the config.`,
    });
    expect(asked).toBe(0);
  });

  test('more than the limit', async () => {
    const { done } = await readOne(
      'x'.repeat(1001),
      'text/plain',
      makeRunContext({ read: { maxBytes: 1000 } }),
    );
    expect(done).toMatchObject({
      status: 'failure',
      summary: expect.stringContaining('is larger than 1000 bytes'),
    });
  });

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'http://user:word@127.0.0.1/', 'nonsense'])(
    '%s',
    async (url) => {
      expect(await readUrl(url, 1, makeRunContext())).toMatchObject({ status: 'failure' });
    },
  );

  test('nothing, once it is stopped', async () => {
    const abort = new AbortController();
    const origin = await serve(() => abort.abort());
    const done = await readUrl(origin, 1, makeRunContext({ signal: abort.signal }));
    expect(done).toMatchObject({ status: 'failure', summary: `${origin} was not waited for.` });
  });
});

test('a redirect is followed, and the page says where it came from', async () => {
  const origin = await serve((request, response) => {
    if (request.url === '/old') response.writeHead(302, { location: '/new/page' }).end();
    else
      response.setHeader('content-type', 'text/html').end('<title>Moved</title><p>See <a href="x">this</a>.');
  });
  const { output } = await readUrl(`${origin}/old`, 1, makeRunContext());
  expect(output).toEqual({
    text: `# Moved\n\nSource: <${origin}/new/page>\n\nSee [this](${origin}/new/x).\n`,
    language: 'markdown',
  });
});
