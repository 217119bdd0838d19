import { describe, expect, test } from 'vitest';
import { jsonHeaders, PageClient, redeem, send, startServer } from './page-client.js';

// TRUST 14 and 15: who is let in. Each request here but one is what an attacker would send.

describe('before routing', () => {
  test.each([
    ['another name that leads here', 'rebound.example'],
    ['localhost, which is not the name in the link', 'localhost:PORT'],
    ['another port', '127.0.0.1:1'],
    ['a name that starts like ours', '127.0.0.1:PORT.example'],
    ['no port', '127.0.0.1'],
  ])('Host is refused on every path: %s', async (_, host) => {
    const server = await startServer();
    const headers = { host: host.replace('PORT', String(server.port)) };
    for (const path of ['/', '/api/inbox', '/api/session', '/nothing'])
      expect(await send(server, path, { headers })).toMatchObject({ status: 403 });
    const posted = { method: 'POST', headers: { ...jsonHeaders(server), ...headers }, body: '{}' };
    expect(await send(server, '/api/session', posted)).toMatchObject({ status: 403 });
  });
});

describe('tokens', () => {
  test('a code gives a token once; its second use revokes that token and is reported in the terminal', async () => {
    const server = await startServer();
    const page = await PageClient.open(server);
    expect(await page.get('/api/inbox')).toEqual({ root: server.cwd, trusted: true, questions: [] });
    expect(await redeem(server, server.code)).toMatchObject({ status: 401 });
    expect(await send(server, '/api/inbox', { headers: page.headers })).toMatchObject({ status: 401 });
    expect(server.notices()).toContain('A link was used twice');
  });
});
