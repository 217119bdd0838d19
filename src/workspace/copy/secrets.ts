import { join } from 'node:path';
import { matchComponents, readPathGlob } from '../../core/glob.js';
import { splitWords } from '../../core/text.js';
import { files } from '../../node/file-calls.js';
import { lookAtFile } from '../../node/files.js';

/** An ignored folder with more files and folders than this is withheld: it is not searched for secrets. */
const MOST_SEARCHED = 50_000;

/** Whether an ignored path holds secrets that an agent must not see, by its name: `bring` has globs of those that it may. */
export function withheldUnless(bring: readonly string[]): (path: string) => boolean {
  return (path) => isSecretName(path.slice(path.lastIndexOf('/') + 1)) && !isBrought(path, bring);
}

/** Of the paths that git ignores, from the root: those that are withheld, and those within them. */
export function findWithheld(root: string, ignored: readonly string[], bring: readonly string[]): string[] {
  const isWithheld = withheldUnless(bring);
  return ignored.flatMap((listed) => {
    const path = listed.replace(/\/$/, '');
    if (isWithheld(path)) return [path];
    if (lookAtFile(join(root, path)) !== 'folder') return [];
    const found = searchFolder(root, path, bring);
    return found === undefined ? [path] : found.hidden.map((each) => `${path}/${each}`);
  });
}

/**
 * Caches and secrets in an ignored folder. Dependencies are not searched for secrets. Undefined where it is too large
 * to be searched and not brought as a whole.
 */
export function searchFolder(
  root: string,
  path: string,
  bring: readonly string[],
): { caches: string[]; hidden: string[] } | undefined {
  const isWithheld = withheldUnless(bring);
  const caches: string[] = [];
  const hidden: string[] = [];
  let left = MOST_SEARCHED;
  const search = (at: string, isDeep: boolean) => {
    for (const name of listQuietly(join(root, path, at))) {
      if (--left < 0) return;
      const below = at === '' ? name : `${at}/${name}`;
      if (isDeep && isWithheld(`${path}/${below}`)) hidden.push(below);
      else if (lookAtFile(join(root, path, below)) !== 'folder') continue;
      else if (CACHE_FOLDERS.has(name)) caches.push(below);
      else if (isDeep && !DEPENDENCY_FOLDERS.has(name)) search(below, true);
    }
  };
  search('', !DEPENDENCY_FOLDERS.has(path.slice(path.lastIndexOf('/') + 1)));
  return left < 0 && !isBrought(path, bring) ? undefined : { caches, hidden };
}

function listQuietly(folder: string): string[] {
  try {
    return files.list(folder);
  } catch {
    return [];
  }
}

/** Whether a pattern of `confine.bring` names a path from the root. One that cannot be read names nothing. */
function isBrought(path: string, bring: readonly string[]): boolean {
  return bring.some((glob) => {
    const read = readPathGlob(glob);
    return read.status === 'ok' && matchComponents(read.value.components, path.split('/'));
  });
}

/** Ignored files that usually hold secrets, by name. */
const SECRET =
  /^(?:\.env(?:rc|\..+)?|.+\.env|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|tfvars|tfstate|ovpn|gpg|asc)|id_(?:rsa|dsa|ecdsa|ed25519).*|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.pgpass|\.dev\.vars|\.?(?:secrets?|credentials?|passwords?)(?:\..+)?|service-?account.*\.json|local\.settings\.json)$/i;
const EXAMPLE = /\.(?:example|sample|template|dist|defaults?)$/i;

function isSecretName(name: string): boolean {
  return SECRET.test(name) && !EXAMPLE.test(name);
}

/** Folders that package managers and compilers fill: they are large, and are not searched for secrets. */
const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set(
  splitWords(`
  node_modules bower_components vendor .venv venv .tox .nox __pycache__ site-packages target .gradle
  .m2 Pods .dart_tool .next .nuxt .svelte-kit .turbo .parcel-cache .mypy_cache .pytest_cache
  .ruff_cache .eslintcache .cache .stack-work _build deps .yarn
`),
);

/** Folders within a lent one that tools must be able to write. */
const CACHE_FOLDERS: ReadonlySet<string> = new Set(['.cache', '.vite', '.vite-temp', '.vitest', '.tmp']);
