import { CharClass, Cursor, type Finding, LONGEST, type MaskPiece, type Matcher } from './piece.js';
import { sentinelIn } from './sentinel.js';
import { classifyName, isSecretValue, type NameKind, type SecretSetting } from './values.js';

/** One of these is in every name that says secret. */
const STEMS = ['pass', 'pwd', 'secret', 'token', 'key', 'cred', 'auth'];
const LONGEST_NAME = 40;
const NAME = new CharClass('A-Za-z0-9_\\-');
const SPACE = new CharClass(' \\t');
const BACKSLASH = new CharClass('\\\\');
const EQUALS = new CharClass('=');
const BARE = new CharClass('^=\\s"\'`,;<>(){}\\[\\]|&\\\\\\u0000-\\u001f');
const SHELL = new CharClass('^\\s"\'`;<>|&\\\\\\u0000-\\u001f');
const IN_QUOTES = new CharClass('^"\'`\\\\\\s\\u0000-\\u001f');
const BEFORE_SLASH = new CharClass('^"\'`\\\\\\n\\r');

/** A value without quotes that is longer is masked as its first part; the rest of it is swallowed. */
const LONGEST_BARE = 512;

type Value = { start: number; end: number; form: SecretSetting['form']; stop: string };

/** A secret by the name it is given: `PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<secret>…</secret>`. */
export const assignmentMatchers: readonly Matcher[] = STEMS.map((prefix) => ({
  prefix,
  anyCase: true,
  find: findAssigned,
}));

function findAssigned(piece: MaskPiece, at: number): Finding | undefined {
  const cursor = new Cursor(piece, at);
  const length = cursor.take(NAME, LONGEST_NAME);
  if (length === LONGEST_NAME) return undefined;
  const nameStart = findNameStart(piece, at);
  const nameEnd = cursor.at;
  const sign = readSign(cursor, piece.text.slice(Math.max(piece.floor, nameStart - 2), nameStart));
  if (sign === undefined) return cursor.starved ? { status: 'undecided', from: cursor.at } : undefined;
  const name = piece.text.slice(nameStart, nameEnd);
  const kind = cursor.starved ? undefined : classifyName(name);
  if (!cursor.starved && kind === undefined) return undefined;
  if (sign.startsWith(':') && /[|>]/.test(cursor.peek()) && kind !== undefined)
    return findBlock(cursor, kind);
  let value = readValue(cursor, sign === '=' && /^[A-Z0-9_]+$/.test(name));
  // Behind a type, `token: string = "…"`, or a scheme, `Authorization: ApiKey …`, comes the value itself.
  if (value?.form === 'bare' && !cursor.starved && passBetween(cursor, sign, name)) {
    value = readValue(cursor, false);
  }
  if (cursor.starved) return { status: 'undecided', from: value?.start ?? cursor.at };
  if (value === undefined || kind === undefined) return undefined;
  if (sign === '>' && value.stop !== '<') return undefined;
  return judge(piece, sign === '>' ? { ...value, form: 'quoted' } : value, kind);
}

/** Names may have their telling word last. */
function findNameStart({ text, floor }: MaskPiece, at: number): number {
  const lowest = Math.max(floor, at - LONGEST_NAME);
  let start = at;
  while (start > lowest && NAME.has(text.charCodeAt(start - 1))) start--;
  // `--token`, `\nTOKEN`: neither the dashes nor the letter of an escape belongs to the name.
  while (start < at && text[start] === '-') start++;
  return start < at && start > floor && text[start - 1] === '\\' ? start + 1 : start;
}

/** What joins name and value: a sign, or a space behind an option. Passes it, with the white space around. */
function readSign(cursor: Cursor, before: string): string | undefined {
  const escapes = cursor.take(BACKSLASH, 3);
  const quoted = eatQuote(cursor) !== '';
  if (escapes > 0 && !quoted) return undefined;
  cursor.eat(']');
  const spaces = cursor.take(SPACE, 16);
  const from = cursor.at;
  let sign: string | undefined;
  if (cursor.eat('>')) sign = !quoted && spaces === 0 && before.endsWith('<') ? '>' : undefined;
  else if (cursor.eat(':')) sign = cursor.eat('=') ? ':=' : ':';
  else {
    if (!cursor.eat('!')) cursor.eat('?');
    if (cursor.take(EQUALS, 3) > 0) sign = cursor.eat('>') ? '=>' : cursor.piece.text.slice(from, cursor.at);
    else if (cursor.at === from && spaces > 0 && before.endsWith('-') && !quoted) return 'space';
  }
  if (sign === undefined) return undefined;
  const behind = cursor.take(SPACE, 16);
  return spaces + behind > 0 ? `${sign} ` : sign;
}

