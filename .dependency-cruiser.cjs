// The ranks of docs/ARCHITECTURE.md as rules. A room imports lower ranks only, types included, and enters
// another room through its index.ts. Rooms of one rank never import each other.

const RANKS = [
  ['formats', 'platform'],
  ['workspace'],
  ['config'],
  ['run', 'capture', 'agents'],
  ['review'],
  ['session'],
  ['turn'],
  ['orchestrate'],
  ['cli', 'index'],
];

const FORMAT_RANKS = [
  ['markdown', 'path', 'tree', 'hidden-characters', 'redact', 'issue', 'yaml', 'json', 'graph'],
  ['place'],
  ['plan', 'agent-report', 'task-plan', 'state'],
  ['task-result'],
  ['report'],
];

// Without effects: names, hashes and encodings. All other built-ins belong to platform/.
const PURE_BUILTINS = ['path', 'crypto', 'buffer', 'url', 'util', 'assert'];

/** One rule for each room: what it may not import is every room that is not of a lower rank. */
function rankRules(base, ranks) {
  return ranks.flatMap((rooms, rank) =>
    rooms.map((room) => {
      const forbidden = ranks
        .slice(rank)
        .flat()
        .filter((other) => other !== room);
      return {
        name: `rank-${room}`,
        comment: `${room} imports lower ranks only.`,
        severity: 'error',
        from: { path: inRoom(base, [room]) },
        to: { path: inRoom(base, forbidden) },
      };
    }),
  );
}

/** A room is a folder, or a single file of that name. */
function inRoom(base, rooms) {
  return `^${base}(${rooms.join('|')})(/|\\.ts$)`;
}

module.exports = {
  forbidden: [
    ...rankRules('src/', RANKS),
    ...rankRules('src/formats/', FORMAT_RANKS),
    {
      name: 'enter-by-index',
      comment: 'A room is entered through its index.ts.',
      severity: 'error',
      from: { path: '^src/([^/]+)' },
      to: { path: '^src/[^/]+/', pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', '^src/formats/'] },
    },
    {
      name: 'enter-formats-by-index',
      comment: 'Each document under formats/ is a room of its own.',
      severity: 'error',
      from: { path: '^src/(?:formats/)?([^/]+)' },
      to: { path: '^src/formats/[^/]+/', pathNot: ['^src/formats/$1/', '^src/formats/[^/]+/index\\.ts$'] },
    },
    {
      name: 'known-room',
      comment: 'Every file stands in a room that has a rank.',
      severity: 'error',
      from: {},
      to: {
        path: '^src/',
        pathNot: [
          inRoom(
            'src/',
            RANKS.flat().filter((room) => room !== 'formats'),
          ),
          inRoom('src/formats/', FORMAT_RANKS.flat()),
        ],
      },
    },
    {
      name: 'effects-in-platform',
      comment: 'Only platform/ imports node built-ins that have effects.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/' },
      to: { dependencyTypes: ['core'], pathNot: `^(node:)?(${PURE_BUILTINS.join('|')})(/|$)` },
    },
    {
      name: 'pure-formats',
      comment: 'formats/ is text to data and imports no built-in at all.',
      severity: 'error',
      from: { path: '^src/formats/' },
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
      comment: 'What ships imports only packages listed under dependencies.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
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
