import { describe, expect, test } from 'vitest';
import { guessClient } from '../../../../src/core/agent-report/clients/clients.js';
import { piecesOf } from '../../../../src/core/agent-report/clients/pieces.js';
import { readClientOutput, unwrapFence } from '../../../../src/core/agent-report/clients/read-client.js';
import type { JsonValue } from '../../../../src/core/json/values.js';

describe('guessing a client', () => {
  test.each<[string, JsonValue, string | null]>([
    ['a result', { type: 'result', subtype: 'success', is_error: false, result: '' }, 'claude'],
    ['a result of gemini', { type: 'result', timestamp: 'now', status: 'success' }, 'gemini'],
    ['a result of nobody', { type: 'result', result: 'yes' }, null],
    [
      'events',
      [{ type: 'rate_limit_event' }, { type: 'system', subtype: 'init', session_id: 'a' }],
      'claude',
    ],
    ['a list of lists', [[{ type: 'turn.started' }]], null],
    ['an empty list', [], null],
    ['a turn', { type: 'turn.started' }, 'codex'],
    ['an older message', { id: '1', msg: { type: 'task_started' } }, 'codex'],
    ['an id and a message', { id: '1', msg: 'hello' }, null],
    ['a response', { response: '{}', stats: { models: {} } }, 'gemini'],
    ['a response without counts', { response: '{}' }, null],
    ['a step', { type: 'step_start', timestamp: 1, sessionID: 's', part: {} }, 'opencode'],
    ['a step without a session', { type: 'step_start', timestamp: 1, part: {} }, null],
    ['an error of a session', { type: 'error', timestamp: 1, sessionID: 's', error: {} }, 'opencode'],
    ['a bare error', { type: 'error', message: 'no' }, null],
    ['a report', { report_metadata: {}, findings: {}, response: '', stats: { models: {} } }, null],
    ['findings alone', { findings: {}, type: 'turn.started' }, null],
    ['a text', 'claude', null],
    ['null', null, null],
  ])('%s', (_, value, client) => expect(guessClient(value)).toBe(client));
});

describe('pieces', () => {
  const events = (text: string) =>
    [...piecesOf(text)].map((piece) => (piece.status === 'event' ? piece.event : piece.problem.code));

  test.each<[string, string, unknown[]]>([
    ['an object', '{"a":1}', [{ a: 1 }]],
    ['over lines in a way of its own', '{ "a":\n1\n}', [{ a: 1 }]],
    ['a byte order mark', '\uFEFF{"a":1}\n{"b":2}', [{ a: 1 }, { b: 2 }]],
    ['CRLF', '{"a":1}\r\n\r\n{\r\n  "b": 2\r\n}\r\n', [{ a: 1 }, { b: 2 }]],
    ['indented one after the other', '{\n  "a": {\n  }\n}\n{\n  "b": 2\n}\n', [{ a: {} }, { b: 2 }]],
    ['a list', '[{"a":"]}\\""}, 7, [1], {"b":2}]', [{ a: ']}"' }, { b: 2 }]],
    ['a list over lines, and a line behind it', 'x\n[\n{"a":1},\n{"b":2}\n]\n{"c":3}', [{ a: 1 }, { b: 2 }]],
    ['a list without an end', '[{"a":1},{"b":', [{ a: 1 }, 'json-cut-off']],
    ['log lines', '[WARN] x\n{ a: 1 }\n{"a":1}\n2026 {"b":2}', [{ a: 1 }]],
    ['one that is broken between others', '{"a":1}\n{"b" 2}\n{"c":3}', [{ a: 1 }, 'json-invalid', { c: 3 }]],
    ['a key twice', '{"a":1,"a":2}', ['json-key-repeated']],
    ['a brace and no more', '{', ['json-cut-off']],
    ['nothing', ' \n', []],
    ['an object without keys', '{}\n{"a":1}', [{ a: 1 }]],
  ])('%s', (_, text, expected) => expect(events(text)).toEqual(expected));

  test('after a thousand that cannot be read nothing more is', () => {
    const hurt = '{"type":"user",}\n';
    expect(events(`${hurt.repeat(999)}{"a":1}`)).toHaveLength(1000);
    const pieces = [...piecesOf(`${hurt.repeat(1000)}{"a":1}`)];
    expect(pieces).toHaveLength(1000);
    expect(pieces.at(0)).toMatchObject({ status: 'refused', type: 'user' });
    expect(pieces.at(-1)).toMatchObject({ status: 'refused', type: null });
  });
});

describe('a fence around the whole', () => {
  test.each([
    ['```json\n{}\n```', '{}'],
    ['\n```\n{\n}\n```\n\n', '{\n}'],
    ['~~~~ JSON\r\n{}\r\n~~~~', '{}'],
    ['```json\n{"a": "```"}\n```', '{"a": "```"}'],
    ['```yaml\na: 1\n```', null],
    ['```json\n{}\n```\nand more', null],
    ['```json\n{}\n```\n```json\n{}\n```', null],
    ['Look:\n```json\n{}\n```', null],
    ['```json\n{}', null],
    ['```json\n\n```', null],
    ['```json {} ```', null],
    ['{}', null],
    ['', null],
  ])('%j', (answer, inside) => expect(unwrapFence(answer)).toBe(inside));
});

