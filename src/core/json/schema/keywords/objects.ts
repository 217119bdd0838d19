import type { JsonObject } from '../../types.js';
import { forObjects, type Keywords, readCount, readEntries, readKeys, type Site } from '../keyword.js';
import { countKeys, hasKey, listKeys } from '../measures.js';
import type { Node, Property, Rule } from '../model.js';
import type { Pattern } from '../pattern/pattern.js';
import { askQuietly, isOver, placeUnder, type Run, refuse } from '../run.js';

export const OBJECT_KEYWORDS: Keywords = {
  minProperties: (site) => {
    const least = readCount(site);
    if (least === undefined) return undefined;
    return forObjects((object, run) => countKeys(object, run) >= least || refuse(run, site, object));
  },
  maxProperties: (site) => {
    const most = readCount(site);
    if (most === undefined) return undefined;
    return forObjects((object, run) => countKeys(object, run) <= most || refuse(run, site, object));
  },
  required: (site) => {
    const required = readKeys(site, site.expected);
    return required && forObjects((object, run) => hasAll(object, required, site, run), { required });
  },
  dependentRequired: (site) => {
    const entries = readEntries(site, 'a list of keys for each key');
    const dependents = entries?.map(
      ([key, list]) => [key, readKeys(site, list, [key]) ?? []] satisfies [string, string[]],
    );
    if (dependents === undefined) return undefined;
    return forObjects((object, run) => {
      let good = true;
      for (const [key, keys] of dependents) {
        if (Object.hasOwn(object, key) && !hasAll(object, keys, site, run)) good = false;
        else run.left--;
        if (!good && isOver(run)) break;
      }
      return good;
    });
  },
  dependentSchemas: (site) => {
    const entries = readEntries(site, 'a schema for each key');
    const dependents = entries?.map(
      ([key, schema]) => [key, site.same(schema, [key])] satisfies [string, Node],
    );
    if (dependents === undefined) return undefined;
    return forObjects((object, run) => {
      let good = true;
      for (const [key, node] of dependents) {
        run.left--;
        if (Object.hasOwn(object, key) && !node.check(object, run)) good = false;
        if (!good && isOver(run)) break;
      }
      return good;
    });
  },
  properties: (site) => {
    const entries = readEntries(site, 'a schema for each key');
    const properties = entries?.map(([key, schema]) => ({ key, node: site.part(schema, [key]) }));
    return (
      properties && forObjects((object, run) => checkProperties(object, properties, run), { properties })
    );
  },
  patternProperties: (site) => {
    const entries = readEntries(site, 'a schema for each pattern');
    const pairs = entries?.map(([source, schema]) => ({
      pattern: site.pattern(source, [source]),
      node: site.part(schema, [source]),
    }));
    if (pairs === undefined) return undefined;
    return forObjects((object, run) => {
      let good = true;
      for (const key of listKeys(object, run)) {
        for (const { pattern, node } of pairs) {
          run.left--;
          const before = run.found.length;
          if (!pattern?.test(key, run) || node.check(object[key]!, run)) continue;
          good = placeUnder(run, before, key);
          if (isOver(run)) return false;
        }
      }
      return good;
    });
  },
  additionalProperties: readAdditional,
  propertyNames: (site) => {
    const node = site.part(site.expected);
    return forObjects((object, run) => {
      let good = true;
      for (const key of listKeys(object, run)) {
        if (askQuietly(run, () => node.check(key, run))) continue;
        good = refuse(run, site, object, key);
        if (isOver(run)) break;
      }
      return good;
    });
  },
};

function hasAll(object: JsonObject, keys: readonly string[], site: Site, run: Run): boolean {
  let good = true;
  run.left -= keys.length;
  for (const key of keys) {
    if (hasKey(object, key)) continue;
    good = refuse(run, site, object, key);
    if (isOver(run)) break;
  }
  return good;
}

function checkProperties(object: JsonObject, properties: readonly Property[], run: Run): boolean {
  let good = true;
  run.left -= properties.length;
  for (const { key, node } of properties) {
    if (!hasKey(object, key)) continue;
    const before = run.found.length;
    if (node.check(object[key]!, run)) continue;
    good = placeUnder(run, before, key);
    if (isOver(run)) break;
  }
  return good;
}

function readAdditional(site: Site): Rule | undefined {
  const { properties, patternProperties } = site.schema;
  const known = new Set(Object.keys(properties ?? {}));
  const patterns = Object.keys(patternProperties ?? {}).map((source) => site.pattern(source, null));
  const isClosed = site.expected === false;
  const node = site.part(site.expected);
  if (site.expected === true) return undefined;
  const check = (object: JsonObject, key: string, run: Run) => {
    if (isClosed) return refuse(run, site, object, key);
    const before = run.found.length;
    return node.check(object[key]!, run) || placeUnder(run, before, key);
  };
  const facts = isClosed && patterns.length === 0 ? { isClosed } : undefined;
  return forObjects((object, run) => {
    let good = true;
    for (const key of listKeys(object, run)) {
      if (known.has(key) || matchesAny(key, patterns, run) || check(object, key, run)) continue;
      good = false;
      if (isOver(run)) break;
    }
    return good;
  }, facts);
}

function matchesAny(key: string, patterns: readonly (Pattern | undefined)[], run: Run): boolean {
  run.left -= patterns.length;
  return patterns.some((pattern) => pattern?.test(key, run));
}
