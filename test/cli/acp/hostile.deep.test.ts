import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chat, create, planOf } from '../../runs/boundary/plan.js';
import { until } from '../sessions/site.js';
import { type Message, RawEditor } from './raw-editor.js';
import { beginStory, fallsSilent } from './story.js';

const PLAN = planOf([create('one.txt', '1\n'), create('two.txt', '2\n')], { title: 'Two files' });

interface Scene {
  editor: RawEditor;
  session: string;
}

async function openScene(answer = PLAN): Promise<Scene> {
  const { site } = await beginStory([{ answer }]);
  const editor = new RawEditor(site);
  return { editor, session: await editor.open() };
}

const selected = (id: number, optionId: unknown) => ({
  jsonrpc: '2.0',
  id,
  result: { outcome: { outcome: 'selected', optionId } },
});

const approve = ({ id, params }: Message) => selected(id, params.options[0].optionId);

function has(editor: RawEditor, path: string): boolean {
  return existsSync(join(editor.site.root, path));
}

const isAsked = ({ method }: Message) => method === 'session/request_permission';

/** It still works: a list of runs is an answer, and the end is in order. */
async function stillServes({ editor, session }: Scene): Promise<void> {
  expect(await editor.prompt(session, '/runs')).toMatchObject({ result: { stopReason: 'end_turn' } });
  expect(await editor.end()).toBe(0);
  expect(editor.stderr).not.toMatch(/unexpected error|bug in teddy|node:internal/);
}

