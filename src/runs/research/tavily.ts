import { requestJson } from '../../node/http/service.js';
import { ASKING, endpoint, listAt, MOST_RESULTS, type SearchProvider } from './provider.js';

const ADDRESS = 'https://api.tavily.com';

export function createTavily({ key, url = ADDRESS }: { key: string; url?: string }): SearchProvider {
  return {
    name: 'Tavily',
    ask: (query, signal) =>
      requestJson(endpoint(url, '/search')?.href ?? url, {
        ...ASKING,
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: { query, max_results: MOST_RESULTS },
        signal,
      }),
    listResults: (value) => listAt(value, ['results'], 'content'),
  };
}
