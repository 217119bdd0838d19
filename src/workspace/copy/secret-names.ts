/** Ignored files that usually hold secrets, by name. */
const SECRET =
  /^(?:\.env(?:rc|\..+)?|.+\.env|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|tfvars|tfstate|ovpn|gpg|asc)|id_(?:rsa|dsa|ecdsa|ed25519).*|\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.pgpass|\.dev\.vars|\.?(?:secrets?|credentials?|passwords?)(?:\..+)?|service-?account.*\.json|local\.settings\.json)$/i;
const EXAMPLE = /\.(?:example|sample|template|dist|defaults?)$/i;

/** Whether a file or folder of that name is not lent unless the user names it. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) && !EXAMPLE.test(name);
}

/** Folders that package managers and compilers fill: nobody keeps secrets there, and they are large. */
export const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set([
  ...[
    'node_modules',
    'bower_components',
    'vendor',
    '.venv',
    'venv',
    '.tox',
    '.nox',
    '__pycache__',
    'site-packages',
  ],
  ...[
    'target',
    '.gradle',
    '.m2',
    'Pods',
    '.dart_tool',
    '.next',
    '.nuxt',
    '.svelte-kit',
    '.turbo',
    '.parcel-cache',
  ],
  ...[
    '.mypy_cache',
    '.pytest_cache',
    '.ruff_cache',
    '.eslintcache',
    '.cache',
    '.stack-work',
    '_build',
    'deps',
    '.yarn',
  ],
]);

/** Folders within a lent one that tools must be able to write. */
export const CACHE_FOLDERS: ReadonlySet<string> = new Set([
  '.cache',
  '.vite',
  '.vite-temp',
  '.vitest',
  '.tmp',
]);
