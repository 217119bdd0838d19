import type { Socket } from 'node:net';

const ROOT_USER = 0;

/** Whether another user of this machine opened the connection. Only Linux shows a connection's owner. */
export function isOtherUser({ remoteAddress, remotePort, localPort }: Socket): boolean {
  if (remoteAddress === undefined || remotePort === undefined || localPort === undefined) return true;
  const own = process.getuid?.();
  const users = [...tableLines('tcp'), ...tableLines('tcp6')].flatMap((line) => {
    const [, local = '', remote = '', , , , , user] = line.trim().split(/\s+/);
    const isPeer =
      local.endsWith(`${hexAddress(remoteAddress)}:${hexPort(remotePort)}`) &&
      remote.endsWith(`:${hexPort(localPort)}`);
    return isPeer ? [Number(user)] : [];
  });
  return users.some((user) => user !== own && user !== ROOT_USER);
}

function tableLines(name: string): string[] {
  try {
    return process
      .getBuiltinModule('node:fs')
      .readFileSync(`/proc/net/${name}`, 'latin1')
      .split('\n')
      .slice(1);
  } catch {
    return [];
  }
}

/** As the kernel writes an IPv4 address, which is also the end of one that is mapped to IPv6. */
function hexAddress(address: string): string {
  return address
    .split('.')
    .reverse()
    .map((part) => hex(Number(part), 2))
    .join('');
}

function hexPort(port: number): string {
  return hex(port, 4);
}

function hex(value: number, width: number): string {
  return value.toString(16).toUpperCase().padStart(width, '0');
}
