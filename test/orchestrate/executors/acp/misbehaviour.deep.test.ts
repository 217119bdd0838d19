import { expect, test } from 'vitest';
import type { Policy } from '../../../../src/config/types.js';
import { createClientExecutor } from '../../../../src/orchestrate/executors/create-executor.js';
import type { AgentDecisions, ExecutorEnd } from '../../../../src/orchestrate/executors/types.js';
import { assignmentIn, KEY, openTestSite, RESULT } from '../site.js';
import { runAgentProgram } from './run-agent-program.js';

const NOTHING: Policy = { rules: [] };

test('an agent that does as it should', async () => {
  const { end, seen, notes } = await runAgentProgram('good');
  expect(end).toMatchObject({ status: 'returned', text: RESULT, exitCode: 0 });
  expect(end).not.toHaveProperty('remarks');
  expect(notes).toEqual(['Do it.\n']);
  expect(seen.stdout).toBe(RESULT);
});

test('its work, tokens and cost are seen', async () => {
  const { end, seen } = await runAgentProgram('tells all');
  expect(end).toMatchObject({ status: 'returned', text: RESULT });
  expect(end.usage).toEqual({ inputTokens: 110, outputTokens: 20, costUsd: 0.25 });
  expect(seen.stdout).toBe(`I look first.\nRead a.ts\nFailed: Read a.ts\nWrite it\n${RESULT}`);
});

test('what it says between its work is not part of its result', async () => {
  const { end } = await runAgentProgram('works between its messages', {
    decisions: { policy: NOTHING, hasUser: true, ask: async () => ({ text: 'allow', reason: null }) },
  });
  expect(end).toMatchObject({ status: 'returned', text: RESULT });
});

test.each([
  'update and answer in one piece',
  'wrong ids',
  'answers twice',
  'some garbage',
  'floods stderr',
  'half characters',
  'wrong sessions',
  'wants files and terminals',
  'strange permissions',
  'asks before there is a session',
  'asks after the end',
  'leaves a child',
  'stays after the end',
])('%s: its result counts all the same', async (behaviour) => {
  const { end, notes } = await runAgentProgram(behaviour, { decisions: { policy: NOTHING, hasUser: false } });
  expect(end).toMatchObject({ status: 'returned' });
  const text = end.status === 'returned' ? end.text : '';
  expect(text.replace('Es hält €', 'It holds')).toBe(RESULT);
  const invalid = { refused: -32602 };
  const missing = { refused: -32601 };
  if (behaviour === 'wants files and terminals') expect(notes).toEqual([missing, missing, missing, missing]);
  if (behaviour === 'wrong sessions') expect(notes).toEqual([invalid]);
  if (behaviour === 'asks before there is a session') expect(notes).toEqual([invalid, 'Do it.\n']);
  if (behaviour === 'strange permissions')
    expect(notes).toEqual([...Array(4).fill(invalid), { outcome: { outcome: 'cancelled' } }]);
  if (behaviour === 'asks after the end') expect(JSON.stringify(notes)).not.toContain('selected');
});

