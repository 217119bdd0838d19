export type Leaf = string | number | boolean | null;

/** Where two values differ. What is not there is null; a list, or an object in the place of a value, is its JSON. */
export interface DataDifference {
  /** `by_plan.03-01.tasks` */
  field: string;
  recorded: Leaf;
  logged: Leaf;
}

/** Compares plain data, as deep as both have objects. */
export function findDifferences(recorded: object, logged: object, prefix = ''): DataDifference[] {
  return [...new Set([...Object.keys(logged), ...Object.keys(recorded)])].flatMap((key) => {
    const [one, other] = [valueAt(recorded, key), valueAt(logged, key)];
    const field = `${prefix}${key}`;
    if (isObject(one) && isObject(other)) return findDifferences(one, other, `${field}.`);
    const difference = { field, recorded: leafOf(one), logged: leafOf(other) };
    return difference.recorded === difference.logged ? [] : [difference];
  });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}

function leafOf(value: unknown): Leaf {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as Leaf);
}
