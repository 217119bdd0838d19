import { type KeyPath, Problems } from './problems.js';
import { isSetting, listKeys, type Schema, type Values } from './schema.js';
import type { ConfigProblem } from './types.js';

/** In characters. */
const LIMIT = 1024 * 1024;

export type OpenedDocument =
  | { status: 'open'; value: unknown; problems: Problems; lineOf: (path: KeyPath) => number }
  | { status: 'refused'; problems: ConfigProblem[] };

/** A YAML file that a person wrote for teddy, as a value, with somewhere to say what is wrong with it. */
export async function openDocument(file: string, text: string): Promise<OpenedDocument> {
  if (text.length > LIMIT) {
    return refuse({ file, line: null, key: null, message: 'The file is larger than 1 MB.' });
  }
  // YAML is costly to load, and most projects have no such file.
  const { parseYaml } = await import('../core/yaml.js');
  const read = parseYaml(text);
  if (read.status === 'refused') {
    return refuse({ file, line: read.line, key: null, message: `The file ${read.reason}.` });
  }
  const problems = new Problems(file, read.lineOf);
  return { status: 'open', value: read.value, problems, lineOf: read.lineOf };
}

function refuse(problem: ConfigProblem): OpenedDocument {
  return { status: 'refused', problems: [problem] };
}

/** A mapping, or nothing at all; anything else is a problem, and counts as nothing. */
export function readMapping(value: unknown, path: KeyPath, problems: Problems): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  problems.add(path, 'is not a mapping; write "key: value" lines');
  return {};
}

export function readDocumentList(value: unknown, path: KeyPath, problems: Problems): unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  problems.add(path, 'is not a list; begin each of its items with "- "');
  return [];
}

export function readBySchema<S extends Schema>(
  schema: S,
  value: unknown,
  path: KeyPath,
  problems: Problems,
  /** Keys that are known here, and read by somebody else. */
  alsoKnown: readonly string[] = [],
): Values<S> {
  const mapping = readMapping(value, path, problems);
  const known = [...Object.keys(schema), ...alsoKnown];
  const values: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(schema)) {
    const here = [...path, key];
    const written = mapping[key];
    if (!isSetting(entry)) {
      values[key] = readBySchema(entry, written, here, problems);
    } else if (written !== undefined && written !== null) {
      const taken = entry.kind(written);
      if (taken.status === 'ok') values[key] = taken.value;
      else problems.add(here, taken.reason);
    }
  }
  for (const key of Object.keys(mapping)) {
    if (problems.full) break;
    if (!known.includes(key)) problems.addUnknown([...path, key], known, listKeys(schema));
  }
  return values as Values<S>;
}
