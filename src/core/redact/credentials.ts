import { beginsWord, type Matcher, type Secret, WINDOW } from './scanner.js';
import {
  classifyName,
  isPlaceholder,
  isSecretValue,
  isWordy,
  type NameKind,
  type SecretSetting,
  sentinelIn,
} from './values.js';

// Secrets in a syntax of their own: addresses, HTTP headers, options of commands, netrc files and private keys.

/** Passwords of examples and of development everywhere; words as short as `b` and `xyz` are no better. */
const GUESSABLE = /^(?:.{1,3}|[a-z]{1,5}|password|passwd|secret|username|postgres|example)$/i;

/** `scheme://user:password@host` */
function urlMatcher(prefix: string): Matcher {
  return {
    prefix,
    find(window) {
      const [info] = /^[^\s/?#"'`<>\\\u0000-\u001f]{0,1024}/.exec(window.slice(prefix.length))!;
      const colon = info.indexOf(':');
      const host = info.lastIndexOf('@');
      if (colon < 0 || host < colon + 2) return undefined;
      const password = info.slice(colon + 1, host);
      // Brackets and the like are encoded in an address; bare, they make it a pattern or a template.
      if (/[[\](){}|^*]|^:/.test(password)) return undefined;
      if (GUESSABLE.test(password) || isPlaceholder(password)) return undefined;
      return { start: prefix.length + colon + 1, end: prefix.length + host };
    },
  };
}

/** `Authorization: Bearer …` */
function schemeMatcher(prefix: string, accepts: (credential: string) => boolean): Matcher {
  return {
    prefix,
    anyCase: true,
    find(window, before) {
      const [whole, gap = '', credential = ''] = /^( {0,4})([\w.~+/=-]*)/.exec(window.slice(prefix.length))!;
      const next = window[prefix.length + whole.length];
      if (!beginsWord(before) || next === '[' || !accepts(credential)) return undefined;
      return { start: prefix.length + gap.length, end: prefix.length + whole.length };
    },
  };
}

function isBearer(credential: string): boolean {
  return (
    credential.length >= 16 && /\d/.test(credential) && !isPlaceholder(credential) && !isWordy(credential)
  );
}

/** `user:password` in base64. */
function isBasic(credential: string): boolean {
  if (credential.length < 8 || !/^[A-Za-z0-9+/]+={0,2}$/.test(credential)) return false;
  const digits = credential.replaceAll('=', '');
  return (
    digits.length % 4 !== 1 && /^[\u0020-\u0039\u003b-\u007e]*:[^\u0000-\u001f\u007f]*$/.test(atob(digits))
  );
}

/** How far the options of a command are read. */
const FURTHEST = 1000;
const VALUE = /(?:"([^"\n\\]{0,300})"|'([^'\n\\]{0,300})'|([^\s"'`;|&<>()\\]{1,300}))/;

/** `secretIn`: where the secret starts in the option's value; undefined where there is none. */
function commandMatcher(
  prefix: string,
  options: readonly [option: RegExp, secretIn: (value: string) => number | undefined][],
): Matcher {
  const patterns = options.map(
    ([option, secretIn]) => [new RegExp(option.source + VALUE.source, 'dg'), secretIn] as const,
  );
  return {
    prefix,
    find(window, before, isOpen) {
      if (!beginsWord(before)) return undefined;
      const line = readCommand(window.slice(prefix.length), prefix);
      if (isOpen && line.length === window.length - prefix.length && line.length < FURTHEST) return 'more';
      let first: Secret | undefined;
      for (const [pattern, secretIn] of patterns) {
        for (const { indices } of line.matchAll(pattern)) {
          const [from, to] = indices![1] ?? indices![2] ?? indices![3]!;
          const secret = secretIn(line.slice(from, to));
          if (secret === undefined) continue;
          const start = prefix.length + from + secret;
          if (!first || start < first.start) first = { start, end: prefix.length + to };
          break;
        }
      }
      return first;
    },
  };
}

/** The rest of a command, on several lines if they end in a backslash, up to where the same program is named again. */
function readCommand(text: string, program: string): string {
  const [rest = ''] = text.slice(0, FURTHEST).split(program, 1);
  return rest.slice(0, /(?<!\\)\n/.exec(rest)?.index);
}

const wholeValue = (value: string): number | undefined => (isChosen(value) ? 0 : undefined);

function afterColon(value: string): number | undefined {
  const colon = value.indexOf(':');
  return colon > 0 && isChosen(value.slice(colon + 1)) ? colon + 1 : undefined;
}

