import { describeForm, readContextMap } from '../core/agent-report/context-map/forms.js';
import { renderContextMap } from '../core/agent-report/context-map/render.js';
import { resolveReferences } from '../core/agent-report/context-map/resolve.js';
import type { ContextEntry, Reference } from '../core/agent-report/types.js';
import { readJson } from '../core/json/read.js';
import type { JsonValue } from '../core/json/values.js';
import { isJsonObject } from '../core/json/values.js';
import type { Tree } from '../core/tree.js';
import { UserError } from '../node/errors.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';

/** Resolves the references of a context map against the current files. */
export function resolveContextMap(workspace: Workspace, entries: readonly ContextEntry[]): Reference[] {
  return resolveReferences(entries, openTree(workspace.root));
}

/** Renders the references with the lines that they point to as Markdown, with secrets masked. */
export function renderContext(
  workspace: Workspace,
  references: readonly Reference[],
  mask: (text: string) => string,
): string {
  return mask(renderContextMap(references, maskedTree(openTree(workspace.root), mask)));
}

/** Masks whole files before lines are taken from them: part of a secret is not recognised. */
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

export interface ContextRead {
  entries: ContextEntry[];
  /** Says that the map is not in the standard form; null if it is. */
  note: string | null;
}

/** Reads the context map of a text: bare, under `context_map`, or in a report's findings. Throws `UserError`. */
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
