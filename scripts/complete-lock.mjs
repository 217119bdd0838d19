// Completes package-lock.json after `npm install`: `npm ci` wants every optional package of every platform to
// be listed, and npm lists only those whose records it could fetch. Run it whenever the lock has changed.
import { spawnSync } from 'node:child_process';
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

let hashed = 0;
for (const [folder, entry] of Object.entries(lock.packages)) {
  delete entry.resolved;
  if (folder === '' || entry.link || entry.integrity) continue;
  const { version, ...rest } = entry;
  const name = entry.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  lock.packages[folder] = { version, integrity: fetchIntegrity(name, version), ...rest };
  hashed++;
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${added} packages of other platforms and ${hashed} integrity hashes added`);

/** The hash that the registry has for exactly this version. */
function fetchIntegrity(name, version) {
  const { stdout, stderr, status } = spawnSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], {
    encoding: 'utf8',
  });
  const hash = stdout?.trim() ?? '';
  if (status === 0 && /^sha512-[A-Za-z0-9+/]+=*$/.test(hash)) return hash;
  throw new Error(`npm has no integrity hash for ${name}@${version}: ${stderr ?? ''}`);
}

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
