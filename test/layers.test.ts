import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A small project in which every rule is broken once; what is not listed below as broken is allowed. */
const FILES: Record<string, string> = {
  'package.json': '{"type": "module"}',
  'node_modules/stray/package.json': '{"name": "stray", "version": "1.0.0", "main": "index.js"}',
  'node_modules/stray/index.js': 'exports.tool = 1;',

  // Allowed: earlier modules, and one's own files.
  'src/core/tree.ts': 'export const tree = 1;',
  'src/core/plan/check.ts': "import { tree } from '../tree.js'; export const plan = tree;",
  'src/node/files.ts':
    "import { readFileSync } from 'node:fs'; import { tree } from '../core/tree.js'; export const read = [readFileSync, tree];",
  'src/workspace/workspace.ts':
    "import { join } from 'node:path'; import { read } from '../node/files.js'; import { plan } from '../core/plan/check.js'; export const workspace = [read, plan, join];",
  'src/faces/cli/start.ts':
    "import { workspace } from '../../workspace/workspace.js'; export const cli = workspace;",
  'src/sessions/turn.ts': 'export interface Turn {}',
  'src/index.ts': "export { plan } from './core/plan/check.js';",

  // Broken.
  'src/workspace/higher.ts': "import { cli } from '../faces/cli/start.js'; export const x = cli;",
  'src/workspace/higher-type.ts': "import type { Turn } from '../sessions/turn.js'; export type X = Turn;",
  'src/runs/sideways.ts': "import { capture } from '../tasks/capture.js'; export const run = capture;",
  'src/tasks/capture.ts': 'export const capture = 1;',
  'src/core/higher.ts': "import { read } from '../node/files.js'; export const x = read;",
  'src/runs/library.ts': "import { plan } from '../index.js'; export const x = plan;",
  'src/faces/stranger.ts': "import { helper } from '../utils/helper.js'; export const x = helper;",
  'src/utils/helper.ts': 'export const helper = 1;',
  'src/faces/by-index.ts': "import { all } from '../agents/index.js'; export const x = all;",
  'src/agents/index.ts': 'export const all = 1;',
  'src/faces/effects.ts': "import { spawn } from 'node:child_process'; export const x = spawn;",
  'src/faces/effects-without-prefix.ts': "import { readFileSync } from 'fs'; export const x = readFileSync;",
  'src/faces/effects-promised.ts': "import { readFile } from 'node:fs/promises'; export const x = readFile;",
  'src/faces/effects-lazy.ts': "export const x = () => import('node:http');",
  'src/core/impure.ts': "import { join } from 'node:path'; export const x = join;",
  'src/sessions/a.ts': "import { b } from './b.js'; export const a = () => b;",
  'src/sessions/b.ts': "import { a } from './a.js'; export const b = () => a;",
  'src/faces/undeclared.ts': "import { tool } from 'stray'; export const x = tool;",
  'src/faces/nowhere.ts': "import { x } from './not-there.js'; export const y = x;",
};

const BROKEN = [
  'layer-workspace: src/workspace/higher.ts → src/faces/cli/start.ts',
  'layer-workspace: src/workspace/higher-type.ts → src/sessions/turn.ts',
  'layer-runs: src/runs/sideways.ts → src/tasks/capture.ts',
  'layer-core: src/core/higher.ts → src/node/files.ts',
  'layer-runs: src/runs/library.ts → src/index.ts',
  'known-module: src/runs/library.ts → src/index.ts',
  'known-module: src/faces/stranger.ts → src/utils/helper.ts',
  'no-index: src/faces/by-index.ts → src/agents/index.ts',
  'effects-in-node: src/faces/effects.ts → node:child_process',
  'effects-in-node: src/faces/effects-without-prefix.ts → fs',
  'effects-in-node: src/faces/effects-promised.ts → node:fs/promises',
  'effects-in-node: src/faces/effects-lazy.ts → node:http',
  'pure-core: src/core/impure.ts → node:path',
  'no-cycle: src/sessions/a.ts → src/sessions/b.ts',
  'declared: src/faces/undeclared.ts → node_modules/stray/index.js',
  'resolvable: src/faces/nowhere.ts → ./not-there.js',
];

let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'teddy-layers-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(project, dirname(path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

test('every rule refuses what it is there to refuse, and nothing else', () => {
  const found = cruise(project);
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
