import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Address } from './admit.js';

export type HttpRequest = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Where to connect to; the name is for the Host header and the certificate only. */
  addresses: Address[];
  connectMs?: number | undefined;
  signal: AbortSignal;
};

const CONNECT_MS = 10_000;

/** What went wrong, in words that complete the sentence "<url> …". */
export class ExchangeError extends Error {}

/** Asks, and resolves when the head of the answer is there. Rejects with whatever went wrong. */
export async function openExchange(url: URL, question: HttpRequest): Promise<IncomingMessage> {
  const { method, headers, body, addresses, connectMs = CONNECT_MS, signal } = question;
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    // No agent: a connection kept from before would not have been checked.
    const outgoing = request(url, { method, headers, signal, agent: false, lookup: pin(addresses) });
    const patience = setTimeout(
      () => outgoing.destroy(new ExchangeError(`could not be reached in ${connectMs / 1000} s`)),
      connectMs,
    );
    outgoing.once('socket', (socket) => {
      const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(connected, () => clearTimeout(patience));
    });
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.once('close', () => {
      clearTimeout(patience);
      // An upgrade that nobody asked for ends the request without an error.
      reject(new ExchangeError('broke off the connection'));
    });
    outgoing.end(body);
  });
}

function pin(addresses: Address[]): LookupFunction {
  return (_, { all }, callback) => {
    const [first] = addresses as [Address];
    if (all) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}
