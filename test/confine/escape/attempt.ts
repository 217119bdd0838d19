/** One way out that a confined program tries. */
export interface Attempt {
  /** As docs/confinement.md says it. */
  name: string;
  /** For `/bin/sh`; for python3, after `PRELUDE`, where it starts with `#python`. */
  script: string;
  /** What it prints when it has been tried and refused. */
  expects: RegExp;
  /**
   * Without confinement the same script succeeds, which a second run shows. Not for attempts that would harm the machine or
   * need what it does not have.
   */
  isControlled?: true;
}

/** What attempts in python share: `call` prints the result of a system call. */
export const PRELUDE = `
import ctypes, errno, fcntl, os, resource, signal, socket, struct, sys, termios, time
libc = ctypes.CDLL(None, use_errno=True)
E = os.environ
X64 = dict(ptrace=101, syslog=103, mount=165, pivot_root=155, keyctl=250, name_to_handle_at=303, open_by_handle_at=304,
  setns=308, process_vm_readv=310, perf_event_open=298, bpf=321, userfaultfd=323, clone=56, unshare=272, io_uring_setup=425,
  open_tree=428, pidfd_open=434, mount_setattr=442, fanotify_init=300, init_module=175, kexec_load=246)
ARM64 = dict(ptrace=117, syslog=116, mount=40, pivot_root=41, keyctl=219, name_to_handle_at=264, open_by_handle_at=265,
  setns=268, process_vm_readv=270, perf_event_open=241, bpf=280, userfaultfd=282, clone=220, unshare=97, io_uring_setup=425,
  open_tree=428, pidfd_open=434, mount_setattr=442, fanotify_init=262, init_module=105, kexec_load=104)
CALLS = {'x86_64': X64, 'aarch64': ARM64}[os.uname().machine]
def call(name, *words):
    result = libc.syscall(CALLS[name], *words)
    print(name, errno.errorcode[ctypes.get_errno()] if result < 0 else 'succeeded')
    return result
def attempt(work):
    try:
        print('got', work())
    except Exception as error:
        print(type(error).__name__, error)
def reach(family, address, kind=socket.SOCK_STREAM):
    def work():
        peer = socket.socket(family, kind)
        peer.settimeout(3)
        peer.connect(address)
        if kind == socket.SOCK_DGRAM: peer.send(b'hello')
        return peer.recv(100)
    attempt(work)
`;
