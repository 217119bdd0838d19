import type { Attempt } from './attempt.js';

const READ_ONLY = /Read-only file system/;
const ABSENT = /No such file|nonexistent|Directory nonexistent|not found/i;
/** It worked, and what it changed is only in the copy or in a folder that is gone afterwards. */
const IN_VAIN = /^in vain$/m;

/** Files outside the copy: written, replaced, removed. */
export const FILES: readonly Attempt[] = [
  { name: 'create a file', script: 'echo x > "$OUTSIDE/new"', expects: READ_ONLY, isControlled: true },
  { name: 'append to a file', script: 'echo x >> "$OUTSIDE/file"', expects: READ_ONLY, isControlled: true },
  { name: 'delete a file', script: 'rm -f "$OUTSIDE/file"', expects: READ_ONLY, isControlled: true },
  {
    name: 'rename a file',
    script: 'mv "$OUTSIDE/file" "$OUTSIDE/moved"',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'move a file into the copy',
    script: 'mv "$OUTSIDE/file" .',
    expects: READ_ONLY,
    isControlled: true,
  },
  { name: 'change a mode', script: 'chmod 777 "$OUTSIDE/program"', expects: READ_ONLY, isControlled: true },
  {
    name: 'change a time',
    script: 'touch -d 2001-01-01 "$OUTSIDE/file"',
    expects: READ_ONLY,
    isControlled: true,
  },
  { name: 'empty a file', script: ': > "$OUTSIDE/file"', expects: READ_ONLY, isControlled: true },
  { name: 'make a folder', script: 'mkdir "$OUTSIDE/folder"', expects: READ_ONLY, isControlled: true },
  {
    name: 'write through a link to a file',
    script: 'ln -sf "$OUTSIDE/file" link1; echo x > link1',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'write through a link to a folder',
    script: 'ln -sfn "$OUTSIDE" link2; echo x > link2/new',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'write through a hard link',
    script: 'ln "$OUTSIDE/file" hard && echo x >> hard',
    expects: /cross-device/,
    isControlled: true,
  },
  {
    name: 'write through ..',
    script: 'echo x > ../elsewhere/file',
    expects: ABSENT,
    isControlled: true,
  },
  {
    name: 'write through a link with ..',
    script: 'ln -sfn ../elsewhere link3; echo x > link3/file',
    expects: ABSENT,
    isControlled: true,
  },
  {
    name: 'write through /proc/self/root',
    script: 'echo x > "/proc/self/root$OUTSIDE/new"',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'write through /proc/self/cwd',
    script: 'cd "$OUTSIDE"; echo x > /proc/self/cwd/new',
    expects: READ_ONLY,
    isControlled: true,
  },
  { name: 'write through /proc/1/root', script: 'echo x > "/proc/1/root$OUTSIDE/new"', expects: READ_ONLY },
  {
    name: 'write in the working folder of another process',
    script: 'echo x > "/proc/$NEIGHBOUR/cwd/new"',
    expects: ABSENT,
    isControlled: true,
  },
  {
    name: 'write through the root of another process',
    script: 'echo x > "/proc/$NEIGHBOUR/root$HOUSE/elsewhere/new"',
    expects: ABSENT,
    isControlled: true,
  },
  {
    name: 'read open files of another process',
    script: 'ls /proc/$NEIGHBOUR/fd; for file in /proc/$NEIGHBOUR/fd/*; do [ -f $file ] && cat $file; done',
    expects: ABSENT,
    isControlled: true,
  },
  {
    name: 'reopen a read-only file for writing',
    script:
      '#python\nfile = os.open(E["OUTSIDE"] + "/file", os.O_RDONLY)\nattempt(lambda: open("/proc/self/fd/%d" % file, "w").write("x"))',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'edit a file of the project itself',
    script: 'echo x >> "$ROOT/a.txt" && echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: 'write a ref of the repository itself',
    script: 'echo x > "$ROOT/.git/refs/heads/evil" && echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: "write to the repository's objects",
    script: 'for folder in .git/borrowed/0 .git/objects; do echo x > $folder/evil; done',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'leave a hook in the repository itself',
    script:
      'mkdir -p "$ROOT/.git/hooks"; echo x > "$ROOT/.git/hooks/post-commit"; chmod +x "$ROOT/.git/hooks/post-commit"; echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: 'set what git runs in the repository itself',
    script:
      'git config core.fsmonitor ./x; git config alias.st "!x"; git config core.hooksPath h; git config filter.f.clean x && echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: 'set what git runs everywhere',
    script: 'git config --global core.hooksPath /x; echo tried',
    expects: /could not[\s\S]*tried/,
    isControlled: true,
  },
  {
    name: 'leave scripts that a package manager runs',
    script:
      'echo "{\\"scripts\\": {\\"preinstall\\": \\"x\\"}}" > package.json; echo x > ~/.npmrc; echo x > node_modules/dep/install.js; echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: 'write to dependencies',
    script: 'echo x > node_modules/dep/index.js; echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: 'delete dependencies',
    script: 'rm -rf node_modules/dep; echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: 'leave a file in /tmp',
    script: 'echo x > /tmp/$PLAIN && echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: 'leave a file in /var/tmp',
    script: 'echo x > /var/tmp/$PLAIN && echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: 'leave a file in /dev/shm',
    script: 'echo x > /dev/shm/$PLAIN && echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  { name: 'write in /etc', script: 'echo x > /etc/$PLAIN', expects: /Read-only|denied/ },
  { name: 'write in /run', script: 'echo x > /run/$PLAIN', expects: READ_ONLY },
  { name: 'add a user', script: 'echo x >> /etc/passwd', expects: /Read-only|denied/ },
  {
    name: 'preload a library everywhere',
    script: 'echo x > /etc/ld.so.preload',
    expects: /Read-only|denied/,
  },
  {
    name: 'leave a job for cron or at',
    script:
      'for folder in /etc/cron.d /var/spool/cron/crontabs /var/spool/cron/atjobs; do echo x > $folder/$PLAIN; done',
    expects: /Read-only|denied|nonexistent|No such file/,
  },
];

/** Files that other programs of the user run or obey later. */
export const LATER: readonly Attempt[] = [
  {
    name: "edit the shell's start file",
    script: 'echo x >> ~/.bashrc',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'leave a start file of the shell',
    script: 'echo x > ~/.bash_login && echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  { name: "edit git's settings", script: 'echo x >> ~/.gitconfig', expects: READ_ONLY, isControlled: true },
  {
    name: 'replace a program on PATH',
    script: 'echo x > ~/.local/bin/tool',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'add a program to PATH',
    script: 'echo x > ~/.local/bin/git',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'leave a systemd unit',
    script: 'mkdir -p ~/.config/systemd/user && echo x > ~/.config/systemd/user/a.service && echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: 'leave a program that starts with the desktop',
    script: 'mkdir -p ~/.config/autostart && echo x > ~/.config/autostart/a.desktop && echo in vain',
    expects: IN_VAIN,
    isControlled: true,
  },
  {
    name: "edit the agent's own settings",
    script: 'echo x >> ~/.claude/settings.json',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: "replace the agent's own settings",
    script:
      'echo x > ~/.claude/new; mv -f ~/.claude/new ~/.claude/settings.json; rm -f ~/.claude/new ~/.claude/settings.json',
    expects: /busy/,
    isControlled: true,
  },
  {
    name: "replace the agent's own program",
    script: 'echo x > ~/.claude/local/claude',
    expects: READ_ONLY,
    isControlled: true,
  },
  {
    name: 'add settings that the agent did not have',
    script: 'echo x > ~/.claude/settings.local.json; echo x > ~/.claude/hooks/a',
    expects: READ_ONLY,
    isControlled: true,
  },
];
