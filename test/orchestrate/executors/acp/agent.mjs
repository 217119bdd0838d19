// An agent that speaks the Agent Client Protocol on its standard streams: `node agent.mjs BEHAVIOUR`. Without one it does as
// it should.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , behaviour = 'good'] = process.argv;
const SESSION = 'session-1';
const RESULT = `status: success
task_name: "Task 2: Check the port"
files_modified: []
verification:
  command: "true"
  exit_code: 0
  output_summary: "ok"
done_criteria_met: true
evidence: "It holds."
error: null
`;

const waiting = new Map();
let lastId = 0;
let turns = 0;
const write = (text) => process.stdout.write(text);
const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const reply = (id, result) => send({ id, result });
const fail = (id, code, message) => send({ id, error: { code, message } });
const notify = (update, sessionId = SESSION) =>
  send({ method: 'session/update', params: { sessionId, update } });
const say = (text, more = {}) =>
  notify({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more });
const note = (what) => appendFileSync('notes', `${JSON.stringify(what)}\n`);

function ask(method, params) {
  const id = `ask-${++lastId}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const OPTIONS = [
  { optionId: 'a', name: 'Yes', kind: 'allow_once' },
  { optionId: 'b', name: 'Yes, always', kind: 'allow_always' },
  { optionId: 'c', name: 'No', kind: 'reject_once' },
];
const askToRun = (command, more = {}) =>
  ask('session/request_permission', {
    sessionId: SESSION,
    toolCall: { toolCallId: 't1', title: `Run ${command}`, kind: 'execute', rawInput: { command }, ...more },
    options: OPTIONS,
  });

/** Without reading anything meanwhile. */
function writeAll(bytes) {
  for (let at = 0; at < bytes.length; )
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
}

const forever = () => setInterval(() => {}, 1000);
const INITIALIZED = { protocolVersion: 1, agentCapabilities: {}, authMethods: [{ id: 'l', name: 'Log in' }] };

/** One handler for a method replaces what a good agent does. */
const good = {
  initialize: ({ id }) => reply(id, INITIALIZED),
  'session/new': ({ id }) => reply(id, { sessionId: SESSION }),
  'session/prompt': ({ id, params }) => {
    note(params.prompt[0].text);
    finish(id);
  },
  'session/cancel': () => {},
};

function finish(id, more = {}) {
  say(RESULT);
  reply(id, { stopReason: 'end_turn', ...more });
}

const BEHAVIOURS = {
  good: {},
  'tells all': {
    'session/prompt': ({ id }) => {
      say('I look ');
      say('first.\n');
      notify({
        sessionUpdate: 'tool_call',
        toolCallId: 't',
        title: 'Read a.ts',
        kind: 'read',
        status: 'pending',
      });
      notify({ sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'Read a.ts', status: 'failed' });
      notify({
        sessionUpdate: 'plan',
        entries: [{ content: 'Write it', status: 'in_progress', priority: 'low' }],
      });
      notify({
        sessionUpdate: 'usage_update',
        used: 100,
        size: 1000,
        cost: { amount: 0.25, currency: 'USD' },
      });
      notify({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'secret thought' } });
      notify({ sessionUpdate: 'something_new', x: 1 });
      finish(id, { usage: { totalTokens: 130, inputTokens: 100, cachedReadTokens: 10, outputTokens: 20 } });
    },
  },
  'works between its messages': {
    'session/prompt': async ({ id }) => {
      say('I work.');
      await askToRun('true');
      say('I work.');
      notify({ sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'true', status: 'completed' });
      finish(id);
    },
  },
  'update and answer in one piece': {
    'session/prompt': ({ id }) => {
      const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: RESULT } };
      const update = {
        jsonrpc: '2.0',
        method: 'session/update',
        params: { sessionId: SESSION, update: chunk },
      };
      write(
        `${JSON.stringify(update)}\n${JSON.stringify({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } })}\n`,
      );
    },
  },
  'silent at initialize': { initialize: forever },
  'silent at session/new': { 'session/new': forever },
  'silent in its turn': { 'session/prompt': forever },
  'answers the cancel': {
    'session/prompt': ({ id }) => {
      good['session/cancel'] = () => {
        notify({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.5, currency: 'USD' } });
        note('cancelled');
        reply(id, { stopReason: 'cancelled', usage: { inputTokens: 7, outputTokens: 3 } });
      };
    },
  },
  'ignores the cancel and the signal': {
    'session/prompt': () => {
      process.on('SIGTERM', () => {});
      process.stdin.removeAllListeners('end');
      const child = spawn('sleep', ['987'], { detached: true, stdio: 'ignore' });
      child.unref();
      forever();
    },
  },
  'dies before it reads': { start: () => process.exit(3) },
  'dies at initialize': { initialize: () => process.exit(4) },
  'dies at session/new': { 'session/new': () => process.exit(5) },
  'dies in its turn': {
    'session/prompt': () => {
      process.stderr.write('boom: a bug\n');
      process.exitCode = 6;
      process.exit();
    },
  },
  'is killed in its turn': { 'session/prompt': () => process.kill(process.pid, 'SIGKILL') },
  'closes its output': {
    'session/prompt': () => {
      process.stdout.end();
      setTimeout(() => process.exit(0), 100);
    },
  },
  'other version': { initialize: ({ id }) => reply(id, { protocolVersion: 2 }) },
  'no version': { initialize: ({ id }) => reply(id, {}) },
  'no session id': { 'session/new': ({ id }) => reply(id, { sessionId: '' }) },
  'not logged in': { 'session/new': ({ id }) => fail(id, -32000, 'Authentication required') },
  'error at initialize': { initialize: ({ id }) => fail(id, -32603, 'Internal error') },
  'error in its turn': { 'session/prompt': ({ id }) => fail(id, -32603, 'The model answered with HTTP 500') },
  'limited in its turn': {
    'session/prompt': ({ id }) => fail(id, -32603, 'API error 429: too many requests'),
  },
  'strange error': { 'session/prompt': ({ id }) => send({ id, error: 'no' }) },
  'no stop reason': { 'session/prompt': ({ id }) => reply(id, {}) },
  'unknown stop reason': { 'session/prompt': ({ id }) => reply(id, { stopReason: 'tired\u001b[2J' }) },
  'says nothing': { 'session/prompt': ({ id }) => reply(id, { stopReason: 'end_turn' }) },
  refuses: { 'session/prompt': ({ id }) => reply(id, { stopReason: 'refusal' }) },
  'is cut off': { 'session/prompt': ({ id }) => reply(id, { stopReason: 'max_tokens' }) },
  'cancels itself': { 'session/prompt': ({ id }) => reply(id, { stopReason: 'cancelled' }) },
  'wrong ids': {
    'session/prompt': ({ id }) => {
      reply(id + 1000, { stopReason: 'refusal' });
      reply(String(id), { stopReason: 'refusal' });
      reply(null, { stopReason: 'refusal' });
      reply({ id }, { stopReason: 'refusal' });
      finish(id);
    },
  },
  'answers twice': {
    'session/prompt': ({ id }) => {
      finish(id);
      reply(id, { stopReason: 'refusal' });
    },
  },
  'only wrong ids': {
    'session/prompt': () => {
      for (let i = 0; i < 1100; i++) reply(5000 + i, {});
      forever();
    },
  },
  'some garbage': {
    start: () => write('Starting …\n{not json}\n[1, 2]\n"x"\nnull\n\n{"jsonrpc":"2.0"}\n'),
    'session/prompt': ({ id }) => {
      write(`${'['.repeat(100_000)}\n{"a":1,"a":2}\n`);
      finish(id);
    },
  },
  'nothing but garbage': {
    'session/prompt': () => {
      for (let i = 0; i < 1100; i++) write(`progress ${i}\n`);
      forever();
    },
  },
  'giant line': {
    'session/prompt': () => {
      const piece = 'x'.repeat(1024 * 1024);
      const more = () => write(piece) && setImmediate(more);
      process.stdout.on('drain', more);
      more();
    },
  },
  'giant messages': {
    'session/prompt': () => {
      const piece = 'x'.repeat(1024 * 1024);
      for (let i = 0; i < 12; i++) say(piece);
      forever();
    },
  },
  'floods stderr': {
    'session/prompt': ({ id }) => {
      const line = `${'e'.repeat(1023)}\n`;
      for (let i = 0; i < 20_000; i++) process.stderr.write(line);
      finish(id);
    },
  },
  'half characters': {
    'session/prompt': ({ id }) => {
      const update = (text) =>
        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${SESSION}","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${text}"}}}}\n`;
      write(
        Buffer.concat([
          Buffer.from(update('é€').slice(0, -9)),
          Buffer.from([0xe2, 0x82]),
          Buffer.from('"}}}}\n'),
        ]),
      );
      write(update('half \\ud83d '));
      write(update('\\ude00 other half, and both \\ud83d\\ude00\\n'));
      notify({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Look' });
      const bytes = Buffer.from(update(JSON.stringify(RESULT.replace('It holds', 'Es hält €')).slice(1, -1)));
      const cut = bytes.indexOf(0xe2) + 1;
      write(bytes.subarray(0, cut));
      setTimeout(() => {
        write(bytes.subarray(cut));
        reply(id, { stopReason: 'end_turn' });
      }, 50);
    },
  },
  'wrong sessions': {
    'session/prompt': async ({ id }) => {
      notify({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'elsewhere' } }, 'other');
      notify('text');
      send({ method: 'session/update' });
      send({ method: 'no/such', params: {} });
      note(
        await ask('session/request_permission', {
          sessionId: 'other',
          toolCall: { toolCallId: 't', kind: 'execute', rawInput: { command: 'true' } },
          options: OPTIONS,
        }),
      );
      finish(id);
    },
  },
  'wants files and terminals': {
    'session/prompt': async ({ id }) => {
      note(await ask('fs/read_text_file', { sessionId: SESSION, path: '/etc/passwd' }));
      note(await ask('fs/write_text_file', { sessionId: SESSION, path: '../outside', content: 'x' }));
      note(await ask('terminal/create', { sessionId: SESSION, command: 'sleep', args: ['100000'] }));
      note(await ask('no/such', {}));
      finish(id);
    },
  },
  'strange permissions': {
    'session/prompt': async ({ id, params }) => {
      if (params.prompt[0].text.startsWith('Some of')) return finish(id);
      for (const params of [
        null,
        [],
        {},
        { sessionId: SESSION },
        { sessionId: SESSION, toolCall: {}, options: 'x' },
      ])
        note(await ask('session/request_permission', params));
      finish(id);
    },
  },
  'asks before there is a session': {
    'session/new': async ({ id }) => {
      note(await askToRun('npm test'));
      reply(id, { sessionId: SESSION });
    },
  },
  'asks after the end': {
    'session/prompt': ({ id }) => {
      finish(id);
      void askToRun('npm test').then(note);
    },
  },
  'asks and dies': {
    'session/prompt': () => {
      void askToRun('npm test');
      setTimeout(() => process.exit(7), 300);
    },
  },
  'asks and ends': {
    'session/prompt': ({ id }) => {
      void askToRun('npm test').then(note);
      setTimeout(() => finish(id), 300);
    },
  },
  'asks a thousand times': {
    'session/prompt': ({ id }) => {
      for (let i = 0; i < 1000; i++) void askToRun(`npm run test-${i}`);
      setTimeout(() => finish(id), 500);
    },
  },
  'does not read': {
    'session/prompt': () => {
      for (let at = 0; ; at++) {
        const id = `${'x'.repeat(100_000)}${at}`;
        writeAll(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'no/such', params: {} })}\n`));
      }
    },
  },
  'costs too much': {
    'session/prompt': () => {
      notify({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 3, currency: 'USD' } });
      forever();
    },
  },
  'leaves a child': {
    'session/prompt': ({ id }) => {
      spawn('sleep', ['986'], { detached: true, stdio: 'inherit' }).unref();
      finish(id);
    },
  },
  'stays after the end': {
    'session/prompt': ({ id }) => {
      finish(id);
      process.stdin.removeAllListeners('end');
      forever();
    },
  },
  'prints a key': {
    'session/prompt': ({ id }) => {
      const key = process.env.TEST_KEY;
      say(`The key is ${key.slice(0, 10)}`);
      say(`${key.slice(10)}.\n`);
      process.stderr.write(`${key}\n`);
      finish(id);
    },
  },
  'works on its task': {
    'session/prompt': async ({ id, params }) => {
      note(params.prompt[0].text);
      const { TEDDY_TASK_ID: task, TEDDY_TASK_NAME: name } = process.env;
      const made = `made-${task.replace(':', '-')}.txt`;
      const { outcome } = await askToRun(`touch ${made}`);
      const allowed = outcome.optionId === 'a';
      if (allowed) writeFileSync(made, 'made\n');
      notify({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.25, currency: 'USD' } });
      const failed = RESULT.replace('status: success', 'status: failure').replace(
        'error: null',
        'error: "refused"',
      );
      say(
        (allowed ? RESULT : failed.replace('met: true', 'met: false')).replace(
          'Task 2: Check the port',
          name,
        ),
      );
      reply(id, { stopReason: 'end_turn', usage: { inputTokens: 100, outputTokens: 20 } });
    },
  },
  'answers with a file': {
    'session/prompt': ({ id }) => {
      say(
        readFileSync(
          ++turns === 1 && process.env.TEDDY_ATTEMPT === '1' ? 'broken.json' : 'good.json',
          'utf8',
        ),
      );
      notify({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.25, currency: 'USD' } });
      reply(id, { stopReason: 'end_turn', usage: { inputTokens: 100, outputTokens: 20 } });
    },
  },
  asks: {
    'session/prompt': async ({ id, params }) => {
      note(params.prompt[0].text);
      if (!params.prompt[0].text.startsWith('Some of')) note(await askToRun(process.env.ASKED ?? 'npm test'));
      finish(id, { usage: { inputTokens: 100, outputTokens: 20 } });
    },
  },
  edits: {
    'session/prompt': async ({ id, params }) => {
      if (!params.prompt[0].text.startsWith('Some of'))
        note(
          await ask('session/request_permission', {
            sessionId: SESSION,
            toolCall: {
              toolCallId: 'e',
              title: 'Edit',
              kind: 'edit',
              content: [{ type: 'diff', path: process.env.ASKED, oldText: null, newText: 'one\n' }],
            },
            options: OPTIONS,
          }),
        );
      finish(id);
    },
  },
  'has a form': {
    'session/prompt': async ({ id }) => {
      const properties = {
        color: { type: 'string', title: 'Color', enum: ['red', 'blue'] },
        count: { type: 'integer', title: 'How many' },
        sure: { type: 'boolean', title: 'Sure?' },
        tags: { type: 'array', title: 'Tags', items: { type: 'string', enum: ['x', 'y'] } },
      };
      const requestedSchema = { type: 'object', properties };
      note(
        await ask('elicitation/create', {
          sessionId: SESSION,
          mode: 'form',
          message: 'Which one?',
          requestedSchema,
        }),
      );
      finish(id);
    },
  },
};

const handlers = { ...good, ...BEHAVIOURS[behaviour] };
if (BEHAVIOURS[behaviour] === undefined) throw new Error(`no behaviour ${behaviour}`);
writeFileSync('started', '');
handlers.start?.();
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    waiting.get(message.id)?.(message.result ?? { refused: message.error.code });
    waiting.delete(message.id);
  } else {
    const own =
      good[message.method] !== handlers[message.method] ? handlers[message.method] : good[message.method];
    (message.method === 'session/cancel' ? good['session/cancel'] : own)?.(message);
  }
});
process.stdin.on('end', () => process.exit(0));
