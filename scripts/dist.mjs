// What dist/ is bundled from: the CLI as one file with its lazy parts, the worker for pages, the library as one file.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
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

// What is large and seldom needed: each in a file of its own, loaded when first asked for. Such a part wraps a library
// and imports no room of ours, of which it would get a second copy.
const lazyParts = {
  'memos-yaml': 'src/session/memos-yaml.ts',
  'model-sdk': 'src/session/model/model-sdk.ts',
  yaml: 'src/formats/yaml.ts',
};

// What the small programs, which start at once, need of the rest only now and then. These do bring their own copies of
// rooms, and share no more than plain values with it.
const rareParts = {
  'agent-faces': 'src/cli/agent-faces.ts',
  'agent-stats': 'src/turn/agent-stats.ts',
  'capture-offered': 'src/turn/capture-offered.ts',
  confirm: 'src/cli/review/confirm.ts',
  'orchestrate-faces': 'src/cli/orchestrate-faces.ts',
  'recover-runs': 'src/turn/recover-runs.ts',
  redactor: 'src/turn/redactor.ts',
  'session-faces': 'src/cli/session-faces.ts',
  'task-faces': 'src/cli/task-faces.ts',
  'verify-result': 'src/turn/verify-result.ts',
};

/** Parts are required, not imported: the way through the loader of ES modules takes 10 ms. */
const keepApart = (parts) => ({
  name: 'keep-apart',
  setup(esbuild) {
    esbuild.onResolve({ filter: /\.js$/ }, ({ kind, path }) => {
      const part = basename(path, '.js');
      return kind === 'dynamic-import' && part in parts
        ? { path: `./${part}.cjs`, namespace: 'part' }
        : undefined;
    });
    esbuild.onResolve({ filter: /^\.\/[\w-]+\.cjs$/, namespace: 'part' }, ({ path }) => ({
      path,
      external: true,
    }));
    esbuild.onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
      loader: 'js',
    }));
  },
});

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

// CommonJS, because an ES module adds 5 ms to every start. The modules of a command are in the same file and
// run when first imported. Identifiers stay, so that a stack trace has its names.
function bundleCommonJs(entryPoints, { apart = {}, write }) {
  return build({
    ...shared,
    write,
    entryPoints,
    outdir: 'dist/cli',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    // `createRequire` takes a path as well as a URL.
    define: {
      TEDDY_VERSION: JSON.stringify(version),
      TEDDY_PAGE_WORKER: JSON.stringify('./page-worker.cjs'),
      'import.meta.url': '__filename',
    },
    external: ['clipboardy'],
    plugins: [keepApart(apart), lateChildProcess, loadNothingElse],
  });
}

/** The whole program, one for plans alone, one for tasks, one for agents: compiling takes 2 ms for each 100 KB, at every start. */
function bundleCli(write) {
  const {
    'agent-faces': agentFaces,
    'orchestrate-faces': orchestrateFaces,
    'session-faces': sessionFaces,
    'task-faces': taskFaces,
    ...others
  } = rareParts;
  const ownPrograms = {
    'agent-faces': agentFaces,
    'orchestrate-faces': orchestrateFaces,
    'session-faces': sessionFaces,
    'task-faces': taskFaces,
  };
  // Ending a dead run may end a turn, with all that belongs to one.
  const apartFromMain = { ...lazyParts, ...ownPrograms, 'recover-runs': others['recover-runs'] };
  return [
    bundleCommonJs({ main: 'src/cli/main.ts', ...lazyParts, ...others }, { apart: apartFromMain, write }),
    bundleCommonJs(
      {
        'plan-main': 'src/cli/plan-main.ts',
        'task-main': 'src/cli/task-main.ts',
        'agent-main': 'src/cli/agent-main.ts',
        ...ownPrograms,
      },
      { apart: { ...lazyParts, ...rareParts }, write },
    ),
    bundleCommonJs({ 'page-worker': 'src/run/read-url/page-worker.ts' }, { write }),
  ];
}

function bundleLibrary(write) {
  return build({
    ...shared,
    write,
    entryPoints: { index: 'src/index.ts' },
    outdir: 'dist',
    format: 'esm',
    packages: 'external',
    define: { TEDDY_PAGE_WORKER: JSON.stringify('./cli/page-worker.cjs') },
  });
}

/** All of dist/ but the types and the notices; the results of esbuild, with their metafiles. */
export function bundleDist({ write }) {
  return Promise.all([...bundleCli(write), bundleLibrary(write)]);
}
