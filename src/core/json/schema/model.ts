import type { JsonValue } from '../types.js';
import type { Run } from './run.js';

/** Whether a value keeps what a schema says. Where the run is not quiet, a `false` has noted at least one fault. */
export type Check = (value: JsonValue, run: Run) => boolean;

/** A schema, ready to be asked. */
export interface Node {
  check: Check;
  /** The kinds of values that may keep it, as far as that is plain from the schema alone. */
  admits: number;
  /** The same for quiet runs. */
  quick: Quick;
}

/** What one keyword asks of values. */
export interface Rule {
  /** It has no say in values of other kinds. */
  kinds: number;
  check: Check;
  /** The only values that it lets through, where it names them. */
  values?: readonly JsonValue[];
  /** What it says to quiet runs, which then do not ask it. */
  facts?: Partial<Facts>;
  /** The kinds that it may let through; without it, all. Asked once every reference is known. */
  admits?(): number;
}

/**
 * What the plainest keywords of a schema say, as data. Most values are good and most keywords plain, and a look at these
 * takes a fraction of the time that asking every keyword takes.
 */
export interface Facts {
  types: number;
  minimum: number;
  maximum: number;
  minLength: number;
  maxLength: number;
  minItems: number;
  maxItems: number;
  prefixItems: readonly Node[];
  items: Node | null;
  properties: readonly Property[];
  required: readonly string[];
  /** No keys but those of `properties`. */
  isClosed: boolean;
}

export interface Property {
  key: string;
  node: Node;
}

/** A schema as quiet runs see it. */
export interface Quick extends Facts {
  keys: Keys | null;
  /** The only values that keep it, where it names them. */
  values: readonly JsonValue[] | null;
  /** The keywords that are no facts, by the kind of value that they have a say in. */
  others: readonly (readonly Check[])[];
}

/** The keys that `properties` and `required` name. */
export interface Keys {
  byName: ReadonlyMap<string, NamedKey>;
  /** As the last object had them. The next one mostly has them so too, and then none needs to be looked up. */
  inOrder: (NamedKey | undefined)[];
}

export interface NamedKey {
  key: string;
  /** Null: it is required, but no property. */
  node: Node | null;
  isRequired: boolean;
}
