import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guessClient } from '../../../../src/core/agent-report/clients/clients.js';
import { readClientOutput } from '../../../../src/core/agent-report/clients/read-client.js';
import { REPORT_ISSUES } from '../../../../src/core/agent-report/issue-codes.js';
import { CLIENTS, type Client } from '../../../../src/core/agent-report/types.js';
import { readFixtures } from './fixtures.js';

const RUNS = process.env.TEDDY_SOAK ? 50_000 : 400;
const outputs = readFixtures().map(({ output }) => output);

/** Reads, and holds to what every answer promises. */
function takeApart(client: Client, output: string): void {
  const { text, measured, issues } = readClientOutput(client, output);
  for (const amount of Object.values(measured)) {
    expect(amount === null || (amount >= 0 && amount <= Number.MAX_SAFE_INTEGER)).toBe(true);
  }
  for (const { code, severity, message, line, column } of issues) {
    expect(severity).toBe(REPORT_ISSUES[code].severity);
    expect(message.length).toBeLessThan(3000);
    if (line === undefined) continue;
    const lines = output.split('\n');
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
  }
  const failed = issues.some(({ severity }) => severity === 'error');
  if (text === null) expect(failed).toBe(true);
  else expect(stoodIn(output, client, text)).toBe(true);
}

/** Whether the answer is somewhere in the output: in a string, in parts of one message, or as a value. Found by other means. */
function stoodIn(output: string, client: Client, text: string): boolean {
  if (client === 'text') return text === output;
  return waysToSplit(output).some((pieces) => {
    const found: string[] = [];
    const parts: string[] = [];
    const lines: string[] = [];
    const collect = (value: unknown): void => {
      if (typeof value === 'string') found.push(value);
      if (typeof value !== 'object' || value === null) return;
      found.push(JSON.stringify(value));
      for (const inner of Object.values(value)) collect(inner);
    };
    for (const value of pieces.flatMap(parseLoosely)) {
      collect(value);
      if (value?.role === 'assistant' && typeof value.content === 'string') parts.push(value.content);
      if (typeof value?.part?.text === 'string') lines.push(value.part.text);
    }
    return [...found, parts.join(''), joinLines(lines)].some((whole) => whole.includes(text));
  });
}

function joinLines(parts: readonly string[]): string {
  return parts.map((part) => (part === '' || part.endsWith('\n') ? part : `${part}\n`)).join('');
}

/** As one, by lines, by braces that begin a line, by the events of a list. */
function waysToSplit(output: string): string[][] {
  return [
    [output],
    output.split('\n'),
    output.split(/^(?=\{)/m),
    output.split(/(?=\{\s*"type":\s*"(?:system|assistant|user|result)")/),
    output.split(/(?=\{\s*"type":\s*"(?:init|message|tool_use|tool_result|error|result)")/),
    output.split(/(?=\{\s*"type":\s*"(?:step_start|text|tool_use|step_finish|error|done)")/),
  ];
}

/** A value with white space, commas and brackets around it, or lines behind it. */
function parseLoosely(piece: string) {
  const ends = [...piece.matchAll(/\n\}/g)].map(({ index }) => index + 2);
  const bare = piece.replace(/^[\s,[\uFEFF]+/, '').replace(/[\s,\]]+$/, '');
  for (const text of [piece, bare, ...ends.map((end) => piece.slice(0, end))]) {
    try {
      return [JSON.parse(text)];
    } catch {}
  }
  return [];
}

const anyClient = fc.constantFrom(...CLIENTS);

test('any text', () => {
  fc.assert(fc.property(anyClient, fc.string({ unit: 'binary', maxLength: 200 }), takeApart), {
    numRuns: RUNS,
  });
});

test('any JSON, and lines of it', () => {
  fc.assert(
    fc.property(anyClient, fc.array(fc.json(), { maxLength: 4 }), (client, values) =>
      takeApart(client, values.join('\n')),
    ),
    { numRuns: RUNS },
  );
});

const hostile = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    '\n',
    '\n}',
    '\n{\n',
    '\r\n',
    '\uFEFF',
    '\\ud800',
    '\ud800',
    '```',
    '"__proto__":1,',
  ],
  ...['null', '-1', '1e999', '"constructor":{}', '"type":"result",', '"msg":{"type":"error"},', '[[[['],
);

test('shapes with something put in, taken out, or swapped', () => {
  const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), take: fc.nat(60), put: hostile });
  // A value with another brace on the line behind it.
  takeApart('claude', `${JSON.stringify({ type: 'result', subtype: 'success', result: 'x' }, null, 2)}\n}\n`);
  fc.assert(
    fc.property(
      anyClient,
      fc.constantFrom(...outputs),
      fc.array(edit, { maxLength: 4 }),
      (client, output, edits) => {
        let text = output;
        for (const { at, take, put } of edits) {
          const from = Math.floor(at * text.length);
          text = text.slice(0, from) + put + text.slice(from + take);
        }
        takeApart(client, text);
      },
    ),
    { numRuns: RUNS * 2 },
  );
});

test('lines of all clients in any order', () => {
  const lines = outputs.flatMap((output) => output.split('\n')).filter((line) => line !== '');
  fc.assert(
    fc.property(anyClient, fc.array(fc.constantFrom(...lines), { maxLength: 12 }), (client, some) =>
      takeApart(client, some.join('\n')),
    ),
    { numRuns: RUNS },
  );
});

test('a shape cut off anywhere', () => {
  fc.assert(
    fc.property(
      anyClient,
      fc.constantFrom(...outputs),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (client, output, at) => takeApart(client, output.slice(0, Math.floor(at * output.length))),
    ),
    { numRuns: RUNS },
  );
});

test('whatever is guessed is a client that prints, and never for a report', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect([null, 'claude', 'codex', 'gemini', 'opencode']).toContain(guessClient(value as never));
      expect(guessClient({ type: 'turn.started', report_metadata: value as never })).toBeNull();
    }),
    { numRuns: RUNS },
  );
});
