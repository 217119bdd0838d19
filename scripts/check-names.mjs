// npm run check:names: an exported name means one thing in all of src. Fails where a second file declares it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) +([A-Za-z_$][\w$]*)/gm;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.tsx?$/.test(path),
);
const places = new Map();
for (const path of files) {
  const names = new Set(
    [...readFileSync(join('src', path), 'utf8').matchAll(DECLARED)].map(([, name]) => name),
  );
  for (const name of names) places.set(name, [...(places.get(name) ?? []), path]);
}
const twice = [...places].filter(([, paths]) => paths.length > 1).sort();
for (const [name, paths] of twice) console.error(`${name} is exported by ${paths.join(' and ')}.`);
if (twice.length > 0) {
  console.error(`${twice.length} names mean more than one thing; rename all but one.`);
  process.exit(1);
}
