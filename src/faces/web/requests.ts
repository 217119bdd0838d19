import { isJsonObject } from '../../core/json/values.js';
import { MB } from '../../node/files.js';
import { securityHeaders } from './guard.js';

const MOST_BYTES = MB;

/** What routes are given with a request. */
export interface ApiEnv {
  /** `onAccess`: the request had a token. `isOtherUser`: another user of this machine sent it. */
  Bindings: { onAccess(): void; isOtherUser(): boolean };
  Variables: { session: string };
}

/** A request that cannot be answered: a status from 400 to 499, and one sentence. */
export class ApiProblem extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429,
    message: string,
  ) {
    super(message);
  }
}

/** The JSON object in the body, of at most 1 MB, with no other keys than these. */
export async function readObject(
  request: Request,
  keys: readonly string[],
): Promise<Record<string, unknown>> {
  const value = parse(await readText(request));
  if (!isJsonObject(value)) throw new ApiProblem(400, 'The body must be a JSON object.');
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new ApiProblem(400, `The body has an unknown key; known are ${keys.join(', ')}.`);
  return value;
}

/** A text of the body. */
export function requireText(body: Record<string, unknown>, key: string): string {
  const value = body[key];
  if (typeof value === 'string') return value;
  throw new ApiProblem(400, `${key} must be a text.`);
}

async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = request.body?.getReader();
  let text = '';
  let length = 0;
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      length += read.value.length;
      if (length > MOST_BYTES) throw new ApiProblem(413, 'The body is larger than 1 MB.');
      text += decoder.decode(read.value, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof ApiProblem) throw error;
    throw new ApiProblem(400, 'The body is not UTF-8 text, or was cut short.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiProblem(400, 'The body is not JSON.');
  }
}

export function replyJson(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { ...securityHeaders(), 'content-type': 'application/json' },
  });
}
