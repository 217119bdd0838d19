import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ExecutorPreset } from '../../../src/config/types.js';
import { createPresetExecutor } from '../../../src/orchestrate/executors/command.js';
import { assignmentIn, KEY, openTestSite, printing, RESULT } from './site.js';

async function run(preset: ExecutorPreset, script: string, environment: Record<string, string> = {}) {
  const { folder, site, seen } = openTestSite({ [preset]: script }, environment);
  const end = await createPresetExecutor('mine', preset).run(
    assignmentIn(folder, { timeoutMs: 20_000 }),
    site,
  );
  return { folder, seen, end };
}

/** What each prints where it says these words, and nothing went wrong. */
const SAYING: Record<ExecutorPreset, (words: string) => string> = {
  claude: (words) =>
    JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: 9120,
      session_id: 'a-1',
      result: words,
      total_cost_usd: 0.25,
      usage: { input_tokens: 1000, output_tokens: 50 },
    }),
  codex: (words) =>
    [
      { type: 'thread.started', thread_id: '1' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: words } },
      { type: 'turn.completed', usage: { input_tokens: 1000, cached_input_tokens: 10, output_tokens: 50 } },
    ]
      .map((event) => JSON.stringify(event))
      .join('\n'),
  gemini: (words) =>
    JSON.stringify(
      {
        response: words,
        stats: { models: { 'gemini-2.5-pro': { tokens: { prompt: 1000, candidates: 50 } } } },
      },
      null,
      2,
    ),
  opencode: (words) =>
    [
      ['step_start', { part: { type: 'step-start' } }],
      ['text', { part: { type: 'text', text: words } }],
      ['step_finish', { part: { reason: 'stop', cost: 0.25, tokens: { input: 1000, output: 50 } } }],
    ]
      .map(([type, more]) => JSON.stringify({ type, timestamp: 1, sessionID: 's', ...(more as object) }))
      .join('\n'),
};
const PRESETS = Object.keys(SAYING) as ExecutorPreset[];
const tellsCost = (preset: ExecutorPreset) => preset === 'claude' || preset === 'opencode';

