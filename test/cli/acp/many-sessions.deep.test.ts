import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { create, planOf } from '../../runs/boundary/plan.js';
import { until } from '../sessions/site.js';
import { RawEditor } from './raw-editor.js';
import { beginStory } from './story.js';

const SESSIONS = process.env.TEDDY_SOAK ? 1000 : 60;
/** After these, everything is loaded. */
const WARM = SESSIONS / 4;
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

test.skipIf(process.platform !== 'linux')(
  `${SESSIONS} sessions of one editor leave nothing behind`,
  async () => {
    const { site } = await beginStory([
      { answer: planOf([create('one.txt', '1\n', true)], { title: 'One file' }) },
    ]);
    site.env.HEAP_FILE = join(site.base, 'heap.json');
    const editor = new RawEditor(site, PRELOAD);
    editor.onRequest = ({ id, params }) => {
      const { optionId } = params.options[0];
      editor.send({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId } } });
    };
    await editor.call('initialize', { protocolVersion: 1 });
    let warm: Awaited<ReturnType<typeof measure>> | undefined;
    for (let n = 1; n <= SESSIONS; n++) {
      const { result } = await editor.call('session/new', { cwd: site.root, mcpServers: [] });
      const { sessionId } = result;
      expect(await editor.prompt(sessionId, 'Go.')).toMatchObject({ result: { stopReason: 'end_turn' } });
      await editor.call('session/close', { sessionId });
      editor.messages.length = 0;
      if (n === WARM) warm = await measure(editor);
    }
    const end = await measure(editor);
    console.log(`sessions: ${SESSIONS}`, { warm, end });
    expect(end.descriptors).toBe(warm!.descriptors);
    expect(end.processes).toBe(warm!.processes);
    expect(end.heap).toBeLessThan(warm!.heap * 1.25);
    expect(readdirSync(join(site.root, '.teddy/sessions'))).toHaveLength(SESSIONS);
    expect(await editor.end()).toBe(0);
  },
);
