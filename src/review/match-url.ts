import { matchComponents, type UrlGlob } from '../core/glob.js';

/** For an allow: the address as it will be opened, without a name or password in it. */
export function coversUrl(glob: UrlGlob, target: string): boolean {
  // Where two readers of an address could disagree about its host.
  if (/[\s\\\p{C}]/u.test(target)) return false;
  const url = readUrl(target);
  if (url?.username !== '' || url.password !== '') return false;
  return matchesPlace(glob, url) && matchComponents(glob.rest, restOf(url).split('/'));
}

/** For a deny and an ask: also another port, a path that is written with escapes, and all that lies below. */
export function findsUrl(glob: UrlGlob, target: string): boolean {
  const url = readUrl(target);
  // What is no address at all cannot be told from the one that is denied.
  if (!url) return true;
  const open: UrlGlob = glob.port === '' ? { ...glob, port: '*' } : glob;
  if (!matchesPlace(open, url)) return false;
  const rest = restOf(url);
  const below = [...(isRootPage(glob) ? [] : glob.rest), '**'] as const;
  return [rest, unescapeRest(rest)].some((each) => matchComponents(below, each.split('/')));
}

function isRootPage({ rest: [first, ...others] }: UrlGlob): boolean {
  return others.length === 0 && first !== '**' && first?.join('*') === '';
}

function matchesPlace({ scheme, host, port }: UrlGlob, url: URL): boolean {
  if (scheme !== '*' && `${scheme}:` !== url.protocol) return false;
  if (port !== '*' && port !== url.port) return false;
  return matchComponents(host, url.hostname.replace(/\.$/, '').split('.'));
}

function readUrl(target: string): URL | undefined {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  return new URL(target);
}

/** Path and query, without the first slash; what stands behind `#` is not sent. */
function restOf({ pathname, search }: URL): string {
  return `${pathname.slice(1)}${search}`;
}

function unescapeRest(rest: string): string {
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}