describe.each(PRESETS)('%s', (preset) => {
  test('is asked so that it works by itself, and answers', async () => {
    const script = printing(SAYING[preset](RESULT)).replace(
      'cat > /dev/null',
      'cat > prompt; printf "%s\\n" "$*" > words; env > variables',
    );
    const { folder, end, seen } = await run(preset, script, { CLAUDECODE: '1' });
    const cost = tellsCost(preset) ? 0.25 : null;
    expect(end).toMatchObject({ status: 'returned', text: RESULT, exitCode: 0 });
    expect(end.usage).toEqual({ inputTokens: 1000, outputTokens: 50, costUsd: cost });
    expect(seen.marks).toHaveLength(1);
    expect(readFileSync(join(folder, 'prompt'), 'utf8')).toBe('Do it.\n');
    expect(readFileSync(join(folder, 'words'), 'utf8').trim()).toBe(
      {
        claude: '-p --output-format stream-json --verbose --permission-mode bypassPermissions',
        codex: 'exec --json --sandbox workspace-write --skip-git-repo-check -',
        gemini: '--output-format stream-json --approval-mode yolo',
        opencode: 'run --format json --dangerously-skip-permissions',
      }[preset],
    );
    const variables = readFileSync(join(folder, 'variables'), 'utf8');
    expect(variables).toMatch(/^TEDDY_TASK_ID=03-01:2$/m);
    expect(variables.includes('CLAUDECODE')).toBe(preset !== 'claude');
    for (const name of ['BACKGROUND_TASKS', 'CRON', 'FILE_MENTIONS'])
      expect(variables.includes(`CLAUDE_CODE_DISABLE_${name}=1\n`)).toBe(preset === 'claude');
    expect(variables.includes('GEMINI_CLI_TRUST_WORKSPACE=true')).toBe(preset === 'gemini');
  });

  test('may put its result in a fence, and end badly behind it', async () => {
    const words = `Here it is:\n\n\`\`\`yaml\n${RESULT}\`\`\`\n`;
    const { end } = await run(preset, printing(SAYING[preset](words), 'exit 1'));
    expect(end).toMatchObject({ status: 'returned', exitCode: 1, text: words });
  });

  test('says nothing', async () => {
    const { end } = await run(preset, printing(SAYING[preset]('')));
    expect(end).toMatchObject({ status: 'crashed', limited: false });
  });

  test('fails before it begins', async () => {
    const script = printing('', 'echo "Not logged in. Please run login." >&2; exit 1');
    expect((await run(preset, script)).end).toMatchObject({
      status: 'crashed',
      limited: false,
      reason: expect.stringContaining(
        'It exited with 1 without a result. Its last error output:\nNot logged in.',
      ),
    });
  });

  test('is not there', async () => {
    const { folder, site } = openTestSite({}, { PATH: '/nowhere' });
    const end = await createPresetExecutor('mine', preset).run(assignmentIn(folder), site);
    expect(end).toMatchObject({
      status: 'unusable',
      reason: expect.stringContaining(`${preset}: not found`),
    });
  });

  test('prints a key of its environment', async () => {
    const script = `#!/bin/sh\ncat > /dev/null\necho "$MY_KEY" >&2\nsed "s/KEY/$MY_KEY/" <<'E'\n${SAYING[preset](RESULT.replace('It holds.', 'KEY'))}\nE\n`;
    const { end, seen } = await run(preset, script, { MY_KEY: KEY });
    expect(end).toMatchObject({ status: 'returned', text: expect.stringMatching(/\[masked:[0-9a-f]{8}\]/) });
    expect(JSON.stringify([end, seen])).not.toContain('abcdefgh');
    expect(end.usage.inputTokens).toBe(1000);
  });
});

test.each<[ExecutorPreset, string, 'limited' | 'unusable' | 'failed', string]>([
  [
    'claude',
    '{"type":"result","subtype":"success","is_error":true,"result":"API Error: 429 rate_limit_error","session_id":"s"}',
    'limited',
    'API Error: 429',
  ],
  [
    'claude',
    '{"type":"result","subtype":"error_max_turns","is_error":false,"session_id":"s"}',
    'failed',
    'it reached its limit of turns',
  ],
  [
    'codex',
    '{"type":"turn.started"}\n{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}',
    'unusable',
    'status 401 Unauthorized',
  ],
  [
    'codex',
    '{"type":"turn.started"}\n{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}',
    'limited',
    'Too Many Requests',
  ],
  [
    'gemini',
    '{"error":{"type":"ApiError","message":"You exceeded your quota: RESOURCE_EXHAUSTED","code":429}}',
    'limited',
    'of the type ApiError',
  ],
  [
    'gemini',
    '{"error":{"type":"ApiError","message":"The file rate-limit.ts says 429 Too Many Requests","code":1}}',
    'failed',
    'of the type ApiError',
  ],
  [
    'claude',
    '{"type":"result","subtype":"success","is_error":true,"api_error_status":500,"result":"The proxy is overloaded: rate limit 429","session_id":"s"}',
    'failed',
    'overloaded',
  ],
  [
    'opencode',
    '{"type":"error","timestamp":1,"sessionID":"s","error":{"name":"APIError","data":{"message":"Provider returned error","statusCode":429}}}',
    'limited',
    'Provider returned error',
  ],
  [
    'opencode',
    '{"type":"error","timestamp":1,"sessionID":"s","error":{"name":"ProviderAuthError","data":{"message":"no key"}}}',
    'unusable',
    'ProviderAuthError',
  ],
])('%s says on its output that it failed: %s', async (preset, output, how, words) => {
  for (const then of ['exit 0', 'exit 1']) {
    const { end } = await run(preset, printing(output, then));
    const status = how === 'unusable' ? { status: how } : { status: 'crashed', limited: how === 'limited' };
    expect(end).toMatchObject({ ...status, reason: expect.stringContaining(words) });
  }
});

