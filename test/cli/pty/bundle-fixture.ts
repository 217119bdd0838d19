import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

/** Bundles `fixture.ts` beside `from` for the tests of one file. Gives the path of the program, once it is there. */
export function bundleFixture(from: string): { readonly path: string } {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'teddy-fixture-'));
    await build({
      entryPoints: [fileURLToPath(new URL('fixture.ts', from))],
      outfile: join(folder, 'fixture.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'error',
      // Not to be bundled, and nothing that a face at a terminal needs.
      external: ['fs-native-extensions', 'clipboardy'],
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    get path() {
      return join(folder, 'fixture.cjs');
    },
  };
}
