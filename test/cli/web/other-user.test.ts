import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { NOBODY, noOtherUser } from '../teddy.js';
import { redeem, startServer } from './page-client.js';

const REDEEM = `
const [port, code, host] = process.argv.slice(1);
const origin = 'http://127.0.0.1:' + port;
const headers = { host: '127.0.0.1:' + port, origin, 'content-type': 'application/json' };
const sent = { host, port, path: '/api/session', method: 'POST', headers };
const request = require('node:http').request(sent, (response) => {
  console.log(response.statusCode);
  response.resume();
});
request.end(JSON.stringify({ code }));
`;

test.skipIf(noOtherUser)(`a code is worth nothing to another user who saw it${noOtherUser}`, async () => {
  const server = await startServer();
  for (const host of ['127.0.0.1', '::ffff:127.0.0.1']) {
    const words = ['-e', REDEEM, String(server.port), server.code, host];
    const other = spawnSync(process.execPath, words, {
      uid: NOBODY,
      encoding: 'utf8',
      cwd: '/',
      timeout: 20_000,
    });
    expect(other).toMatchObject({ stdout: '401\n' });
  }
  expect(await redeem(server, server.code)).toMatchObject({ status: 200 });
});
