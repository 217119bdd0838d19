import { requestJson } from '../../node/http/service.js';
import { ASKING, endpoint, listAt, type SearchProvider } from './provider.js';

/** An instance of SearXNG, which knows no keys. */
export function createSearxng({ url }: { url: string }): SearchProvider {
  return {
    name: 'SearXNG',
    ask(query, signal) {
      const address = endpoint(url, '/search');
      address?.searchParams.set('q', query);
      address?.searchParams.set('format', 'json');
      return requestJson(address?.href ?? url, { ...ASKING, method: 'GET', signal });
    },
    listResults: (value) => listAt(value, ['results'], 'content'),
    hint: (httpStatus) =>
      httpStatus === 403 ? 'Its settings.yml has to list json under search.formats.' : undefined,
  };
}
