import type { Attempt } from './attempt.js';

/** Ways that few programs know. */
export const ODD: readonly Attempt[] = [
  {
    name: 'write with a program that is only in memory',
    script:
      '#python\nfile = os.memfd_create("sh")\nos.write(file, open("/bin/sh", "rb").read())\nif os.fork() == 0:\n  os.dup2(1, 2)\n  os.execve("/proc/self/fd/%d" % file, ["sh", "-c", "echo x > \\"$OUTSIDE/new\\""], E)\nos.wait()',
    ...{ expects: /Read-only file system/, isControlled: true },
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
    ...{ expects: /cross-device/, isControlled: true },
  },
  {
    name: 'connect to a service through a link in the copy',
    script:
      '#python\nos.symlink(E["HOME"] + "/.cargo/service.sock", "service")\nreach(socket.AF_UNIX, "service")',
    ...{ expects: /Error/, isControlled: true },
  },
  {
    name: 'read objects of another repository through alternates',
    script:
      'mkdir -p .git/objects/info; echo "$HOUSE/elsewhere" >> .git/objects/info/alternates; cp -r "$HOUSE/elsewhere" stolen; cat stolen/secret',
    ...{ expects: /No such file/, isControlled: true },
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
