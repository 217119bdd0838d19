import { describe, expect, test } from 'vitest';
import { RESULT_LIMIT, readResult } from '../../../src/core/task-result/read.js';
import { RESULT_EXAMPLE } from '../../../src/core/task-result/write.js';
import { change, LINES } from './subject.js';

const RESULT = readResult(RESULT_EXAMPLE).result;
const OTHER = change({ 1: 'status: failure' });
const indent = (text: string, by: string) => text.replace(/^(?=.)/gm, by);
const codesOf = (text: string) => readResult(text).issues.map(({ code }) => code);

test('a result has what its lines say', () => {
  expect(readResult(RESULT_EXAMPLE)).toMatchObject({
    yaml: RESULT_EXAMPLE,
    firstLine: 1,
    wrapped: false,
    issues: [],
    result: {
      status: 'success',
      taskName: 'Task 2: Check the port of the server',
      filesModified: ['src/server/port.ts', 'test/server/port.test.ts'],
      verification: { command: 'npm test -- port', exitCode: 0, outputSummary: '4 tests passed' },
      doneCriteriaMet: true,
      evidence: `${LINES[11]!.trim()}\n${LINES[12]!.trim()}\n`,
      error: null,
      metadata: { durationMs: 45000, attempt: 1, executorId: 'worker-1' },
    },
  });
});

describe('a result by itself', () => {
  test.each([
    ['as it is', RESULT_EXAMPLE, 1],
    ['without a last line ending', RESULT_EXAMPLE.trimEnd(), 1],
    ['CRLF', RESULT_EXAMPLE.replaceAll('\n', '\r\n'), 1],
    ['a byte order mark', `\uFEFF${RESULT_EXAMPLE}`, 1],
    ['marks around it', `---\n${RESULT_EXAMPLE}...\n`, 2],
    ['a directive', `%YAML 1.2\n--- # the result\n${RESULT_EXAMPLE}---\n`, 3],
    ['blank lines and comments', `\n# Result\n\n${RESULT_EXAMPLE}\n# end\n`, 1],
    ['indented', indent(RESULT_EXAMPLE, '   '), 1],
    ['another order', [...LINES.slice(14), ...LINES.slice(0, 14)].join('\n'), 1],
    ['lists at the indent of their key', RESULT_EXAMPLE.replaceAll('  - ', '- '), 1],
    ['quoted keys', RESULT_EXAMPLE.replace(/^(\w+):/gm, '"$1":'), 1],
  ])('%s', (_, text, firstLine) => {
    const read = readResult(text);
    expect(read.issues).toEqual([]);
    expect(read.result).toEqual(RESULT);
    expect(read).toMatchObject({ wrapped: false, firstLine });
    expect(read.lineOf(['status'])).toBe(
      text.split('\n').findIndex((line) => /^\uFEFF? *"?status/.test(line)) + 1,
    );
  });

  test('unknown fields stay fields, wherever they stand', () => {
    const text = `before:\n  status: x\n  error: y\n${RESULT_EXAMPLE}after: 1\n`;
    const read = readResult(text);
    expect(read.wrapped).toBe(false);
    expect(read.result).toEqual(RESULT);
    expect(read.issues.map(({ field, line }) => [field, line])).toEqual([
      ['before', 1],
      ['after', LINES.length + 4],
    ]);
  });

  test('evidence may hold a fence, another result, and anything that is indented', () => {
    const shown = indent(`\`\`\`yaml\n${OTHER}\`\`\`\nDone.\n---\n- [x] all`, '  ');
    const read = readResult(change({ 12: shown, 13: null }));
    expect(read.issues).toEqual([]);
    expect(read.result?.evidence).toContain('status: failure');
  });

  test('JSON is YAML', () => {
    const text = JSON.stringify(readResult(RESULT_EXAMPLE).fields);
    expect(readResult(text)).toMatchObject({ result: RESULT, issues: [], wrapped: false });
    const lines = JSON.stringify(readResult(RESULT_EXAMPLE).fields, null, 2);
    expect(readResult(lines)).toMatchObject({ result: RESULT, issues: [], wrapped: false });
  });
});

describe('a result with something around it', () => {
  const json = JSON.stringify(readResult(RESULT_EXAMPLE).fields, null, 2);
  test.each([
    ['a fence', `\`\`\`yaml\n${RESULT_EXAMPLE}\`\`\``],
    ['a fence without a word', `\`\`\`\n${RESULT_EXAMPLE}\`\`\`\n`],
    ['tildes', `~~~yml\n${RESULT_EXAMPLE}~~~\n`],
    ['a fence that is never closed', `\`\`\`yaml\n${RESULT_EXAMPLE}`],
    ['a fence that is never closed, and words', `\`\`\`yaml\n${RESULT_EXAMPLE}\nAll done!\n`],
    ['a fence in a fence', `~~~\n\`\`\`yaml\n${RESULT_EXAMPLE}\`\`\`\n~~~\n`],
    ['a fence in a list', `1. Result:\n\n${indent(`\`\`\`yaml\n${RESULT_EXAMPLE}\`\`\``, '   ')}\n`],
    ['words and a fence', `I did it.\n\n\`\`\`yaml\n${RESULT_EXAMPLE}\`\`\`\n\nAnything else?\n`],
    [
      'output in a fence before',
      `\`\`\`\n$ npm test\nerror: none\n\`\`\`\n\n\`\`\`yaml\n${RESULT_EXAMPLE}\`\`\`\n`,
    ],
    ['a fence of output that is not closed', `\`\`\`\n$ npm test\n\`\`\`yaml\n${RESULT_EXAMPLE}\`\`\`\n`],
    ['words before', `Here is the result:\n${RESULT_EXAMPLE}`],
    ['a list before', `- I looked\n- I wrote\n${RESULT_EXAMPLE}`],
    ['words behind', `${RESULT_EXAMPLE}\nAll done!\n`],
    ['a list behind', `${RESULT_EXAMPLE}\n- a note\n`],
    ['a rule and words', `${RESULT_EXAMPLE}\n---\nLet me know if you need more.\n`],
    ['code behind', `${RESULT_EXAMPLE}\n\`\`\`sh\nnpm test\n\`\`\`\n`],
    ['CRLF', `Done:\r\n\r\n${RESULT_EXAMPLE.replaceAll('\n', '\r\n')}\r\nBye.\r\n`],
    ['a key above', `result:\n${indent(RESULT_EXAMPLE, '  ')}`],
    ['a word that a result has too', `error: see below.\nIt is fine now.\n\n${RESULT_EXAMPLE}`],
    ['an indented word that a result has too', `The log says\n    error: x\n${RESULT_EXAMPLE}`],
    ['the same twice', `${RESULT_EXAMPLE}\nAgain:\n\n\`\`\`\n${RESULT_EXAMPLE}\`\`\`\n`],
    ['JSON in a fence', `\`\`\`json\n${json}\n\`\`\`\n`],
    ['JSON and words', `Result:\n${json}\nDone, I think.\n`],
  ])('%s', (_, text) => {
    const read = readResult(text);
    expect(read.issues.map(({ code }) => code)).toEqual(['result-wrapped']);
    expect(read.result).toEqual(RESULT);
    expect(read.wrapped).toBe(true);
    const lines = text.split('\n');
    expect(read.lineOf(['error'])).toBe(lines.findIndex((line) => /^ *"?error"?: null/.test(line)) + 1);
    expect(
      text
        .split('\n')
        .slice(read.firstLine - 1)
        .join('\n')
        .startsWith(read.yaml),
    ).toBe(true);
  });

  test('a fault in it has the line of the text', () => {
    const text = `Done:\n\n\`\`\`yaml\n${change({ 2: 'task_name: Task 1: Create x' })}\`\`\`\n`;
    const [, issue] = readResult(text).issues;
    expect(issue).toMatchObject({ code: 'result-not-yaml', line: 5 });
    const [, missing] = readResult(`\`\`\`\n${change({ 8: '  exit_code: "0"' })}\`\`\`\n`).issues;
    expect(missing).toMatchObject({ code: 'field-type', field: 'verification.exit_code', line: 9 });
  });

  test('words in the middle are a fault in the result, not its end', () => {
    const broken = change({ 11: 'evidence: |\nI did this\n```\nnpm test\n```', 12: null, 13: null });
    expect(readResult(broken).issues).toMatchObject([{ code: 'result-not-yaml', line: 12 }]);
  });
});

