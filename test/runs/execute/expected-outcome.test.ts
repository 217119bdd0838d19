import { describe, expect, test } from 'vitest';
import { findQuotedTexts, OutcomeSearch } from '../../../src/runs/run-command.js';
import { makeRunContext } from '../run-context.js';
import { execute } from './action.js';

describe('what an Expected Outcome quotes', () => {
  test.each<[string, string[]]>([
    ['All tests pass.', []],
    ['', []],
    ['It prints `3 passed`.', ['3 passed']],
    ['It prints "3 passed" and “no errors”.', ['3 passed', 'no errors']],
    ["It prints '3 passed'.", ['3 passed']],
    ["It doesn't fail, and the users' files stay.", []],
    ["It says 'don't panic' twice.", ["don't panic"]],
    ["'it's here'", ["it's here"]],
    ["'first' and 'second'", ['first', 'second']],
    ['``a `b` c`` and `` ` ``', ['a `b` c', '`']],
    ['` padded ` and `  `', ['padded']],
    ['`a "quoted" word`', ['a "quoted" word']],
    ['"a `span` inside"', ['a `span` inside']],
    ['`same` and "same"', ['same']],
    ['a lone ` or " or “ or \'', []],
    ['```open `closed`', ['closed']],
    ['"" and `` and \'\'', []],
    ['`C:\\temp\\` and `$&`', ['C:\\temp\\', '$&']],
    ['“»Größe« ist 😀”', ['»Größe« ist 😀']],
  ])('%s', (outcome, texts) => {
    expect(findQuotedTexts(outcome)).toEqual({ texts, all: true });
  });

  test('more than can be looked for', () => {
    const many = Array.from({ length: 101 }, (_, at) => `\`${at}\``).join(' ');
    expect(findQuotedTexts(many)).toMatchObject({ all: false, texts: { length: 100 } });
    expect(findQuotedTexts(`\`${'a'.repeat(20_000)}\``)).toEqual({ texts: [], all: false });
  });

  test.each(['`', "'", ' `', " 'a", '"'])('megabytes of %j', (mark) => {
    expect(findQuotedTexts(mark.repeat(1_000_000)).all).toBe(false);
  });
});

describe('met or not', () => {
  const outcome = async (command: string, expectedOutcome: string | null) =>
    (await execute(command, makeRunContext(), { expectedOutcome })).expectedOutcome;

  test('met in either output', async () => {
    expect(await outcome('echo 3 passed; echo warning >&2', '`3 passed` and "warning"')).toEqual({
      met: true,
      missing: [],
    });
  });

  test('not met, and what is missing; the status stays', async () => {
    const done = await execute('echo 2 passed', makeRunContext(), {
      expectedOutcome: '`3 passed`, `passed`',
    });
    expect(done).toMatchObject({
      status: 'success',
      expectedOutcome: { met: false, missing: ['3 passed'] },
    });
  });

  test('one that fails can meet it', async () => {
    expect(await outcome('echo refused; exit 1', '"refused"')).toEqual({ met: true, missing: [] });
  });

  test('nothing quoted, nothing said', async () => {
    expect(await outcome('echo 3 passed', 'Three tests pass.')).toBeUndefined();
    expect(await outcome('echo 3 passed', null)).toBeUndefined();
  });

  test('an output and an error output do not make one text', async () => {
    expect(await outcome('printf foo; printf bar >&2', '`foobar`')).toMatchObject({ met: false });
  });

  test('in the middle that the report leaves out', async () => {
    expect(await outcome('seq 1 300000; echo needle; seq 1 300000', '`needle`')).toMatchObject({ met: true });
  });

  test('wherever a text is cut into pieces', () => {
    const text = 'xxneedlexx and a haystack of some length';
    const context = makeRunContext();
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const search = new OutcomeSearch('`needle` `a haystack` `absent`', context);
        search.push('stdout', text.slice(0, first));
        search.push('stderr', 'noise');
        search.push('stdout', text.slice(first, second));
        search.push('stdout', text.slice(second));
        expect(search.result()).toEqual({ met: false, missing: ['absent'] });
      }
    }
  });

  test('a quoted secret is found, masked as it is, and never told', async () => {
    const secret = ['ghp_', 'R4nd0mT0k3nQxZ7bYv', 'K2mWpLs8HdFgJc1eUa'].join('');
    const expectedOutcome = `\`${secret}\` and \`is now ${secret}\``;
    const done = await execute(`echo ${secret}`, makeRunContext(), { expectedOutcome });
    expect(done.expectedOutcome).toEqual({
      met: false,
      missing: [expect.stringMatching(/^is now \[masked:[0-9a-f]{8}\]$/)],
    });
    expect(JSON.stringify(done)).not.toContain(secret);
  });
});
