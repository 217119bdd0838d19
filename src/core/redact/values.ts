/** How a value was written down beside its name. */
export interface SecretSetting {
  kind: NameKind;
  /**
   * - `quoted`: in quotes, or a string of its own.
   * - `shell`: `NAME=value`, the name in capitals, nothing between.
   * - `bare`: any other; most of these are source code.
   */
  form: 'quoted' | 'shell' | 'bare';
}

const SHORTEST = 8;
const JUDGED = 160;

/** Words that say: put your own here. */
const STAND_INS = new Set(
  (
    'your yours example examples sample placeholder changeme change replace replaceme redacted masked hidden dummy ' +
    'fake todo fixme insert here enter none null undefined nil empty unset true false mock stub lorem ipsum'
  ).split(' '),
);
/** Passwords that are in every tutorial. */
const TUTORIAL =
  /^(?:my)?(?:pass(?:word|wd|w0rd)?|secret|token|test(?:ing)?|admin|user|root|default|demo|change_?me|example|sample|dummy|fake|qwerty|postgres|mysql|foo(?:bar)?|abc(?:d|def)?)[_-]?(?:pass(?:word)?|secret|key|token)?[0-9]{0,4}!?$/i;
const REFERENCE =
  /^\$[A-Za-z_]|^[{<(]|^%\w+%$|^[*&!][A-Za-z]+$|\$\{|\$\(|\{\{|<%|%\(|#\{|\.\.\.|…|\benv\.|\benviron\b|getenv|import\.meta|\bsecrets\.|\bvars\.|\bconfig\.|^vault:|^op:\/\//i;
const BLOT = /x{5}|\*{3}|•{3}|^[x*.\-_•#?0+=~]+$/i;

/** Whether a value is only a placeholder: a variable, a template, a blot, a word such as `your-key`. */
export function isPlaceholder(value: string): boolean {
  if (sentinelIn(value) >= 0) return true;
  const judged = value.slice(0, JUDGED);
  if (REFERENCE.test(judged) || BLOT.test(judged) || TUTORIAL.test(judged)) return true;
  return wordsOf(judged).some((word) => STAND_INS.has(word));
}

/** Words of letters, lower case: `yourApiKey`, `YOUR_API_KEY` → your, api, key. None from amid letters and digits. */
function wordsOf(value: string): string[] {
  const words: string[] = [];
  for (const part of value.split(/[^A-Za-z0-9]+/)) {
    if (/\d/.test(part)) words.push(part.toLowerCase());
    else for (const [word] of part.matchAll(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)) words.push(word.toLowerCase());
  }
  return words;
}

/** Whether it reads as words and small numbers, as names, versions, messages and types do. */
export function isWordy(value: string): boolean {
  return value
    .slice(0, JUDGED)
    .split(/[^A-Za-z0-9]+/)
    .every(isWordyPart);
}

function isWordyPart(part: string): boolean {
  const digits = part.match(/\d+/g) ?? [];
  if (digits.length > 1 || (digits[0]?.length ?? 0) > 5) return false;
  const words = part.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  if (words.some((word) => word.length > 24 || /[^aeiouyA-Z]{6}/.test(word))) return false;
  if (words.length <= 2) return true;
  const letters = words.join('').length;
  const readable = words.filter((word) => word.length >= 3 && /[aeiouy]/i.test(word)).join('').length;
  return letters >= words.length * 3 && readable * 2 >= letters;
}

/** At least six different characters: the least of anything random. */
export function isDiverse(value: string): boolean {
  return new Set(value.slice(0, JUDGED)).size >= 6;
}

/** Whether what a secret's name is given is a secret, and not code, a message, a type or a placeholder. */
export function isSecretValue(value: string, { kind, form }: SecretSetting): boolean {
  if (value.length < SHORTEST || /\s/.test(value) || isPlaceholder(value)) return false;
  const judged = value.slice(0, JUDGED);
  if (judged.includes('://') || /^\d{4}-\d\d-\d\d|\/aws4_request/.test(judged) || isCall(judged))
    return false;
  if (/^[\d.]*\.[\d.]*$/.test(judged)) return false;
  if (/^\d+$/.test(judged)) return kind === 'password' && isDiverse(judged);
  if (new Set(judged).size < 4) return false;
  if (form === 'shell' && kind !== 'key')
    return !/^[A-Z_]+$|^[.~]{0,2}\/|^\w+(?:\.\w+)+$/.test(judged) || !isWordy(judged);
  if (kind === 'password') return isPassword(judged, form);
  return /\d/.test(judged)
    ? !isWordy(judged) &&
        (form === 'quoted' || judged.length >= 12) &&
        (kind !== 'key' || judged.length >= 16)
    : judged.length >= 16 && !isWordy(judged);
}

/** `f(x)`, `a[0]`, `(a`, `"…" + a + "…"` with its quotes taken the wrong way round. */
function isCall(value: string): boolean {
  return /^[\w$.]+\(|^[,).;]|^\+.*\+$|[,(]$|\)\.|=>|->|::/.test(value);
}

function isPassword(value: string, form: SecretSetting['form']): boolean {
  if (!isWordy(value)) return true;
  if (isUnspaced(value)) return false;
  if (form === 'quoted')
    return /[A-Za-z]/.test(value) && /[0-9!#$%^&*?~]/.test(value) && !/[/. ]/.test(value);
  return /^[A-Za-z]{3,}\d{2,}!?$/.test(value) && !TYPE.test(value);
}

/** A message in a language that puts no spaces between its words. */
function isUnspaced(value: string): boolean {
  return /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]{4}/u.test(value);
}

const TYPE =
  /^(?:n?varchar|char|string|bytes|u?int|float|double|sha|utf|base|blake|argon|bcrypt|scrypt|pbkdf|md|arg|param|tmp)[\d_]/i;

/**
 * What a name says about its value. A password is chosen by people and may be a word; a token never is; a key often is
 * no secret at all, and must look like one.
 */
export type NameKind = 'password' | 'token' | 'key';

/** May follow the word that decides. */
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

/** What the last words of a name say; undefined when they name no secret. */
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

const OPENING = '[masked:';
const SENTINEL = /\[masked:[0-9a-f]{8}\]/;

/** What replaces a secret, whatever `hash` returns: eight hexadecimal digits in brackets. */
export function writeSentinel(hash: string): string {
  const digits = hash.slice(0, 8).toLowerCase();
  return `${OPENING}${/^[0-9a-f]{8}$/.test(digits) ? digits : '00000000'}]`;
}

/** The first sentinel in a text, such as `[masked:0a1b2c3d]`, and its line, from 1. */
export function findSentinel(text: string): { sentinel: string; line: number } | undefined {
  const found = SENTINEL.exec(text);
  return found ? { sentinel: found[0], line: text.slice(0, found.index).split('\n').length } : undefined;
}

/** The length of the sentinel that a text starts with; 0 where it starts with none. */
export function sentinelAtStart(text: string): number {
  return SENTINEL.exec(text.slice(0, 17))?.[0].length ?? 0;
}

/** Where a text may have a sentinel; no secret extends into it. */
export function sentinelIn(text: string): number {
  return text.indexOf(OPENING);
}

/** The part of a literal that no sentinel can overlap: a secret that ends in `[` must not take one's first character. */
export function cutBeforeSentinel(literal: string): string {
  const inside = sentinelIn(literal);
  if (inside >= 0) return literal.slice(0, inside);
  const last = literal.lastIndexOf('[');
  return last >= 0 && OPENING.startsWith(literal.slice(last)) ? literal.slice(0, last) : literal;
}
