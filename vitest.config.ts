import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that run the built program; all others import src/ and need no build. */
const PROGRAM = [
  'spec/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/docs/**/*.test.ts',
  'test/fuzz/cli-fuzz.test.ts',
];

/** Agent files that come with the program, as the build takes them. */
const markdownAsText = {
  name: 'markdown-as-text',
  transform: (code: string, id: string) =>
    id.endsWith('.md') ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined,
};

export default defineConfig({
  plugins: [markdownAsText],
  test: {
    // On two cores the default is one, and then the one that waits keeps the other from working.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What teddy keeps for a user stays out of the home of whoever runs the tests.
    env: { XDG_STATE_HOME: join(tmpdir(), 'teddy-test-state') },
    projects: [
      { extends: true, test: { name: 'rooms', include: ['test/**/*.test.ts'], exclude: PROGRAM } },
      {
        extends: true,
        test: { name: 'program', include: PROGRAM, globalSetup: ['scripts/build-when-stale.mjs'] },
      },
    ],
  },
});
