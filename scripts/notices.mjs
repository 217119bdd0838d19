// The licences of the packages whose code is in dist/, which has to go with it wherever it goes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const NOTICE_IN_SOURCE = /copyright\s+(?:\(c\)|©|\d{4})|permission is hereby granted/i;

// Packages that come without a licence text: that of another one from the same repository, or what they name.
const FROM_REPOSITORY = { '@ai-sdk/provider-utils': 'node_modules/@ai-sdk/provider/LICENSE' };
const NAMED = {
  '@cfworker/json-schema': `MIT License

Copyright (c) Jeremy Danyow

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`,
  boolbase: `ISC License

Copyright (c) Felix Boehm

Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY
AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`,
};

/** Many packages only refer to it; whoever passes them on has to include it. */
const APACHE = 'node_modules/typescript/LICENSE.txt';

/** By folder: every package that has code in an output of esbuild, with the files that it comes from. */
export function bundledPackages(metafiles) {
  const packages = new Map();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
        if (folder === undefined || path.includes(':') || bytesInOutput === 0) continue;
        packages.set(folder, (packages.get(folder) ?? new Set()).add(path));
      }
    }
  }
  return packages;
}

/** Throws for a package without a licence text. The same packages give the same text. */
export function writeNotices(packages) {
  const entries = [...packages].map(([folder, files]) => describePackage(folder, files));
  entries.sort((a, b) => (a.title < b.title ? -1 : 1));
  const unique = entries.filter(({ title }, at) => title !== entries[at - 1]?.title);
  const apache = unique.some(({ licence }) => licence === 'Apache-2.0');
  return [
    'The programs in this folder contain code of the packages below, each under its own licence.\n',
    ...unique.map(({ title, texts }) => [`${'='.repeat(78)}\n${title}\n`, ...texts].join('\n')),
    ...(apache ? [`${'='.repeat(78)}\n${readFileSync(join(root, APACHE), 'utf8').trim()}\n`] : []),
  ].join('\n');
}

function describePackage(folder, files) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const licences = licencesOf(folder, name);
  if (licences.length === 0) throw new Error(`${name}@${version} is bundled, and has no licence text.`);
  const texts = [...licences, ...[...files].sort().flatMap(noticesIn)].map(
    (text) => `${text.replace(/\r\n/g, '\n').trim()}\n`,
  );
  return { licence: license, title: `${name} ${version} (${license})`, texts: [...new Set(texts)] };
}

function licencesOf(folder, name) {
  const own = readdirSync(join(root, folder)).filter((file) => LICENCE_FILE.test(file));
  const files =
    own.length > 0 ? own.sort().map((file) => join(folder, file)) : [FROM_REPOSITORY[name] ?? []].flat();
  return [
    ...files.map((file) => readFileSync(join(root, file), 'utf8')),
    ...(own.length > 0 ? [] : [NAMED[name] ?? []].flat()),
  ];
}

/** Of code that a package took over from others. */
function noticesIn(path) {
  const comments = readFileSync(join(root, path), 'utf8').match(/\/\*[\s\S]*?\*\//g) ?? [];
  return comments.filter((comment) => NOTICE_IN_SOURCE.test(comment));
}
