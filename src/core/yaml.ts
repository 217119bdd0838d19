import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
} from 'yaml';
import { shorten } from './text.js';

export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type YamlRead =
  | {
      status: 'value';
      /** Null, booleans, numbers, texts, lists, and objects without a prototype. */
      value: unknown;
      /** The 1-based line of what a path leads to, or of the last thing on the way that is there. */
      lineOf(path: readonly (string | number)[]): number;
    }
  /** `reason` completes the sentence "<file> …". */
  | { status: 'refused'; reason: string; line: number };

/** How many values aliases may add to those that were written. */
const MOST_REPEATED = 10_000;
const DEEPEST = 100;
/** Collections open at once. The library composes them by recursion, and V8 ends the process where a pattern finds no stack. */
const MOST_OPEN = 2 * DEEPEST;
/** Errors between which the library finds nothing to read: it takes ever longer over each. */
const MOST_ERRORS = 100;
/** Some reasons quote the text. */
const LONGEST_REASON = 200;

export interface YamlOptions {
  /** How many tokens, marks and spaces among them, a document may have; a block of text is one, however long. */
  mostTokens?: number;
  /** Called with what is written and is in no value. */
  onUnread?(words: UnreadWords): void;
}

/** A comment, an anchor or a tag. */
export interface UnreadWords {
  /** 1-based. */
  line: number;
  /** As written: `# a comment`, `&anchor`, `!tag`. */
  text: string;
  /** Nothing is before it on its line. */
  alone: boolean;
}

/**
 * One YAML document of the core schema. Keys are unique texts; tags other than the schema's own and aliases that
 * unfold without end are refused. Never throws. Costly to load: import it only when there is something to read.
 */
export function parseYaml(text: string, options: YamlOptions = {}): YamlRead {
  const lines = new LineCounter();
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  try {
    const document = compose(text.startsWith('\uFEFF') ? text.slice(1) : text, lines, options);
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem) return refuse(problem.message, lineAt(problem.pos[0]));
    const value = document.contents === null ? null : new Reader().read(document.contents, 0);
    return { status: 'value', value, lineOf: (path) => lineAt(offsetOf(document, path)) };
  } catch (error) {
    if (error instanceof Misread) return refuse(error.message, lineAt(error.offset));
    return refuse('it is nested too deeply', 1);
  }
}

function compose(text: string, lines: LineCounter, options: YamlOptions): Document.Parsed {
  const composer = new Composer({
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
    // The library compares each key with each; `Reader` does it in one pass.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const documents = composer.compose(readTokens(text, lines, options), true, text.length);
  const first = documents.next().value as Document.Parsed;
  const second = documents.next().value as Document.Parsed | undefined;
  if (second && first.errors.length === 0)
    throw new Misread('it contains several documents', second.range[0]);
  return first;
}

/** The lexer puts it before every scalar. */
const SCALAR = '\x1f';
/** A deeper indent counts as text after something else. */
const MOST_INDENT = 200;

function* readTokens(
  text: string,
  lines: LineCounter,
  { mostTokens = Number.POSITIVE_INFINITY, onUnread }: YamlOptions,
): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  let [count, errors] = [0, 0];
  let before = '';
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > mostTokens) throw new Misread('it contains too many values', parser.offset);
    if (onUnread && before !== SCALAR && /^[#&!]/.test(lexeme)) {
      const { line, col } = lines.linePos(parser.offset);
      const blanks = /[ \t]*$/.exec(text.slice(Math.max(0, parser.offset - MOST_INDENT), parser.offset))![0];
      onUnread({ line, text: lexeme, alone: blanks.length === col - 1 });
    }
    before = lexeme;
    if (parser.stack.length > MOST_OPEN) throw new Misread('it is nested too deeply', parser.offset);
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error' && ++errors > MOST_ERRORS) throw new Misread(token.message, token.offset);
      yield token;
    }
  }
  yield* parser.end();
}

function refuse(message: string, line: number): YamlRead {
  const [whole = ''] = message.split('\n', 1);
  const first = shorten(whole, LONGEST_REASON);
  const said = first.replace(/[.:]$/, '').replace(/^Missing closing (["'])quote/, 'a closing $1 is missing');
  return { status: 'refused', reason: `is not valid YAML: ${said}`, line };
}

class Misread extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

class Reader {
  /** Each anchor's value, once all of it is read: an alias inside its own anchor finds nothing. */
  private readonly anchors = new Map<string, { value: unknown; size: number }>();
  private size = 0;
  private repeated = 0;

  read(node: unknown, depth: number): unknown {
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return this.repeat(node.source, node.range?.[0] ?? 0);
    const before = this.size++;
    const { anchor, range } = node as Node & { anchor?: string };
    if (depth > DEEPEST) throw new Misread('it is nested too deeply', range?.[0] ?? 0);
    const value = this.readNew(node, depth + 1);
    if (anchor !== undefined) this.anchors.set(anchor, { value, size: this.size - before });
    return value;
  }

  private readNew(node: unknown, depth: number): unknown {
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth));
    if (!isMap(node)) return null;
    const object: Record<string, unknown> = Object.create(null);
    for (const { key, value } of node.items as Pair[]) {
      const name = String(isScalar(key) ? key.value : this.read(key, depth));
      if (name in object) throw new Misread(`the key ${JSON.stringify(name)} occurs twice`, startOf(key));
      object[name] = this.read(value, depth);
    }
    return object;
  }

  private repeat(source: string, offset: number): unknown {
    const known = this.anchors.get(source);
    if (!known) throw new Misread(`the alias *${source} has no complete anchor before it`, offset);
    this.size += known.size;
    this.repeated += known.size;
    if (this.repeated > MOST_REPEATED) throw new Misread('its aliases expand to too much text', offset);
    return known.value;
  }
}

function offsetOf(document: Document, path: readonly (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const next: { at: unknown; value: unknown } | undefined = isMap(node)
      ? findPair(node.items as Pair[], String(step))
      : isSeq(node)
        ? { at: node.items[Number(step)], value: node.items[Number(step)] }
        : undefined;
    if (next?.at === undefined) break;
    offset = startOf(next.at);
    node = next.value;
  }
  return offset;
}

function findPair(pairs: readonly Pair[], name: string): { at: unknown; value: unknown } | undefined {
  const pair = pairs.find(({ key }) => isScalar(key) && String(key.value) === name);
  return pair && { at: pair.key, value: pair.value };
}

function startOf(node: unknown): number {
  return (node as Partial<Node> | null)?.range?.[0] ?? 0;
}
