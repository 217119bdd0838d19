import { describe, expect, test } from 'vitest';
import { readReportJson } from '../../../src/core/agent-report/read-report.js';

const read = (text: string) => readReportJson(text, true);
const REPORT = `{
  "report_metadata": {"agent_name": "a", "done": true, "error_message": null},
  "findings": {"list": ["x // no comment", "None, True,}"]},
  "recommendations": []
}`;

describe('a report in other text is extracted, with a warning', () => {
  test.each<[string, string, number]>([
    ['in a fence', `\`\`\`json\n${REPORT}\n\`\`\``, 2],
    ['in a fence between words', `Here it is:\n\n\`\`\`\n${REPORT}\n\`\`\`\nBye.`, 4],
    ['between words', `So: ${REPORT} Bye.`, 1],
    ['twice the same', `${REPORT}\n\n${REPORT}`, 1],
    ['after another object', `{"a": 1}\n${REPORT}`, 2],
  ])('%s', (_, text, line) => {
    const { status, value, issues } = read(text);
    expect({ status, value }).toEqual({ status: 'read', value: JSON.parse(REPORT) });
    expect(issues).toMatchObject([{ code: 'report-wrapped', severity: 'warning', line }]);
    expect(readReportJson(text, false).status).toBe('refused');
  });
});

describe('what may have lost something is refused', () => {
  test.each<[string, string, string]>([
    ['two different reports', `${REPORT}\n${REPORT.replace('true', 'false')}`, 'report-ambiguous'],
    ['one of two is broken', `${REPORT}\n{"report_metadata": 1,}`, 'report-ambiguous'],
    ['no report', 'So: {"a": 1} Bye.', 'json-around'],
    ['a trailing comma', REPORT.replace('null}', 'null,}'), 'json-invalid'],
    ['a comment', REPORT.replace('{\n', '{ # first\n'), 'json-invalid'],
    ['words of Python', REPORT.replace('true', 'True'), 'json-invalid'],
    ['quotes of Python', REPORT.replace(/"(\w+)"/g, "'$1'"), 'json-invalid'],
    ['no last brace', `So:\n${REPORT.slice(0, -1)}`, 'json-cut-off'],
  ])('%s', (_, text, code) => {
    expect(read(text)).toMatchObject({ status: 'refused', issues: [{ code }] });
  });
});
