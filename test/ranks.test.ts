import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A small house in which every rule is broken once; what is not listed below as broken is allowed. */
const FILES: Record<string, string> = {
  'package.json': '{"type": "module", "devDependencies": {"dev-tool": "1.0.0"}}',
  'node_modules/dev-tool/package.json': '{"name": "dev-tool", "version": "1.0.0", "main": "index.js"}',
  'node_modules/dev-tool/index.js': 'exports.tool = 1;',

  // Allowed: lower ranks, by index, and one's own files.
  'src/formats/tree.ts': 'export const tree = 1;',
  'src/formats/plan/index.ts': "import { tree } from '../tree.js'; export const plan = tree;",
  'src/formats/plan/inner.ts': 'export const inner = 1;',
  'src/platform/index.ts': "import { readFileSync } from 'node:fs'; export const read = readFileSync;",
  'src/platform/files.ts': 'export const files = 1;',
  'src/workspace/index.ts':
    "import { join } from 'node:path'; import { read } from '../platform/index.js'; import { plan } from '../formats/plan/index.js'; export const workspace = [read, plan, join];",
  'src/cli/index.ts': "import { workspace } from '../workspace/index.js'; export const cli = workspace;",
  'src/turn/index.ts': "import type { inner } from './own.js'; export type Turn = typeof inner;",
  'src/turn/own.ts': 'export const inner = 1;',

  // Broken.
  'src/workspace/higher.ts': "import { cli } from '../cli/index.js'; export const x = cli;",
  'src/workspace/higher-type.ts': "import type { Turn } from '../turn/index.js'; export type X = Turn;",
  'src/run/index.ts': "import { capture } from '../capture/index.js'; export const run = capture;",
  'src/capture/index.ts': 'export const capture = 1;',
  'src/platform/sideways.ts': "import { tree } from '../formats/tree.js'; export const x = tree;",
  'src/formats/redact.ts': "import { plan } from './plan/index.js'; export const x = plan;",
  'src/formats/state/index.ts': "import { plan } from '../plan/index.js'; export const x = plan;",
  'src/cli/by-the-window.ts': "import { files } from '../platform/files.js'; export const x = files;",
  'src/cli/by-the-formats-window.ts':
    "import { inner } from '../formats/plan/inner.js'; export const x = inner;",
  'src/cli/stranger.ts': "import { helper } from '../utils/index.js'; export const x = helper;",
  'src/utils/index.ts': 'export const helper = 1;',
  'src/cli/effects.ts': "import { spawn } from 'node:child_process'; export const x = spawn;",
  'src/cli/effects-without-prefix.ts': "import { readFileSync } from 'fs'; export const x = readFileSync;",
  'src/cli/effects-promised.ts': "import { readFile } from 'node:fs/promises'; export const x = readFile;",
  'src/cli/effects-lazy.ts': "export const x = () => import('node:http');",
  'src/formats/report/index.ts': "import { join } from 'node:path'; export const x = join;",
  'src/session/index.ts': "import { b } from './b.js'; export const a = () => b;",
  'src/session/b.ts': "import { a } from './index.js'; export const b = () => a;",
  'src/cli/undeclared.ts': "import { tool } from 'dev-tool'; export const x = tool;",
  'src/cli/nowhere.ts': "import { x } from './not-there.js'; export const y = x;",
};

const BROKEN = [
  'rank-workspace: src/workspace/higher.ts → src/cli/index.ts',
  'rank-workspace: src/workspace/higher-type.ts → src/turn/index.ts',
  'rank-run: src/run/index.ts → src/capture/index.ts',
  'rank-platform: src/platform/sideways.ts → src/formats/tree.ts',
  'rank-redact: src/formats/redact.ts → src/formats/plan/index.ts',
  'rank-state: src/formats/state/index.ts → src/formats/plan/index.ts',
  'enter-by-index: src/cli/by-the-window.ts → src/platform/files.ts',
  'enter-formats-by-index: src/cli/by-the-formats-window.ts → src/formats/plan/inner.ts',
  'known-room: src/cli/stranger.ts → src/utils/index.ts',
  'effects-in-platform: src/cli/effects.ts → node:child_process',
  'effects-in-platform: src/cli/effects-without-prefix.ts → fs',
  'effects-in-platform: src/cli/effects-promised.ts → node:fs/promises',
  'effects-in-platform: src/cli/effects-lazy.ts → node:http',
  'pure-formats: src/formats/report/index.ts → node:path',
  'no-cycle: src/session/b.ts → src/session/index.ts',
  'declared: src/cli/undeclared.ts → node_modules/dev-tool/index.js',
  'resolvable: src/cli/nowhere.ts → ./not-there.js',
];

let house: string;

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'teddy-ranks-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(house, dirname(path)), { recursive: true });
    writeFileSync(join(house, path), text);
  }
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

test('every rule of the house refuses what it is there to refuse, and nothing else', () => {
  const found = cruise(house);
  expect(found.map(withoutPrefix).sort()).toEqual(BROKEN.map(withoutPrefix).sort());
});

interface Violation {
  rule: { name: string; severity: string };
  from: string;
  to: string;
}

function cruise(folder: string): string[] {
  const depcruise = fileURLToPath(new URL('../node_modules/.bin/depcruise', import.meta.url));
  const config = fileURLToPath(new URL('../.dependency-cruiser.cjs', import.meta.url));
  const { stdout, stderr } = spawnSync(depcruise, ['--config', config, '-T', 'json', 'src'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  expect(summary.violations.every(({ rule }) => rule.severity === 'error')).toBe(true);
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}

/** dependency-cruiser names a built-in with or without `node:`, as it was written or not. */
function withoutPrefix(line: string): string {
  return line.replace('→ node:', '→ ');
}
