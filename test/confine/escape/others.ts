import type { Attempt } from './attempt.js';

/** Other processes of the user. */
export const PROCESSES: readonly Attempt[] = [
  {
    name: 'send a signal to another process',
    script: 'kill -9 $NEIGHBOUR',
    expects: /No such process/,
    isControlled: true,
  },
  { name: 'send a signal to every process', script: 'echo tried; kill -9 -1', expects: /tried/ },
  {
    name: 'end the parent',
    script: 'echo tried; kill -9 $PPID; kill -9 1; echo still here',
    expects: /tried/,
  },
  {
    name: 'stop another process',
    script: 'kill -STOP $NEIGHBOUR',
    expects: /No such process/,
    isControlled: true,
  },
  {
    name: 'trace another process',
    script: '#python\ncall("ptrace", 16, int(E["NEIGHBOUR"]), 0, 0)\ntime.sleep(0.2)',
    expects: /ptrace ESRCH/,
  },
  {
    name: 'read memory of another process',
    script:
      '#python\nroom = ctypes.create_string_buffer(8)\nvector = struct.pack("QQ", ctypes.addressof(room), 8)\ncall("process_vm_readv", int(E["NEIGHBOUR"]), vector, ctypes.c_ulong(1), vector, ctypes.c_ulong(1), ctypes.c_ulong(0))\nattempt(lambda: open("/proc/%s/mem" % E["NEIGHBOUR"], "rb"))',
    expects: /process_vm_readv ESRCH[\s\S]*No such file/,
  },
  {
    name: 'open a handle to another process',
    script: '#python\ncall("pidfd_open", int(E["NEIGHBOUR"]), 0)',
    expects: /pidfd_open E(?:SRCH|INVAL)/,
  },
  {
    name: 'slow another process down',
    script: 'renice -n 19 -p $NEIGHBOUR',
    expects: /No such process/,
    isControlled: true,
  },
  {
    name: 'set limits of another process',
    script:
      '#python\nattempt(lambda: resource.prlimit(int(E["NEIGHBOUR"]), resource.RLIMIT_NOFILE, (64, 64)))',
    expects: /ProcessLookupError/,
    isControlled: true,
  },
  {
    name: 'see other processes',
    script: 'ls /proc | grep -c "^[0-9]*$" | sed "s/^[1-9]$/few/"',
    expects: /few/,
  },
];

const LATER = 'sleep 3000';

/** Processes that are to outlive the agent. */
export const DAEMONS: readonly Attempt[] = [
  {
    name: 'leave a process in the background',
    script: `${LATER} >/dev/null 2>&1 & echo left`,
    expects: /left/,
    isControlled: true,
  },
  {
    name: 'leave a process with nohup',
    script: `nohup ${LATER} >/dev/null 2>&1 & echo left`,
    expects: /left/,
    isControlled: true,
  },
  {
    name: 'leave a process in a session of its own',
    script: `setsid ${LATER} >/dev/null 2>&1 & echo left`,
    expects: /left/,
    isControlled: true,
  },
  {
    name: 'leave a daemon, forked twice',
    script: `#python\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    null = os.open("/dev/null", os.O_RDWR)\n    for each in range(3): os.dup2(null, each)\n    os.execvp("sleep", ["sleep", "3000"])\n  os._exit(0)\nos.wait()\nprint("left")`,
    expects: /left/,
    isControlled: true,
  },
  {
    name: 'leave a process that ignores signals',
    script: `(trap "" HUP TERM INT QUIT; ${LATER}; ${LATER}) >/dev/null 2>&1 & echo left`,
    expects: /left/,
    isControlled: true,
  },
  {
    name: 'leave a process through a service of the session',
    script: 'systemd-run --user sleep 3000; systemd-run sleep 3000; echo tried',
    expects: /tried/,
  },
];

const CONNECT = '#python\n';

/** Sockets and the network, which is off. */
export const SOCKETS: readonly Attempt[] = [
  {
    name: 'connect to a service at a path that it sees',
    script: `${CONNECT}reach(socket.AF_UNIX, E["HOME"] + "/.cargo/service.sock")`,
    expects: /Error/,
    isControlled: true,
  },
  {
    name: 'send a datagram to a service at a path that it sees',
    script: `${CONNECT}attempt(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"hello", E["HOME"] + "/.cargo/datagrams.sock"))`,
    expects: /Error/,
    isControlled: true,
  },
  {
    name: 'connect to a service in a temporary folder',
    script: `${CONNECT}reach(socket.AF_UNIX, E["HOUSE"] + "/run/service.sock")`,
    expects: /FileNotFoundError/,
    isControlled: true,
  },
  {
    name: 'connect to the ssh agent',
    script: `${CONNECT}reach(socket.AF_UNIX, E.get("SSH_AUTH_SOCK", "/none"))`,
    expects: /Error/,
    isControlled: true,
  },
  {
    name: 'connect to the session bus',
    script: `${CONNECT}reach(socket.AF_UNIX, E.get("DBUS_SESSION_BUS_ADDRESS", "unix:path=/none")[10:])`,
    expects: /Error/,
    isControlled: true,
  },
  {
    name: 'connect to docker, containerd, podman, the system bus, X11',
    script: `${CONNECT}for path in ["docker.sock", "containerd/containerd.sock", "podman/podman.sock", "dbus/system_bus_socket", "user/%d/bus" % os.getuid(), "systemd/private"]: reach(socket.AF_UNIX, "/run/" + path)\nreach(socket.AF_UNIX, "/tmp/.X11-unix/X0")`,
    expects: /^(?:(?:FileNotFound|Permission)Error.*\n){7}$/,
  },
  {
    name: 'connect to an abstract socket',
    script: `${CONNECT}reach(socket.AF_UNIX, "\\0" + E["PLAIN"])`,
    expects: /ConnectionRefusedError/,
    isControlled: true,
  },
  {
    name: 'connect to localhost',
    script: `${CONNECT}reach(socket.AF_INET, ("127.0.0.1", int(E["PORT"])))`,
    expects: /ConnectionRefusedError/,
    isControlled: true,
  },
  {
    name: 'connect to localhost over IPv6',
    script: `${CONNECT}reach(socket.AF_INET6, ("::1", int(E["PORT6"])))`,
    expects: /Error/,
  },
  {
    name: 'send a datagram to localhost',
    script: `${CONNECT}reach(socket.AF_INET, ("127.0.0.1", int(E["UDP"])), socket.SOCK_DGRAM)`,
    expects: /Error/,
    isControlled: true,
  },
  {
    name: 'connect to another machine',
    script: `${CONNECT}reach(socket.AF_INET, ("192.0.2.1", 80))\nreach(socket.AF_INET, ("169.254.169.254", 80))`,
    expects: /unreachable[\s\S]*unreachable/,
  },
  {
    name: 'look a name up',
    script: `${CONNECT}attempt(lambda: socket.getaddrinfo("example.org", 80))`,
    expects: /gaierror/,
  },
  {
    name: 'send raw packets',
    script: `${CONNECT}attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))\nattempt(lambda: socket.socket(17, socket.SOCK_RAW))`,
    expects: /not permitted[\s\S]*(?:not permitted|not supported)/,
  },
  {
    name: 'reach the host of a virtual machine',
    script: `${CONNECT}reach(40, (2, 1))`,
    expects: /Address family not supported/,
  },
];
