// What dist/ is bundled from: the program with the library, the client of models, and the worker for pages.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // Agent files that come with the program.
  loader: { '.md': 'text' },
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

/** The client of models: a library of 1 MB that only sessions need. It imports no module of ours. */
const MODEL_SDK = 'src/sessions/model/model-sdk.ts';

/** Required, not imported: the way through the loader of ES modules takes 10 ms. */
const modelSdkApart = {
  name: 'model-sdk-apart',
  setup(esbuild) {
    esbuild.onResolve({ filter: /\/model-sdk\.js$/ }, ({ path }) => ({ path, namespace: 'apart' }));
    esbuild.onResolve({ filter: /^\.\/model-sdk\.cjs$/ }, ({ path }) => ({ path, external: true }));
    esbuild.onLoad({ filter: /.*/, namespace: 'apart' }, () => ({
      contents: "module.exports = require('./model-sdk.cjs');",
    }));
  },
};

/** An ES module, with programs of its own beside it: imported from the package when it is first used. */
const clipboardApart = {
  name: 'clipboard-apart',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^clipboardy$/ }, ({ path }) => ({ path, namespace: 'clipboard' }));
    esbuild.onResolve({ filter: /^\.\.\/bin\// }, ({ path }) => ({ path, external: true }));
    esbuild.onLoad({ filter: /.*/, namespace: 'clipboard' }, () => ({
      contents: `const load = async () => (await require('../bin/import.cjs')('clipboardy')).default;
module.exports = {
  read: async () => (await load()).read(),
  write: async (text) => (await load()).write(text),
};`,
    }));
  },
};

// commander asks for child_process, which it wants only for commands that are programs of their own, and which
// takes 4 ms to load: it gets it when it first uses it.
const lateChildProcess = {
  name: 'late-child-process',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^node:child_process$/ }, ({ importer, path }) =>
      importer.includes('commander') ? { path, namespace: 'late' } : undefined,
    );
    esbuild.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `exports.spawn = (...words) => process.getBuiltinModule('${path}').spawn(...words);`,
    }));
  },
};

/** Packages that a bundled library asks for at run time and that are not part of this one: each gets an empty module. */
const NOT_LOADED = ['canvas', '@mixmark-io/domino'];

/** Whatever a bundled library might load by itself would come from a folder that a plan can write to. */
const loadNothingElse = {
  name: 'load-nothing-else',
  setup(esbuild) {
    esbuild.onResolve({ filter: new RegExp(`^(?:${NOT_LOADED.join('|')})$`) }, ({ path }) => ({
      path,
      namespace: 'not-loaded',
    }));
    esbuild.onLoad({ filter: /.*/, namespace: 'not-loaded' }, ({ path }) => ({
      // linkedom then uses its own stand-in; turndown gets no text to parse.
      contents: path === 'canvas' ? "throw new Error('not part of this program');" : '',
    }));
    // Only downloads of its own would need it, and every request goes through a `fetch` of ours.
    esbuild.onLoad({ filter: /@ai-sdk\/provider-utils\/dist\/index\.m?js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('nodeRequire("undici")', '{}'),
    }));
  },
};

/** The program and the library in one file. What either needs is evaluated when it is first asked for. */
const PROGRAM = `
  export const start = () => require('./src/faces/cli/start.ts').start();
  export const library = () => require('./src/index.ts');
`;

// CommonJS, because an ES module adds 5 ms to every start. Identifiers stay, so that a stack trace has its names.
function bundleCommonJs(options) {
  return build({
    ...shared,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    minifyWhitespace: true,
    minifySyntax: true,
    ...options,
    // `createRequire` takes a path as well as a URL.
    define: {
      TEDDY_VERSION: JSON.stringify(version),
      TEDDY_PAGE_WORKER: JSON.stringify('./page-worker.cjs'),
      'import.meta.url': '__filename',
    },
    plugins: [modelSdkApart, clipboardApart, lateChildProcess, loadNothingElse],
  });
}

/** A function, as Node wraps modules: bin/code-cache.cjs runs it with the code that was compiled before. */
const AS_FUNCTION = {
  banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
  footer: { js: '})' },
};

const program = { stdin: { contents: PROGRAM, resolveDir: root, loader: 'ts' } };
const parts = { 'page-worker': 'src/runs/read-url/page-worker.ts', 'model-sdk': MODEL_SDK };

/** All of dist/ but the types and the notices; the results of esbuild, with their metafiles. */
export function bundleDist({ write }) {
  return Promise.all([
    bundleCommonJs({ write, ...program, ...AS_FUNCTION, outfile: 'dist/teddy.cjs' }),
    bundleCommonJs({ write, entryPoints: parts, outdir: 'dist' }),
  ]);
}

/** The program as an ordinary module in which a comment names the file of each part, for measuring. */
export function bundleReadable(outfile) {
  return bundleCommonJs({ ...program, outfile, minifyWhitespace: false, minifySyntax: false });
}
