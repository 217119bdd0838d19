import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { create, planOf } from '../../runs/boundary/plan.js';
import { until } from '../sessions/site.js';
import { RawEditor } from './raw-editor.js';
import { beginStory } from './story.js';

const SESSIONS = process.env.TEDDY_SOAK ? 1000 : 60;
const PRELOAD = ['--expose-gc', '--require', join(import.meta.dirname, 'report-heap.cjs')];
const MB = 1024 * 1024;

/** What is left of its memory after garbage collection, and what else it holds. */
async function measure({ child, site }: RawEditor) {
  const file = site.env.HEAP_FILE!;
  child.kill('SIGUSR2');
  await until(() => existsSync(file), 'the heap is written');
  const { heapUsed, external, arrayBuffers, rss } = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  return {
    descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
    processes: children === '' ? 0 : children.split(' ').length,
    heap: heapUsed / MB,
    buffers: (external + arrayBuffers) / MB,
    resident: Math.round(rss / MB),
  };
}

/** In each session one message, whose change is approved: of the model, and of an agent in its place. */
test.skipIf(process.platform !== 'linux').each([
  ['the model', SESSIONS, []],
  ['an agent', SESSIONS / 4, ['--agent', 'mine', '--unconfined']],
])('with %s, %i sessions of one editor leave nothing behind', async (_, sessions, words) => {
  const { site } = await beginStory([
    { answer: planOf([create('one.txt', '1\n', true)], { title: 'One file' }) },
  ]);
  const config = site.read('.teddy/config.yaml');
  site.write(
    '.teddy/config.yaml',
    `${config}executors: {mine: {command: "cat > one.txt; date +%N >> one.txt; echo Done."}}\n`,
  );
  await site.run(['trust', '--yes']);
  site.env.HEAP_FILE = join(site.base, 'heap.json');
  const editor = new RawEditor(site, words, PRELOAD);
  editor.onRequest = ({ id, params }) => {
    const { optionId } = params.options[0];
    editor.send({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId } } });
  };
  await editor.call('initialize', { protocolVersion: 1 });
  let warm: Awaited<ReturnType<typeof measure>> | undefined;
  for (let n = 1; n <= sessions; n++) {
    const { result } = await editor.call('session/new', { cwd: site.root, mcpServers: [] });
    const { sessionId } = result;
    expect(await editor.prompt(sessionId, 'Go.')).toMatchObject({ result: { stopReason: 'end_turn' } });
    expect(site.has('one.txt')).toBe(true);
    await editor.call('session/close', { sessionId });
    editor.messages.length = 0;
    // After these, everything is loaded.
    if (n === Math.floor(sessions / 3)) warm = await measure(editor);
  }
  const end = await measure(editor);
  console.log(`sessions: ${sessions}`, { warm, end });
  expect(end.descriptors).toBe(warm!.descriptors);
  expect(end.processes).toBe(warm!.processes);
  expect(end.heap).toBeLessThan(warm!.heap * 1.25);
  expect(readdirSync(join(site.root, '.teddy/sessions'))).toHaveLength(sessions);
  expect(await editor.end()).toBe(0);
});
