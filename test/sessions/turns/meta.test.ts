import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseByLibrary } from 'yaml';
import { parseMeta, writeMeta } from '../../../src/sessions/turns/meta.js';
import type { TurnMeta } from '../../../src/sessions/turns/turn.js';

const read = parseMeta;

const FULL: TurnMeta = {
  session: 'auth',
  turn: 3,
  parent: 2,
  agent: 'architect',
  callers: [
    { turn: 1, agent: 'pathfinder', task: 'Look.', context: 'src/a.ts\n!docs\n' },
    { turn: 2, agent: 'yes', task: '', context: '' },
  ],
  handoff: { from: 'pathfinder', message: 'Look at\n  the indent, too' },
  madeAt: '2026-01-26T10:30:45Z',
  message: 'Fix it: "now" # please',
  model: { provider: 'anthropic', name: 'claude-x' },
  attempts: [
    {
      answer: 'answer-1.md',
      outcome: 'refused',
      reason: 'It is no plan.',
      at: '2026-01-26T10:31:00Z',
      tokens: { input: 100, output: 20, estimated: false },
      costUsd: 0.1,
    },
    {
      answer: 'answer.md',
      outcome: 'passed',
      reason: null,
      at: '2026-01-26T10:32:00Z',
      tokens: { input: 7, output: 3, estimated: true },
      costUsd: 0.2,
    },
  ],
  plannedAt: '2026-01-26T10:32:00Z',
  run: { id: '20260126-103300-0000', overall: 'Completed', endedAt: '2026-01-26T10:34:00.123Z' },
  concluded: false,
};

const BARE: TurnMeta = {
  session: '2fa',
  turn: 100,
  parent: null,
  agent: 'assistant',
  callers: [],
  handoff: null,
  madeAt: '2026-01-26T10:30:45Z',
  message: null,
  model: null,
  attempts: [],
  plannedAt: null,
  run: null,
  concluded: false,
};

test('a turn with everything', () => {
  expect(writeMeta(FULL)).toBe(`id: auth/03
parent: auth/02
agent: architect
caller: auth/02
callers:
  - turn: 1
    agent: pathfinder
    task: Look.
    context: |
      src/a.ts
      !docs
  - turn: 2
    agent: "yes"
    task: ""
    context: ""
handoff:
  from: pathfinder
  message: |-
    Look at
      the indent, too
madeAt: "2026-01-26T10:30:45Z"
message: "Fix it: \\"now\\" # please"
model:
  provider: anthropic
  name: claude-x
attempts:
  - answer: answer-1.md
    outcome: refused
    reason: "It is no plan."
    at: "2026-01-26T10:31:00Z"
    tokens: {input: 100, output: 20, estimated: false}
    costUsd: 0.1
  - answer: answer.md
    outcome: passed
    reason: null
    at: "2026-01-26T10:32:00Z"
    tokens: {input: 7, output: 3, estimated: true}
    costUsd: 0.2
tokens: {input: 107, output: 23, estimated: true}
costUsd: 0.3
plannedAt: "2026-01-26T10:32:00Z"
run:
  id: "20260126-103300-0000"
  overall: Completed
  endedAt: "2026-01-26T10:34:00.123Z"
concluded: false
`);
});

test('a turn with nothing yet', () => {
  expect(writeMeta(BARE)).toBe(`id: "2fa/100"
parent: null
agent: assistant
caller: null
callers: []
handoff: null
madeAt: "2026-01-26T10:30:45Z"
message: null
model: null
attempts: []
tokens: null
costUsd: null
plannedAt: null
run: null
concluded: false
`);
});

