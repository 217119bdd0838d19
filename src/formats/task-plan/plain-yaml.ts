import type { YamlRead } from '../yaml.js';

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
type Mapping = { [key: string]: Value };

/** A line that is neither blank nor a comment. */
interface Line {
  /** Spaces before it. */
  indent: number;
  text: string;
  /** From 1. */
  number: number;
}

/** Anything else has a meaning here that is left to the library, or may have. */
const READABLE = /^[\n\u0020-\u007e\u00a1-\u2027\u2030-\ud7ff]*$/;
const KEY = /^([A-Za-z][\w-]{0,99}):(?: +|$)/;
const WORD_KEY = /^(?:null|true|false)$/i;
const DEEPEST = 20;

/**
 * Reads YAML that is no more than mappings and lists, by indentation, of texts, numbers, booleans and flat lists in
 * brackets: what frontmatter mostly is. The result is the library's, in a tenth of its time; undefined for all else.
 */
export function readPlainYaml(text: string): (YamlRead & { status: 'value' }) | undefined {
  if (!READABLE.test(text)) return undefined;
  try {
    return new PlainReader(text).readDocument();
  } catch (error) {
    if (error === NOT_PLAIN) return undefined;
    throw error;
  }
}

const NOT_PLAIN = new Error('This YAML is for the library.');

class PlainReader {
  private readonly lines: Line[];
  private at = 0;
  /** Where the keys of the document stand, and the items of their lists. */
  private readonly places = new Map<string, number>();

  constructor(text: string) {
    this.lines = splitInk(text);
  }

  readDocument(): (YamlRead & { status: 'value' }) | undefined {
    const first = this.lines[0];
    if (first?.indent !== 0) return undefined;
    const value = this.readMapping(0, 0);
    if (this.at < this.lines.length) return undefined;
    return { status: 'value', value, lineOf: (path) => this.lineOf(path) };
  }

  private lineOf([key, item]: readonly (string | number)[]): number {
    const first = this.lines[0]!.number;
    const place = this.places.get(`${key}`) ?? first;
    return item === undefined ? place : (this.places.get(`${key} ${item}`) ?? place);
  }

  private readMapping(indent: number, depth: number): Mapping {
    if (depth > DEEPEST) throw NOT_PLAIN;
    const mapping: Mapping = Object.create(null);
    for (let line = this.lines[this.at]; line?.indent === indent; line = this.lines[this.at]) {
      // A list that stands as far left as its key ends there, and is read by then.
      this.readPair(mapping, line, line.text, depth);
    }
    if ((this.lines[this.at]?.indent ?? -1) > indent) throw NOT_PLAIN;
    return mapping;
  }

  /** `pair` begins with a key; what follows on its line, or on those below that are further right, is its value. */
  private readPair(mapping: Mapping, line: Line, pair: string, depth: number): void {
    const found = KEY.exec(pair);
    if (!found) throw NOT_PLAIN;
    const [whole, key] = found as unknown as [string, string];
    if (key in mapping || WORD_KEY.test(key)) throw NOT_PLAIN;
    if (depth === 0) this.places.set(key, line.number);
    const indent = line.indent + line.text.length - pair.length;
    const rest = pair.slice(whole.length);
    this.at++;
    mapping[key] = rest === '' ? this.readBelow(indent, key, depth) : this.readInline(rest, line, key, depth);
  }

  private readInline(text: string, line: Line, key: string, depth: number): Value {
    const value = readValue(text);
    if (depth === 0 && Array.isArray(value)) {
      value.forEach((_, i) => {
        this.places.set(`${key} ${i}`, line.number);
      });
    }
    return value;
  }

  private readBelow(indent: number, key: string, depth: number): Value {
    const next = this.lines[this.at];
    if (!next || next.indent < indent) return null;
    if (isItem(next.text)) return this.readList(next.indent, key, depth);
    return next.indent === indent ? null : this.readMapping(next.indent, depth + 1);
  }

  private readList(indent: number, key: string, depth: number): Value[] {
    const list: Value[] = [];
    for (let line = this.lines[this.at]; line?.indent === indent; line = this.lines[this.at]) {
      if (!isItem(line.text)) break;
      if (depth === 0) this.places.set(`${key} ${list.length}`, line.number);
      list.push(this.readItem(line, depth + 1));
    }
    if ((this.lines[this.at]?.indent ?? -1) > indent) throw NOT_PLAIN;
    return list;
  }

  private readItem(line: Line, depth: number): Value {
    const from = firstInk(line.text, 1);
    const text = line.text.slice(from);
    if (!KEY.test(text)) {
      this.at++;
      return readValue(text);
    }
    if (depth > DEEPEST) throw NOT_PLAIN;
    const mapping: Mapping = Object.create(null);
    this.readPair(mapping, line, text, depth + 1);
    const indent = line.indent + from;
    for (let next = this.lines[this.at]; next?.indent === indent; next = this.lines[this.at]) {
      this.readPair(mapping, next, next.text, depth + 1);
    }
    return mapping;
  }
}

function splitInk(text: string): Line[] {
  const lines: Line[] = [];
  text.split('\n').forEach((line, i) => {
    const indent = firstInk(line, 0);
    if (indent === line.length || line[indent] === '#') return;
    let end = line.length;
    while (line[end - 1] === ' ') end--;
    lines.push({ indent, text: line.slice(indent, end), number: i + 1 });
  });
  return lines;
}

function firstInk(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at++;
  return at;
}

function isItem(text: string): boolean {
  return text.startsWith('- ');
}

const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')$/;
/** No `: ` and no ` #`, and nothing that a value of another kind begins with. */
const PLAIN = /^[A-Za-z0-9_./(](?:[^:#]|:(?=[^ ])|(?<=[^ ])#)*$/;
const IN_BRACKETS = /^\[([^[\]{}]*)\]$/;
const PLAIN_IN_BRACKETS = /^[A-Za-z0-9_./(][\w ./@()+<>=;$%^-]*$/;

function readValue(text: string): Value {
  const quoted = QUOTED.exec(text);
  if (quoted) return quoted[1] ?? quoted[2]!;
  if (PLAIN.test(text)) return readPlain(text);
  const inner = IN_BRACKETS.exec(text)?.[1]?.trim();
  if (inner === undefined) throw NOT_PLAIN;
  if (inner === '') return [];
  return inner.split(',').map((each) => {
    const item = each.trim();
    const inQuotes = QUOTED.exec(item);
    if (inQuotes) return inQuotes[1] ?? inQuotes[2]!;
    if (!PLAIN_IN_BRACKETS.test(item)) throw NOT_PLAIN;
    return readPlain(item);
  });
}

const CONSTANT = /^(?:null|true|false)$/i;
/** All that may be read as a number, or as nearly one. */
const NUMERIC = /^[\d.][\d.eExXoOa-fA-F+_-]*$|^\.(?:inf|nan)$/i;
const ID = /^\d{1,9}(?:\.\d{1,9})?-\d{1,9}$/;

function readPlain(text: string): Value {
  if (NUMERIC.test(text)) {
    if (/^\d{1,15}$/.test(text) || /^\d{1,7}\.\d{1,7}$/.test(text)) return Number(text);
    if (ID.test(text)) return text;
    throw NOT_PLAIN;
  }
  if (!CONSTANT.test(text)) return text;
  const word = text.toLowerCase();
  if (text !== word && text !== word.toUpperCase() && text !== word[0]!.toUpperCase() + word.slice(1))
    return text;
  return word === 'null' ? null : word === 'true';
}