describe('two results that differ', () => {
  const fenced = (text: string) => `\`\`\`yaml\n${text}\`\`\`\n`;
  test.each([
    ['one behind the other', `${RESULT_EXAMPLE}\n${OTHER}`, LINES.length + 2],
    ['two documents', `${RESULT_EXAMPLE}---\n${OTHER}`, LINES.length + 2],
    ['two fences', `${fenced(RESULT_EXAMPLE)}\n${fenced(OTHER)}`, LINES.length + 5],
    ['a fence and none', `${fenced(RESULT_EXAMPLE)}\n${OTHER}`, LINES.length + 4],
    ['words between', `First:\n${RESULT_EXAMPLE}\nNo, wait:\n${OTHER}`, LINES.length + 4],
  ])('%s', (_, text, line) => {
    const read = readResult(text);
    expect(read.issues).toMatchObject([{ code: 'result-ambiguous', line }]);
    expect(read).toMatchObject({ result: null, fields: null });
  });

  test('one field twice is no second result', () => {
    expect(codesOf(`${RESULT_EXAMPLE}status: failure\n`)).toEqual(['result-not-yaml']);
    expect(codesOf(`status: failure\n${RESULT_EXAMPLE}`)).toEqual(['result-not-yaml']);
    const inFence = fenced(`${RESULT_EXAMPLE}status: failure\n`);
    expect(codesOf(inFence)).toEqual(['result-wrapped', 'result-not-yaml']);
  });
});

test('the limit is one of bytes', () => {
  const fill = (size: number) => `evidence: |\n  ${'x'.repeat(size - 14)}`;
  expect(fill(RESULT_LIMIT)).toHaveLength(RESULT_LIMIT);
  expect(codesOf(fill(RESULT_LIMIT))).not.toContain('result-too-large');
  expect(codesOf(fill(RESULT_LIMIT + 1))).toContain('result-too-large');
});

test('fields have no prototype, whatever their names', () => {
  const { fields } = readResult(`${RESULT_EXAMPLE}__proto__: {status: x}\n`);
  expect(Object.getPrototypeOf(fields)).toBeNull();
  expect(({} as { status?: string }).status).toBeUndefined();
  expect(readResult('__proto__: {status: success}').issues).toContainEqual(
    expect.objectContaining({ code: 'field-missing', field: 'status' }),
  );
});
