import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunContext } from '../../../src/runs/run-context.js';
import { makeFolder } from '../../folder.js';
import { makeRunContext } from '../run-context.js';
import { execute } from './action.js';

const FILE = '.teddy/runs/20260126-103045-abcd/output/4-stdout.txt';
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join('');
const kept = ({ root }: RunContext, file = FILE) => readFileSync(join(root, file), 'utf8');

describe('a long output is head and tail, and whole in a file', () => {
  test('by lines', async () => {
    const context = makeRunContext({ execute: { outputLines: 10 } });
    const { output, error } = await execute('seq 1 1234; echo no >&2', context);
    expect(output).toEqual({
      text: `${numbers(1, 5)}[… 1,224 of 1,234 lines left out; all of it is in ${FILE} …]\n${numbers(1230, 1234)}`,
      whole: { file: FILE, bytes: numbers(1, 1234).length, lines: 1234 },
    });
    expect(error).toEqual({ text: 'no\n' });
    expect(kept(context)).toBe(numbers(1, 1234));
    expect(statSync(join(context.root, FILE)).mode & 0o777).toBe(0o600);
  });

  test.each([
    [1, '1\n', ''],
    [2, '1\n', '20\n'],
    [3, '1\n2\n', '20\n'],
    [0, '', ''],
  ])('a limit of %i', async (outputLines, head, tail) => {
    const { output } = await execute('seq 1 20', makeRunContext({ execute: { outputLines } }));
    const left = 20 - outputLines;
    expect(output?.text).toBe(`${head}[… ${left} of 20 lines left out; all of it is in ${FILE} …]\n${tail}`);
  });

  test('as many lines as the limit are all shown', async () => {
    const context = makeRunContext({ execute: { outputLines: 20 } });
    expect((await execute('seq 1 20', context)).output).toEqual({ text: numbers(1, 20) });
    expect((await execute(`printf '%s' "$(seq 1 20)"`, context)).output?.whole).toBeUndefined();
    expect((await execute('seq 1 20; printf x', context)).output?.whole).toMatchObject({ lines: 21 });
  });

  test('by characters, in whole lines where there are any', async () => {
    const context = makeRunContext();
    const { output } = await execute('yes 123456789 | head -n 350; yes abcdefghi | head -c 400000', context);
    expect(output?.whole).toEqual({ file: FILE, bytes: 403_500, lines: 40_350 });
    expect(output!.text).toContain('\n[… 39,950 of 40,350 lines left out; all of it is in ');
    const long = await execute(`for i in 1 2 3 4 5; do printf '%012000d\\n' $i; done`, makeRunContext());
    expect(long.output!.text).toContain('1\n[… 3 of 5 lines left out; ');
    expect(long.output!.text.length).toBeLessThan(41_000);
  });

  test('one line of 10 MB', async () => {
    const context = makeRunContext();
    const { output } = await execute(
      `printf begin; head -c 10000000 /dev/zero | tr '\\0' x; printf end`,
      context,
    );
    expect(output!.text).toMatch(
      /^beginx+\n\[… 9,960,008 of 10,000,008 bytes left out; all of it is in \S+ …\]\nx+end$/,
    );
    expect(output!.text.length).toBeLessThan(41_000);
    expect(output!.whole).toEqual({ file: FILE, bytes: 10_000_008, lines: 1 });
    expect(kept(context)).toHaveLength(10_000_008);
  });

  test('a long line among short ones is cut', async () => {
    const long = `head -c 50000 /dev/zero | tr '\\0' x; echo`;
    const { output } = await execute(
      `echo first; ${long}; echo middle; ${long}; echo last`,
      makeRunContext(),
    );
    expect(output!.text).toMatch(
      /^first\nx{19994}\n\[… 60,020 of 100,020 bytes left out; .*\]\nx{19994}\nlast\n$/,
    );
  });

  test('no character is cut in two', async () => {
    const { output } = await execute(`printf x; yes 😀 | head -n 30000 | tr -d '\\n'`, makeRunContext());
    expect(output!.text).not.toMatch(/\p{Surrogate}/u);
    expect(output!.text).toMatch(/^x😀+\n\[… [\d,]+ of 120,001 bytes left out; .*\]\n😀+$/u);
  });

  test('error output likewise, in its own file', async () => {
    const context = makeRunContext({ execute: { outputLines: 2 } });
    const { error } = await execute('seq 1 9 >&2', context);
    expect(error?.whole?.file).toBe(FILE.replace('stdout', 'stderr'));
    expect(kept(context, error!.whole!.file!)).toBe(numbers(1, 9));
  });
});

describe('where the file cannot be written, that is said', () => {
  test.each([
    ['of an output that was held', 'seq 1 500'],
    ['of one that was spilled', 'seq 1 500000'],
  ])('%s: a file is there', async (_, command) => {
    const context = makeRunContext();
    writeFileSync(join(context.root, FILE), 'mine');
    const { status, output } = await execute(command, context);
    expect(status).toBe('success');
    expect(output!.text).toContain(
      ` lines left out; the full text could not be saved: ${FILE} could not be written (EEXIST) …]\n`,
    );
    expect(output!.whole).toMatchObject({ file: null });
    expect(kept(context)).toBe('mine');
  });

  test.each(['seq 1 500', 'seq 1 500000'])('a link is not followed: %s', async (command) => {
    const context = makeRunContext();
    const victim = join(makeFolder({ victim: 'mine' }), 'victim');
    symlinkSync(victim, join(context.root, FILE));
    expect((await execute(command, context)).output!.whole).toMatchObject({ file: null });
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });
});

describe('what is printed', () => {
  test('bytes that are not UTF-8 are shown as such, and noted', async () => {
    const done = await execute(`printf 'a\\377b\\000c'; printf '\\200' >&2`, makeRunContext());
    expect(done).toMatchObject({
      status: 'success',
      output: { text: 'a\ufffdb\0c' },
      error: { text: '\ufffd' },
      notes: [
        'The output is not valid UTF-8: \ufffd marks each invalid byte.',
        'The error output is not valid UTF-8: \ufffd marks each invalid byte.',
      ],
    });
  });

  test('is told as it comes', async () => {
    const seen: string[] = [];
    const context = makeRunContext({ onOutput: (stream, text) => void seen.push(`${stream}: ${text}`) });
    await execute('echo a; sleep 0.3; echo b >&2', context);
    expect(seen).toEqual(['stdout: a\n', 'stderr: b\n']);
  });

  test('is masked everywhere: report, file and listener', async () => {
    const secret = ['ghp_', 'R4nd0mT0k3nQxZ7bYv', 'K2mWpLs8HdFgJc1eUa'].join('');
    const seen: string[] = [];
    const context = makeRunContext({
      execute: { outputLines: 10 },
      onOutput: (_, text) => void seen.push(text),
    });
    // In pieces, so that no piece holds all of it.
    const [first, second] = [secret.slice(0, 11), secret.slice(11)];
    const done = await execute(
      `printf ${first}; sleep 0.2; echo ${second}; seq 1 50; echo ${secret} >&2`,
      context,
    );
    expect(JSON.stringify(done) + kept(context) + seen.join('')).not.toContain(second);
    expect(done.output!.text).toMatch(/^\[masked:[0-9a-f]{8}\]\n1\n/);
    expect(done.error!.text).toMatch(/^\[masked:[0-9a-f]{8}\]\n$/);
    expect(kept(context)).toMatch(/^\[masked:[0-9a-f]{8}\]\n1\n/);
  });
});
