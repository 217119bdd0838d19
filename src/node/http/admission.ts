import { errorCode } from '../errors.js';
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
    return { status: 'failed', reason: `has no address (${errorCode(error)})` };
  }
}

async function lookUp(host: string): Promise<Address[]> {
  const found = await process
    .getBuiltinModule('node:dns/promises')
    .lookup(host, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** A look-up cannot be stopped, only ignored. */
function beforeAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

// Which addresses are out on the public internet. After the registries of special-purpose addresses (IANA, RFC 6890).

export type AddressKind =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'metadata'
  | 'shared'
  | 'multicast'
  | 'reserved'
  | 'invalid';

/** An IPv6 address can contain the IPv4 address that it leads to, which is judged instead. */
type Verdict = AddressKind | { ipv4At: number };

/** The first match counts; no other address is special. */
const IPV4: [block: string, kind: AddressKind][] = [
  ['0.0.0.0/32', 'unspecified'],
  ['0.0.0.0/8', 'reserved'],
  ['10.0.0.0/8', 'private'],
  ['100.100.100.200/32', 'metadata'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'metadata'],
  ['169.254.169.254/32', 'metadata'],
  ['169.254.170.2/32', 'metadata'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
];

/** The first match counts; any other address is reserved. `ipv4At` is the offset in bits. */
const IPV6: [block: string, verdict: Verdict][] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::ffff:0:0/96', { ipv4At: 96 }],
  ['64:ff9b::/96', { ipv4At: 96 }],
  ['64:ff9b:1::/48', 'private'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved'],
  ['2002::/16', { ipv4At: 16 }],
  ['3fff::/20', 'reserved'],
  ['2000::/3', 'public'],
  ['fd00:ec2::254/128', 'metadata'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
];

/** Interface identifiers of ISATAP, which tunnels to the IPv4 address in the last 32 bits. */
const ISATAP = new Set([0x0000_5efen, 0x0200_5efen]);

/** The kind of an address, given without brackets. 'invalid' must be refused like everything that is not 'public'. */
export function classifyAddress(address: string): AddressKind {
  const ipv4 = parseIpv4(address);
  if (ipv4 !== undefined) return classifyIpv4(ipv4);
  const ipv6 = parseIpv6(address);
  return ipv6 === undefined ? 'invalid' : classifyIpv6(ipv6);
}

function classifyIpv4(address: bigint): AddressKind {
  return IPV4.find(([block]) => isInside(address, block, 32, parseIpv4))?.[1] ?? 'public';
}

function classifyIpv6(address: bigint): AddressKind {
  const verdict = IPV6.find(([block]) => isInside(address, block, 128, parseIpv6))?.[1] ?? 'reserved';
  if (typeof verdict === 'object') return classifyIpv4(bitsAt(address, verdict.ipv4At));
  const carriesIpv4 = verdict === 'public' && ISATAP.has(bitsAt(address, 64));
  return carriesIpv4 ? classifyIpv4(bitsAt(address, 96)) : verdict;
}

function isInside(
  address: bigint,
  block: string,
  width: number,
  parse: (text: string) => bigint | undefined,
): boolean {
  const [start, length] = block.split('/') as [string, string];
  const rest = BigInt(width - Number(length));
  return address >> rest === parse(start)! >> rest;
}

/** 32 bits of an IPv6 address. */
function bitsAt(address: bigint, offset: number): bigint {
  return (address >> BigInt(128 - offset - 32)) & 0xffff_ffffn;
}

/** Four decimal numbers; one with a leading zero is octal to some readers, and so not valid. */
function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const numbers = parts.map(Number);
  if (numbers.some((number) => number > 255)) return undefined;
  return numbers.reduce((sum, number) => sum * 256n + BigInt(number), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  const [address] = text.split('%', 1) as [string];
  const halves = address.split('::');
  if (halves.length > 2) return undefined;
  const [front, back] = halves.map((half, at) => parseGroups(half, at === halves.length - 1));
  if (front === undefined || (halves.length === 2 && back === undefined)) return undefined;
  const missing = 8 - front.length - (back?.length ?? 0);
  if (back === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = back === undefined ? front : [...front, ...new Array<bigint>(missing).fill(0n), ...back];
  return groups.reduce((sum, group) => sum * 0x1_0000n + group, 0n);
}

/** The groups on one side of `::`; the last two of all may be written as an IPv4 address. */
function parseGroups(text: string, isLast: boolean): bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const ipv4 = isLast ? parseIpv4(parts.at(-1)!) : undefined;
  const hex = ipv4 === undefined ? parts : parts.slice(0, -1);
  if (!hex.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  const groups = hex.map((part) => BigInt(`0x${part}`));
  return ipv4 === undefined ? groups : [...groups, ipv4 >> 16n, ipv4 & 0xffffn];
}
