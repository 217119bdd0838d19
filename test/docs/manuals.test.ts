import { describe, expect, test } from 'vitest';
import { MANUAL_ISSUES } from '../../src/core/agent-report/issue-codes.js';
import { parseManual } from '../../src/core/agent-report/manual/parse.js';
import { KEYWORDS } from '../../src/core/json/schema/keywords.js';
import { readExamples, readPage } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

// What stands behind the opening fence of an example says how it is tested:
//
//   yaml keys                  keys in the frontmatter of a small manual
//   json schema                the schema of a small manual
//   … expect: CODE CODE        with these errors and warnings, in this order; without: with none
//   LANGUAGE file: PATH        saved, for the commands that follow
//   console                    run, line by line
const PAGE = 'docs/manuals.md';
const examples = readExamples(PAGE);
const parts = examples.filter(({ note }) => /^(?:keys|schema)\b/.test(note));

describe.each(parts)('the $language at line $line', ({ language, text, note, line }) => {
  const codes = /expect: (.+)/.exec(note)?.[1] ?? '';

  test(codes === '' ? 'has no issue' : `gives ${codes}`, () => {
    const { issues } = parseManual('small', language === 'yaml' ? writeManual(text) : writeManual('', text));
    const told = issues.map(({ code }) => code).filter((code) => code !== 'manual-example-missing');
    expect(told.join(' ')).toBe(codes);
  });

  test('gives only what the text before it says', () => {
    const above = readPage(PAGE).split('\n').slice(0, line);
    const before = above.slice(above.findLastIndex((each) => each.startsWith('## '))).join('\n');
    expect(codes.split(' ').filter((code) => code !== '' && !before.includes(`\`${code}\``))).toEqual([]);
  });
});

test('the manuals that are shown whole are used, and the first has nothing to be said about it', () => {
  const whole = examples.filter(({ note }) => note.startsWith('file: .teddy/agents/'));
  const read = whole.map(({ note, text }) => parseManual(/([\w-]+)\.md$/.exec(note)![1]!, text));
  expect(read.map(({ manual }) => manual?.name)).toEqual(['dependency-auditor', 'guesser']);
  expect(read[0]!.issues).toEqual([]);
});

test('the guide goes as it is shown, from its first line to its last', () => {
  const tested = new Set(parts.map(({ line }) => line));
  const others = walkPage(PAGE, makeReadersFolder()).filter(({ line }) => !tested.has(line));
  expect(others.map(({ line }) => line)).toEqual([]);
});

test('the keywords on the page are those that are read', () => {
  const [, table] = /\| about \| keywords \|\n.*\n((?:\|.*\n)+)/.exec(readPage(PAGE))!;
  const shown = [...table!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
  expect(shown.filter((keyword) => keyword !== 'x-').sort()).toEqual([...KEYWORDS.keys()].sort());
});

test('every issue code has its place on the page, outside the table too', () => {
  const [text] = readPage(PAGE).split('## Every issue');
  expect(Object.keys(MANUAL_ISSUES).filter((code) => !text!.includes(`\`${code}\``))).toEqual([]);
});

function writeManual(keys: string, schema = '{"type": "object"}'): string {
  return `---
kind: subagent
purpose: To be small.
when_to_use: In tests.
${keys}---
Do it.

\`\`\`json
${schema}
\`\`\`
`;
}
