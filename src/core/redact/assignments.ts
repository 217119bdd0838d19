import { type Matcher, type Secret, WINDOW } from './scanner.js';
import { sentinelIn } from './sentinel.js';
import { classifyName, isSecretValue, type NameKind, type SecretSetting } from './values.js';

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
