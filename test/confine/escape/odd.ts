import type { Attempt } from './attempt.js';

/** Ways that few programs know. */
export const ODD: readonly Attempt[] = [
  {
    name: 'write with a program that is only in memory',
    script:
      '#python\nfile = os.memfd_create("sh")\nos.write(file, open("/bin/sh", "rb").read())\nif os.fork() == 0:\n  os.dup2(1, 2)\n  os.execve("/proc/self/fd/%d" % file, ["sh", "-c", "echo x > \\"$OUTSIDE/new\\""], E)\nos.wait()',
    expects: /Read-only file system/,
    isControlled: true,
  },
  {
    name: 'replace a file at the moment at which another process opens it',
    script:
      '#python\nnotify = libc.inotify_init()\nprint("watched", libc.inotify_add_watch(notify, (E["OUTSIDE"] + "/file").encode(), 0x20) > 0)\nopen(E["OUTSIDE"] + "/file").read()\nos.read(notify, 16)\nopen("evil", "w").write("x")\nattempt(lambda: os.rename("evil", E["OUTSIDE"] + "/file"))\nattempt(lambda: open(E["OUTSIDE"] + "/file", "w").write("x"))',
    expects: /watched True\nOSError[\s\S]*Read-only/,
    isControlled: true,
  },
  {
    name: 'be told by inotify what happens in folders that it does not see',
    script:
      '#python\nnotify = libc.inotify_init()\nfor path in ["/elsewhere", "/home/.ssh", "/home/Documents"]: print(libc.inotify_add_watch(notify, (E["HOUSE"] + path).encode(), 0xfff))',
    expects: /^-1\n(?:-1|\d+)\n-1\n$/,
  },
  {
    name: 'overwrite bubblewrap as it runs',
    script: 'ls -l /proc/1/exe; echo x > /proc/1/exe; cat /bin/sh > /proc/self/exe',
    expects: /Read-only|denied|busy|Text file/,
  },
  {
    name: 'read memory of processes outside through their maps',
    script:
      'cat /proc/$NEIGHBOUR/mem /proc/$NEIGHBOUR/pagemap /proc/kpageflags; ls /proc/$NEIGHBOUR/map_files',
    expects: /No such file/,
  },
  {
    name: 'take an open file of another process',
    script:
      '#python\nprint("taken" if libc.syscall(438, libc.syscall(434, int(E["NEIGHBOUR"]), 0), 3, 0) >= 0 else "refused")',
    expects: /^refused\n/,
  },
  {
    name: 'use sockets of other kinds: packets, ciphers, Bluetooth, XDP',
    script:
      '#python\nfor family in [40, 17, 38, 31, 44, 21]: attempt(lambda: socket.socket(family, socket.SOCK_RAW))',
    expects: /^(?:(?:OS|Permission)Error.*\n){6}$/,
  },
  {
    name: 'write to the terminals of others',
    script:
      '#python\nfor each in os.listdir("/dev/pts") + ["../tty0", "../tty1", "../console"]:\n  if each == "ptmx": continue\n  attempt(lambda: os.open("/dev/pts/" + each, os.O_WRONLY | os.O_NOCTTY))',
    expects: /^(?:(?:FileNotFound|Permission|OS)Error.*\n){3}$/,
  },
  {
    name: 'make a whiteout in a lent folder',
    script: 'mknod node_modules/dep/gone c 0 0',
    expects: /not permitted|Read-only/,
  },
  {
    name: 'lead a lent folder elsewhere with an attribute of its overlay',
    script:
      '#python\nfor name in ["redirect", "opaque", "origin", "metacopy"]:\n  attempt(lambda: os.setxattr("node_modules/dep", "user.overlay." + name, (E["HOUSE"] + "/elsewhere").encode()))\nattempt(lambda: open("node_modules/dep/secret").read())',
    expects: /FileNotFoundError/,
  },
  {
    name: 'link a lent file into the copy',
    script: 'ln node_modules/dep/index.js hard && echo x >> hard',
    expects: /cross-device/,
    isControlled: true,
  },
  {
    name: 'connect to a service through a link in the copy',
    script:
      '#python\nos.symlink(E["HOME"] + "/.cargo/service.sock", "service")\nreach(socket.AF_UNIX, "service")',
    expects: /Error/,
    isControlled: true,
  },
  {
    name: 'read objects of another repository through alternates',
    script:
      'mkdir -p .git/objects/info; echo "$HOUSE/elsewhere" >> .git/objects/info/alternates; cp -r "$HOUSE/elsewhere" stolen; cat stolen/secret',
    expects: /No such file/,
    isControlled: true,
  },
  {
    name: 'watch every file of the disk with fanotify',
    script: '#python\ncall("fanotify_init", 4, 0)',
    expects: /fanotify_init EPERM/,
  },
  {
    name: 'write to the audit log',
    script:
      '#python\nattempt(lambda: socket.socket(16, socket.SOCK_RAW, 9).sendto(struct.pack("IHHII", 20, 1005, 5, 1, 0) + b"evil", (0, 0)) and "sent")\nprint("tried")',
    expects: /tried/,
  },
  {
    name: 'load a module or another kernel',
    script: '#python\ncall("init_module", 0, 0, b"")\ncall("kexec_load", 0, 0, 0, 0)',
    expects: /init_module E(?:PERM|NOSYS)[\s\S]*kexec_load E(?:PERM|NOSYS)/,
  },
  {
    name: 'change the root with chroot',
    script: '#python\nattempt(lambda: os.chroot("."))',
    expects: /not permitted/,
  },
  {
    name: 'set the clock',
    script: '#python\nattempt(lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))',
    expects: /not permitted/,
  },
  {
    name: 'use sudo, su, pkexec or a setuid copy',
    script:
      'sudo -n id; pkexec id </dev/null; su -c id root </dev/null; newgrp root </dev/null; grep CapEff /proc/self/status',
    expects: /CapEff:\s0000000000000000/,
  },
];
