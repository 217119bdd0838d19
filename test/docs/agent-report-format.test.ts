import { describe, expect, test } from 'vitest';
import { BUILT_IN } from '../../src/agents/built-in.js';
import { readContextMap } from '../../src/core/agent-report/context-map/forms.js';
import { canonicalUri } from '../../src/core/agent-report/context-map/reference.js';
import { foldAgentName } from '../../src/core/agent-report/fields.js';
import { REPORT_ISSUES } from '../../src/core/agent-report/issue-codes.js';
import { judgeReport } from '../../src/core/agent-report/judge.js';
import { parseManual } from '../../src/core/agent-report/manual/parse.js';
import type { JudgeOptions } from '../../src/core/agent-report/types.js';
import { readExamples, readPage } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

// The text after the opening fence of an example says how it is tested:
//
//   json part                  keys that replace those of the good report, and of its report_metadata
//   text                       the output of an agent
//   … lenient                  and is extracted from the words around it
//   … expect: CODE CODE        with these issues, in this order; without: with none
//   json map                   a context map, the same as the first one
//   LANGUAGE file: PATH        saved, for the commands that follow; the good report among them
//   console                    run, line by line
const PAGE = 'docs/formats/agent-report.md';
const examples = readExamples(PAGE);
const good = examples.find(({ note }) => note === 'file: report.json')!;
const judged = examples.filter(({ language, note }) => note.startsWith('part') || language === 'text');
const maps = examples.filter(({ note }) => note === 'map');

test('the good report is one', () => {
  expect(codesOf(good.text)).toEqual({ compliant: true, codes: '' });
});

describe.each(judged)('the report at line $line', ({ text, note }) => {
  const codes = /expect: (.+)/.exec(note)?.[1] ?? '';

  test(codes === '' ? 'has no issue' : `gives ${codes}`, () => {
    const whole = note.startsWith('part') ? complete(text) : text;
    const compliant = codes
      .split(' ')
      .every((code) => code === '' || REPORT_ISSUES[code as keyof typeof REPORT_ISSUES].severity !== 'error');
    expect(codesOf(whole, /\blenient\b/.test(note))).toEqual({ compliant, codes });
  });
});

test('every form of a context map is the same map', () => {
  const read = maps.map(({ text }) =>
    readContextMap(JSON.parse(text))?.map(({ text: about, uri }) => [about, uri && canonicalUri(uri)]),
  );
  expect(read.length).toBeGreaterThan(1);
  expect(read[0]).toEqual(JSON.parse(maps[0]!.text));
  for (const each of read) expect(each).toEqual(read[0]);
});

test('the commands do what is shown', () => {
  const tested = new Set([...judged, ...maps].map(({ line }) => line));
  const others = walkPage(PAGE, makeReadersFolder()).filter(({ line }) => !tested.has(line));
  expect(others.map(({ line }) => line)).toEqual([]);
});

test('the codes that route to human review are those of the program', () => {
  const [, row] = /^\| `human-review` \|(.*)\|/m.exec(readPage(PAGE))!;
  const shown = [...row!.matchAll(/`([a-z]+-[a-z-]*\*?)`/g)].map((match) => match[1]!.replace('*', ''));
  const codes = Object.entries(REPORT_ISSUES).flatMap(([code, issue]) =>
    'needsHumanReview' in issue ? code : [],
  );
  expect(codes.filter((code) => !shown.some((each) => code.startsWith(each)))).toEqual([]);
  expect(shown.filter((each) => !codes.some((code) => code.startsWith(each)))).toEqual([]);
});

function codesOf(text: string, lenient = false) {
  const options: JudgeOptions = {
    manualOf: (name) => parseManual(foldAgentName(name), BUILT_IN.get(foldAgentName(name)) ?? '').manual,
    asked: { agent: null, taskId: null, verbosity: null },
    lenient,
  };
  const { compliant, issues } = judgeReport(text, options);
  return { compliant, codes: issues.map(({ code }) => code).join(' ') };
}

function complete(part: string): string {
  const report = JSON.parse(good.text) as Record<string, object>;
  const { report_metadata = {}, ...others } = JSON.parse(part) as Record<string, object>;
  const metadata = { ...report.report_metadata, ...report_metadata };
  return JSON.stringify({ ...report, report_metadata: metadata, ...others });
}
