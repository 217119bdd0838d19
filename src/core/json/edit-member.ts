// One member of an object within JSON, with or without comments, is added or removed; every other byte stays.

interface Member {
  key: string;
  start: number;
  value: Node;
}

interface Node {
  start: number;
  end: number;
  /** Undefined where it is no object. */
  members?: Member[];
}

/** `{ "group": { "name": value } }` is added. Undefined where the text has a form in which that is not safe. */
export function addMember(text: string, group: string, name: string, value: unknown): string | undefined {
  if (text.trim() === '') return `${JSON.stringify({ [group]: { [name]: value } }, null, 2)}\n`;
  const root = parse(text);
  const holder = root?.members?.find(({ key }) => key === group)?.value;
  if (root?.members === undefined) return undefined;
  if (holder === undefined) return insert(text, root, group, { [name]: value });
  if (holder.members === undefined || holder.members.some(({ key }) => key === name)) return undefined;
  return insert(text, holder, name, value);
}

/** What is there under that name, as written; undefined where nothing is. */
export function memberText(text: string, group: string, name: string): string | undefined {
  const value = findHolder(text, group)?.members?.find(({ key }) => key === name)?.value;
  return value && text.slice(value.start, value.end);
}

/** An object that is empty then goes, too. Undefined where there is no such member. */
export function removeMember(text: string, group: string, name: string): string | undefined {
  const root = parse(text);
  const holder = findHolder(text, group);
  if (root?.members === undefined || holder?.members === undefined) return undefined;
  if (!holder.members.some(({ key }) => key === name)) return undefined;
  return holder.members.length === 1 ? cut(text, root, group) : cut(text, holder, name);
}

function findHolder(text: string, group: string): Node | undefined {
  return parse(text)?.members?.find(({ key }) => key === group)?.value;
}

function insert(text: string, object: Node, name: string, value: unknown): string {
  const members = object.members!;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const last = members.at(-1);
  const outer = indentAt(text, object.start);
  const inner = last === undefined ? `${outer}${unitOf(text)}` : indentAt(text, members[0]!.start);
  const body = JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${eol}${inner}`);
  const member = `${JSON.stringify(name)}: ${body}`;
  if (last === undefined)
    return `${text.slice(0, object.start + 1)}${eol}${inner}${member}${eol}${outer}${text.slice(object.end - 1)}`;
  const { end } = last.value;
  const comma = commaAfter(text, end);
  const head = comma === undefined ? `${text.slice(0, end)},` : text.slice(0, comma + 1);
  const rest = text.slice(comma === undefined ? end : comma + 1);
  // A comment behind the last member stays behind it.
  const line = /^[^\r\n{}]*?(?=\r?\n)/.exec(rest)?.[0];
  const isOneLine = line === undefined || !/^[ \t]*(?:\/\/.*|\/\*.*\*\/[ \t]*)?$/.test(line);
  const more = comma === undefined ? '' : ',';
  if (isOneLine) return `${head} ${JSON.stringify(name)}: ${JSON.stringify(value)}${more}${rest}`;
  return `${head}${line}${eol}${inner}${member}${more}${rest.slice(line.length)}`;
}

function cut(text: string, object: Node, name: string): string {
  const members = object.members!;
  const at = members.findIndex(({ key }) => key === name);
  const { start, value } = members[at]!;
  const comma = commaAfter(text, value.end);
  const before = members[at - 1];
  if (members.length === 1) return `${text.slice(0, object.start + 1)}${text.slice(object.end - 1)}`;
  const blank = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))![0].length;
  const end = comma === undefined ? value.end : comma + 1;
  const rest = text.slice(end);
  if (comma !== undefined || before === undefined) return `${text.slice(0, start - blank)}${rest}`;
  // It was the last one: the comma before it goes, too.
  const earlier = commaAfter(text, before.value.end)!;
  return `${text.slice(0, earlier)}${text.slice(earlier + 1, start - blank)}${rest}`;
}

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)![0];
}

function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

function commaAfter(text: string, at: number): number | undefined {
  const next = skip(text, at);
  return text[next] === ',' ? next : undefined;
}

/** Past white space and comments. */
function skip(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (/\s/.test(text[at] ?? 'x') || text[at] === '\ufeff') at++;
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      at = end === -1 ? text.length : end + 2;
    } else return at;
  }
}

const DEEPEST = 200;

/** Undefined where it is not JSON with comments. */
function parse(text: string): Node | undefined {
  const root = parseValue(text, skip(text, 0), 0);
  return root !== undefined && skip(text, root.end) === text.length ? root : undefined;
}

function parseValue(text: string, start: number, depth: number): Node | undefined {
  if (depth > DEEPEST) return undefined;
  if (text[start] === '{') return parseObject(text, start, depth);
  if (text[start] === '[') return parseList(text, start, depth);
  if (text[start] === '"') return parseText(text, start);
  const word = /^[-+.\w]+/.exec(text.slice(start, start + 400))?.[0];
  return word === undefined ? undefined : { start, end: start + word.length };
}

function parseText(text: string, start: number): Node | undefined {
  for (let at = start + 1; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return { start, end: at + 1 };
  }
  return undefined;
}

function parseList(text: string, start: number, depth: number): Node | undefined {
  let at = skip(text, start + 1);
  while (text[at] !== ']') {
    const item = parseValue(text, at, depth + 1);
    if (item === undefined) return undefined;
    at = skip(text, item.end);
    if (text[at] === ',') at = skip(text, at + 1);
    else if (text[at] !== ']') return undefined;
  }
  return { start, end: at + 1 };
}

function parseObject(text: string, start: number, depth: number): Node | undefined {
  const members: Member[] = [];
  let at = skip(text, start + 1);
  while (text[at] !== '}') {
    const key = text[at] === '"' ? parseText(text, at) : undefined;
    const colon = key && skip(text, key.end);
    if (key === undefined || text[colon!] !== ':') return undefined;
    const value = parseValue(text, skip(text, colon! + 1), depth + 1);
    if (value === undefined) return undefined;
    members.push({ key: readKey(text.slice(key.start, key.end)), start: key.start, value });
    at = skip(text, value.end);
    if (text[at] === ',') at = skip(text, at + 1);
    else if (text[at] !== '}') return undefined;
  }
  return { start, end: at + 1, members };
}

function readKey(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}
