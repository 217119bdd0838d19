import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeReport, routeReport } from '../../../src/core/agent-report/judge.js';
import { readReportJson } from '../../../src/core/agent-report/read-report.js';
import type { JsonObject } from '../../../src/core/json/values.js';
import { OPTIONS } from './subject.js';

const METADATA = {
  agent_name: 'investigator',
  task_id: 'auth-1',
  status: 'completed',
  verbosity_level: 'detailed',
  confidence_level: 0.9,
  error_message: null,
};

const read = (text: string) => readReportJson(text, true);
const codes = (text: string) => read(text).issues.map(({ code }) => code);
const REPORT = `{
  "report_metadata": {"agent_name": "a", "done": true, "error_message": null},
  "findings": {"list": ["x // no comment", "None, True,}"]},
  "recommendations": []
}`;

describe('what is no JSON and means one thing only is read', () => {
  test.each<[string, string, string, string]>([
    [
      'a comma behind the last value',
      REPORT.replace('null}', 'null,}').replace('[]', '["a",]'),
      'report-repaired',
      '2 and 4',
    ],
    ['None, True', REPORT.replace('true', 'True').replace('null', 'None'), 'report-repaired', 'line 2'],
    ['texts of Python', REPORT.replace(/"(\w+)"/g, "'$1'"), 'report-repaired', 'lines 2, 3 and 4'],
    [
      'one text of Python',
      REPORT.replace('"x // no comment"', "'x // no comment'"),
      'report-repaired',
      'line 3',
    ],
    [
      'a comment',
      REPORT.replace('{"list', '// Not run: the "tests"\n{"list'),
      'report-comment',
      '// Not run: the \\"tests\\"',
    ],
    ['a comment of Python', REPORT.replace('{\n', '{ # first\n'), 'report-comment', '# first'],
    [
      'a comment of several lines',
      REPORT.replace('[]', '/* a\n * b */ []'),
      'report-comment',
      '/* a\\n * b */',
    ],
    ['no last brace', REPORT.slice(0, -1), 'report-unclosed', 'last closing brace'],
  ])('%s', (_, text, code, says) => {
    const { status, value, issues } = read(text);
    const expected: JsonObject = JSON.parse(REPORT);
    if (text.includes('"a",]')) expected.recommendations = ['a'];
    expect({ status, value }).toEqual({ status: 'read', value: expected });
    expect(issues).toMatchObject([{ code, severity: 'warning' }]);
    expect(issues[0]!.message).toContain(says);
    expect(readReportJson(text, false).status).toBe('refused');
  });

  test('the escapes of Python', () => {
    const text = String.raw`{'report_metadata': {}, 'findings': {'a': 'it\'s "\x41\u00e4\U0001F600"\n\\d'}}`;
    expect(read(text).value).toEqual({ report_metadata: {}, findings: { a: `it's "A\u00e4😀"\n\\d` } });
  });

  test('all of them, in a fence between words', () => {
    const text = `Here it is:\n\n\`\`\`json\n${REPORT.replace('null}', 'None, /* sure? */}').slice(0, -1)}\`\`\`\nBye.`;
    expect(codes(text)).toEqual(['report-wrapped', 'report-repaired', 'report-comment', 'report-unclosed']);
    expect(read(text).value).toEqual(JSON.parse(REPORT));
  });

  test('what may lack more than a brace, and what is said beside the report, is for human review', () => {
    const sound = JSON.stringify({ report_metadata: METADATA, findings: { answer: 'Yes.' } });
    for (const text of [sound.slice(0, -1), sound.replace('{', '{ // Not sure.\n')]) {
      const judged = judgeReport(text, { ...OPTIONS, manualOf: () => null, lenient: true });
      expect(routeReport({ ...judged, threshold: 0.7 })).toBe('human-review');
    }
  });
});

