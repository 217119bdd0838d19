import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Check } from './table.js';

const TEDDY = resolve('bin/teddy.cjs');
const ROUNDS = 15;
const LIMIT = 4;

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** What an agent waits for when it starts: the server's first answer, against a Node that does nothing. */
export async function benchMcp(): Promise<Check[]> {
  const cwd = fs.mkdtempSync(join(tmpdir(), 'teddy-bench-'));
  try {
    let node = Number.POSITIVE_INFINITY;
    let answer = Number.POSITIVE_INFINITY;
    // The first round compiles the code.
    for (let round = 0; round <= ROUNDS; round++) {
      const nodeMs = timeNode(cwd);
      const answerMs = await timeToAnswer(cwd);
      if (round === 0) continue;
      node = Math.min(node, nodeMs);
      answer = Math.min(answer, answerMs);
    }
    const name = 'first answer of teddy mcp / node -e 0';
    const detail = `${answer.toFixed(0)} ms`;
    return [{ name, value: answer / node, limit: LIMIT, bound: 'at most', unit: '×', detail }];
  } finally {
    fs.rmSync(cwd, { recursive: true, force: true });
  }
}

function environmentOf(home: string) {
  return { ...process.env, HOME: home, XDG_STATE_HOME: '', XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '' };
}

function timeNode(cwd: string): number {
  const start = performance.now();
  spawnSync(process.execPath, ['-e', '0'], { cwd, env: environmentOf(cwd) });
  return performance.now() - start;
}

function timeToAnswer(cwd: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [TEDDY, 'mcp'], {
    cwd,
    env: environmentOf(cwd),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  return new Promise((resolve, reject) => {
    let time: number | undefined;
    child.stdout.once('data', () => {
      time = performance.now() - start;
      child.stdin.end();
    });
    child.on('close', () => (time === undefined ? reject(new Error('It gave no answer.')) : resolve(time)));
  });
}
