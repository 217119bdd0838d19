import type { JsonObject, JsonPath, JsonValue } from '../types.js';
import { isJsonObject } from '../values.js';
import { forAll, type Keyword, type Site } from './keyword.js';
import { ANNOTATION_KEYWORDS } from './keywords/annotations.js';
import { ANY_VALUE_KEYWORDS } from './keywords/any-value.js';
import { COMBINATION_KEYWORDS } from './keywords/combinations.js';
import { LIST_KEYWORDS } from './keywords/lists.js';
import { NUMBER_KEYWORDS } from './keywords/numbers.js';
import { OBJECT_KEYWORDS } from './keywords/objects.js';
import { REFERENCE_KEYWORDS } from './keywords/references.js';
import { TEXT_KEYWORDS } from './keywords/texts.js';
import { explainUnknown } from './keywords/unknown.js';
import { NONE } from './kinds.js';
import { MOST_PROBLEMS, MOST_SCHEMAS, MOST_STATES_IN_ALL } from './limits.js';
import type { Node, Rule } from './model.js';
import { emptyNode } from './node.js';
import { compilePattern, type Pattern, type PatternRead } from './pattern/pattern.js';
import { refuse } from './run.js';
import type { SchemaProblem } from './types.js';

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({
    ...ANY_VALUE_KEYWORDS,
    ...NUMBER_KEYWORDS,
    ...TEXT_KEYWORDS,
    ...LIST_KEYWORDS,
    ...OBJECT_KEYWORDS,
    ...COMBINATION_KEYWORDS,
    ...REFERENCE_KEYWORDS,
    ...ANNOTATION_KEYWORDS,
  }),
);

/** A schema whose rules are read, and which can be asked once all references are followed. */
export interface Draft extends Node {
  path: JsonPath;
  rules: Rule[];
  /** Schemas that judge the same value. */
  same: { draft: Draft; path: JsonPath }[];
  references: Reference[];
  /** What stands for it elsewhere; filled when references are followed. */
  links: Node[];
}

/** Stands for a schema that is elsewhere. */
export interface Reference {
  link: Node;
  target: string;
  path: JsonPath;
}

export interface ReadSchema {
  /** By their place, as a JSON pointer; what holds others comes before them. */
  drafts: ReadonlyMap<string, Draft>;
  anchors: ReadonlyMap<string, Draft>;
  problems: SchemaProblem[];
}

/** Reads every schema within a schema, with all its problems except those of references. */
export function readSchema(root: JsonValue): ReadSchema {
  const drafts = new Map<string, Draft>();
  const anchors = new Map<string, Draft>();
  const problems: SchemaProblem[] = [];
  const patterns = new Map<string, PatternRead>();
  let states = 0;

  const tell = (message: string, path: JsonPath): undefined => {
    if (problems.length < MOST_PROBLEMS) problems.push({ message, path });
  };

  const readPattern = (source: string, path: JsonPath | null): Pattern | undefined => {
    const read = patterns.get(source) ?? compilePattern(source);
    if (!patterns.has(source) && read.status === 'compiled') states += read.pattern.states;
    patterns.set(source, read);
    if (read.status === 'refused') return path === null ? undefined : tell(read.message, path);
    if (states > MOST_STATES_IN_ALL)
      return tell('The patterns of the schema are too large together.', path ?? []);
    return read.pattern;
  };

  const readAt = (schema: JsonValue, path: JsonPath, around: JsonObject): Draft => {
    const pointer = writePointer(path);
    const known = drafts.get(pointer);
    if (known) return known;
    const draft: Draft = { ...emptyNode(), path, rules: [], same: [], references: [], links: [] };
    drafts.set(pointer, draft);
    if (drafts.size === MOST_SCHEMAS + 1)
      tell(`The schema holds more than ${MOST_SCHEMAS} schemas: make it smaller.`, []);
    if (drafts.size > MOST_SCHEMAS) return draft;
    if (isJsonObject(schema)) readKeywords(schema, draft);
    else if (schema === false) draft.rules.push(allowNothing(around));
    else if (schema !== true) tell('A schema must be an object, or true or false.', path);
    return draft;
  };

  const readKeywords = (schema: JsonObject, draft: Draft): void => {
    for (const key of Object.keys(schema)) {
      const expected = schema[key]!;
      const keyword = KEYWORDS.get(key);
      if (keyword === undefined) {
        if (!key.startsWith('x-'))
          tell(explainUnknown(key, expected, [...KEYWORDS.keys()]), [...draft.path, key]);
        continue;
      }
      const rule = keyword(siteOf(key, expected, schema, draft));
      if (rule) draft.rules.push(rule);
    }
    const { $anchor } = schema;
    if (typeof $anchor !== 'string') return;
    if (anchors.has($anchor)) tell('$anchor must be a name of its own.', [...draft.path, '$anchor']);
    anchors.set($anchor, draft);
  };

  const siteOf = (keyword: string, expected: JsonValue, schema: JsonObject, draft: Draft): Site => {
    const at = [...draft.path, keyword];
    const readSame = (inner: JsonValue, path: JsonPath): Node => {
      const node = readAt(inner, path, schema);
      draft.same.push({ draft: node, path });
      return node;
    };
    return {
      keyword,
      expected,
      schema,
      isRoot: draft.path.length === 0,
      refuse: (message, under = []) => tell(message, [...at, ...under]),
      part: (inner, under = []) => readAt(inner, [...at, ...under], schema),
      same: (inner, under = []) => readSame(inner, [...at, ...under]),
      beside: (key) => readSame(schema[key]!, [...draft.path, key]),
      reference: (target) => {
        const link = emptyNode();
        draft.references.push({ link, target, path: at });
        return link;
      },
      pattern: (source, under = []) => readPattern(source, under && [...at, ...under]),
    };
  };

  readAt(root, [], {});
  return { drafts, anchors, problems };
}

function allowNothing(schema: JsonObject): Rule {
  const says = { keyword: 'false', expected: false, schema };
  return { ...forAll((value, run) => refuse(run, says, value)), admits: () => NONE };
}

/** As in RFC 6901. */
function writePointer(path: JsonPath): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
