import { type KeyPath, type Problems, readMapping } from './document.js';
import { isSetting, listKeys, type Schema, type Values, type Written } from './schema.js';

type Plain = Record<string, NonNullable<unknown> | undefined>;

/** What a file sets of a schema. What it sets wrongly is a problem, and left out. */
export function readSettings<S extends Schema>(
  schema: S,
  value: unknown,
  path: KeyPath,
  problems: Problems,
  /** Keys that are known here and read elsewhere. */
  alsoKnown: readonly string[] = [],
): Written<S> {
  const mapping = readMapping(value, path, problems);
  const known = [...Object.keys(schema), ...alsoKnown];
  const written: Plain = {};
  for (const [key, entry] of Object.entries(schema)) {
    const here = [...path, key];
    const given = mapping[key];
    if (given === undefined || given === null) continue;
    if (!isSetting(entry)) {
      const group = readSettings(entry, given, here, problems);
      if (Object.keys(group).length > 0) written[key] = group;
      continue;
    }
    const taken = entry.kind(given);
    if (taken.status === 'ok') written[key] = taken.value;
    else problems.add(here, taken.reason);
  }
  for (const key of Object.keys(mapping)) {
    if (problems.full) break;
    if (!known.includes(key)) problems.addUnknown([...path, key], known, listKeys(schema));
  }
  return written as Written<S>;
}

/** The user's settings, overridden key by key by the project's; `stricter` and `owns` in the schema limit that. */
export function overrideSettings<S extends Schema>(
  schema: S,
  user: Written<S>,
  project: Written<S>,
): Written<S> {
  const merged: Plain = { ...(user as Plain) };
  for (const [key, entry] of Object.entries(schema)) {
    const theirs = (project as Plain)[key];
    if (theirs === undefined || !isSetting(entry) || theirs === merged[key]) continue;
    for (const owned of entry.owns ?? []) delete merged[owned];
  }
  for (const [key, entry] of Object.entries(schema)) {
    const theirs = (project as Plain)[key];
    if (theirs === undefined) continue;
    if (!isSetting(entry))
      merged[key] = overrideSettings(
        entry,
        (merged[key] ?? {}) as Written<Schema>,
        theirs as Written<Schema>,
      );
    else merged[key] = entry.stricter?.(merged[key] ?? entry.fallback ?? theirs, theirs) ?? theirs;
  }
  return merged as Written<S>;
}

export function fillDefaults<S extends Schema>(schema: S, written: Written<S>): Values<S> {
  const values = Object.entries(schema).map(([key, entry]) => {
    const value = (written as Plain)[key];
    return [
      key,
      isSetting(entry)
        ? (value ?? structuredClone(entry.fallback))
        : fillDefaults(entry, (value ?? {}) as Written<Schema>),
    ];
  });
  return Object.fromEntries(values) as Values<S>;
}
