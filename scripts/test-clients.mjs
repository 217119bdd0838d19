// npm run test:clients [-- ARGS]: installs the real clients from npm into a cache folder, and runs the tests in
// test/clients with them. A client that cannot be installed is skipped, and said to be.
//
//   TEDDY_CLIENTS=claude,codex@0.104.0   only these. Default: every version in test/clients/versions.json, and the newest
//   TEDDY_CLIENTS_DIR=DIR                where they are kept. Default: teddy-clients in the user's cache folder
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '..');
const CLIENTS = JSON.parse(readFileSync(join(PROJECT, 'test/clients/versions.json'), 'utf8'));
const CACHE = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const FOLDER = process.env.TEDDY_CLIENTS_DIR || join(CACHE, 'teddy-clients');
const WANTED = process.env.TEDDY_CLIENTS?.split(',').map((each) => each.trim());

/** Their engines may ask for another Node than this one: whether they run is what the tests show. */
const NPMRC = 'engine-strict=false\nfund=false\naudit=false\nupdate-notifier=false\n';

const clients = Object.entries(CLIENTS).flatMap(([client, { package: name, versions, adapter }]) =>
  versionsOf(client, name, versions).map((version) => {
    const folder = install(client, name, version);
    return { client, version, folder, acp: adapter ? installAdapter(client, adapter) : folder };
  }),
);
for (const { client, version, folder } of clients)
  console.log(`${client} ${version}: ${folder ?? 'not available, its tests are skipped'}`);

const { status } = spawnSync(
  process.execPath,
  [join(PROJECT, 'scripts/test.mjs'), '*-clients', ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, TEDDY_CLIENTS: JSON.stringify(clients) } },
);
process.exit(status ?? 1);

function versionsOf(client, name, versions) {
  const asked = WANTED?.filter((each) => each.split('@')[0] === client);
  if (asked?.length === 0) return [];
  const exact = asked?.flatMap((each) => each.split('@')[1] ?? []) ?? [];
  if (exact.length > 0) return exact;
  const newest = npm(['view', name, 'version'], FOLDER).stdout.trim();
  return [...new Set([...(newest === '' ? [] : [newest]), ...versions])];
}

/** What speaks the Agent Client Protocol for a client that does not. */
function installAdapter(client, adapter) {
  const at = adapter.lastIndexOf('@');
  return install(`${client}-acp`, adapter.slice(0, at), adapter.slice(at + 1));
}

/** The folder of its programs; null if it cannot be had. */
function install(client, name, version) {
  const folder = join(FOLDER, `${client}-${version}`);
  const bin = join(folder, 'node_modules/.bin');
  if (existsSync(bin)) return bin;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, '.npmrc'), NPMRC);
  writeFileSync(
    join(partial, 'package.json'),
    JSON.stringify({ private: true, dependencies: { [name]: version }, allowScripts: { [name]: true } }),
  );
  console.log(`Installing ${client} ${version} …`);
  const { status, stderr } = npm(['install', '--no-package-lock'], partial);
  if (status === 0) renameSync(partial, folder);
  else console.log(stderr.trim());
  rmSync(partial, { recursive: true, force: true });
  return status === 0 ? bin : null;
}

function npm(words, cwd) {
  mkdirSync(cwd, { recursive: true });
  // Settings that npm hands to the scripts that it runs, such as engine-strict, are those of this project.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key) || key === 'npm_config_registry'),
  );
  return spawnSync('npm', words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
