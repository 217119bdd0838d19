import { SHORTEST_LITERAL, shapeMatchers } from './redactor.js';
import { Scanner, Triggers } from './scanner.js';
import { classifyName, isWordy, splitName } from './values.js';

const SECRET =
  /^(?:.*(?:token|secret|password|passwd|passphrase|passcode|apikey|credential)s?|pass|pwd|pat|auth|authorization|creds?|cookie|salt|dsn)$/;
/** Last words of names whose values are no secrets, whatever else they say. */
const HARMLESS = new Set(
  (
    'file files path paths sock socket dir home id ids name names user username host port type ttl expiry expires ' +
    'timeout method enabled disabled algorithm issuer audience scope scopes count limit length size region version mode ' +
    'provider endpoint env helper store backend prompt command askpass program'
  ).split(' '),
);
/** Who somebody is and where they work: told by everything that they run, and no secret however random it looks. */
const PLACES = new Set(['PWD', 'OLDPWD', 'HOME', 'TMPDIR', 'PATH', 'SHELL', 'LOGNAME', 'USER']);
const ADDRESS = new Set(['url', 'uri', 'dsn', 'string', 'connection', 'conn', 'jdbc']);
const SETTINGS = new Set(
  (
    'true false yes no on off none null undefined enabled disabled required optional always never default auto basic ' +
    'bearer digest password token secret changeme postgres mysql redis admin administrator root guest example test testing ' +
    'development production staging local localhost username anonymous keychain keyring plaintext kubernetes'
  ).split(' '),
);

let shapes: Triggers | undefined;

/** The values of an environment that are secret by their name or shape, the password alone where one is part of it. */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  const found = new Set<string>();
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || PLACES.has(name)) continue;
    for (const secret of [...findByShape(value), ...findByName(name, value)]) {
      if (isLiteral(secret)) found.add(secret.trim());
    }
  }
  return [...found];
}

function findByShape(text: string): string[] {
  const found: string[] = [];
  shapes ??= new Triggers(shapeMatchers);
  const scanner = new Scanner(shapes, (secret) => {
    found.push(secret);
    return '';
  });
  scanner.push(text);
  scanner.end();
  return found;
}

function findByName(name: string, value: string): string[] {
  const words = splitName(name);
  const last = words.at(-1) ?? '';
  if (HARMLESS.has(last) || isFilePath(value)) return [];
  const password = findPassword(value);
  if (password !== undefined) {
    const told = ADDRESS.has(last) || words.some((word) => SECRET.test(word));
    return told ? [password, ...decoded(password)] : [];
  }
  if (value.includes('://')) return [];
  if (words.some((word) => SECRET.test(word)) || classifyName(name) === 'token') return findParts(value);
  return classifyName(name) === 'key' && value.length >= 16 && !isWordy(value) ? [value] : [];
}

/** `scheme://user:password@host`, `user:password@tcp(host)`, `Server=…;Password=…;` */
function findPassword(value: string): string | undefined {
  return (
    /^(?:[A-Za-z][\w+.:-]{0,40}:\/\/)?[^\s/:@]{0,200}:([^\s/]{1,400})@[\w.[(-]/.exec(value)?.[1] ??
    /(?:^|;)\s{0,4}(?:password|pwd)\s{0,4}=\s{0,4}([^;]{1,400})/i.exec(value)?.[1]
  );
}

function decoded(password: string): string[] {
  try {
    return [decodeURIComponent(password)];
  } catch {
    return [];
  }
}

/** Of credentials in JSON the strings that are named as secrets; its other lines are plain text. */
function findParts(value: string): string[] {
  if (!value.trimStart().startsWith('{')) return [value];
  try {
    return findNamed(JSON.parse(value), 0);
  } catch {
    return [value];
  }
}

function findNamed(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || depth > 8) return [];
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
    typeof item === 'string' ? (classifyName(key) ? [item] : []) : findNamed(item, depth + 1),
  );
}

function isFilePath(value: string): boolean {
  return /^(?:\.{0,2}|~)\/[^\n]*$|^[A-Za-z]:\\/.test(value) && isWordy(value.slice(1));
}

/** Whether a value can be looked for in any text without finding plain words. */
function isLiteral(value: string): boolean {
  const text = value.trim();
  if (text.length < SHORTEST_LITERAL || SETTINGS.has(text.toLowerCase())) return false;
  if (/^[+-]?[\d.]{1,8}$/.test(text)) return text.replace(/\D/g, '').length >= 8;
  if (/^\$\{?\w+\}?$/.test(text) || /^(.)\1*$/s.test(text)) return false;
  return !/^[A-Za-z]{1,7}$/.test(text);
}