function isChosen(password: string): boolean {
  return !/^\d{0,5}$/.test(password) && !GUESSABLE.test(password) && !isPlaceholder(password);
}

/** Whether one of `name=value; name=value` looks like more than a setting. */
function holdsCookie(text: string): boolean {
  return text.split(';').some((pair) => {
    const value = /^\s*[\w.$-]{1,100}=(.+)$/.exec(pair)?.[1]?.trim() ?? '';
    return value.length >= 8 && !isPlaceholder(value) && !isWordy(value);
  });
}

/** Of a header: all cookies that a client sends, the first pair of those that a server sets. */
const cookieMatcher: Matcher = {
  prefix: 'cookie: ',
  anyCase: true,
  find(window, before) {
    const head = /(?:^|[\n"'`<>])\s*(set-)?$/i.exec(before.slice(-16));
    const text = window.slice(this.prefix.length);
    const [value] = (head?.[1] ? /^[^\r\n"'`\\;]{0,4096}/ : /^[^\r\n"'`\\]{0,4096}/).exec(text)!;
    if (!head || !holdsCookie(value)) return undefined;
    const start = this.prefix.length + (head[1] ? value.indexOf('=') + 1 : 0);
    return { start, end: this.prefix.length + value.length };
  },
};

/** `machine host login me password …`, or the password on a line of its own. In a sentence more words follow. */
const netrcMatcher: Matcher = {
  prefix: 'password',
  find(window, before) {
    const isEntry = /machine\s{1,9}\S{1,40}\s{1,9}login\s{1,9}\S{1,40}[ \t]{1,9}$/.test(before);
    const isNamed = /(?:^|\s)(?:login|account|machine)\s{1,9}\S{1,40}\s{1,9}$/.test(before);
    const [whole, value] = /^password[ \t]{1,10}(\S{4,200})[ \t]{0,20}/.exec(window) ?? [];
    if (whole === undefined || value === undefined || !(isEntry || isNamed)) return undefined;
    const isLast = /^(?:[\r\n#]|$)/.test(window.slice(whole.length));
    if (!(isEntry || isLast) || isPlaceholder(value)) return undefined;
    if (/^[A-Za-z]+[.,!?]?$/.test(value) && value.length < 12) return undefined;
    const start = whole.indexOf(value, this.prefix.length);
    return { start, end: start + value.length };
  },
};

const FRAME = '(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}';
const BEGIN = new RegExp(`^-{4,5} ?BEGIN ${FRAME}`);
const END = new RegExp(`-{4,5} ?END ${FRAME}`);
const NEXT = /\[masked:|- ?BEGIN /;
/** Lines of a key without its end, however they are quoted: headers, long lines of base64, a shorter last one. */
const KEY_LINES =
  /^(?:\\+[nrt]|[\s"'>|,#*])*(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,100}(?:\\+[nrt]|[\s"'>|,#*])+)*[A-Za-z0-9+/=]{24,}(?:(?:\\+[nrt]|[\s"'>|,#*])+[A-Za-z0-9+/=]{24,})*(?:(?:\n|\\+n)[ \t>|"']*(?=[A-Za-z]*[0-9+/=])[A-Za-z0-9+/]{1,23}={0,2}(?![\w.+/=-]))?/;

/** A private key between its dashes: all of it, or the lines that are there. A frame with nothing in it is no secret. */
const privateKeyMatcher: Matcher = {
  prefix: '---',
  find(window, _, isOpen) {
    const begin = BEGIN.exec(window)?.[0];
    if (begin === undefined) return undefined;
    const text = window.slice(begin.length);
    const [body = ''] = text.split(NEXT, 1);
    const end = END.exec(body);
    const seen = end ? end.index + end[0].length : body.length;
    if (isOpen && seen === text.length) return 'more';
    if (end && isKeyText(body.slice(0, end.index))) {
      return { start: 0, end: begin.length + seen };
    }
    const lines = KEY_LINES.exec(body.slice(0, end?.index))?.[0] ?? '';
    if (!/[A-Z]/.test(lines) || !/[a-z]/.test(lines) || !/[0-9+/]/.test(lines)) return undefined;
    return { start: 0, end: begin.length + lines.length, rest: /[A-Za-z0-9+/=\s\\]*/y };
  },
};

/** Whether at least half of a text is long runs of base64. */
function isKeyText(text: string): boolean {
  let covered = 0;
  for (const [run] of text.matchAll(/[A-Za-z0-9+/=]{40,}/g)) covered += run.length;
  return covered > 0 && covered * 2 >= text.length;
}

/** The private half of a key as PuTTY keeps it. */
const puttyKeyMatcher: Matcher = {
  prefix: 'Private-Lines: ',
  find(window, _, isOpen) {
    const [whole, lines = ''] =
      /^Private-Lines: \d{1,4}\r?\n[ \t>|]{0,40}((?:[A-Za-z0-9+/=]{1,100}(?:\r?\n[ \t>|]{0,40}|$))*)/.exec(
        window,
      ) ?? [];
    if (isOpen && whole?.length === window.length) return 'more';
    const key = lines.replace(/[\s>|]+$/, '');
    const start = (whole?.length ?? 0) - lines.length;
    return key.length >= 24 ? { start, end: start + key.length } : undefined;
  },
};

const puttyMacMatcher: Matcher = {
  prefix: 'Private-MAC: ',
  find(window) {
    const digits = /^[0-9a-fA-F]{40,200}/.exec(window.slice(this.prefix.length))?.[0];
    return digits === undefined
      ? undefined
      : { start: this.prefix.length, end: this.prefix.length + digits.length };
  },
};

export const credentialMatchers: readonly Matcher[] = [
  privateKeyMatcher,
  puttyKeyMatcher,
  puttyMacMatcher,
  urlMatcher('://'),
  urlMatcher(':\\/\\/'),
  schemeMatcher('bearer ', isBearer),
  schemeMatcher('basic ', isBasic),
  netrcMatcher,
  cookieMatcher,
  commandMatcher('curl', [
    [/\s(?:-u\s*|-U\s*|--(?:proxy-)?user(?:\s+|=))/, afterColon],
    [/\s(?:-b\s*|--cookie(?:\s+|=))/, (value) => (holdsCookie(value) ? 0 : undefined)],
  ]),
  commandMatcher('sshpass', [[/\s-p\s*/, wholeValue]]),
  ...['mysql', 'mariadb'].map((program) => commandMatcher(program, [[/\s-p(?=\S)/, wholeValue]])),
];

/** One of these is in every name of a secret. */
const STEMS = ['pass', 'pwd', 'secret', 'token', 'key', 'cred', 'auth'];
const LONGEST_NAME = 40;

/** A secret by the name it is given: `PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<secret>…</secret>`. */
export const assignmentMatchers: readonly Matcher[] = STEMS.map((prefix) => ({
  prefix,
  anyCase: true,
  find: findAssigned,
}));

/** What joins name and value. Groups: a quote behind the name, white space, the sign, white space. */
const SIGN = /^(?:\\{0,3}(["'`]))?\]?([ \t]{0,16})(>|:=?|[!?]?={1,3}>?)([ \t]{0,16})/;
/** Between a type and its value: `token: string = "…"`. */
const AFTER_TYPE = /^[ \t]{0,16}=(?![=>])[ \t]{0,16}/;

function findAssigned(window: string, before: string, isOpen: boolean): Secret | 'more' | undefined {
  const tail = /^[A-Za-z0-9_-]{0,40}/.exec(window)![0];
  if (tail.length === LONGEST_NAME) return undefined;
  const { head, lead } = splitBefore(before);
  const name = head + tail;
  const joint = readJoint(window.slice(tail.length), lead);
  const kind = joint && classifyName(name);
  if (!joint || !kind) return undefined;
  const at = tail.length + joint.length;
  const text = window.slice(at);
  if (joint.sign.startsWith(':') && /^[|>]/.test(text)) return shift(findBlock(text, kind, isOpen), at);
  const isCut = window.length === WINDOW;
  const value = readValue(text, joint.sign === '=' && /^[A-Z0-9_]+$/.test(name), isCut);
  if (!value) return undefined;
  if (joint.sign === '>') {
    return value.next === '<' ? shift(judge({ ...value, form: 'quoted' }, kind), at) : undefined;
  }
  // After a type or a scheme, `Authorization: ApiKey …`, comes the value itself.
  const rest = value.form === 'bare' ? text.slice(value.end) : '';
  const between = /authorization$/i.test(name) ? /^[ \t]{1,16}/.exec(rest) : null;
  const skipped = between ?? (joint.sign.startsWith(':') ? AFTER_TYPE.exec(rest) : null);
  if (!skipped) return shift(judge(value, kind), at);
  const from = value.end + skipped[0].length;
  const typed = readValue(text.slice(from), false, isCut);
  return typed && shift(judge(typed, kind), at + from);
}

/** The part of the name before its stem, without the dashes of an option or the letter of an escape (`\nTOKEN`). */
function splitBefore(before: string): { head: string; lead: string } {
  const written = /[A-Za-z0-9_-]{0,40}$/.exec(before)![0];
  const dashes = /^-*/.exec(written)![0].length;
  let start = before.length - written.length + dashes;
  if (start < before.length && before[start - 1] === '\\') start++;
  return { head: before.slice(start), lead: before.slice(0, start) };
}

/** The sign, with a space where there is one around it; `space` after an option. */
function readJoint(text: string, lead: string): { sign: string; length: number } | undefined {
  const found = SIGN.exec(text);
  if (!found) {
    const gap = lead.endsWith('-') ? /^[ \t]{1,16}/.exec(text) : null;
    return gap ? { sign: 'space', length: gap[0].length } : undefined;
  }
  const [{ length }, quote, left = '', sign = '', right = ''] = found;
  if (sign === '>' && (quote !== undefined || left !== '' || !lead.endsWith('<'))) return undefined;
  return { sign: left + right === '' ? sign : `${sign} `, length };
}

interface Value {
  start: number;
  end: number;
  text: string;
  form: SecretSetting['form'];
  /** The character after it. */
  next: string;
}

const QUOTED = /^(["'`])((?:\\.|(?!\1)[^\\\n\r])*)/;
/** In a string within a string. */
const ESCAPED = /^(\\{1,3}["'`])([^"'`\\\n\r]*)/;
const SHELL = /^[^\s"'`;<>|&\\\u0000-\u001f]*/;
const BARE = /^[^=\s"'`,;<>(){}[\]|&\\\u0000-\u001f]*={0,2}/;

/** `isCut`: the window ends before the text does, and so may the value. */
function readValue(text: string, isShell: boolean, isCut: boolean): Value | undefined {
  const quoted = QUOTED.exec(text) ?? ESCAPED.exec(text);
  if (quoted) {
    const [whole, quote = '', value = ''] = quoted;
    const next = text[whole.length] ?? '';
    if (next !== quote[0] && !(isCut && next === '')) return undefined;
    return { start: quote.length, end: whole.length, text: value, form: 'quoted', next };
  }
  const value = (isShell ? SHELL : BARE).exec(text)![0];
  const form = isShell ? 'shell' : 'bare';
  return { start: 0, end: value.length, text: value, form, next: text[value.length] ?? '' };
}

function judge({ start, text, form, next }: Value, kind: NameKind): Secret | undefined {
  if (form !== 'quoted' && (next === '[' || next === '(')) return undefined;
  // The full stop of a sentence and the bracket around an assignment are not part of a value without quotes.
  let { length } = text;
  if (form !== 'quoted') while (length > 0 && '.,:?)'.includes(text[length - 1]!)) length--;
  return isSecretValue(text.slice(0, length), { kind, form }) ? { start, end: start + length } : undefined;
}

/** A value that YAML writes as a block below its name: `password: |`. */
function findBlock(text: string, kind: NameKind, isOpen: boolean): Secret | 'more' | undefined {
  const head = /^[|>][+\-0-9]{0,2}[ \t\r]{0,20}(?:\n( *)|$)/.exec(text);
  if (!head) return undefined;
  const start = head[0].length;
  if (isOpen && start === text.length) return 'more';
  const indent = head[1] ?? '';
  if (indent === '') return undefined;
  const [block] = new RegExp(`^[^\\n]*(?:\\n${indent}[^\\n]*)*`).exec(text.slice(start))!;
  const end = start + block.length;
  if (isOpen && /^\n? *$/.test(text.slice(end))) return 'more';
  const lines = block.split('\n');
  // A block in the block and a key in its frame are found by themselves, and no secret extends over a mask.
  if (/[|>][+\-0-9]{0,2}\s{0,20}(?:\n|$)/.test(block) || lines[0]!.startsWith('---')) return undefined;
  if (sentinelIn(block) >= 0) return undefined;
  const isSecret = lines.some((line) => isSecretValue(line.trim(), { kind, form: 'quoted' }));
  return isSecret ? { start, end } : undefined;
}

function shift(found: Secret | 'more' | undefined, by: number): Secret | 'more' | undefined {
  return typeof found === 'object' ? { start: found.start + by, end: found.end + by } : found;
}
