// What dist/ is bundled from.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import ts from 'typescript';

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
    // It would check what a client typed into a form, which no tool of ours shows, with code that it makes at run time.
    esbuild.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: 'shims',
      namespace: 'mcp-shims',
    }));
    esbuild.onLoad({ filter: /.*/, namespace: 'mcp-shims' }, () => ({
      contents: `export { default as process } from 'node:process';
export class DefaultJsonSchemaValidator {
  getValidator() { throw new Error('not part of this program'); }
}`,
    }));
    // Only downloads of its own would need it, and every request goes through a `fetch` of ours.
    esbuild.onLoad({ filter: /@ai-sdk\/provider-utils\/dist\/index\.m?js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('nodeRequire("undici")', '{}'),
    }));
  },
};

/** What is asked for from outside: the command line, the library, and the thread that converts pages. */
const PROGRAM = { 'command-line': 'src/faces/cli/program.ts', library: 'src/index.ts' };
const THREADS = { 'page-worker': 'src/runs/web/page-worker.ts' };

/** What the browser loads, flat in dist/page. The editor of texts is a part that is loaded when it is first opened. */
const PAGE = 'src/faces/web/page';
const PAGE_FILES = ['index.html', 'icon.svg'];

// Identifiers stay, so that a stack trace has its names.
const SMALL = { minifyWhitespace: true, minifySyntax: true };

const program = {
  ...shared,
  outdir: 'dist',
  // `createRequire` takes a path as well as a URL.
  define: {
    TEDDY_VERSION: JSON.stringify(version),
    TEDDY_PAGE_WORKER: JSON.stringify('./page-worker.cjs'),
    'import.meta.url': '__filename',
  },
  plugins: [clipboardApart, lateChildProcess, loadNothingElse],
};

/**
 * All of dist/ but the types and the notices, as a list of paths and contents; and esbuild's metafiles. The program is
 * split where it says `import()`, so that a command reads only what it needs. Each part is CommonJS, because an ES
 * module adds 5 ms to every start, and a function, as Node wraps modules: bin/loader.cjs calls it.
 */
export async function bundleDist() {
  const [split, threads, page] = await Promise.all([
    build({
      ...program,
      ...SMALL,
      entryPoints: PROGRAM,
      format: 'esm',
      splitting: true,
      chunkNames: 'part-[hash]',
      write: false,
    }),
    build({ ...program, ...SMALL, entryPoints: THREADS, format: 'cjs', outExtension: CJS, write: false }),
    bundlePage(),
  ]);
  const parts = split.outputFiles.map(async ({ path, text }) => ({
    path: path.replace(/\.js$/, '.cjs'),
    text: await asFunction(text),
  }));
  const files = [
    ...(await Promise.all(parts)),
    ...[...threads.outputFiles, ...page.outputFiles].map(({ path, text }) => ({ path, text })),
    ...PAGE_FILES.map((name) => ({
      path: join(root, 'dist/page', name),
      text: readFileSync(join(root, PAGE, name), 'utf8'),
    })),
  ];
  return { files, metafiles: [split.metafile, threads.metafile, page.metafile] };
}

function bundlePage() {
  return build({
    ...shared,
    platform: 'browser',
    target: 'es2023',
    outdir: 'dist/page',
    entryPoints: { page: `${PAGE}/main.tsx`, style: `${PAGE}/style/page.css` },
    entryNames: '[name]',
    chunkNames: 'part-[hash]',
    format: 'esm',
    splitting: true,
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    write: false,
  });
}

const CJS = { '.js': '.cjs' };

async function asFunction(text) {
  const { code } = await transform(exportValues(text), {
    ...SMALL,
    format: 'cjs',
    target: shared.target,
    supported: { 'dynamic-import': false },
    logOverride: { 'commonjs-variable-in-esm': 'silent' },
  });
  const named = code.trimEnd().replace(/\brequire\("(\.\/[\w-]+)\.js"\)/g, 'require("$1.cjs")');
  return `(function (exports, require, module, __filename, __dirname) {${asAscii(named)}\n})\n`;
}

/**
 * esbuild escapes all but ASCII, except in regular expressions and in String.raw, which we use for parts of them only. With
 * a single other character, V8 needs two bytes for every character of the program.
 */
function asAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Exports the values of a part once it has run, where esbuild would define a getter for each, at every start. Parts never
 * import each other in a circle, so none is read before. What may change later, or is not there yet, keeps a getter.
 */
function exportValues(text) {
  const source = ts.createSourceFile('part.js', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
  const last = source.statements.at(-1);
  if (!last || !ts.isExportDeclaration(last) || last.moduleSpecifier) return text;
  const set = new Set();
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
      set.add(statement.name?.text);
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (initializer && ts.isIdentifier(name)) set.add(name.text);
  }
  const noteChanges = (node) => {
    const changed = node.operand ?? (isAssignment(node) ? node.left : undefined);
    if (changed && ts.isIdentifier(changed)) set.delete(changed.text);
    ts.forEachChild(node, noteChanges);
  };
  noteChanges(source);
  const values = last.exportClause.elements.map(({ propertyName, name }) => {
    const own = (propertyName ?? name).text;
    return set.has(own) ? `${name.text}:${own}` : `get ${name.text}(){return ${own}}`;
  });
  const exports = `module.exports={${values.join(',')}}`;
  return `${text.slice(0, last.pos)};Object.defineProperty(${exports},'__esModule',{value:!0});`;
}

function isAssignment({ operatorToken }) {
  const { FirstAssignment, LastAssignment } = ts.SyntaxKind;
  return operatorToken && operatorToken.kind >= FirstAssignment && operatorToken.kind <= LastAssignment;
}

/** The program as one ordinary module in which a comment names the file of each part, for measuring. */
export function bundleReadable(outfile) {
  const { outdir, ...options } = program;
  const stdin = {
    contents: "export { start } from './src/faces/cli/program.ts';",
    resolveDir: root,
    loader: 'ts',
  };
  return build({ ...options, format: 'cjs', stdin, outfile });
}
