import type { ContextEntry, Reference } from '../core/agent-report/types.js';
import { readJson } from '../core/json/read.js';
import { isJsonObject } from '../core/json/values.js';
import { MB } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import { decodeText } from '../node/text.js';
import { UserError } from '../node/user-error.js';
import { describeUncommitted } from '../workspace/commit/describe.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';

const FOLDER = '.teddy/context-maps';
const LIMIT = 2 * MB;
const CANNOT =
  'How the lines of the context map are now is not kept, so a later look cannot tell what changed:';

/**
 * How the lines of a context map were when it was first seen, by address; empty where nothing is kept of it. A file
 * that is not as `keepPins` writes it is as good as none: a cloned repository may bring any.
 */
export function lookUpPins(
  workspace: Workspace,
  entries: readonly ContextEntry[],
): ReadonlyMap<string, string> {
  try {
    return workspace.view((view) => readPins(view, fileOf(entries))) ?? new Map();
  } catch (error) {
    if (error instanceof UserError) return new Map();
    throw error;
  }
}

/**
 * Keeps how the lines of a context map are, once: what is kept of the same map before stays. A map with another text or
 * address is another map. Gives null, or a sentence on why it is not kept; never throws.
 */
export async function keepPins(
  workspace: Workspace,
  entries: readonly ContextEntry[],
  references: readonly Reference[],
  at: string,
): Promise<string | null> {
  const pins = references.flatMap(({ uri, status, pin }) =>
    uri !== null && status === 'ok' && pin !== undefined ? [[uri, pin] as const] : [],
  );
  if (pins.length === 0) return null;
  const path = fileOf(entries);
  const after = new TextEncoder().encode(
    `${JSON.stringify({ at, pins: Object.fromEntries(pins) }, null, 2)}\n`,
  );
  if (after.length > LIMIT) return `${CANNOT} it points to more lines than can be remembered.`;
  const result = await workspace.update((view) => {
    if (readPins(view, path)) return { changes: [], value: null };
    const read = view.read(path, LIMIT);
    const before = read.status === 'bytes' ? sha256(read.bytes) : null;
    return { changes: [{ path, before, after, mode: 0o600 }], value: null };
  });
  return result.status === 'committed' ? null : `${CANNOT} ${describeUncommitted(result)}.`;
}

/** One file for one map, whatever form it was written in. */
function fileOf(entries: readonly ContextEntry[]): string {
  return `${FOLDER}/${sha256(JSON.stringify(entries.map(({ text, uri }) => [text, uri])))}.json`;
}

function readPins(view: View, path: string): Map<string, string> | undefined {
  const read = view.read(path, LIMIT);
  const text = read.status === 'bytes' ? decodeText(read.bytes) : undefined;
  const json = text?.status === 'text' ? readJson(text.text) : undefined;
  if (json?.status !== 'value' || !isJsonObject(json.value) || !Object.hasOwn(json.value, 'pins'))
    return undefined;
  const pins = json.value.pins!;
  if (!isJsonObject(pins)) return undefined;
  const found = Object.entries(pins).filter((pin): pin is [string, string] => typeof pin[1] === 'string');
  return found.length === 0 ? undefined : new Map(found);
}
