import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that run the built program; all others import src/ and need no build. */
const PROGRAM = [
  'spec/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/docs/**/*.test.ts',
  'test/fuzz/cli-fuzz.test.ts',
  'test/package/**/*.test.ts',
  // Its worker is a file of the build.
  'test/runs/web/**/*.test.ts',
];

/** Tests of what has no state and no effects: they share a process, and load what they test once. */
const PURE = ['test/core/**/*.test.ts', 'test/fuzz/plan-fuzz.test.ts'];

/** Kinds of tests, in the order in which they run: processes can be shared, and no core waits for a long test at the end. */
const KINDS = [
  { name: 'program', include: PROGRAM },
  { name: 'modules', include: ['test/**/*.test.ts'], exclude: [...PROGRAM, ...PURE] },
  { name: 'core', include: PURE, isolate: false },
];

/** Property, fuzz, corpus, kill, fault, power-cut and short soak tests: `npm run test:deep`. */
const DEEP = '**/*.deep.test.ts';

/** Tests with the real clients, which only `npm run test:clients` installs: no other run has this project. */
const CLIENTS = { name: 'program-clients', include: ['test/clients/*.clients.ts'] };

/** No test has a limit in time; this only ends one that hangs. */
const HANGS_MS = process.env.TEDDY_SOAK ? 6 * 3_600_000 : 1_800_000;

class KindAfterKind extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) =>
      KINDS.findIndex(({ name }) => project.name.startsWith(name));
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

/** Agent files that come with the program, as the build takes them. */
const markdownAsText = {
  name: 'markdown-as-text',
  transform: (code: string, id: string) =>
    id.endsWith('.md') ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined,
};

export default defineConfig({
  plugins: [markdownAsText],
  define: { TEDDY_PAGE_WORKER: JSON.stringify(join(import.meta.dirname, 'dist/page-worker.cjs')) },
  test: {
    // On two cores the default is one, and many a test waits: for a disk, for a program, for a moment to come.
    maxWorkers: 3,
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    // What teddy keeps for a user stays out of the home of whoever runs the tests.
    env: {
      XDG_STATE_HOME: join(tmpdir(), 'teddy-test-state'),
      XDG_CACHE_HOME: join(tmpdir(), 'teddy-test-cache'),
      XDG_CONFIG_HOME: join(tmpdir(), 'teddy-test-config'),
    },
    sequence: { sequencer: KindAfterKind },
    globalSetup: ['scripts/build-when-stale.mjs'],
    projects: [
      ...KINDS.flatMap(({ name, include, exclude = [], ...rest }) => [
        { ...rest, name, include, exclude: [...exclude, DEEP] },
        { ...rest, name: `${name}-deep`, include: include.map(deepOnes), exclude },
      ]),
      ...(process.env.TEDDY_CLIENTS ? [CLIENTS] : []),
    ].map((test) => ({ extends: true, test })),
  },
});

function deepOnes(pattern: string): string {
  return pattern.replace(/(\.deep)?\.test\.ts$/, '.deep.test.ts');
}
