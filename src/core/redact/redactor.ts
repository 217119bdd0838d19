import { makeLiteralMatchers } from './literals.js';
import { classifyName } from './names.js';
import { Scanner, Triggers } from './scanner.js';
import { writeSentinel } from './sentinel.js';
import { shapeMatchers } from './shapes.js';
import { isSecretValue } from './values.js';

/**
 * Replaces each secret by a sentinel, `[masked:0a1b2c3d]`, the same for the same secret. Masking twice changes nothing.
 * Never throws.
 */
export interface Redactor {
  mask(text: string): string;
  /**
   * The same over text in pieces, wherever they are cut. What could be the beginning of a secret is held back, up to
   * 16 KB; `end` gives the rest.
   */
  stream(): { push(text: string): string; end(): string };
  /** Every string of a plain value, as a new value; keys stay, and say of their strings whether they are secret. */
  maskAll<T>(value: T): T;
  /** The same, with more values to mask wherever they stand. */
  knowing(secrets: readonly string[]): Redactor;
}

/**
 * `hash` gives at least 8 hexadecimal digits for a text; keyed, or short secrets could be guessed from them. `secrets`
 * are masked wherever they stand, when they have 6 characters or more.
 */
export function createRedactor(options: {
  hash(text: string): string;
  secrets?: readonly string[];
}): Redactor {
  const literals = makeLiteralMatchers(options.secrets ?? []);
  const triggers = new Triggers([...shapeMatchers.slice(0, 1), ...literals, ...shapeMatchers.slice(1)]);
  const replace = (secret: string): string => writeSentinel(options.hash(secret));
  const mask = (text: string): string => {
    const scanner = new Scanner(triggers, replace);
    return scanner.push(text) + scanner.end();
  };
  const maskNamed = (text: string, key: string): string => {
    const masked = mask(text);
    const kind = masked === text ? classifyName(key) : undefined;
    return kind && isSecretValue(text, { kind, form: 'quoted' }) ? replace(text) : masked;
  };
  return {
    mask,
    stream: () => new Scanner(triggers, replace),
    maskAll: (value) => mapStrings(value, maskNamed),
    knowing: (secrets) => createRedactor({ ...options, secrets: [...(options.secrets ?? []), ...secrets] }),
  };
}

/** A copy of arrays and plain objects; anything else is taken over as it is. However deep, and whatever its keys. */
function mapStrings<T>(value: T, change: (text: string, key: string) => string): T {
  const copies = new Map<object, object>();
  const work: Array<[from: object, to: object]> = [];
  const copy = (item: unknown, key: string): unknown => {
    if (typeof item === 'string') return change(item, key);
    if (typeof item !== 'object' || item === null) return item;
    const prototype: unknown = Object.getPrototypeOf(item);
    if (!Array.isArray(item) && prototype !== Object.prototype && prototype !== null) return item;
    const known = copies.get(item);
    if (known) return known;
    const made: object = Array.isArray(item) ? [] : {};
    copies.set(item, made);
    work.push([item, made]);
    return made;
  };
  const result = copy(value, '') as T;
  for (let next = work.pop(); next; next = work.pop()) {
    const [from, to] = next;
    for (const [key, item] of Object.entries(from)) {
      // `__proto__` is a key like any other.
      Object.defineProperty(to, key, {
        value: copy(item, Array.isArray(from) ? '' : key),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
  }
  return result;
}