describe('messages', () => {
  const result = { type: 'result', subtype: 'success', is_error: true, result: 'x'.repeat(10_000) };

  test('hold no more of a client than one can read', () => {
    const [issue] = readClientOutput('claude', JSON.stringify(result)).issues;
    expect(issue?.message).toMatch(
      /^claude failed: it ended with an error\. Its message: "x{400}"… \(9600 more characters\)\.$/,
    );
  });

  test('say where it cannot be read', () => {
    const output = `Warning: nothing\n{"type":"turn.started"}\n  {"type":"item.completed","type":1}\n`;
    const { text, issues } = readClientOutput('codex', output);
    expect(text).toBeNull();
    expect(issues[0]).toMatchObject({ code: 'client-unreadable', line: 3 });
    expect(issues[0]?.column).toBeGreaterThan('  {"type":"item.completed"'.length);
  });

  test.each([
    ['claude', 'gemini', '{"response":"{}","stats":{"models":{}}}', 'Use --from gemini.'],
    ['gemini', 'a report', '{"report_metadata":{},"findings":{}}', 'Leave out --from, or use --from text.'],
  ] as const)('%s, given %s, says what to do', (client, _, output, hint) => {
    expect(readClientOutput(client, output).issues[0]?.hint).toBe(hint);
  });
});

describe('what came last', () => {
  const say = (text: string, parent: string | null = null) =>
    JSON.stringify({
      type: 'assistant',
      message: { content: [{ type: 'text', text }] },
      parent_tool_use_id: parent,
      session_id: 's',
    });
  const end = (more: object) =>
    JSON.stringify({ type: 'result', subtype: 'success', is_error: false, session_id: 's', ...more });

  test('structured output before the result, and the result before what was said', () => {
    const both = end({ result: 'words', structured_output: { b: 1, a: [] } });
    expect(readClientOutput('claude', `${say('before')}\n${both}`).text).toBe('{"b":1,"a":[]}');
    expect(readClientOutput('claude', `${say('before')}\n${end({ result: ' words ' })}`).text).toBe(
      ' words ',
    );
    expect(readClientOutput('claude', `${say('before')}\n${end({})}`).text).toBe('before');
  });

  test('what another agent said is no answer', () => {
    const { text, issues } = readClientOutput('claude', `${say('inner', 'toolu_1')}\n${end({ result: '' })}`);
    expect(text).toBeNull();
    expect(issues.map(({ code }) => code)).toEqual(['report-empty']);
  });

  test('a turn that begins behind a result and does not end', () => {
    const { text, issues } = readClientOutput('claude', `${end({ result: 'one' })}\n${say('two')}`);
    expect(text).toBe('two');
    expect(issues.map(({ code }) => code)).toEqual(['client-cut-off']);
  });

  test('a result that cannot be read is not called missing', () => {
    const hurt = end({ result: 'one' }).replace('"s"', '"s","session_id":"s"');
    const { text, issues } = readClientOutput('claude', `${say('two')}\n${hurt}`);
    expect(text).toBeNull();
    expect(issues.map(({ code, line }) => [code, line])).toEqual([['client-unreadable', 2]]);
  });

  test('a lost connection is no failure of the turn behind it', () => {
    const lines = [
      { type: 'turn.started' },
      { type: 'error', message: 'Reconnecting... 1/5' },
      { type: 'item.completed', item: { type: 'agent_message', text: 'one' } },
      { type: 'turn.completed', usage: {} },
    ];
    const output = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"type":"turn.sta`;
    const { text, issues } = readClientOutput('codex', output);
    expect(text).toBe('one');
    expect(issues.map(({ code }) => code)).toEqual(['client-cut-off']);
  });

  test('zero with a sign is zero', () => {
    const output = end({ result: 'one' }).replace('"s"', '"s","total_cost_usd":-0,"duration_ms":-0.0');
    const { costUsd, durationMs } = readClientOutput('claude', output).measured;
    expect(Object.is(costUsd, 0) && Object.is(durationMs, 0)).toBe(true);
  });

  test('counts that a later result leaves out stay', () => {
    const first = end({
      result: 'one',
      total_cost_usd: 0.5,
      duration_ms: 10,
      usage: { input_tokens: 1, output_tokens: 2 },
    });
    const { measured } = readClientOutput('claude', `${first}\n${end({ result: 'two', duration_ms: 5 })}`);
    expect(measured).toEqual({ inputTokens: 1, outputTokens: 2, costUsd: 0.5, durationMs: 15 });
  });
});
