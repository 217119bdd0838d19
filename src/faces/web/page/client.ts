import type { ApiError, PageEvent, SessionStart } from '../api.js';

// The only file that speaks to the server. The token is kept for this tab, and nothing else is kept anywhere.

const TOKEN = 'teddy-token';

/** A request that the server refused, with its sentence; `status` 0: there was no answer. */
export class RequestFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function hasToken(): boolean {
  return sessionStorage.getItem(TOKEN) !== null;
}

export function hasCode(): boolean {
  return location.hash.startsWith('#c=');
}

/** Exchanges the link's code, which leaves the address first, for a token. */
export async function startSession(): Promise<void> {
  if (!hasCode()) return;
  const code = location.hash.slice('#c='.length);
  history.replaceState(null, '', location.pathname);
  const { token } = await send<SessionStart>('POST', '/api/session', { code });
  sessionStorage.setItem(TOKEN, token);
}

export function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  return request<T>(method, path, body === undefined ? undefined : JSON.stringify(body), false);
}

/** Outlives the page: for the last keystrokes before it closes. */
export function sendLast(method: string, path: string, body: unknown): Promise<unknown> {
  return request(method, path, JSON.stringify(body), true);
}

async function request<T>(
  method: string,
  path: string,
  body: string | undefined,
  keepalive: boolean,
): Promise<T> {
  const answer = await open(path, {
    method,
    keepalive,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  });
  const text = await answer.text();
  const value = text === '' ? null : (JSON.parse(text) as unknown);
  if (!answer.ok)
    throw new RequestFailure(answer.status, sentenceOf(value) ?? `teddy answered ${answer.status}.`);
  return value as T;
}

function sentenceOf(value: unknown): string | undefined {
  const sentence = (value as ApiError | null)?.error;
  return typeof sentence === 'string' ? sentence : undefined;
}

async function open(path: string, options: RequestInit): Promise<Response> {
  const token = sessionStorage.getItem(TOKEN);
  const headers = { ...options.headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
  try {
    return await fetch(path, {
      ...options,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
  } catch {
    throw new RequestFailure(0, 'teddy does not answer.');
  }
}

interface EventHandlers {
  opened(): void;
  received(event: PageEvent): void;
}

/** Reads events until the stream ends, and returns the id of the last one. */
export async function followEventStream(
  after: number,
  { opened, received }: EventHandlers,
  signal: AbortSignal,
): Promise<number> {
  const answer = await open(`/api/events?after=${after}`, { signal });
  if (!answer.ok || answer.body === null)
    throw new RequestFailure(answer.status, 'The stream of events is closed.');
  opened();
  let last = after;
  let rest = '';
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: '' }));
    if (done) return last;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const { id, data } = readBlock(block);
      if (id !== undefined) last = id;
      if (data !== undefined) received(JSON.parse(data) as PageEvent);
    }
  }
}

function readBlock(block: string): { id: number | undefined; data: string | undefined } {
  const values = (name: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
  const id = Number(values('id')[0] ?? Number.NaN);
  const data = values('data');
  return {
    id: Number.isSafeInteger(id) ? id : undefined,
    data: data.length === 0 ? undefined : data.join('\n'),
  };
}