describe('whatever was written is read back', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ maxLength: 20 }),
    fc
      .array(
        fc.constantFrom(
          'a',
          'src/é.ts',
          '\n',
          '\n',
          ' ',
          '\t',
          '#',
          '- ',
          ': ',
          '"',
          '\\',
          '|',
          '---',
          '…',
          '\r',
          '\u2028',
          '😀',
          '\ud83d',
          '\ufeff',
          '\u0085',
          '\0',
          '%',
          '*a',
          '&a',
          '!x',
          '{',
          ']',
          '~',
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  );
  const word = text.filter((each) => /\S/.test(each));
  const time = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
  const cost = fc.double({ min: 0, max: 1e6, noNaN: true });
  const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,20}$/);
  const before = fc.integer({ min: 1, max: 499_999 });
  const turn = fc.integer({ min: 500_000, max: 999_999 });
  const meta: fc.Arbitrary<TurnMeta> = fc.record({
    session: name,
    turn,
    parent: orNull(before),
    agent: word,
    callers: fc.array(fc.record({ turn: before, agent: word, task: text, context: text }), { maxLength: 3 }),
    handoff: orNull(fc.record({ from: word, message: text })),
    madeAt: time,
    message: orNull(text),
    model: orNull(fc.record({ provider: word, name: word })),
    attempts: fc.array(
      fc.record({
        answer: orNull(fc.constantFrom('answer.md', 'answer-1.md', 'answer-27.md')),
        outcome: fc.constantFrom(
          'passed',
          'refused',
          'message',
          'cut-off',
          'broken-off',
          'interrupted',
          'replaced',
        ),
        reason: orNull(text),
        at: time,
        tokens: orNull(fc.record({ input: fc.nat(), output: fc.nat(), estimated: fc.boolean() })),
        costUsd: orNull(cost),
      }),
      { maxLength: 3 },
    ),
    plannedAt: orNull(time),
    run: orNull(
      fc.record({
        id: fc.constant('20260126-103300-00az'),
        overall: fc.constantFrom('Completed', 'Partial', 'Failed', 'Skipped'),
        endedAt: time,
      }),
    ),
    concluded: fc.boolean(),
    overBudget: fc.record({ at: time, spentUsd: cost, nextUsd: cost, budgetUsd: cost }),
  });

  test('to the letter, by us and by any other reader of YAML', () => {
    fc.assert(
      fc.property(meta, (each) => {
        const written = writeMeta(each);
        expect(read(written)).toEqual({ status: 'meta', meta: each });
        // The older version of the language has more words that are not text.
        const foreign = parseByLibrary(written, { version: '1.1' });
        expect(foreign.message).toEqual(each.message);
        expect(foreign.madeAt).toEqual(each.madeAt);
        expect(foreign.agent).toEqual(each.agent);
        expect(foreign.callers).toEqual(each.callers);
      }),
      { numRuns: 300 },
    );
  });

  test('a long text, too', () => {
    const context = Array.from({ length: 20_000 }, (_, i) => `src/folder/file-${i}.ts\n`).join('');
    const message = 'x'.repeat(100_000);
    const long = { ...FULL, message, callers: [{ turn: 1, agent: 'a', task: 'Do it.', context }] };
    expect(read(writeMeta(long))).toEqual({ status: 'meta', meta: long });
  });
});

