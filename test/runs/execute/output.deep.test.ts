import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import type { Printed } from './fixtures/print-much.js';

test('300 MB leave the process small', async () => {
  const program = await bundle('test/runs/execute/fixtures/print-much.ts');
  const root = makeFolder();
  const { stdout } = await promisify(execFile)(process.execPath, [program, root, String(300_000_000)]);
  const { done, peakMb }: Printed = JSON.parse(stdout);
  expect(done).toMatchObject({ status: 'success', output: { whole: { bytes: 300_000_000 } } });
  expect(done.expectedOutcome).toEqual({ met: true, missing: [] });
  // Of the file: the first 64 MB, a line, and the end that was at hand.
  const path = join(root, done.output!.whole!.file!);
  const omitted = 300_000_000 - 64 * 1024 * 1024 - 128 * 1024;
  const line = `\n[… ${omitted.toLocaleString('en-US')} bytes left out …]\n`;
  expect(statSync(path).size).toBe(300_000_000 - omitted + Buffer.byteLength(line));
  expect(readFileSync(path).includes(line)).toBe(true);
  expect(done.output!.text).toContain('left out; most of it is in ');
  expect(done.notes).toEqual([
    `The output is too long to keep: its file has the first 64 MB and the end, and leaves out ${omitted.toLocaleString('en-US')} bytes between them.`,
  ]);
  expect(peakMb).toBeLessThan(250);
});

async function bundle(entry: string): Promise<string> {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const outfile = `${root}node_modules/.cache/teddy-run/print-much.mjs`;
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}
