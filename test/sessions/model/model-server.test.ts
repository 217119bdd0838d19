import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { askAt } from './asking.js';

const PROGRAM = fileURLToPath(new URL('../../model-server.mjs', import.meta.url));

test('as a program: steps in order, the last again and again', async () => {
  const folder = makeFolder();
  const script = join(folder, 'script.json');
  const requests = join(folder, 'requests.jsonl');
  writeFileSync(script, JSON.stringify([{ answer: 'One.' }, { answer: 'Two.', finish: 'length' }]));
  const child = spawn(process.execPath, [PROGRAM, script, requests], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect((await askAt('anthropic', url)).answer).toMatchObject({ status: 'answered', text: 'One.' });
  expect((await askAt('openai-compatible', url)).answer).toMatchObject({ status: 'cut-off', text: 'Two.' });
  expect((await askAt('anthropic', url)).answer).toMatchObject({ status: 'cut-off', text: 'Two.' });
  const paths = readFileSync(requests, 'utf8').trim().split('\n');
  expect(paths.map((line) => JSON.parse(line).path)).toEqual([
    '/v1/messages',
    '/v1/chat/completions',
    '/v1/messages',
  ]);
});