describe('a file of a stranger', () => {
  const changed = (from: string, to: string) => {
    const text = writeMeta(FULL);
    expect(text).toContain(from);
    return text.replace(from, to);
  };

  test('keys that nobody knows, comments and another order are passed over', () => {
    const lines = writeMeta(BARE).split('\n').reverse().join('\n');
    expect(read(`# by hand\nmood: [good]\n__proto__: {x: 1}\n${lines}\n`)).toEqual({
      status: 'meta',
      meta: BARE,
    });
  });

  test('what can be worked out of the rest is not read', () => {
    const text = changed('caller: auth/02', 'caller: elsewhere').replace('costUsd: 0.3', 'costUsd: -1');
    expect(read(text)).toEqual({ status: 'meta', meta: FULL });
  });

  test.each([
    ['id: auth/03', 'id: 3', 'id is not text'],
    ['id: auth/03', 'id: "3"', 'id is not a turn like auth/03'],
    ['id: auth/03', 'id: ../03', 'id is not a turn like auth/03'],
    ['id: auth/03', 'id: auth/0', 'id is not a turn like auth/03'],
    ['id: auth/03\n', '', 'id is missing; it must be text'],
    ['parent: auth/02', 'parent: other/02', 'parent is a turn of another session'],
    ['parent: auth/02', 'parent: auth/03', 'parent is not an earlier turn'],
    ['  - turn: 1\n', '  - turn: 3\n', 'callers names a turn that is not earlier'],
    ['agent: architect', 'agent: 7', 'agent is not text'],
    ['agent: architect', 'agent: " "', 'agent is not text of at least one character'],
    ['callers:\n', 'callers: 1\nunknown:\n', 'callers is not a list'],
    ['  - turn: 1\n', '  - turn: 0\n', 'callers[0].turn is not a whole number of at least 1'],
    ['  - turn: 1\n', '  - turn: 1.5\n', 'callers[0].turn is not a whole number of at least 1'],
    ['context: ""', 'context: null', 'callers[1].context is not text'],
    ['from: pathfinder', 'from: []', 'handoff.from is not text'],
    ['"2026-01-26T10:30:45Z"', 'yesterday', 'madeAt is not a time'],
    ['answer: answer-1.md', 'answer: ../../x.md', 'attempts[0].answer is not the name of an answer'],
    ['outcome: refused', 'outcome: fine', 'attempts[0].outcome is not one of passed, refused'],
    ['input: 100', 'input: -1', 'attempts[0].tokens.input is not a whole number of at least 0'],
    ['input: 100', 'input: 1e300', 'attempts[0].tokens.input is not a whole number of at least 0'],
    ['costUsd: 0.1', 'costUsd: .inf', 'attempts[0].costUsd is not a number of at least 0'],
    ['run:\n', 'run: soon\nunknown:\n', 'run is not a mapping'],
    ['id: "20260126-103300-0000"', 'id: "../../x"', 'run.id is not the id of a run'],
    ['overall: Completed', 'overall: constructor', 'run.overall is not one of Completed'],
    ['concluded: false', 'concluded: "false"', 'concluded is not true or false'],
  ])('%j as %j', (from, to, reason) => {
    const result = read(changed(from, to));
    expect(result).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining(`is not the record of a turn: ${reason}`),
    });
  });

  test.each(['', '[]', 'just text', '- id: auth/03', 'null', '7'])('%j is no record', (text) => {
    expect(read(text)).toEqual({
      status: 'refused',
      reason: 'is not the record of a turn: it is not a mapping',
    });
  });

  test('what is no YAML says so', () => {
    expect(read('id: "auth')).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/^is not valid YAML: /),
    });
  });

  test('a bomb of aliases is refused', () => {
    const levels = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]`);
    expect(read(`a0: &a0 [x]\n${levels.join('\n')}\n${writeMeta(BARE)}`)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('expand to too much'),
    });
  });

  test('so is a long text that is repeated', () => {
    const callers = Array.from({ length: 900 }, () => '  - {turn: 1, agent: a, task: t, context: *x}').join(
      '\n',
    );
    const text = `big: &x "${'y'.repeat(10_000)}"\n${writeMeta(BARE).replace('callers: []', `callers:\n${callers}`)}`;
    expect(read(text)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('expand to too much'),
    });
  });

  test('no text makes it throw', () => {
    const bits = fc.constantFrom(
      ...writeMeta(FULL).split(/(?<=[\n:])/),
      '&a ',
      '*a',
      '!!binary ',
      '- ',
      '{',
      '? ',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 40 }), (parts) => {
        expect(['meta', 'refused']).toContain(read(parts.join('')).status);
      }),
      { numRuns: 200 },
    );
  });
});
