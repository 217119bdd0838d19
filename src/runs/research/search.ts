import { sleep } from '../../node/clock.js';
import type { JsonAnswer } from '../../node/http/service.js';
import { toPlainText } from './plain-text.js';
import { MOST_RESULTS, type RawResult, type SearchProvider, type SearchResult } from './provider.js';

export type Answered =
  | { status: 'found'; results: SearchResult[] }
  /** `reason` is a whole sentence. `hopeless`: no other query would fare better. */
  | { status: 'failed'; reason: string; hopeless: boolean };

const LONGEST_WAIT_MS = 5000;
const TOO_MANY_REQUESTS = 429;

/** One query. A service that asks for patience is asked once more. Never throws. */
export async function search(
  provider: SearchProvider,
  query: string,
  signal: AbortSignal,
): Promise<Answered> {
  let answer = await provider.ask(query, signal);
  if (httpStatusOf(answer) === TOO_MANY_REQUESTS) {
    await waitFor(retryAfterOf(answer), signal);
    answer = await provider.ask(query, signal);
  }
  return judge(answer, provider, signal);
}

function judge(answer: JsonAnswer, provider: SearchProvider, { aborted }: AbortSignal): Answered {
  const httpStatus = httpStatusOf(answer);
  if (httpStatus !== undefined && (httpStatus < 200 || httpStatus > 299)) {
    const hint = provider.hint?.(httpStatus) ?? HINTS[httpStatus];
    const reason = `${provider.name} answered with HTTP ${httpStatus}.${hint ? ` ${hint}` : ''}`;
    return { status: 'failed', reason, hopeless: httpStatus === 401 || httpStatus === 403 };
  }
  if (answer.status !== 'ok') {
    return { status: 'failed', reason: `${provider.name} ${answer.reason}.`, hopeless: aborted };
  }
  const raw = provider.listResults(answer.value);
  if (raw === undefined) {
    const reason = `${provider.name} answered with something that is no list of results.`;
    return { status: 'failed', reason, hopeless: false };
  }
  return { status: 'found', results: raw.flatMap(readResult).slice(0, MOST_RESULTS) };
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'It does not take the key.',
  403: 'It does not take the key.',
  429: 'It has been asked too often.',
};

/** What has no address that could be read is no result. */
function readResult({ url, title, snippet }: RawResult): SearchResult[] {
  if (typeof url !== 'string' || url.length > 2000 || !URL.canParse(url)) return [];
  if (!/^https?:\/\//i.test(url)) return [];
  const plain = (text: unknown, most: number) => (typeof text === 'string' ? toPlainText(text, most) : '');
  return [{ url, title: plain(title, 200), snippet: plain(snippet, 500) }];
}

function httpStatusOf(answer: JsonAnswer): number | undefined {
  return 'httpStatus' in answer ? answer.httpStatus : undefined;
}

function retryAfterOf(answer: JsonAnswer): number {
  return ('retryAfterMs' in answer ? answer.retryAfterMs : undefined) ?? 1000;
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.min(ms, LONGEST_WAIT_MS), undefined, { signal });
  } catch {}
}
