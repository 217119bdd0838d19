import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The origin of a real server, closed after the test. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close(() => {}).closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
