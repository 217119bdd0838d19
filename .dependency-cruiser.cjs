// The layers of docs/ARCHITECTURE.md as rules: a module imports only those before it, types included.

const MODULES = [
  ...['core', 'node', 'workspace', 'confine', 'config', 'review'],
  ...['runs', 'tasks', 'agents', 'sessions', 'orchestrate', 'inbox', 'faces'],
];

// Without effects: names, hashes and encodings. All other built-ins belong to node/.
const PURE_BUILTINS = ['path', 'crypto', 'buffer', 'url', 'util', 'assert'];

const layers = MODULES.slice(0, -1).map((module, at) => ({
  name: `layer-${module}`,
  comment: `${module} does not import what is built on it.`,
  severity: 'error',
  from: { path: `^src/${module}/` },
  to: { path: `^src/(?:(?:${MODULES.slice(at + 1).join('|')})/|index\\.ts$)` },
}));

module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'known-module',
      comment: 'Every file is part of a module of the list.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/(?:${MODULES.join('|')})/` },
    },
    {
      name: 'no-index',
      comment: 'Files are imported directly; src/index.ts alone exports for others.',
      severity: 'error',
      from: {},
      to: { path: '^src/.+/index\\.ts$' },
    },
    {
      name: 'effects-in-node',
      comment: 'Only node/ imports node built-ins that have effects.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/node/' },
      to: { dependencyTypes: ['core'], pathNot: `^(node:)?(${PURE_BUILTINS.join('|')})(/|$)` },
    },
    {
      name: 'pure-core',
      comment: 'core/ is text to data and imports no built-in at all.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-cycle',
      comment: 'No module imports itself by any way round.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'Every import leads to a file or a package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared',
      comment: 'Every package is one of ours: bundled, or installed with teddy.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
