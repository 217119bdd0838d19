import { findJson } from '../json/find.js';
import { placeAt, readJson } from '../json/read.js';
import type { JsonFound, JsonProblem, JsonValue } from '../json/values.js';
import { jsonEquals } from '../json/values.js';
import { listWords } from '../text.js';
import { guessClient } from './clients/clients.js';
import { reportIssue } from './issue.js';
import type { Client, ReportIssue } from './types.js';

/** Of a report's text, in characters; readers of files and pipes count bytes. */
export const REPORT_LIMIT = 20 * 1024 * 1024;

export type ReportRead =
  | { status: 'read'; value: JsonValue; issues: ReportIssue[] }
  | { status: 'refused'; value: JsonValue; issues: ReportIssue[] };

/** The one JSON value of a text. `lenient` extracts it from a fence or from between other words, with an issue. */
export function readReportJson(text: string, lenient: boolean): ReportRead {
  if (text.length > REPORT_LIMIT) return refuse(tooLarge(text));
  const read = readJson(text);
  if (read.status === 'value') {
    const client = guessClient(read.value);
    return client === null
      ? { status: 'read', value: read.value, issues: [] }
      : refuse(clientOutput(client), read.value);
  }
  const { problem } = read;
  const client = problem.code === 'json-empty' ? null : guessFromLine(text);
  if (client !== null) return refuse(clientOutput(client));
  return lenient ? extractReport(text, problem) : refuse(readingIssue(problem, text));
}

const refuse = (issue: ReportIssue, value: JsonValue = null): ReportRead => ({
  status: 'refused',
  value,
  issues: [issue],
});

function tooLarge(text: string): ReportIssue {
  const message = `The report has ${text.length} characters; the limit is ${REPORT_LIMIT}.`;
  const hint = 'Ask for a lower verbosity level, and point to files and lines instead of quoting them.';
  return reportIssue('report-too-large', [], message, { hint });
}

function clientOutput(client: Client): ReportIssue {
  const message = `This is the output of ${client} around an answer, not the report itself.`;
  return reportIssue('client-output', [], message, { hint: `Check it with --from ${client}.` });
}

/** Clients that print an event a line: the first one says whose they are. */
function guessFromLine(text: string): Client | null {
  const line = /^\s*(\{[^\n]*)\n/.exec(text)?.[1];
  const read = line === undefined ? null : readJson(line);
  return read?.status === 'value' ? guessClient(read.value) : null;
}

function readingIssue(problem: JsonProblem, text: string): ReportIssue {
  const { code, path, message, hint, line, column } = problem;
  if (code === 'json-empty') {
    const extra = { hint: 'Write one JSON object with "report_metadata" and "findings".', line, column };
    return reportIssue('report-empty', [], 'There is no report: the text is empty.', extra);
  }
  if (code !== 'json-around') return reportIssue(code, path, message, { hint, line, column });
  const around = /^\s{0,100}(?:```|~~~)/.test(text) ? 'The JSON is in a fence.' : message;
  return reportIssue(code, path, `${around} A report is one JSON object with nothing before or after it.`, {
    hint: 'Write the object alone: no fence, no greeting, no closing words. --lenient extracts it.',
    line,
    column,
  });
}

function extractReport(text: string, problem: JsonProblem): ReportRead {
  const within = findJson(text, 'report_metadata');
  const { found, broken, complete } = within;
  const [first] = found;
  if (first === undefined) {
    const [meant] = broken;
    if (meant) return refuse(readingIssue(meant.problem, text));
    return refuse(problem.code === 'json-around' ? noReport(problem) : readingIssue(problem, text));
  }
  // A second report that says the same is not a second one; one that cannot be read may say anything.
  const isOne = broken.length === 0 && found.every(({ value }) => jsonEquals(value, first.value));
  if (!complete || !isOne) return refuse(ambiguous(within, text));
  const { line } = placeAt(text, first.from);
  const message = `The report was in a fence or between other words; it was extracted from line ${line} on.`;
  const hint = 'Write the object alone: no fence, no greeting, no closing words.';
  const issues = [reportIssue('report-wrapped', [], message, { hint, line })];
  return { status: 'read', value: first.value, issues };
}

function noReport({ line, column }: JsonProblem): ReportIssue {
  const message = 'There is no report in the text: no JSON object in it has the key `report_metadata`.';
  const hint = 'Write one JSON object with "report_metadata" and "findings", and nothing else.';
  return reportIssue('json-around', [], message, { hint, line, column });
}

function ambiguous({ found, broken, complete }: JsonFound, text: string): ReportIssue {
  const hint = 'Write one report, and nothing else.';
  if (!complete) {
    const message = 'The text contains too many objects to find the report.';
    return reportIssue('report-ambiguous', [], message, { hint });
  }
  const starts = [...found, ...broken].map(({ from }) => from).sort((a, b) => a - b);
  const lines = starts.map((from) => placeAt(text, from).line);
  const message = `The text contains ${starts.length} different reports, at lines ${listWords(lines.map(String))}; none is used.`;
  return reportIssue('report-ambiguous', [], message, { hint, line: lines[1]! });
}
