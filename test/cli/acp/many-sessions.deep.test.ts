import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { create, planOf } from '../../runs/boundary/plan.js';
import { RawEditor } from './raw-editor.js';
import { beginStory } from './story.js';

const SESSIONS = process.env.TEDDY_SOAK ? 1000 : 60;
/** After these, everything is loaded. */
const WARM = SESSIONS / 4;

function measure(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processes: children === '' ? 0 : children.split(' ').length,
    megabytes: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024),
  };
}

test.skipIf(process.platform !== 'linux')(
  `${SESSIONS} sessions of one editor leave nothing behind`,
  async () => {
    const { site } = await beginStory([
      { answer: planOf([create('one.txt', '1\n', true)], { title: 'One file' }) },
    ]);
    const editor = new RawEditor(site);
    editor.onRequest = ({ id, params }) => {
      const { optionId } = params.options[0];
      editor.send({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId } } });
    };
    await editor.call('initialize', { protocolVersion: 1 });
    let warm: ReturnType<typeof measure> | undefined;
    for (let n = 1; n <= SESSIONS; n++) {
      const { result } = await editor.call('session/new', { cwd: site.root, mcpServers: [] });
      const { sessionId } = result;
      expect(await editor.prompt(sessionId, 'Go.')).toMatchObject({ result: { stopReason: 'end_turn' } });
      await editor.call('session/close', { sessionId });
      editor.messages.length = 0;
      if (n === WARM) warm = measure(editor.child.pid!);
    }
    const end = measure(editor.child.pid!);
    console.log(`sessions: ${SESSIONS}`, { warm, end });
    expect(end.descriptors).toBe(warm!.descriptors);
    expect(end.processes).toBe(warm!.processes);
    expect(end.megabytes).toBeLessThan(warm!.megabytes * 2);
    expect(readdirSync(join(site.root, '.teddy/sessions'))).toHaveLength(SESSIONS);
    expect(await editor.end()).toBe(0);
  },
);
