// What a confined program may not ask of the kernel, because no mount and no namespace would keep it from an answer: a
// filter for seccomp, as classic BPF. Pure.

interface Machine {
  architecture: number;
  /** Calls from here on are those of another convention, with other numbers. */
  foreign?: number;
  ioctl: number;
  socket: number;
  refused: readonly number[];
}

/**
 * By Node's name for the processor. Refused, in this order: add_key, request_key, keyctl, syslog, perf_event_open,
 * open_by_handle_at, bpf, userfaultfd, and io_uring_setup, which would make sockets unseen.
 */
const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    architecture: 0xc000003e,
    foreign: 0x40000000,
    ioctl: 16,
    socket: 41,
    refused: [248, 249, 250, 103, 298, 304, 321, 323, 425],
  },
  arm64: {
    architecture: 0xc00000b7,
    ioctl: 29,
    socket: 198,
    refused: [217, 218, 219, 116, 241, 265, 280, 282, 425],
  },
};

/** They type into a terminal. The kernel reads 32 bits of the request, and so does the filter. */
const TYPING_REQUESTS = [0x5412, 0x541c];
/** UNIX, INET, INET6, NETLINK. Others, such as VSOCK, know nothing of network namespaces. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
/** Where the kernel has the number of a call, its architecture, and its first two arguments. */
const [CALL, ARCHITECTURE, FIRST, SECOND] = [0, 4, 16, 24];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (at: number): Instruction => [0x20, 0, 0, at];
const allow: Instruction = [0x06, 0, 0, 0x7fff0000];
const refuse = (error: number): Instruction => [0x06, 0, 0, 0x00050000 + error];
const whenEqual = (value: number, then: readonly Instruction[]): Instruction[] => [
  [0x15, 0, then.length, value],
  ...then,
];
const whenAtLeast = (value: number, then: readonly Instruction[]): Instruction[] => [
  [0x35, 0, then.length, value],
  ...then,
];

/** As bubblewrap takes it; undefined for a processor whose calls are not listed. Programs of other ones do not run. */
export function systemCallFilter(processor: string): Uint8Array | undefined {
  const machine = Object.hasOwn(MACHINES, processor) ? MACHINES[processor]! : undefined;
  if (machine === undefined) return undefined;
  const { architecture, foreign, ioctl, socket, refused } = machine;
  return encode([
    load(ARCHITECTURE),
    [0x15, 1, 0, architecture],
    refuse(ENOSYS),
    load(CALL),
    ...(foreign === undefined ? [] : whenAtLeast(foreign, [refuse(ENOSYS)])),
    ...refused.flatMap((call) => whenEqual(call, [refuse(EPERM)])),
    ...whenEqual(ioctl, [
      load(SECOND),
      ...TYPING_REQUESTS.flatMap((request) => whenEqual(request, [refuse(EPERM)])),
      allow,
    ]),
    ...whenEqual(socket, [
      load(FIRST),
      ...SOCKET_FAMILIES.flatMap((family) => whenEqual(family, [allow])),
      refuse(EAFNOSUPPORT),
    ]),
    allow,
  ]);
}

function encode(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [at, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, ifTrue);
    view.setUint8(at * 8 + 3, ifFalse);
    view.setUint32(at * 8 + 4, value, true);
  }
  return bytes;
}
