import type { JsonValue } from '../../types.js';
import { forLists, type Keywords, readCount, readList, type Site } from '../keyword.js';
import type { Node, Rule } from '../model.js';
import { askQuietly, isOver, placeUnder, type Run, refuse } from '../run.js';
import { findRepeat } from '../unique.js';

export const LIST_KEYWORDS: Keywords = {
  minItems: (site) => {
    const minItems = readCount(site);
    if (minItems === undefined) return undefined;
    return forLists((list, run) => list.length >= minItems || refuse(run, site, list), { minItems });
  },
  maxItems: (site) => {
    const maxItems = readCount(site);
    if (maxItems === undefined) return undefined;
    return forLists((list, run) => list.length <= maxItems || refuse(run, site, list), { maxItems });
  },
  uniqueItems: (site) => {
    if (typeof site.expected !== 'boolean') return site.refuse('uniqueItems must be true or false.');
    if (!site.expected) return undefined;
    return forLists((list, run) => findRepeat(list, run) === null || refuse(run, site, list));
  },
  prefixItems: (site) => {
    const nodes = readList(site)?.map((schema, index) => site.part(schema, [index]));
    if (nodes === undefined) return undefined;
    return forLists((list, run) => checkItems(list, 0, nodes.length, (index) => nodes[index]!, run), {
      prefixItems: nodes,
    });
  },
  items: (site) => {
    const { expected, schema } = site;
    if (Array.isArray(expected))
      return site.refuse('items is one schema for all items; write the list of schemas as prefixItems.');
    const from = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0;
    const items = site.part(expected);
    // One fault for the list says more than one for each item that is too much.
    if (expected === false) return forLists((list, run) => list.length <= from || refuse(run, site, list));
    return forLists((list, run) => checkItems(list, from, list.length, () => items, run), { items });
  },
  contains: readContains,
  // These two read themselves; `contains` applies them.
  minContains: (site) => void readCount(site),
  maxContains: (site) => void readCount(site),
};

function checkItems(
  list: readonly JsonValue[],
  from: number,
  to: number,
  nodeAt: (index: number) => Node,
  run: Run,
): boolean {
  let good = true;
  const end = Math.min(to, list.length);
  run.left -= Math.max(0, end - from);
  for (let index = from; index < end; index++) {
    const before = run.found.length;
    if (nodeAt(index).check(list[index]!, run)) continue;
    good = placeUnder(run, before, index);
    if (isOver(run)) break;
  }
  return good;
}

function readContains(site: Site): Rule {
  const { minContains, maxContains } = site.schema;
  const least = typeof minContains === 'number' ? minContains : 1;
  const most = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY;
  const node = site.part(site.expected);
  const tooFew = minContains === undefined ? site : says(site, 'minContains', least);
  const tooMany = says(site, 'maxContains', most);
  return forLists((list, run) => {
    const enough = most === Number.POSITIVE_INFINITY ? least : most + 1;
    const count = askQuietly(run, () => countHits(list, enough, node.check, run));
    if (count < least) return refuse(run, tooFew, list);
    return count <= most || refuse(run, tooMany, list);
  });
}

function says({ schema }: Site, keyword: string, expected: JsonValue) {
  return { keyword, expected, schema };
}

function countHits(
  list: readonly JsonValue[],
  enough: number,
  check: (value: JsonValue, run: Run) => boolean,
  run: Run,
): number {
  let count = 0;
  for (let index = 0; index < list.length && count < enough; index++) {
    if (--run.left < 0) break;
    if (check(list[index]!, run)) count++;
  }
  return count;
}