function readValue(cursor: Cursor, shell: boolean): Value | undefined {
  const escapes = cursor.take(BACKSLASH, 3);
  const quote = eatQuote(cursor);
  if (escapes > 0 && quote === '') return undefined;
  const start = cursor.at;
  if (quote !== '') {
    if (escapes > 0) cursor.take(BEFORE_SLASH, LONGEST);
    else passQuoted(cursor, quote);
    const stop = cursor.peek();
    const closed = stop === (escapes > 0 ? '\\' : quote) || cursor.at - start >= LONGEST;
    return closed || cursor.starved ? { start, end: cursor.at, form: 'quoted', stop } : undefined;
  }
  cursor.take(shell ? SHELL : BARE, LONGEST_BARE);
  if (!shell) cursor.take(EQUALS, 2);
  return { start, end: cursor.at, form: shell ? 'shell' : 'bare', stop: cursor.peek() };
}

function eatQuote(cursor: Cursor): string {
  const next = cursor.peek();
  if (next !== '"' && next !== "'" && next !== '`') return '';
  cursor.at++;
  return next;
}

function passQuoted(cursor: Cursor, quote: string): void {
  const limit = cursor.at + LONGEST;
  while (cursor.at < limit) {
    const next = cursor.peek();
    if (next === '' || next === quote || next === '\n' || next === '\r') return;
    cursor.at += next === '\\' ? 2 : 1;
  }
}

function passBetween(cursor: Cursor, sign: string, name: string): boolean {
  const from = cursor.at;
  const spaces = cursor.take(SPACE, 16);
  if (spaces > 0 && /authorization$/i.test(name)) return true;
  if (sign.startsWith(':') && cursor.eat('=') && cursor.peek() !== '=' && cursor.peek() !== '>') {
    cursor.take(SPACE, 16);
    return true;
  }
  if (!cursor.starved) cursor.at = from;
  return false;
}

function judge(piece: MaskPiece, value: Value, kind: NameKind): Finding | undefined {
  const { start, form, stop } = value;
  if (form !== 'quoted' && (stop === '[' || stop === '(')) return undefined;
  const longest = form === 'quoted' ? LONGEST : LONGEST_BARE;
  let end = Math.min(value.end, start + longest);
  // The full stop of a sentence, the bracket around an assignment.
  if (form !== 'quoted') while (end > start && /[.,:?)]/.test(piece.text[end - 1]!)) end--;
  if (!isSecretValue(piece.text.slice(start, end), { kind, form })) return undefined;
  return {
    status: 'secret',
    start,
    end,
    ...(end === start + longest && { rest: { quoted: IN_QUOTES, shell: SHELL, bare: BARE }[form] }),
  };
}

const INDICATORS = new CharClass('+\\-0-9');
const INDENT = new CharClass(' ');
const BLANK = new CharClass(' \\t\\r');
const TEXT = new CharClass('^\\n');
const LONGEST_BLOCK = 8192;

/** A value that YAML writes as a block below its name: `password: |`. The cursor is at the `|` or the `>`. */
function findBlock(cursor: Cursor, kind: NameKind): Finding | undefined {
  cursor.at++;
  cursor.take(INDICATORS, 2);
  cursor.take(BLANK, 20);
  const opened = cursor.eat('\n');
  const indent = opened ? cursor.take(INDENT, 40) : 0;
  const start = cursor.at;
  if (indent === 0) return cursor.starved ? { status: 'undecided', from: start } : undefined;
  let end = start;
  while (cursor.at - start < LONGEST_BLOCK) {
    const line = cursor.take(TEXT, LONGEST_BLOCK);
    end = cursor.at;
    // A block in the block is looked at for itself, so that each line is read once.
    if (/[|>][+\-0-9]{0,2}\s{0,20}$/.test(cursor.piece.text.slice(Math.max(end - line, end - 24), end))) {
      return cursor.starved ? { status: 'undecided', from: start } : undefined;
    }
    if (!cursor.eat('\n') || cursor.take(INDENT, indent) < indent) break;
  }
  if (cursor.starved) return { status: 'undecided', from: start };
  const lines = cursor.piece.text.slice(start, end).split('\n');
  // A key in its frame is somebody else's to find, and no secret reaches over a mask.
  if (lines[0]!.startsWith('---') || sentinelIn(lines.join('\n')) >= 0) return undefined;
  const isSecret = lines.some((line) => isSecretValue(line.trim(), { kind, form: 'quoted' }));
  return isSecret ? { status: 'secret', start, end } : undefined;
}
