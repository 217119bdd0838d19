import { classifyAddress } from './address.js';

export type Address = { address: string; family: 4 | 6 };

/** `reason` completes the sentence "<url> …". */
export type Refused = {
  status: 'refused';
  reason: string;
  /** Refused for its address alone: a setting can allow it. */
  isPrivate?: true;
};
export type Failed = { status: 'failed'; reason: string };

/** The addresses are the only ones that may be connected to: the name is not looked up again. */
type Admission = { status: 'admitted'; addresses: Address[] } | Refused | Failed;
export type Admit = (url: URL, signal: AbortSignal) => Promise<Admission>;

/** Text that came from outside, as an address that we would ask. */
export function parseUrl(text: string): { status: 'url'; url: URL } | Refused {
  if (!URL.canParse(text)) return { status: 'refused', reason: 'is not a URL' };
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { status: 'refused', reason: 'is neither http nor https' };
  }
  if (url.username !== '' || url.password !== '') {
    return { status: 'refused', reason: 'holds a user name or password' };
  }
  return { status: 'url', url };
}

/** One address of a name that is not public refuses them all: such a name is made to deceive, or points inside. */
export function admitter({ allowPrivate }: { allowPrivate: boolean }): Admit {
  return async (url, signal) => {
    const found = await findAddresses(url, signal);
    if (found.status !== 'admitted' || allowPrivate) return found;
    for (const { address } of found.addresses) {
      const kind = classifyAddress(address);
      if (kind !== 'public') {
        const reason = `leads to ${address}, which is not a public address (${kind})`;
        return { status: 'refused', reason, isPrivate: true };
      }
    }
    return found;
  };
}

async function findAddresses(url: URL, signal: AbortSignal): Promise<Admission> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const literal = process.getBuiltinModule('node:net').isIP(host);
  if (literal !== 0) return { status: 'admitted', addresses: [{ address: host, family: literal as 4 | 6 }] };
  try {
    const addresses = await beforeAbort(lookUp(host), signal);
    if (addresses.length > 0) return { status: 'admitted', addresses };
    return { status: 'failed', reason: 'has no address' };
  } catch (error) {
    if (signal.aborted) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : error;
    return { status: 'failed', reason: `has no address (${code})` };
  }
}

async function lookUp(host: string): Promise<Address[]> {
  const found = await process
    .getBuiltinModule('node:dns/promises')
    .lookup(host, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** A look-up cannot be stopped, only left alone. */
function beforeAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
