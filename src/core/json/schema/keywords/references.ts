import { forAll, type Keywords, readEntries, readText } from '../keyword.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Names, and what leads to them. */
export const REFERENCE_KEYWORDS: Keywords = {
  $ref: (site) => {
    const target = readText(site);
    const node = target === undefined ? undefined : site.reference(target);
    return node && { ...forAll((value, run) => node.check(value, run)), admits: () => node.admits };
  },
  $defs: (site) => {
    for (const [name, schema] of readEntries(site, 'a schema for each name') ?? []) site.part(schema, [name]);
    return undefined;
  },
  $anchor: (site) => {
    const name = readText(site);
    if (name === undefined || /^[A-Za-z_][-A-Za-z0-9._]*$/.test(name)) return undefined;
    return site.refuse(
      '$anchor must be a name of letters, digits, "-", "." and "_" that begins with a letter.',
    );
  },
  $schema: (site) => {
    const { expected } = site;
    if (expected === DIALECT || expected === `${DIALECT}#`) return undefined;
    return site.refuse(`$schema must be ${JSON.stringify(DIALECT)}, the only version that is read here.`);
  },
  $id: (site) => {
    const id = readText(site);
    if (id === undefined) return undefined;
    if (!site.isRoot) return site.refuse('$id may only stand at the top; name this schema with $anchor.');
    if (!/^[^#]*#?$/.test(id)) return site.refuse('$id must not have a part behind "#".');
    return undefined;
  },
};
