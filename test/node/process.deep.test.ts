import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runProcess } from '../../src/node/process/run.js';
import type { ProcessOptions } from '../../src/node/process/types.js';
import { makeFolder } from '../folder.js';

const PRINT_BYTES = fileURLToPath(new URL('fixtures/print-bytes.mjs', import.meta.url));
const env = { PATH: process.env.PATH };

function printBytes(bytes: number, options: Partial<ProcessOptions> & Pick<ProcessOptions, 'capture'>) {
  const command = { file: process.execPath, args: [PRINT_BYTES, String(bytes)] };
  return runProcess({ command, cwd: '/', env, ...options });
}

describe('output', () => {
  test('200 MB: bounded in memory, whole on disk, private', async () => {
    const folder = makeFolder();
    const spill = { stdout: join(folder, 'out'), stderr: join(folder, 'err') };
    const total = 200 * 1024 * 1024;
    const result = await printBytes(total, { capture: { bytes: 64 * 1024, spill } });
    const { stdout } = result;
    expect(result).toMatchObject({ status: 'exited', code: 0 });
    expect(stdout).toMatchObject({ bytes: total + 4, lines: total / 64 + 1, truncated: true });
    expect(stdout.spilled).toBe(spill.stdout);
    expect(stdout.head.length + stdout.tail.length).toBe(64 * 1024);
    expect(stdout.head.startsWith(`${'.'.repeat(62)}0\n`)).toBe(true);
    expect(stdout.tail.endsWith('\nEND\n')).toBe(true);
    expect(statSync(spill.stdout)).toMatchObject({ size: total + 4, mode: 0o100600 });
    expect(existsSync(spill.stderr)).toBe(false);
  });
});
