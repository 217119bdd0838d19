import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseYaml } from '../../src/core/yaml.js';
import { readResultLog } from '../../src/tasks/logs/read-log.js';
import { renderLog } from '../../src/tasks/logs/write-log.js';
import { aResult, logText, someResult } from './logs.js';

const damaged = (text: string) => {
  const read = readResultLog(text);
  expect(read.status).toBe('damaged');
  return read as Extract<typeof read, { status: 'damaged' }>;
};
const log = (change: (text: string) => string = (text) => text) => change(logText(aResult()));
const withoutLine = (start: string) => log((text) => text.replace(new RegExp(`^ *${start}.*\n`, 'm'), ''));

describe('readLog', () => {
  test('gives back every fact that was written', () => {
    fc.assert(
      fc.property(someResult, (facts) => {
        expect(readResultLog(logText(facts))).toMatchObject({ status: 'log', facts });
      }),
    );
  });

  test('what was verified goes before what was claimed', () => {
    const facts = aResult({ claimed: 'success', status: 'failure', verificationMs: 12 });
    expect(readResultLog(logText(facts))).toMatchObject({
      facts: { claimed: 'success', status: 'failure', verificationMs: 12 },
    });
  });

  test('a result that is only there as text is found in it, words and fence and all', () => {
    const [header, result] = log().split('result:\n') as [string, string];
    const yaml = result.replace(/^ {2}/gm, '');
    const text = `${header}result_text: ${JSON.stringify(`Done:\n\n\`\`\`yaml\n${yaml}\`\`\`\n`)}\n`;
    expect(readResultLog(text)).toMatchObject({ status: 'log', facts: aResult() });
  });

  test('where it is there twice, the YAML counts', () => {
    const text = log((each) => `${each}result_text: "nothing to be read"\n`);
    expect(readResultLog(text)).toMatchObject({ status: 'log', facts: aResult() });
  });

  test('a key of ours in the result is the result’s', () => {
    const text = log((each) => each.replace('  evidence: |', '  plan_id: "99-99"\n  evidence: |'));
    expect(readResultLog(text)).toMatchObject({ facts: { planId: '03-01' } });
    const inEvidence = log((each) => each.replace('    First line.', '    result:\n    result_text: x'));
    expect(readResultLog(inEvidence)).toMatchObject({ status: 'log', facts: aResult() });
  });

  test('line endings of another system change nothing', () => {
    expect(readResultLog(log((text) => text.replaceAll('\n', '\r\n')))).toMatchObject({
      status: 'log',
      facts: aResult(),
    });
  });

  test('reads what the program writes', () => {
    const yaml = log().split('result:\n')[1]!.replace(/^ {2}/gm, '');
    const entry = {
      loggedAt: '2026-01-26T10:30:45Z',
      planId: '03-01',
      taskIndex: 1,
      sessionId: 'sess-1',
      executor: 'claude: "x"',
      attempt: 2,
      durationMs: 4200,
      effectiveStatus: 'failure' as const,
      verification: {
        command: 'npm test\n# "x"',
        exitCode: null,
        durationMs: 7,
        outputSummary: 'result:\n',
        vacuous: true as const,
        flaky: true as const,
      },
      refused: 'It conflicts.\nresult: {}',
      filesChanged: ['a: b', '- # c', 'Ünïcode'],
      late: false,
      superseded: true,
      masked: true,
      behind: ['03-01:1', 'a: b'],
      verdict: 'VALID_WITH_WARNINGS' as const,
      issues: [
        {
          code: 'x',
          severity: 'warning' as const,
          message: '# "a"\nb',
          line: 3,
          field: 'error',
          hint: 'c: d',
        },
        { code: 'y', severity: 'info' as const, message: 'z' },
      ],
      text: `Here:\n${yaml}`,
      yaml,
    };
    const facts = aResult({
      status: 'failure',
      claimed: 'success',
      verificationMs: 7,
      executor: 'claude: "x"',
      attempt: 2,
      superseded: true,
      behind: ['03-01:1', 'a: b'],
    });
    const text = renderLog(entry);
    expect(readResultLog(text)).toMatchObject({
      status: 'log',
      facts,
      verdict: entry.verdict,
      issues: entry.issues,
    });
    expect(parseYaml(text)).toMatchObject({
      value: {
        verification_run: { vacuous: true, flaky: true },
        refused: entry.refused,
        files_changed: entry.filesChanged,
      },
    });
    const many = Array.from({ length: 600 }, (_, at) => `src/${at}.ts`);
    const cut = parseYaml(renderLog({ ...entry, filesChanged: many }));
    expect(cut).toMatchObject({ value: { files_changed: many.slice(0, 500), files_changed_count: 600 } });
  });

  test.each([
    ['logged_at', 1],
    ['plan_id', 1],
    ['task_index', 1],
    ['session_id', 1],
  ])('without its %s it is damaged', (key, line) => {
    expect(damaged(withoutLine(key))).toMatchObject({ reason: expect.stringContaining(key), line });
  });

  test.each([
    ['logged_at: yesterday', 'logged_at', 1],
    ['logged_at: "2026-13-45T00:00:00Z"', 'logged_at', 1],
    ['plan_id: 3', 'plan_id', 2],
    ['task_index: 0', 'task_index', 3],
    ['task_index: 1.5', 'task_index', 3],
    ['effective_status: done', 'effective_status', 1],
    ['executor: [a]', 'executor', 1],
    ['verification_run: {command: x}', 'verification_run', 1],
  ])('%s is damage at its line', (line, key, expected) => {
    const text = log((each) =>
      each.includes(`${key}:`) ? each.replace(new RegExp(`^${key}:.*$`, 'm'), line) : `${line}\n${each}`,
    );
    expect(damaged(text)).toMatchObject({ reason: expect.stringContaining(key), line: expected });
  });

  test('an attempt that is none is damage at its line', () => {
    expect(damaged(`attempt: 0\n${log()}`)).toMatchObject({
      reason: expect.stringContaining('attempt'),
      line: 1,
    });
  });

  test('a fault in the result has the line of the log', () => {
    const lines = log().split('\n');
    const at = lines.findIndex((line) => line.startsWith('  status:'));
    const read = damaged(log((text) => text.replace('  status: success', '  status: superb')));
    expect(read.line).toBe(at + 1);
  });

  test.each(['', '\n', 'a', '- 1', 'result:\n', '\0', '{', 'a: *b'])('%j is no log', (text) => {
    expect(damaged(text).reason).not.toBe('');
  });

  test('never throws, whatever is cut off, put in or turned around', () => {
    const whole = log();
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(20), fc.string(), (at, length, put) => {
        const read = readResultLog(whole.slice(0, at) + put + whole.slice(at + length));
        expect(['log', 'damaged']).toContain(read.status);
      }),
    );
  });

  test('9 MB of evidence can be read', () => {
    const evidence = '    0123456789 0123456789 0123456789\n'.repeat(250_000);
    const text = log((each) => each.replace('    First line.\n', evidence));
    expect(readResultLog(text).status).toBe('log');
  });
});