test('claude may print all its events as a list, and count more with every turn', async () => {
  const assistant = {
    type: 'assistant',
    session_id: 's',
    parent_tool_use_id: null,
    message: { content: [{ type: 'text', text: RESULT }] },
  };
  const result = (cost: number) => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    session_id: 's',
    result: '',
    total_cost_usd: cost,
    usage: { input_tokens: 7, output_tokens: 1 },
  });
  const events = [{ type: 'system', subtype: 'init', session_id: 's' }, result(0.5), assistant, result(0.75)];
  const { end } = await run('claude', printing(JSON.stringify(events)));
  expect(end).toMatchObject({ status: 'returned', text: RESULT, usage: { costUsd: 0.75 } });
});

test('an error behind a result that was said does not take it away', async () => {
  const said = SAYING.codex(RESULT).replace(/\n\{"type":"turn.completed".*/, '');
  const failed = '{"type":"turn.failed","error":{"message":"stream disconnected"}}';
  const { end } = await run('codex', printing(`${said}\n${failed}`, 'exit 1'));
  expect(end).toMatchObject({ status: 'returned', text: RESULT, exitCode: 1 });
});

test.runIf(process.env.TEDDY_SOAK === '1')(
  'of more events than can be kept the last ones count',
  async () => {
    const noise = JSON.stringify({
      type: 'tool_use',
      timestamp: 1,
      sessionID: 's',
      part: { type: 'tool', state: { status: 'completed', output: 'x'.repeat(1_000_000) } },
    });
    const many = `#!${process.execPath}
const { writeSync } = require('node:fs');
const print = (text) => { for (let bytes = Buffer.from(text + '\\n'); bytes.length > 0; ) try { bytes = bytes.subarray(writeSync(1, bytes)); } catch {} };
for (let at = 0; at < 45; at++) print(${JSON.stringify(noise)});
print(${JSON.stringify(SAYING.opencode(RESULT))});
`;
    const { end } = await run('opencode', many);
    expect(end).toMatchObject({ status: 'returned', text: RESULT });
    expect(end.usage).toEqual({ inputTokens: null, outputTokens: null, costUsd: null });
  },
);

test('an answer of more than 10 MB is none', async () => {
  const large = `#!${process.execPath}
const result = { type: 'result', subtype: 'success', is_error: false, session_id: 's' };
process.stdout.write(JSON.stringify({ ...result, result: 'status: success\\n' + '#'.repeat(11_000_000) }));
`;
  const { end } = await run('claude', large);
  expect(end).toMatchObject({
    status: 'crashed',
    reason:
      'It exited with 0. Its result is larger than 10 MB. Print a summary, and put long output into a file.',
  });
});

test.each([
  ['claude', '--permission-mode bypassPermissions --model m'],
  ['codex', '--skip-git-repo-check --model m -'],
] as const)('%s gets the arguments of the config after its own', async (preset, wanted) => {
  const { folder, site } = openTestSite({ [preset]: '#!/bin/sh\ncat >/dev/null\necho "$@" > args.txt\n' });
  await createPresetExecutor('mine', preset, ['--model', 'm']).run(assignmentIn(folder), site);
  expect(readFileSync(join(folder, 'args.txt'), 'utf8').trim().endsWith(wanted)).toBe(true);
});

test('what is left of a budget limits claude, which can be limited; others have no flag for it', async () => {
  for (const preset of PRESETS) {
    const { folder, site } = openTestSite({ [preset]: '#!/bin/sh\ncat >/dev/null\necho "$@" > args.txt\n' });
    await createPresetExecutor('mine', preset).run(assignmentIn(folder, { budgetUsd: 1.25 }), site);
    const args = readFileSync(join(folder, 'args.txt'), 'utf8');
    expect(args.includes('--max-budget-usd 1.25')).toBe(preset === 'claude');
  }
});

function recorded(name: string, stream = 'stdout'): string {
  return readFileSync(new URL(`../../../spec/clients/recorded/${name}.${stream}`, import.meta.url), 'utf8');
}

describe('opencode that finds its database locked', () => {
  const LOCKED = recorded('opencode-1.18.33/locked-first', 'stderr');
  /** Notes each start, and does this. */
  const noting = (then: string) => `#!/bin/sh\ncat > /dev/null; echo >> starts\n${then}\n`;
  const failing = `cat >&2 <<'E'\n${LOCKED}E\nexit 1`;
  const runLocked = async (script: string, timeoutMs: number) => {
    const { folder, site, seen, stop } = openTestSite({ opencode: noting(script) });
    const { onOutput } = site;
    site.onOutput = (stream, text, shown) => {
      onOutput(stream, text, shown);
      if (text.includes('[teddy:') && timeoutMs === STOPPED) stop.abort();
    };
    const end = await createPresetExecutor('mine', 'opencode').run(assignmentIn(folder, { timeoutMs }), site);
    return { end, seen, starts: readFileSync(join(folder, 'starts'), 'utf8').length };
  };
  const STOPPED = 600_000;

  test('is started again for as long as its time allows, and each process has its mark', async () => {
    const { end, seen, starts } = await runLocked(failing, 1400);
    const reason = expect.stringMatching(/output:\nError: Unexpected error\n\ndatabase is locked$/);
    expect(end).toMatchObject({ status: 'crashed', reason });
    expect({ starts, marks: seen.marks.length }).toEqual({ starts: 2, marks: 2 });
    expect(seen.stderr).toContain('[teddy: mine could not start; starting it again in 0.5 s]');
  });

  test('is not started again once it has done something, or is stopped', async () => {
    const working = await runLocked(`cat <<'E'\n${SAYING.opencode('')}\nE\n${failing}`, 60_000);
    expect(working).toMatchObject({ starts: 1, end: { status: 'crashed' } });
    const stopped = await runLocked(failing, STOPPED);
    expect(stopped).toMatchObject({ starts: 1, end: { status: 'cancelled' } });
  });

  test.runIf(process.env.TEDDY_SOAK === '1')('is not started more than five times', async () => {
    expect(await runLocked(failing, 60_000)).toMatchObject({ starts: 5, end: { status: 'crashed' } });
  });
});

test('tools that claude did not allow are named, whatever the result says', async () => {
  const { end } = await run('claude', printing(recorded('claude-2.1.325/denied-default-mode')));
  const remarks = ['claude did not allow its agent to use these tools: Write.'];
  expect(end).toMatchObject({ status: 'returned', remarks });
  expect((await run('claude', printing(recorded('claude-2.1.325/ok')))).end).not.toHaveProperty('remarks');
});

test('what codex remarks before its turn is not why there is no answer', async () => {
  const { end } = await run('codex', printing(recorded('codex-0.166.0/empty')));
  expect(end).toMatchObject({
    status: 'crashed',
    reason: expect.stringContaining('codex printed no answer.'),
  });
  expect(JSON.stringify(end)).not.toContain('Model metadata');
});

test('the user sees what a client does in words; its output file has the events', async () => {
  const { site, seen, folder } = openTestSite({ gemini: printing(recorded('gemini-0.61.0/stream-json')) });
  const shown: (string | undefined)[] = [];
  const { onOutput } = site;
  site.onOutput = (stream, text, line) => {
    onOutput(stream, text);
    shown.push(line);
  };
  await createPresetExecutor('mine', 'gemini').run(assignmentIn(folder), site);
  expect(seen.stdout).toContain('"type":"tool_use"');
  expect(shown.join('')).toContain('write_file: alpha.txt\nNow I verify it.\n');
});
