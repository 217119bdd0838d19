import type { ResearchAction } from '../../core/plan/types.js';
import type { Done } from '../../core/report/record.js';
import { shorten } from '../../core/shorten.js';
import { failure } from '../failure.js';
import type { RunContext } from '../run-context.js';
import type { RunSettings } from '../settings.js';
import { createBrave } from './brave.js';
import type { SearchProvider, SearchResult } from './provider.js';
import { type Answered, search } from './search.js';
import { createSearxng } from './searxng.js';
import { createTavily } from './tavily.js';

const MOST_QUERIES = 20;

/**
 * Carries a RESEARCH out: every query, one after the other, and all results as one JSON array. A success when at
 * least one query was answered and nothing interrupted it; the others are noted. Never throws.
 */
export async function research({ queries }: ResearchAction, hands: RunContext): Promise<Done> {
  const chosen = chooseProvider(hands);
  if (chosen.status === 'refused') return failure(chosen.reason);
  const { provider, key } = chosen;
  const hide = hider(key, hands);

  const answers: { query: string; answer: Answered }[] = [];
  for (const query of queries.slice(0, MOST_QUERIES)) {
    const answer = await search(provider, query, hands.signal);
    answers.push({ query, answer });
    if (answer.status === 'failed' && answer.hopeless) break;
  }
  const found = answers.flatMap(({ query, answer }) =>
    answer.status === 'found' ? answer.results.map((result) => ({ query, ...result })) : [],
  );
  const notes = describeTrouble(queries, answers).map(hide);
  const answered = answers.filter(({ answer }) => answer.status === 'found').length;
  const output = { text: writeResults(found, hide), language: 'json' };
  if (hands.signal.aborted && answers.at(-1)?.answer.status === 'failed') {
    const why = `The research was interrupted: ${answered} of ${queries.length} queries were answered.`;
    return { ...failure([why, ...notes].join('\n')), ...(answered > 0 && { output }) };
  }
  if (answered === 0) return failure(['The research gave nothing.', ...notes].join('\n'));
  return {
    status: 'success',
    summary: `${provider.name} gave ${found.length === 1 ? '1 result' : `${found.length} results`}.`,
    output,
    ...(notes.length > 0 && { notes }),
  };
}

/** `reason` is a sentence, maybe with lines below it. */
type Chosen =
  | { status: 'chosen'; provider: SearchProvider; key: string }
  | { status: 'refused'; reason: string };

const HOW_TO_CONFIGURE = `No search service is configured.
Name one in .teddy/config.yaml:

research:
  provider: searxng
  url: http://localhost:8080

or one that wants a key, with the name of the environment variable that holds it:

research:
  provider: brave    # or tavily
  keyEnv: BRAVE_API_KEY`;

/** Why no RESEARCH can be done, as a sentence, maybe with lines below it. */
export function refuseResearch(
  settings: Pick<RunSettings, 'research'>,
  environment: RunContext['environment'],
): string | undefined {
  const chosen = chooseProvider({ settings, environment });
  return chosen.status === 'refused' ? chosen.reason : undefined;
}

function chooseProvider({
  settings,
  environment,
}: {
  settings: Pick<RunSettings, 'research'>;
  environment: RunContext['environment'];
}): Chosen {
  const chosen = settings.research;
  if (chosen === null) return { status: 'refused', reason: HOW_TO_CONFIGURE };
  if (chosen.provider === 'searxng') return { status: 'chosen', provider: createSearxng(chosen), key: '' };
  const key = environment[chosen.keyEnv]?.trim() ?? '';
  if (key === '') {
    const reason = `The environment variable ${chosen.keyEnv} is not set: it has to hold the key for ${chosen.provider}.`;
    return { status: 'refused', reason };
  }
  const create = chosen.provider === 'brave' ? createBrave : createTavily;
  return { status: 'chosen', provider: create({ ...chosen, key }), key };
}

/** A service may send back what it was sent. */
function hider(key: string, { redactor }: RunContext): (text: string) => string {
  if (key === '') return (text) => redactor.mask(text);
  const masked = redactor.mask(key);
  const instead = masked.includes(key) ? '[masked]' : masked;
  return (text) => redactor.mask(text.replaceAll(key, () => instead));
}

function describeTrouble(
  queries: readonly string[],
  answers: readonly { query: string; answer: Answered }[],
): string[] {
  const unasked = queries.length - answers.length;
  return [
    ...answers.flatMap(({ query, answer }) => {
      const about = JSON.stringify(shorten(query, 200));
      if (answer.status === 'failed') return [`The query ${about} failed: ${answer.reason}`];
      return answer.results.length === 0 ? [`Nothing was found for ${about}.`] : [];
    }),
    ...(unasked > 0
      ? [
          `${unasked === 1 ? '1 query was' : `${unasked} queries were`} not asked (at most ${MOST_QUERIES} are, and none after a refusal or an interruption).`,
        ]
      : []),
  ];
}

/** One result a line. */
function writeResults(
  results: readonly (SearchResult & { query: string })[],
  hide: (text: string) => string,
): string {
  if (results.length === 0) return '[]\n';
  const lines = results.map(({ query, url, title, snippet }) => {
    const [q, u, t, s] = [query, url, title, snippet].map((text) => JSON.stringify(hide(text)));
    return `  {"query": ${q}, "url": ${u}, "title": ${t}, "snippet": ${s}}`;
  });
  return `[\n${lines.join(',\n')}\n]\n`;
}
