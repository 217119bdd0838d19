import type { JsonPath } from '../types.js';
import { copyNode, fillNode } from './node.js';
import type { Draft, ReadSchema, Reference } from './read-schema.js';
import type { SchemaProblem } from './types.js';
import { quote } from './words.js';

interface Edge {
  to: Draft;
  path: JsonPath;
  reference?: Reference;
}

/** Follows every reference and makes every schema ready to be asked. Tells those that lead nowhere or round in a circle. */
export function linkSchema(read: ReadSchema): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const edges = new Map<Draft, Edge[]>();
  for (const draft of read.drafts.values()) {
    const out: Edge[] = draft.same.map(({ draft: to, path }) => ({ to, path }));
    for (const reference of draft.references) {
      const found = follow(reference.target, read);
      if (typeof found === 'string') problems.push({ message: found, path: reference.path });
      else {
        out.push({ to: found, path: reference.path, reference });
        found.links.push(reference.link);
      }
    }
    edges.set(draft, out);
  }
  const order = problems.length === 0 ? orderByNeed(edges, problems) : [];
  if (problems.length > 0) return problems;
  for (const draft of order) {
    const out = edges.get(draft)!;
    const [only] = draft.rules.length === 1 ? out : [];
    if (only?.reference) copyNode(draft, only.to);
    else fillNode(draft, draft.rules);
    for (const link of draft.links) copyNode(link, draft);
  }
  return [];
}

function follow(target: string, { drafts, anchors }: ReadSchema): Draft | string {
  const written = quote(target);
  if (!target.startsWith('#'))
    return `$ref must point into this schema, as "#/$defs/name" does, not to ${written}: copy what it names into $defs.`;
  const fragment = decode(target.slice(1));
  if (fragment === null)
    return `${written} is not well written: "%" must be followed by two digits of a byte.`;
  const found = fragment === '' || fragment.startsWith('/') ? drafts.get(fragment) : anchors.get(fragment);
  if (found) return found;
  const name = fragment.slice(fragment.lastIndexOf('/') + 1);
  const meant = drafts.has(`/$defs/${name}`) ? `: write ${quote(`#/$defs/${name}`)}` : '';
  const what = fragment.startsWith('/') ? 'there is no schema at that place' : 'there is no such $anchor';
  return `$ref points to ${written}, but ${what}${meant}.`;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Every schema behind those that it hands its value to. A circle among them would never come to an end. */
function orderByNeed(edges: ReadonlyMap<Draft, Edge[]>, problems: SchemaProblem[]): Draft[] {
  const order: Draft[] = [];
  const state = new Map<Draft, 'open' | 'done'>();
  for (const start of edges.keys()) {
    if (state.has(start)) continue;
    state.set(start, 'open');
    // By hand: references can form a chain longer than any stack of calls.
    const stack: { draft: Draft; next: number }[] = [{ draft: start, next: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const edge = edges.get(top.draft)![top.next++];
      if (edge === undefined) {
        state.set(top.draft, 'done');
        order.push(top.draft);
        stack.pop();
      } else if (!state.has(edge.to)) {
        state.set(edge.to, 'open');
        stack.push({ draft: edge.to, next: 0 });
      } else if (state.get(edge.to) === 'open') {
        const from = stack.findIndex(({ draft }) => draft === edge.to);
        const circle = stack.slice(from).map(({ draft, next }) => edges.get(draft)![next - 1]!);
        const { path } = circle.findLast(({ reference }) => reference) ?? edge;
        problems.push({
          message: '$ref leads back to itself without going into the value, so nothing could ever keep it.',
          path,
        });
      }
    }
  }
  return order;
}
