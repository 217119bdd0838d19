// Completes package-lock.json after `npm install`: `npm ci` wants every optional package of every platform to
// be listed, and npm lists only those whose records it could fetch. Run it whenever the lock has changed.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));

const SYSTEM = /-(android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|aix)(?=-|$)/;
const PROCESSOR = /-(x64|ia32|arm64|arm|ppc64|riscv64|s390x|loong64|mips64el|wasm32)(?=-|$)/;

let added = 0;
for (const [parent, { optionalDependencies = {}, dev, license }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (isListed(parent, name)) continue;
    const os = SYSTEM.exec(name)?.[1];
    const cpu = PROCESSOR.exec(name)?.[1];
    const libc =
      os !== 'linux' ? undefined : /musl/.test(name) ? 'musl' : /gnu/.test(name) ? 'glibc' : undefined;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(cpu && { cpu: [cpu] }),
      ...(dev && { dev }),
      ...(libc && { libc: [libc] }),
      ...(license && { license }),
      optional: true,
      ...(os && { os: [os] }),
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${added} packages of other platforms added`);

/** Whether node's own look-up, from `parent` upward, would find `name`. */
function isListed(parent, name) {
  for (
    let folder = parent;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))
  ) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
}
