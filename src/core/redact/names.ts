/**
 * What a name says about its value. A password is chosen by people and may be a word; a token never is; a key often is
 * no secret at all, and must look like one.
 */
export type NameKind = 'password' | 'token' | 'key';

/** May follow the word that tells. */
const AFTER = new Set(
  (
    'value val base str string text plain plaintext raw prod production dev development stage staging live test ' +
    'testing qa local current new old primary secondary main default'
  ).split(' '),
);
/** Go before `token` or `key` and make it a public thing. */
const PUBLIC = new Set(
  (
    'page next prev previous cancel cancellation continuation design sync public end start last resume pagination max ' +
    'min num total syntax lexer css js primary foreign sort partition cache react object hot short storage'
  ).split(' '),
);
const KEY_KINDS = new Set(
  (
    'api access secret private encryption encrypt signing sign master account auth shared subscription license session ' +
    'service admin app deploy ssh crypt cipher hmac jwt rsa aes'
  ).split(' '),
);
const PASSWORD = /(?:password|passwd|passphrase|passcode)s?$/;
const TOKEN = /(?:secret|token|credential)s?$|(?:api|access|secret|private|auth)keys?$/;
const PASSWORD_WORDS = new Set(['pass', 'pwd', 'passwort']);
const TOKEN_WORDS = new Set(['auth', 'authorization', 'creds', 'cred', 'apikey']);

/** The words of a name, lower case: `dbPassword`, `DB_PASSWORD`, `db-password` → db, password. */
export function splitName(name: string): string[] {
  const words = name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  return words.map((word) => word.toLowerCase());
}

/** What the last words of a name say; undefined when they speak of no secret. */
export function classifyName(name: string): NameKind | undefined {
  const words = splitName(name);
  // As a kubeconfig names it.
  if (/client-key-data$/i.test(name)) return 'token';
  while (words.length > 1 && (AFTER.has(words.at(-1)!) || /^\d/.test(words.at(-1)!))) words.pop();
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const before = words.at(-2) ?? '';
  if (PASSWORD.test(last) || PASSWORD_WORDS.has(last)) return 'password';
  if (PUBLIC.has(before)) return undefined;
  if (TOKEN.test(last) || TOKEN_WORDS.has(last)) return 'token';
  if (last !== 'key' && last !== 'keys') return undefined;
  if (KEY_KINDS.has(before)) return 'token';
  return /^[A-Z0-9_]+_KEYS?[A-Z0-9_]*$/.test(name) ? 'key' : undefined;
}
