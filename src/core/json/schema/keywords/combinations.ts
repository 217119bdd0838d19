import { explainAlternatives } from '../alternatives.js';
import { forAll, type Keywords, readList, type Site } from '../keyword.js';
import { ANY, kindOf, NONE } from '../kinds.js';
import type { Node, Rule } from '../model.js';
import { askQuietly, isOver, refuse } from '../run.js';

/** To turn from one schema to another for the same value, in steps of a check. */
const WORK_PER_SCHEMA = 4;

/** Schemas about one and the same value. */
export const COMBINATION_KEYWORDS: Keywords = {
  allOf: (site) => {
    const nodes = readNodes(site);
    if (nodes === undefined) return undefined;
    return {
      ...forAll((value, run) => {
        let good = true;
        run.left -= WORK_PER_SCHEMA * nodes.length;
        for (const node of nodes) {
          if (node.check(value, run)) continue;
          good = false;
          if (isOver(run)) break;
        }
        return good;
      }),
      admits: () => nodes.reduce((kinds, node) => kinds & node.admits, ANY),
    };
  },
  anyOf: (site) => {
    const nodes = readNodes(site);
    if (nodes === undefined) return undefined;
    return {
      ...forAll((value, run) => {
        const kind = 1 << kindOf(value);
        run.left -= WORK_PER_SCHEMA * nodes.length;
        const { quiet } = run;
        run.quiet = true;
        let good = false;
        for (let index = 0; index < nodes.length && !good; index++) {
          const node = nodes[index]!;
          good = (node.admits & kind) !== 0 && node.check(value, run);
        }
        run.quiet = quiet;
        return good || explainAlternatives(value, nodes, site, run);
      }),
      admits: () => admitAny(nodes),
    };
  },
  oneOf: (site) => {
    const nodes = readNodes(site);
    if (nodes === undefined) return undefined;
    return {
      ...forAll((value, run) => {
        run.left -= WORK_PER_SCHEMA * nodes.length;
        const hits = askQuietly(run, () => findTwo(nodes, (node) => node.check(value, run)));
        if (hits.length === 1) return true;
        if (hits.length === 0) return explainAlternatives(value, nodes, site, run);
        // What fits is told by its positions, so that it can be told from nothing that fits.
        return refuse(run, { keyword: 'oneOf', expected: hits, schema: site.schema }, value);
      }),
      admits: () => admitAny(nodes),
    };
  },
  not: (site) => {
    const node = site.same(site.expected);
    return forAll((value, run) => {
      if (askQuietly(run, () => !node.check(value, run))) return true;
      return refuse(run, site, value);
    });
  },
  if: readCondition,
  // Without `if` these two say nothing, but they are read; `if` applies them.
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  then: (site) => void site.part(site.expected),
  else: (site) => void site.part(site.expected),
};

function readNodes(site: Site): Node[] | undefined {
  return readList(site)?.map((schema, index) => site.same(schema, [index]));
}

function admitAny(nodes: readonly Node[]): number {
  return nodes.reduce((kinds, node) => kinds | node.admits, NONE);
}

function findTwo(nodes: readonly Node[], fits: (node: Node) => boolean): number[] {
  const hits: number[] = [];
  for (const [index, node] of nodes.entries()) {
    if (fits(node) && hits.push(index) === 2) break;
  }
  return hits;
}

function readCondition(site: Site): Rule | undefined {
  const { expected, schema } = site;
  const condition = site.same(expected);
  const consequence = schema.then === undefined ? null : site.beside('then');
  const otherwise = schema.else === undefined ? null : site.beside('else');
  if (consequence === null && otherwise === null) return undefined;
  return forAll((value, run) => {
    const branch = askQuietly(run, () => condition.check(value, run)) ? consequence : otherwise;
    return branch === null || branch.check(value, run);
  });
}
