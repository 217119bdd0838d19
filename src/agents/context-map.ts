import { describeForm, readContextMap } from '../core/agent-report/context-map/forms.js';
import { renderContextMap } from '../core/agent-report/context-map/render.js';
import { resolveReferences } from '../core/agent-report/context-map/resolve.js';
import type { ContextEntry, Reference } from '../core/agent-report/types.js';
import { readJson } from '../core/json/read.js';
import type { JsonValue } from '../core/json/values.js';
import { isJsonObject } from '../core/json/values.js';
import type { Tree } from '../core/tree.js';
import { isoUtc } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { decodeText, MB } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import { describeUncommitted } from '../workspace/commit/change.js';
import { openTree } from '../workspace/tree.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';

/** What the references of a context map point to now. */
export interface ResolvedContext {
  references: Reference[];
  /** Why it could not be kept how the lines are; null where it was, or was before. */
  note: string | null;
}

/** Resolves the references, against how the lines were when this map was first seen. */
export async function resolveContextMap(
  workspace: Workspace,
  entries: readonly ContextEntry[],
  now: Date,
): Promise<ResolvedContext> {
  const pins = findPins(workspace, entries);
  const references = resolveReferences(entries, openTree(workspace.root), { hash: sha256, pins });
  const note = pins.size > 0 ? null : await keepPins(workspace, entries, references, isoUtc(now));
  return { references, note };
}

/** The references with the lines that they point to, as Markdown; no secret of the files is in it. */
export function renderContext(
  workspace: Workspace,
  references: readonly Reference[],
  mask: (text: string) => string,
): string {
  return mask(renderContextMap(references, maskedTree(openTree(workspace.root), mask)));
}

/** Masked before lines are cut out of it: half a secret is not known as one. */
function maskedTree(tree: Tree, mask: (text: string) => string): Tree {
  return {
    stat: (path) => tree.stat(path),
    text(path) {
      const read = tree.text(path);
      if (read.status !== 'text') return read;
      const text = mask(read.text);
      if (countLines(text) === countLines(read.text)) return { status: 'text', text };
      return {
        status: 'refused',
        reason: 'contains a secret of several lines, so none of its lines are shown',
      };
    },
  };
}

function countLines(text: string): number {
  return text.split('\n').length;
}

/** What they point to, however the lines were before. */
export function resolveUnpinned(workspace: Workspace, entries: readonly ContextEntry[]): Reference[] {
  return resolveReferences(entries, openTree(workspace.root), { hash: sha256 });
}

export interface ContextRead {
  entries: ContextEntry[];
  /** That the map has another form than it should; null where it has not. */
  note: string | null;
}

/** The context map of a text: as such, under `context_map`, or in the findings of a report. Throws `UserError`. */
export function readContextText(name: string, text: string): ContextRead {
  const read = readJson(text);
  if (read.status === 'refused') {
    const { line, column, message, hint } = read.problem;
    throw new UserError(`${name}:${line}:${column}: ${message} ${hint}`);
  }
  const map = findContextMap(read.value);
  const entries = readContextMap(map);
  const form = describeForm(map);
  if (entries) return { entries, note: form && `${name}: ${form}` };
  throw new UserError(
    `${name} has no context map: a list of [text, address or null], such as [["Signing.", "repo://src/auth/jwt.ts:45-120"]], or a report with one in its findings.`,
  );
}

function findContextMap(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  if (isJsonObject(value.findings) && value.findings.context_map !== undefined)
    return value.findings.context_map;
  return value.context_map ?? value;
}

const FOLDER = '.teddy/context-maps';
const LIMIT = 2 * MB;
const CANNOT = 'The lines of the context map were not saved, so later checks cannot show what changed:';

/**
 * How the lines of a context map were when it was first seen, by address; empty where nothing is kept of it. A file
 * that is not as `keepPins` writes it is as good as none: a cloned repository may bring any.
 */
export function findPins(
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
