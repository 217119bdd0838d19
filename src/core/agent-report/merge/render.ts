import type { JsonValue } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';
import { fenceFor } from '../../markdown/lines.js';
import { cutText, foldText, shorten } from '../../text.js';
import { needsHumanReview } from '../judge.js';
import type { ReportIssue } from '../types.js';
import type {
  Amount,
  ContextPlace,
  Gathered,
  GatheredReport,
  MergeInput,
  SourcedText,
  Sum,
} from './gather.js';
import { gatherDistinct } from './merge.js';

export interface RenderOptions {
  /** Characters of one text; more are cut, with a note. 600 unless given. */
  longest?: number;
  /** Entries of one section; more are counted. 20 unless given. */
  most?: number;
  /** The confidence below which a report is for a person. 0.7 unless given. */
  threshold?: number;
}

type Limits = Required<RenderOptions>;

/**
 * Many reports as Markdown for a person with a minute: outcomes, blockers, what to look at. Only the
 * headings are headings, whatever the agents' texts hold. What is cut or counted here is in full in `mergeReports`.
 */
export function renderMerged(inputs: readonly MergeInput[], options: RenderOptions = {}): string {
  const limits = { longest: 600, most: 20, threshold: 0.7, ...options };
  const gathered = gatherDistinct(inputs);
  const { reports, context, recommendations, gaps, blockers } = gathered;
  const isOne = reports.length === 1;
  const said = (texts: readonly SourcedText[]) =>
    texts.map(({ text, by }) => writeItem(isOne ? '' : nameSources(by), text, limits.longest));
  const sections: [string, string[]][] = [
    ['Blockers', said(blockers)],
    ['Failures', reports.flatMap((report) => writeFailure(report, limits))],
    ['For human review', reports.flatMap((report) => writeDoubts(report, limits))],
    ['Findings', reports.flatMap((report) => writeFindings(report, limits))],
    ['Gaps', said(gaps)],
    ['Recommendations', said(recommendations)],
    ['Context map', context.map((place) => writePlace(place, isOne, limits))],
    ['Totals', writeTotals(gathered)],
  ];
  const parts = [
    writeTitle(gathered, limits),
    writeTable(reports),
    ...sections.flatMap(([title, items]) =>
      items.length === 0 ? [] : writeSection(title, items, limits.most),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function writeSection(title: string, items: readonly string[], most: number): string {
  const left = items.length - most;
  const more = left > 0 ? [`\n${writeNumber(left)} more in the JSON.`] : [];
  return [`## ${title}`, '', ...items.slice(0, most), ...more].join('\n');
}

function writeTitle({ status, reports }: Gathered, limits: Limits): string {
  const parts = [
    countOf(reports, 'completed', ({ status }) => status === 'completed'),
    countOf(reports, 'blocked', ({ status }) => status === 'blocked'),
    countOf(reports, 'failed', ({ status, checked }) => status === 'failed' && checked.compliant),
    countOf(reports, 'not compliant', ({ checked }) => !checked.compliant),
  ];
  const person = countOf(reports, 'for human review', (report) => writeDoubts(report, limits).length > 0);
  const counted = reports.length === 1 ? '1 report' : `${writeNumber(reports.length)} reports`;
  const told = [parts.flat().join(', '), ...person].join('; ');
  return `# Merged report: ${status} (${counted}: ${told})`;
}

function countOf(
  reports: readonly GatheredReport[],
  name: string,
  isOne: (report: GatheredReport) => boolean,
): string[] {
  const count = reports.filter(isOne).length;
  return count === 0 ? [] : [`${writeNumber(count)} ${name}`];
}

function writeTable(reports: readonly GatheredReport[]): string {
  const rows = reports.map(({ source, checked, agent, taskId, status, tokens, seconds }) => [
    writeInline(source),
    writeInline(agent ?? '-'),
    writeInline(taskId ?? '-'),
    checked.compliant ? status : 'not compliant',
    checked.report ? String(checked.report.report_metadata.confidence_level) : '-',
    checked.route,
    writeAmount(tokens, writeNumber),
    writeAmount(seconds, writeSeconds),
  ]);
  return [
    ['Report', 'Agent', 'Task', 'Status', 'Confidence', 'Route', 'Tokens', 'Time'],
    ['---', '---', '---', '---', '---:', '---', '---:', '---:'],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function writeAmount(amount: Amount | null, write: (value: number) => string): string {
  if (amount === null) return '-';
  return amount.from === 'measured' ? write(amount.value) : `${write(amount.value)} (claimed)`;
}

/** `45s`, `26m`, `2h 10m` */
function writeSeconds(value: number): string {
  const seconds = Math.round(value);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  return `${writeNumber(Math.floor(minutes / 60))}h ${minutes % 60}m`;
}

function nameReport({ source, agent }: GatheredReport): string {
  return `**${writeInline(source)}**${agent === null ? '' : ` (${writeInline(agent)})`}`;
}

const MOST_NAMES = 3;

function nameSources(sources: readonly string[]): string {
  const names = sources.slice(0, MOST_NAMES).map((source) => writeInline(source));
  const more = sources.length - names.length;
  return `**${names.join(', ')}${more > 0 ? ` and ${writeNumber(more)} more` : ''}**`;
}

function writeFailure(report: GatheredReport, { longest, most }: Limits): string[] {
  const { checked, status, error } = report;
  if (status !== 'failed') return [];
  if (checked.compliant) return [writeItem(nameReport(report), error ?? '', longest)];
  const errors = checked.issues.filter(({ severity }) => severity === 'error');
  return [
    writeItemOf(
      `${nameReport(report)}, not compliant`,
      writeIssues(errors, { longest, most, otherwise: error }),
    ),
  ];
}

/** The first ones, each as an item, and how many more there are. */
function writeSome<T>(all: readonly T[], most: number, write: (one: T) => string): string[] {
  const left = all.length - most;
  return [
    ...all.slice(0, most).map(write),
    ...(left > 0 ? [`- ${writeNumber(left)} more in the JSON.`] : []),
  ];
}

function writeIssues(
  issues: readonly ReportIssue[],
  { longest, most, otherwise }: Pick<Limits, 'longest' | 'most'> & { otherwise: string | null },
): string[] {
  if (issues.length === 0) return [writeItem('', otherwise ?? '', longest)];
  return writeSome(issues, most, ({ message }) => writeItem('', message, longest));
}

/** Why a report is for a person; a blocked or failed one may have such reasons, too. */
function writeDoubts(report: GatheredReport, { longest, most, threshold }: Limits): string[] {
  const { compliant, route, issues } = report.checked;
  const confidence = report.checked.report?.report_metadata.confidence_level;
  if (!compliant || confidence === undefined) return [];
  const doubts = issues.filter(needsHumanReview);
  // Where nothing else sent it to a person, its confidence did, by whatever threshold.
  const isUnsure = confidence < threshold || (route === 'human-review' && doubts.length === 0);
  const reasons = [
    ...(isUnsure ? [`- Its confidence is ${confidence}.`] : []),
    ...(doubts.length > 0 ? writeIssues(doubts, { longest, most, otherwise: null }) : []),
  ];
  return reasons.length === 0 ? [] : [writeItemOf(nameReport(report), reasons)];
}

/** The texts at the top of the findings, and what else there is by name. */
function writeFindings(report: GatheredReport, { longest, most }: Limits): string[] {
  const found = Object.entries(report.checked.report?.findings ?? {}).filter(
    ([key]) => key !== 'context_map',
  );
  if (found.length === 0) return [];
  const items = writeSome(found, most, ([key, value]) => writeFinding(key, value, longest));
  return [writeItemOf(nameReport(report), items)];
}

function writeFinding(key: string, value: JsonValue, longest: number): string {
  const name = writeInline(key);
  if (typeof value === 'string') return writeItem(name, value, longest);
  if (Array.isArray(value)) return `- ${name}: ${countWords(value.length, 'entry', 'entries')}`;
  if (isJsonObject(value)) return `- ${name}: ${countWords(Object.keys(value).length, 'field', 'fields')}`;
  return `- ${name}: ${String(value)}`;
}

function countWords(count: number, one: string, many: string): string {
  return `${writeNumber(count)} ${count === 1 ? one : many}`;
}

const LONGEST_URI = 300;

function writePlace(
  { uri, status, reason, texts }: ContextPlace,
  isOne: boolean,
  { longest, most }: Limits,
): string {
  const write = ({ text, by }: SourcedText, lead: string) => {
    const names = isOne ? '' : nameSources(by);
    return writeItem([lead, names].filter((part) => part !== '').join(', '), text, longest);
  };
  const [first] = texts;
  if (uri === null) return write(first!, '');
  const why = reason === null ? '' : ` ${writeInline(reason, LONGEST_URI)}`;
  const place = `${writeUri(uri)}${status === null ? '' : ` (${status}${why === '' ? '' : `:${why}`})`}`;
  if (texts.length === 1) return write(first!, place);
  return writeItemOf(
    place,
    writeSome(texts, most, (said) => write(said, '')),
  );
}

function writeUri(uri: string): string {
  return /^[!-_a-~]{1,300}$/.test(uri) ? `\`${uri}\`` : writeInline(uri, LONGEST_URI);
}

function writeTotals({ tokens, seconds, costUsd }: Gathered): string[] {
  return [
    ...writeSum('Tokens', tokens, writeNumber),
    ...writeSum('Total time', seconds, writeSeconds),
    ...writeSum('Cost', costUsd, (value) => `${Number(value.toFixed(4))} USD`),
  ];
}

function writeSum(name: string, sum: Sum, write: (value: number) => string): string[] {
  const { value, measured, claimed, unknown } = sum;
  if (value === null) return [];
  const from = [
    ...(measured === 0 ? [] : [`measured for ${writeNumber(measured)}`]),
    ...(claimed === 0 ? [] : [`claimed by ${writeNumber(claimed)}`]),
    ...(unknown === 0 ? [] : [`unknown for ${writeNumber(unknown)}`]),
  ];
  return [`- ${name}: ${write(value)} (${from.join(', ')})`];
}

// A text of an agent's within a document of ours. It may be any Markdown, so it is in a list item, every line
// indented: as it is where it is calm, that is, sentences and lists and nothing that a reader could take for a part of the
// document or that works beyond its item; else in a fence.

/** The list item `- **lead:** text`; without a lead where it is empty. A text longer than `longest` is cut, and that is said. */
function writeItem(lead: string, text: string, longest: number): string {
  const { shown, left } = /\S/.test(text) ? cutItem(text, longest) : EMPTY;
  const note = left === 0 ? '' : `… (${writeNumber(left)} more characters in the JSON)`;
  const lines = shown.split(LINE_END);
  if (!isCalm(lines)) {
    const fence = fenceFor(shown);
    const block = [`${fence}markdown`, ...lines, fence, ...(note === '' ? [] : ['', note])];
    return `- ${indent([...(lead === '' ? [] : [`${lead}:`, '']), ...block])}`;
  }
  lines.push(`${lines.pop()}${note}`);
  if (lead === '') return `- ${indent(lines)}`;
  return lines.length === 1 ? `- ${lead}: ${lines[0]}` : `- ${indent([`${lead}:`, '', ...lines])}`;
}

/** A list item with items of its own. */
function writeItemOf(lead: string, items: readonly string[]): string {
  return `- ${indent([`${lead}:`, ...items.flatMap((item) => item.split('\n'))])}`;
}

const LONGEST_NAME = 80;

/** A name or a number on one line, in which nothing means anything to Markdown, not even in a table. */
function writeInline(text: string, longest = LONGEST_NAME): string {
  const short = shorten(foldText(text), longest);
  return short.replace(/[\\`*[\]<>|~!&#]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}

function writeNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** An item without anything after its dash could make a heading of the line above it. */
const EMPTY = { shown: '(empty)', left: 0 };

const LINE_END = /\r\n|\r|\n/;

function cutItem(text: string, longest: number): { shown: string; left: number } {
  const trimmed = trimBlankLines(text);
  const shown = cutText(trimmed, longest);
  return { shown: shown.trimEnd(), left: trimmed.length - shown.length };
}

/** A blank line at the top would end an item before it starts. */
function trimBlankLines(text: string): string {
  const ink = text.search(/\S/);
  const line = Math.max(text.lastIndexOf('\n', ink), text.lastIndexOf('\r', ink)) + 1;
  return text.slice(line).trimEnd();
}

function indent(lines: readonly string[]): string {
  return lines.map((line, i) => (i === 0 || line === '' ? line : `  ${line}`)).join('\n');
}

const LIST_MARKERS = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/;
/**
 * What a line may start with, after the markers of lists: no heading, fence, quote, table,
 * definition of a link, or HTML.
 */
const CALM_START = /^[\p{L}\p{N}"'“”‘’«(*_`$@/.…%§→]/u;

function isCalm(lines: readonly string[]): boolean {
  const hasSimpleSpans = lines.every(isClosed);
  return lines.every(
    (line) =>
      line.trim() === '' ||
      (CALM_START.test(line.replace(LIST_MARKERS, '')) &&
        !line.includes('```') &&
        !hasMarkup(line, hasSimpleSpans)),
  );
}

/** Whether every backtick of the line has its other one in it. */
function isClosed(line: string): boolean {
  return line.split('`').length % 2 === 1 && !line.includes('``') && !line.includes('\\`');
}

/** HTML and images. Within a code span, `<` is only a character. */
function hasMarkup(line: string, hasSimpleSpans: boolean): boolean {
  const outside = hasSimpleSpans ? line.replace(/`[^`]*`/g, '') : line;
  return outside.includes('<') || outside.includes('![');
}
