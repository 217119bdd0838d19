import { requestJson } from '../../node/http/service.js';
import { ASKING, endpoint, field, listAt, MOST_RESULTS, type SearchProvider } from './provider.js';

const ADDRESS = 'https://api.search.brave.com';

export function createBrave({ key, url = ADDRESS }: { key: string; url?: string }): SearchProvider {
  return {
    name: 'Brave',
    ask(query, signal) {
      const address = endpoint(url, '/res/v1/web/search');
      address?.searchParams.set('q', query);
      address?.searchParams.set('count', String(MOST_RESULTS));
      return requestJson(address?.href ?? url, {
        ...ASKING,
        method: 'GET',
        headers: { 'x-subscription-token': key },
        signal,
      });
    },
    // Where nothing is found there is no `web` at all.
    listResults: (value) =>
      field(value, 'type') === 'search' && field(value, 'web') === undefined
        ? []
        : listAt(value, ['web', 'results'], 'description'),
  };
}
