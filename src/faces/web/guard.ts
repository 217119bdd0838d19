import type { PlainResponse, RequestHead } from '../../node/http/local-server.js';

// What every request must be, whatever its path. A page of another site, or a name that leads to this machine, does not
// get past it; a missing header never counts as a good one.

const SAFE_METHODS = ['GET', 'HEAD'];
const JSON_TYPE = /^application\/json(?:\s*;\s*charset=utf-8)?$/i;

/** Headers of every answer. The page may load only what this server serves, and only this page may show it. */
export function securityHeaders(nonce?: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    ...(nonce === undefined
      ? []
      : [
          "script-src 'self'",
          "connect-src 'self'",
          "img-src 'self'",
          `style-src 'nonce-${nonce}'`,
          "require-trusted-types-for 'script'",
        ]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}

/** Why a request is refused before it is routed; undefined where it may pass. */
export function refuseRequest(head: RequestHead, port: number): PlainResponse | undefined {
  const problem = findProblem(head, `127.0.0.1:${port}`);
  if (problem === undefined) return undefined;
  return {
    status: problem.status,
    headers: { ...securityHeaders(), 'content-type': 'application/json' },
    body: JSON.stringify({ error: problem.error }),
  };
}

function findProblem(head: RequestHead, host: string): { status: number; error: string } | undefined {
  const { method, target } = head;
  const hosts = head.header('host');
  if (hosts.length !== 1 || hosts[0] !== host) return refused('This server has another name.');
  const origins = head.header('origin');
  const isOurs = origins.length === 1 && origins[0] === `http://${host}`;
  if (origins.length > 0 && !isOurs) return refused('The request comes from another site.');
  const sites = head.header('sec-fetch-site');
  const isPage = target === '/' && SAFE_METHODS.includes(method);
  if (!sites.every((site) => site === 'same-origin' || (site === 'none' && isPage)))
    return refused('The request comes from another site.');
  if (!isPlainPath(target, host)) return { status: 400, error: 'The address must be a plain path.' };
  if (SAFE_METHODS.includes(method)) return undefined;
  if (!isOurs) return refused('The request does not name its origin.');
  const types = head.header('content-type');
  if (types.length !== 1 || !JSON_TYPE.test(types[0]!))
    return { status: 415, error: 'The content type must be application/json.' };
  return undefined;
}

/** Without dots, slashes or hosts that mean another path than the one that is written. */
function isPlainPath(target: string, host: string): boolean {
  const path = target.split('?', 1)[0]!;
  const url = URL.canParse(target, `http://${host}`) ? new URL(target, `http://${host}`) : undefined;
  return path.startsWith('/') && url?.host === host && url.pathname === path;
}

function refused(error: string): { status: number; error: string } {
  return { status: 403, error };
}