/** What is sent before the prompt, and does nothing. */
const NOISE: Record<string, (scene: Scene) => void> = {
  'garbage lines': ({ editor }) => editor.write('hello\n{\n}\n[]\nnull\n42\n""\n'),
  'lines that are not UTF-8': ({ editor }) => editor.write(Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a])),
  'bytes of nothing': ({ editor }) => editor.write(`${'\0'.repeat(10_000)}\n`),
  'empty lines': ({ editor }) => editor.write('\n\r\n \n'.repeat(1000)),
  'deep JSON': ({ editor }) => editor.write(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}\n`),
  'a batch': ({ editor }) => editor.write('[{"jsonrpc":"2.0","id":1,"method":"initialize"}]\n'),
  'half a character': ({ editor }) => editor.write('{"jsonrpc":"2.0","method":"x","params":"\\ud800"}\n'),
  'keys of objects': ({ editor }) =>
    editor.write('{"__proto__":{"id":1},"constructor":{},"method":"toString","params":{}}\n'),
  'answers to nothing': ({ editor }) => {
    for (let id = 0; id < 500; id++) editor.send(selected(id, 'approve'));
  },
  'answers with wrong ids': ({ editor }) => {
    for (const id of [null, '1', -1, 1.5, {}, []]) editor.send({ jsonrpc: '2.0', id, result: {} });
  },
  'unknown notifications': ({ editor }) => {
    for (const method of ['', 'session/update', '$/cancel_request', 'exit', '__proto__'])
      editor.send({ jsonrpc: '2.0', method, params: { sessionId: 'x' } });
  },
  'cancels of nothing': ({ editor, session }) => {
    for (const sessionId of [session, 'x', null, {}, '__proto__'])
      editor.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } });
  },
  'a message in single bytes': ({ editor }) => {
    for (const byte of Buffer.from('{"jsonrpc":"2.0","method":"€"}\n')) editor.write(Uint8Array.of(byte));
  },
};

test.each(Object.keys(NOISE))('%s: nothing happens', async (name) => {
  const scene = await openScene();
  NOISE[name]!(scene);
  await stillServes(scene);
});

test.each<[string, string, unknown, number]>([
  ['an unknown method', 'session/approve', {}, -32601],
  ['a method of objects', '__proto__', {}, -32601],
  ['files', 'fs/write_text_file', { path: 'x', content: '' }, -32601],
  ['a login', 'authenticate', { methodId: 'x' }, -32601],
  ['no version', 'initialize', {}, -32602],
  ['no folder', 'session/new', { mcpServers: [] }, -32602],
  ['a relative folder', 'session/new', { cwd: '.', mcpServers: [] }, -32602],
  ['a folder that is not there', 'session/new', { cwd: '/no/such/folder', mcpServers: [] }, -32602],
  ['a prompt for no session', 'session/prompt', { prompt: [] }, -32602],
  ['a prompt for an unknown session', 'session/prompt', { sessionId: 'x', prompt: [] }, -32002],
  ['a session with a path as its name', 'session/prompt', { sessionId: '../x', prompt: [] }, -32002],
  ['a prompt that is no list', 'session/prompt', { sessionId: 'x', prompt: 'hello' }, -32602],
  ['a picture', 'session/prompt', { sessionId: 'x', prompt: [{ type: 'image', data: '' }] }, -32602],
  ['nothing at all', 'session/prompt', null, -32602],
])('%s is refused', async (_, method, params, code) => {
  const scene = await openScene();
  expect(await scene.editor.call(method, params)).toMatchObject({ error: { code } });
  await stillServes(scene);
});

test('before initialize, nothing is served', async () => {
  const { site } = await beginStory([{ answer: PLAN }]);
  const editor = new RawEditor(site);
  const { error } = await editor.call('session/new', { cwd: site.root, mcpServers: [] });
  expect(error.code).toBe(-32600);
  expect(await editor.end()).toBe(0);
});

/** Answers to a permission request that approve nothing. */
const NO_ANSWERS: Record<string, (asked: Message) => Message> = {
  'for another hash': ({ id }) => selected(id, 'approve:0000000000000000'),
  'with a made-up option': ({ id }) => selected(id, 'allow_always'),
  'without an option': ({ id }) => selected(id, undefined),
  'with an option of another type': ({ id }) => selected(id, ['approve']),
  'without an outcome': ({ id }) => ({ jsonrpc: '2.0', id, result: {} }),
  'with a list': ({ id }) => ({ jsonrpc: '2.0', id, result: [] }),
  'with an error': ({ id }) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32601, message: 'Not here.\u001b[2J' },
  }),
};

test.each(Object.keys(NO_ANSWERS))(
  'an answer %s approves nothing, and the question stays open',
  async (name) => {
    const { editor, session } = await openScene();
    editor.onRequest = (asked) => editor.send(NO_ANSWERS[name]!(asked));
    const prompt = editor.prompt(session, 'Go.');
    const said = await editor.find(({ params }) => /teddy inbox/.test(params?.update?.content?.text ?? ''));
    expect(JSON.stringify(said)).not.toContain('\\u001b');
    const { stdout } = await editor.site.run(['inbox', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ kind: 'action', subject: 'CREATE one.txt' }]);
    editor.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } });
    expect(await prompt).toMatchObject({ result: { stopReason: 'cancelled' } });
    expect(has(editor, 'one.txt')).toBe(false);
    await stillServes({ editor, session });
  },
);

test('an answer that is given twice, late and for a question that is over counts once', async () => {
  const { editor, session } = await openScene();
  const old: Message[] = [];
  editor.onRequest = (asked) => {
    for (const earlier of old) editor.send(approve(earlier));
    old.push(asked);
    if (old.length > 1) return editor.send(selected(asked.id, asked.params.options[2].optionId));
    editor.send(approve(asked));
    editor.send(selected(asked.id, asked.params.options[1].optionId));
  };
  expect(await editor.prompt(session, 'Go.')).toMatchObject({ result: { stopReason: 'end_turn' } });
  for (const earlier of old) editor.send(approve(earlier));
  expect([has(editor, 'one.txt'), has(editor, 'two.txt')]).toEqual([true, false]);
  await stillServes({ editor, session });
});

test('the option of one question approves no other', async () => {
  const { editor, session } = await openScene();
  let first: Message;
  editor.onRequest = (asked) => {
    first ??= asked;
    editor.send(selected(asked.id, first.params.options[0].optionId));
  };
  void editor.prompt(session, 'Go.').catch(() => {});
  await editor.find(({ params }) => /teddy inbox/.test(params?.update?.content?.text ?? ''));
  expect([has(editor, 'one.txt'), has(editor, 'two.txt')]).toEqual([true, false]);
  await editor.end();
});

test('a prompt during a prompt is refused, and the first is answered', async () => {
  const { editor, session } = await openScene();
  const first = editor.prompt(session, 'Go.');
  const asked = await editor.find(isAsked);
  expect(await editor.prompt(session, 'Faster.')).toMatchObject({ error: { code: -32600 } });
  const load = { cwd: editor.site.root, mcpServers: [], sessionId: session };
  expect(await editor.call('session/load', load)).toMatchObject({ error: { code: -32600 } });
  editor.onRequest = (each) => editor.send(approve(each));
  editor.send(approve(asked));
  expect(await first).toMatchObject({ result: { stopReason: 'end_turn' } });
  expect(has(editor, 'two.txt')).toBe(true);
  await stillServes({ editor, session });
});

test('a thousand cancels are one, and the plan still waits', async () => {
  const { editor, session } = await openScene();
  const prompt = editor.prompt(session, 'Go.');
  await editor.find(isAsked);
  for (let n = 0; n < 1000; n++)
    editor.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } });
  expect(await prompt).toMatchObject({ result: { stopReason: 'cancelled' } });
  editor.onRequest = (asked) => editor.send(approve(asked));
  await editor.prompt(session, '/resume');
  expect([has(editor, 'one.txt'), has(editor, 'two.txt')]).toEqual([true, true]);
  await stillServes({ editor, session });
});

test('a flood of requests is answered one by one', async () => {
  const scene = await openScene();
  const params = { sessionId: scene.session, prompt: [{ type: 'text', text: '/runs' }] };
  const all = Array.from({ length: 500 }, () => scene.editor.call('session/prompt', params));
  const answers = await Promise.all(all);
  const isRight = ({ result, error }: Message) => result?.stopReason === 'end_turn' || error?.code === -32600;
  expect(answers.every(isRight)).toBe(true);
  await stillServes(scene);
});

test.each([
  ['garbage without end', 'x\n'.repeat(2000), /more than 1,000 lines/],
  ['a line without end', 'x'.repeat(21 * 1024 * 1024), /a message of more than 20 MB/],
])('%s ends it, with a reason', async (_, bytes, reason) => {
  const { editor } = await openScene();
  editor.write(bytes);
  await until(() => editor.child.exitCode !== null, 'it ends');
  expect(editor.child.exitCode).toBe(1);
  expect(editor.stderr).toMatch(reason);
});

const MOMENTS = ['initialized', 'asking the model', 'asked', 'after one', 'waiting for a reply'] as const;

/** How much of an answer comes before the model is silent. */
const SILENT_AFTER = 50;

/** Brings a session to a moment, in which the editor goes. */
async function reach(editor: RawEditor, session: string, moment: (typeof MOMENTS)[number]): Promise<void> {
  if (moment === 'initialized') return;
  const prompt = editor.prompt(session, 'Go.').catch(() => {});
  if (moment === 'waiting for a reply') await prompt;
  else if (moment === 'asking the model') await fallsSilent(editor.site, session, '01', SILENT_AFTER);
  else {
    const asked = await editor.find(isAsked);
    if (moment === 'asked') return;
    editor.send(approve(asked));
    await editor.find((each) => isAsked(each) && each.id !== asked.id);
  }
}

const ENDS = ['the editor is gone', 'teddy is killed'] as const;

test.each(ENDS.flatMap((end) => MOMENTS.map((moment) => [end, moment] as const)))(
  '%s, %s: the session continues',
  async (end, moment) => {
    const question = planOf([chat('Which colour?')], { title: 'Ask' });
    const first = moment === 'waiting for a reply' ? question : PLAN;
    const { site } = await beginStory([
      { answer: first, ...(moment === 'asking the model' && { stallAfter: SILENT_AFTER }) },
      { answer: PLAN },
    ]);
    const editor = new RawEditor(site);
    const session = await editor.open();
    await reach(editor, session, moment);
    if (end === 'teddy is killed') await editor.kill();
    else expect(await editor.end()).toBe(0);
    if (moment === 'initialized') return;
    const next = new RawEditor(site);
    next.onRequest = (asked) => next.send(approve(asked));
    await next.call('initialize', { protocolVersion: 1 });
    const load = { cwd: site.root, mcpServers: [], sessionId: session };
    expect(await next.call('session/load', load)).toMatchObject({ result: {} });
    expect(JSON.stringify(next.messages)).toContain('Go.');
    if (moment !== 'after one') await next.prompt(session, '/resume');
    if (moment === 'waiting for a reply') await next.prompt(session, 'Red.');
    expect(site.has('one.txt')).toBe(true);
    expect(site.has('two.txt')).toBe(moment !== 'after one');
    expect(await next.end()).toBe(0);
  },
);
