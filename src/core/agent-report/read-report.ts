import { findJson } from '../json/find.js';
import { readJson } from '../json/read.js';
import type {
  FoundObject,
  JsonFound,
  JsonObject,
  JsonProblem,
  JsonRepair,
  JsonValue,
} from '../json/values.js';
import { isJsonObject, jsonEquals } from '../json/values.js';
import { quoteExcerpt } from '../text.js';
import { guessClient } from './clients/clients.js';
import { REPORT_FIELDS } from './fields.js';
import { list, reportIssue } from './issue.js';
import type { Client, ReportIssue } from './types.js';

/** Of a report's text, in characters; readers of files and pipes count bytes. */
export const REPORT_LIMIT = 20 * 1024 * 1024;

export type ReportRead =
  | { status: 'read'; value: JsonValue; issues: ReportIssue[] }
  | { status: 'refused'; value: JsonValue; issues: ReportIssue[] };

/**
 * The one JSON value of a text. `lenient` takes it out of a fence or from between other words, and reads what is not a JSON
 * but means one thing only; whatever it does so with is an issue.
 */
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
  return lenient ? takeOut(text, problem) : refuse(readingIssue(problem, text));
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

const isReport = (value: JsonObject): boolean => Object.hasOwn(value, 'report_metadata');

function takeOut(text: string, problem: JsonProblem): ReportRead {
  const within = findJson(text, isReport);
  const { found, broken, complete } = within;
  const [first] = found;
  if (first === undefined) {
    const meant = broken.find(({ keys }) => keys.includes('report_metadata'));
    if (meant) return refuse(readingIssue(meant.problem, text));
    return refuse(problem.code === 'json-around' ? noReport(problem) : readingIssue(problem, text));
  }
  if (!complete || isAmbiguous(first, within)) return refuse(ambiguous(within, text));
  if (isMisplaced(first)) return refuse(readingIssue(problem, text));
  return {
    status: 'read',
    value: first.value,
    issues: [...wrappings(first, text), ...tolerances(first, text)],
  };
}

function wrappings({ from, to }: FoundObject, text: string): ReportIssue[] {
  if (text.slice(0, from).trim() === '' && text.slice(to).trim() === '') return [];
  const line = lineAt(text, from);
  const message = `The report was in a fence or between other words; it was extracted from line ${line} on.`;
  const hint = 'Write the object alone: no fence, no greeting, no closing words.';
  return [reportIssue('report-wrapped', [], message, { hint, line })];
}

/** A brace is missing, and fields of the report are inside of its findings: it is not the last one that is missing. */
function isMisplaced({ value: { report_metadata, findings }, repairs }: FoundObject): boolean {
  const holdsOthers = (part: JsonValue | undefined) =>
    isJsonObject(part) && REPORT_FIELDS.some(({ key }) => Object.hasOwn(part, key));
  return (
    repairs.some(({ kind }) => kind === 'brace') && (holdsOthers(report_metadata) || holdsOthers(findings))
  );
}

/** What was read with a tolerance, with its lines; and every comment, which is not part of the report, in its words. */
function tolerances({ repairs }: FoundObject, text: string): ReportIssue[] {
  const located = locate(repairs, text);
  const placesOf = (kind: JsonRepair['kind']) => located.filter((repair) => repair.kind === kind);
  const comments = placesOf('comment');
  const said = Object.entries(REPAIRED).flatMap(([kind, words]) => {
    const places = placesOf(kind as JsonRepair['kind']);
    return places.length === 0 ? [] : [`${words} (${listLines(places.map(({ line }) => line))})`];
  });
  const hint =
    'Write valid JSON: no trailing commas, no comments, strings in double quotes, null, true and false, every brace closed.';
  return [
    ...(said.length === 0
      ? []
      : [reportIssue('report-repaired', [], `${capitalize(list(said))}.`, { hint })]),
    ...comments.slice(0, MOST_COMMENTS).map(({ from, to, line }) => {
      const message = `This comment is not part of the report: ${quoteExcerpt(text.slice(from, to).trim(), LONGEST_COMMENT)}.`;
      return reportIssue('report-comment', [], message, { hint, line });
    }),
    ...(comments.length <= MOST_COMMENTS
      ? []
      : [
          reportIssue(
            'report-comment',
            [],
            `${comments.length - MOST_COMMENTS} more comments are not part of the report.`,
            { hint },
          ),
        ]),
    ...placesOf('brace').map(({ line }) => {
      const message = 'The last closing brace was missing and was added. Other parts may be missing too.';
      return reportIssue('report-unclosed', [], message, { hint, line });
    }),
  ];
}

const REPAIRED = {
  comma: 'commas after the last value were removed',
  word: 'None, True and False were read as null, true and false',
  quote: 'strings in single quotes were read as in Python',
} satisfies Partial<Record<JsonRepair['kind'], string>>;

/** With their lines, in one pass: they are in the order of the text. */
function locate(repairs: readonly JsonRepair[], text: string): (JsonRepair & { line: number })[] {
  let [at, line] = [0, 1];
  return repairs.map((repair) => {
    for (; at < repair.from; at++) if (text.charCodeAt(at) === 0x0a) line++;
    return { ...repair, line };
  });
}

const MOST_COMMENTS = 20;
const LONGEST_COMMENT = 1000;

function listLines(lines: readonly number[]): string {
  const different = [...new Set(lines)];
  return `${different.length === 1 ? 'line' : 'lines'} ${list(different.map(String))}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function noReport({ line, column }: JsonProblem): ReportIssue {
  const message = 'There is no report in the text: no JSON object in it has the key `report_metadata`.';
  const hint = 'Write one JSON object with "report_metadata" and "findings", and nothing else.';
  return reportIssue('json-around', [], message, { hint, line, column });
}

/** A second report that says the same is none; one that cannot be read may say anything. */
function isAmbiguous(first: FoundObject, { found, broken }: JsonFound): boolean {
  return (
    found.some(({ value }) => !jsonEquals(value, first.value)) ||
    broken.some(({ keys }) => keys.includes('report_metadata'))
  );
}

function ambiguous({ found, broken, complete }: JsonFound, text: string): ReportIssue {
  const hint = 'Write one report, and nothing else.';
  if (!complete) {
    const message = 'The text contains too many objects to find the report.';
    return reportIssue('report-ambiguous', [], message, { hint });
  }
  const starts = [...found, ...broken.filter(({ keys }) => keys.includes('report_metadata'))].map(
    ({ from }) => from,
  );
  const lines = starts.toSorted((a, b) => a - b).map((from) => lineAt(text, from));
  const message = `The text contains ${starts.length} different reports, at lines ${list(lines.map(String))}; none is used.`;
  return reportIssue('report-ambiguous', [], message, { hint, line: lines[1]! });
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
