import type { Definitions, Shape, UnionShape } from './shape.js';

/** What tells alternatives of a strict schema apart without doubt. */
export interface Distinctions {
  /** The key that an alternative is wrapped in, `{"choice_2": …}`; null where its kind of value says which it is. */
  choiceOf(union: UnionShape, index: number): string | null;
  /** Whether null is among what the strict form of it may be. */
  mayBeNull(shape: Shape): boolean;
  /** The key that says in the place of a value that there is none: `{"absent": true}`. */
  absentKeyOf(shape: Shape): string;
}

/** What the strict form of a shape may be: types, and objects by their keys, of which no other set occurs. */
interface Kinds {
  types: ReadonlySet<string>;
  objects: readonly (readonly string[])[];
}

const NO_KINDS: Kinds = { types: new Set(), objects: [] };

/** The definitions must not refer to each other in a circle without an object or a list in between. */
export function tellApart(definitions: Definitions): Distinctions {
  const known = new Map<Shape, Kinds>();
  const wrapped = new Map<UnionShape, boolean>();

  const kindsOf = (shape: Shape): Kinds => {
    let kinds = known.get(shape);
    if (kinds === undefined) {
      kinds = findKinds(shape);
      known.set(shape, kinds);
    }
    return kinds;
  };

  const findKinds = (shape: Shape): Kinds => {
    switch (shape.kind) {
      case 'leaf':
      case 'literal':
        return ofType(shape.type === 'integer' ? 'number' : shape.type);
      case 'json':
        return ofType('string');
      case 'list':
      case 'map':
        return ofType('array');
      case 'tuple':
      case 'object': {
        const keys = shape.fields.map(({ name }) => name);
        return { types: NO_KINDS.types, objects: [shape.rest ? [...keys, shape.rest.name] : keys] };
      }
      case 'reference': {
        const target = definitions.get(shape.name);
        return target ? kindsOf(target) : NO_KINDS;
      }
      case 'union':
        return sum(shape.alternatives.map((inner, index) => alternativeKinds(shape, inner, index)));
      case 'never':
        return NO_KINDS;
    }
  };

  const alternativeKinds = (union: UnionShape, inner: Shape, index: number): Kinds => {
    const choice = choiceOf(union, index);
    return choice === null ? kindsOf(inner) : { types: NO_KINDS.types, objects: [[choice]] };
  };

  const choiceOf = (union: UnionShape, index: number): string | null => {
    let isWrapped = wrapped.get(union);
    if (isWrapped === undefined) {
      isWrapped = canBeConfused(union.alternatives.map(kindsOf));
      wrapped.set(union, isWrapped);
    }
    return isWrapped && !isNull(union.alternatives[index]!) ? `choice_${index + 1}` : null;
  };

  return {
    choiceOf,
    mayBeNull: (shape) => kindsOf(shape).types.has('null'),
    absentKeyOf(shape) {
      const { objects } = kindsOf(shape);
      let key = 'absent';
      while (objects.some((keys) => keys[0] === key)) key += '_';
      return key;
    },
  };
}

const ofType = (type: string): Kinds => ({ types: new Set([type]), objects: [] });

function sum(all: readonly Kinds[]): Kinds {
  const types = all.flatMap((kinds) => [...kinds.types]);
  return { types: new Set(types), objects: all.flatMap(({ objects }) => objects) };
}

function isNull(shape: Shape): boolean {
  return shape.kind === 'leaf' && shape.type === 'null';
}

/**
 * Objects of a strict schema have all their keys and no others, so that another set of keys is another object. Some
 * services refuse alternatives that begin with the same key, too.
 */
function canBeConfused(all: readonly Kinds[]): boolean {
  const seen = new Set<string>();
  for (const { types, objects } of all) {
    const marks = new Set([
      ...types,
      ...objects.map((keys) => `first ${keys[0]}`),
      ...objects.map((keys) => `all ${JSON.stringify([...keys].sort())}`),
    ]);
    for (const mark of marks) {
      if (seen.has(mark)) return true;
      seen.add(mark);
    }
  }
  return false;
}