describe('what may have lost something is refused', () => {
  test.each([
    ['two braces are missing', REPORT.replace(/\},\s+"recommendations"[\s\S]*$/, '')],
    ['a bracket is missing', REPORT.replace(/\]\s+\}$/, '')],
    ['a number may have had more digits', '{"report_metadata": {}, "findings": {}, "cost": 12'],
    ['a comma promises more', '{"report_metadata": {}, "findings": {},'],
    ['a text is not closed', '{"report_metadata": {}, "findings": {}, "x": "so'],
    ['a comment may hold the rest', '{"report_metadata": {}, "findings": {} // "blockers": ["x"]}'],
    ['a comment never ends', '{"report_metadata": {}, /* "findings": {}}'],
    [
      'another brace is missing: of the findings',
      '{"report_metadata": {}, "findings": {"a": {}, "recommendations": ["b"]}',
    ],
    ['another brace is missing: of the metadata', '{"report_metadata": {"a": 1, "findings": {}}'],
    ['a key in Python is no word', '{"report_metadata": {}, None: 1}'],
    ['another word', '{"report_metadata": {}, "findings": undefined}'],
    ['an apostrophe ends a text of Python', "{'report_metadata': {}, 'findings': {'a': 'it's'}}"],
    ['an escape that Python does not have', String.raw`{'report_metadata': {}, 'findings': {'a': '\d'}}`],
    ['a text of Python does not end', "{'report_metadata': {}, 'findings': {'a': 'b\n'}}"],
    ['half a character in Python', String.raw`{'report_metadata': {}, 'findings': {'a': '\ud83d'}}`],
    ['two commas', '{"report_metadata": {},, "findings": {}}'],
    ['a comma alone', '{"report_metadata": {}, "findings": {,}}'],
  ])('%s', (_, text) => {
    expect(read(text)).toMatchObject({ status: 'refused' });
  });
});

const report = fc.record({
  report_metadata: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
  findings: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
  recommendations: fc.array(fc.oneof(fc.string(), fc.constantFrom('a, }', '// b', '# c', 'True', '/* d'))),
}) as fc.Arbitrary<JsonObject>;

/** Tokens of JSON, independent of the reader. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[A-Za-z]+|[{}[\],:]/gs;

/** The report's text with whatever `read` is to see through, and how much there is of each. */
function damage(text: string, choices: readonly number[]): { text: string; codes: Set<string> } {
  const marks = new Set<string>();
  let at = 0;
  const choice = (of: number) => choices[at++ % choices.length]! % of;
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
  const comments = [' // x "y": [1], }\n', ' # z\n', ' /* { "a" */ '];
  const tokens = text.match(TOKEN)!;
  const written = tokens.map((token, index) => {
    let put = token;
    if (words[token] && choice(3) === 0) {
      put = words[token];
      marks.add('report-repaired');
    }
    if (token.startsWith('"') && choice(4) === 0) {
      put = `'${token.slice(1, -1).replaceAll("'", "\\'")}'`;
      marks.add('report-repaired');
    }
    const isFilled = index > 0 && !'{['.includes(tokens[index - 1]!);
    if ('}]'.includes(token) && isFilled && choice(3) === 0) {
      put = `,${put}`;
      marks.add('report-repaired');
    }
    if (index > 0 && choice(6) === 0) {
      put = comments[choice(3)] + put;
      marks.add('report-comment');
    }
    return put;
  });
  const [last = ''] = written.slice(-1);
  if (choice(2) === 0 && last === '}') {
    written.pop();
    marks.add('report-unclosed');
  }
  return { text: written.join(choice(2) === 0 ? ' ' : '\n'), codes: marks };
}

describe('no fact is lost, and none invented', () => {
  test('of a report that is damaged in ways that are understood', () => {
    fc.assert(
      fc.property(
        report,
        fc.array(fc.nat(), { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        (value, choices, wrap) => {
          fc.pre(!JSON.stringify(value).includes('__proto__'));
          const plain = JSON.parse(JSON.stringify(value)) as JsonObject;
          const holdsOwn = ['report_metadata', 'findings'].some((key) =>
            /^(report_metadata|findings|recommendations|identified_gaps|blockers)$/m.test(
              Object.keys(plain[key] as JsonObject).join('\n'),
            ),
          );
          fc.pre(!holdsOwn);
          const damaged = damage(JSON.stringify(plain), choices);
          const {
            status,
            value: got,
            issues,
          } = read(wrap ? `So:\n\`\`\`\n${damaged.text}\n\`\`\`\n` : damaged.text);
          expect({ status, got }).toEqual({ status: 'read', got: plain });
          expect(new Set(issues.map(({ code }) => code).filter((code) => code !== 'report-wrapped'))).toEqual(
            damaged.codes,
          );
        },
      ),
      { numRuns: 400 },
    );
  });
});