test.each<[string, ExecutorEnd['status'], string]>([
  ['dies before it reads', 'crashed', 'It exited with 3 before it answered initialize.'],
  ['dies at initialize', 'crashed', 'It exited with 4 before it answered initialize.'],
  ['dies at session/new', 'crashed', 'It exited with 5 before it answered session/new.'],
  [
    'dies in its turn',
    'crashed',
    'It exited with 6 before it answered session/prompt. Its last error output:\nboom: a bug',
  ],
  ['is killed in its turn', 'crashed', 'It was killed by SIGKILL before it answered session/prompt.'],
  ['closes its output', 'crashed', 'It exited with 0 before it answered session/prompt.'],
  ['other version', 'unusable', 'It speaks version 2 of the Agent Client Protocol, and teddy version 1.'],
  ['no version', 'unusable', 'It answered initialize without a protocol version.'],
  ['no session id', 'crashed', 'It answered session/new without a session id.'],
  ['not logged in', 'unusable', 'It is not logged in: Authentication required (it offers: Log in).'],
  ['error at initialize', 'unusable', 'It answered initialize with an error: Internal error.'],
  [
    'error in its turn',
    'crashed',
    'It answered session/prompt with an error: The model answered with HTTP 500.',
  ],
  [
    'limited in its turn',
    'crashed',
    'It answered session/prompt with an error: API error 429: too many requests.',
  ],
  ['strange error', 'crashed', 'It answered session/prompt with an error: neither a result nor an error.'],
  ['no stop reason', 'crashed', 'It ended its turn without a stop reason.'],
  ['unknown stop reason', 'crashed', 'It ended its turn with the unknown stop reason "tired\\u001b[2J".'],
  ['says nothing', 'crashed', 'It ended its turn without a message.'],
  ['refuses', 'crashed', 'It refused the task.'],
  ['is cut off', 'crashed', 'It reached its own limit of tokens or requests before it was done.'],
  ['cancels itself', 'crashed', 'It cancelled its turn by itself.'],
  ['only wrong ids', 'crashed', 'It sent more than 1,000 answers to nothing.'],
  [
    'nothing but garbage',
    'crashed',
    'It printed more than 1,000 lines that are not messages of the protocol.',
  ],
  ['giant line', 'crashed', 'It sent a message of more than 20 MB.'],
  ['giant messages', 'crashed', 'It sent messages of more than 10 MB together.'],
  ['does not read', 'crashed', 'It does not read what it is sent.'],
  ['asks and dies', 'crashed', 'It exited with 7 before it answered session/prompt.'],
])('%s: %s', async (behaviour, status, reason) => {
  const ask: AgentDecisions['ask'] = (_, signal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  const { end } = await runAgentProgram(behaviour, { decisions: { policy: NOTHING, hasUser: true, ask } });
  expect(end).toMatchObject({ status, reason });
  if (end.status === 'crashed') expect(end.limited).toBe(behaviour === 'limited in its turn');
});

test('a program that is not there is unusable', async () => {
  const { folder, site } = openTestSite();
  for (const acp of ['no-such-agent --acp', 'no-such-agent $X']) {
    const executor = createClientExecutor('mine', { executors: { mine: { acp } } })!;
    expect(await executor.run(assignmentIn(folder), site)).toMatchObject({
      status: 'unusable',
      reason: expect.stringContaining('not found'),
    });
  }
});

test.each([
  'silent at initialize',
  'silent at session/new',
  'silent in its turn',
  'ignores the cancel and the signal',
])('%s: its time ends it', async (behaviour) => {
  const { end } = await runAgentProgram(behaviour, { timeoutMs: 1500 });
  expect(end).toMatchObject({ status: 'timed-out', reason: 'It ran longer than 1.5s and was stopped.' });
});

test.each([
  'silent at initialize',
  'silent at session/new',
  'silent in its turn',
  'ignores the cancel and the signal',
])('%s: the user ends it', async (behaviour) => {
  const { end } = await runAgentProgram(behaviour, { stopAfterMs: 200 });
  expect(end).toMatchObject({ status: 'cancelled' });
});

test('a cancelled agent ends its turn and still reports what it used', async () => {
  const { end, notes } = await runAgentProgram('answers the cancel', { timeoutMs: 1500 });
  expect(end).toMatchObject({ status: 'timed-out' });
  expect(end.usage).toEqual({ inputTokens: 7, outputTokens: 3, costUsd: 0.5 });
  expect(notes).toEqual(['cancelled']);
});

test('more than its budget ends it', async () => {
  const { end } = await runAgentProgram('costs too much', { budgetUsd: 1.5 });
  const reason = 'It was stopped: it has cost $3.00, more than the $1.50 left in the budget.';
  expect(end).toMatchObject({ status: 'crashed', reason, usage: { costUsd: 3 } });
});

test('secrets are masked, also in pieces', async () => {
  const { end, seen } = await runAgentProgram('prints a key');
  expect(JSON.stringify([end, seen.stdout, seen.stderr])).not.toContain(KEY.slice(3));
  expect(seen.stdout).toContain('The key is [masked:');
  expect(end).toMatchObject({ status: 'returned', text: expect.stringContaining('[masked:') });
});

test('of a thousand questions one is asked at a time, and none outlives the turn', async () => {
  let [open, asked] = [0, 0];
  const ask: AgentDecisions['ask'] = (_, signal) =>
    new Promise((resolve) => {
      asked++;
      open++;
      signal.addEventListener('abort', () => {
        open--;
        resolve(undefined);
      });
    });
  const { end } = await runAgentProgram('asks a thousand times', {
    decisions: { policy: NOTHING, hasUser: true, ask },
  });
  expect(end).toMatchObject({ status: 'returned', text: RESULT });
  expect({ open, asked }).toEqual({ open: 0, asked: 1 });
});

test('a question is withdrawn when the turn ends without its answer', async () => {
  let withdrawn = false;
  const ask: AgentDecisions['ask'] = (_, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        withdrawn = true;
        resolve(undefined);
      });
    });
  const { end } = await runAgentProgram('asks and ends', {
    decisions: { policy: NOTHING, hasUser: true, ask },
  });
  expect(end).toMatchObject({ status: 'returned', text: RESULT });
  expect(withdrawn).toBe(true);
});
