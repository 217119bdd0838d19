import type { JsonValue } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';
import { fenceFor } from '../../markdown/lines.js';
import { cutText, foldText, shorten } from '../../text.js';
import { needsHumanReview } from '../judge.js';
import type { ReportIssue } from '../types.js';
import {
  type Amount,
  type ContextPlace,
  type Gathered,
  type GatheredReport,
  gatherReports,
  type MergeInput,
  type SourcedText,
  type Sum,
} from './merge.js';

/** Characters shown of one text. */
const LONGEST_TEXT = 600;
/** Entries shown of one section or list. */
const MOST_ENTRIES = 20;

/**
 * Many reports as Markdown, to be read in a minute: outcomes, blockers, what to look at. All headings are teddy's,
 * whatever the agents write. What is shortened here is in full in `mergeReports`. A confidence below the threshold needs
 * human review.
 */
export function renderMerged(inputs: readonly MergeInput[], threshold = 0.7): string {
  const gathered = gatherReports(inputs);
  const { reports, context, recommendations, gaps, blockers } = gathered;
  const isOne = reports.length === 1;
  const said = (texts: readonly SourcedText[]) =>
    texts.map(({ text, by }) => writeItem(isOne ? '' : nameSources(by), text));
  const sections: [string, string[]][] = [
    ['Blockers', said(blockers)],
    ['Failures', reports.flatMap(writeFailure)],
    ['For human review', reports.flatMap((report) => writeDoubts(report, threshold))],
    ['Findings', reports.flatMap(writeFindings)],
    ['Gaps', said(gaps)],
    ['Recommendations', said(recommendations)],
    ['Context map', context.map((place) => writePlace(place, isOne))],
    ['Totals', writeTotals(gathered)],
  ];
  const parts = [
    writeTitle(gathered, threshold),
    writeTable(reports),
    ...sections.flatMap(([title, items]) => (items.length === 0 ? [] : writeSection(title, items))),
  ];
  return `${parts.join('\n\n')}\n`;
}

function writeSection(title: string, items: readonly string[]): string {
  const left = items.length - MOST_ENTRIES;
  const more = left > 0 ? [`\n${writeNumber(left)} more in the JSON.`] : [];
  return [`## ${title}`, '', ...items.slice(0, MOST_ENTRIES), ...more].join('\n');
}

function writeTitle({ status, reports }: Gathered, threshold: number): string {
  const parts = [
    countOf(reports, 'completed', ({ status }) => status === 'completed'),
    countOf(reports, 'blocked', ({ status }) => status === 'blocked'),
    countOf(reports, 'failed', ({ status, checked }) => status === 'failed' && checked.compliant),
    countOf(reports, 'not compliant', ({ checked }) => !checked.compliant),
  ];
  const person = countOf(reports, 'for human review', (report) => writeDoubts(report, threshold).length > 0);
  const counted = reports.length === 1 ? '1 report' : `${writeNumber(reports.length)} reports`;
  return `# Merged report: ${status} (${counted}: ${[parts.flat().join(', '), ...person].join('; ')})`;
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

function writeFailure(report: GatheredReport): string[] {
  const { checked, status, error } = report;
  if (status !== 'failed') return [];
  if (checked.compliant) return [writeItem(nameReport(report), error ?? '')];
  const errors = checked.issues.filter(({ severity }) => severity === 'error');
  const items = errors.length === 0 ? [writeItem('', error ?? '')] : writeIssues(errors);
  return [writeItemOf(`${nameReport(report)}, not compliant`, items)];
}

/** The first ones, each as an item, and how many more there are. */
function writeSome<T>(all: readonly T[], write: (one: T) => string): string[] {
  const left = all.length - MOST_ENTRIES;
  return [
    ...all.slice(0, MOST_ENTRIES).map(write),
    ...(left > 0 ? [`- ${writeNumber(left)} more in the JSON.`] : []),
  ];
}

function writeIssues(issues: readonly ReportIssue[]): string[] {
  return writeSome(issues, ({ message }) => writeItem('', message));
}

/** Why a report needs human review; a blocked or failed one may have such reasons, too. */
function writeDoubts(report: GatheredReport, threshold: number): string[] {
  const { compliant, route, issues } = report.checked;
  const confidence = report.checked.report?.report_metadata.confidence_level;
  if (!compliant || confidence === undefined) return [];
  const doubts = issues.filter(needsHumanReview);
  // Without another reason it was the confidence, by whatever threshold.
  const isUnsure = confidence < threshold || (route === 'human-review' && doubts.length === 0);
  const reasons = [...(isUnsure ? [`- Its confidence is ${confidence}.`] : []), ...writeIssues(doubts)];
  return reasons.length === 0 ? [] : [writeItemOf(nameReport(report), reasons)];
}

/** What is found at the top of the findings, each entry of it on its own. */
function writeFindings(report: GatheredReport): string[] {
  const found = Object.entries(report.checked.report?.findings ?? {}).filter(
    ([key]) => key !== 'context_map',
  );
  if (found.length === 0) return [];
  const items = writeSome(found, ([key, value]) => writeFinding(key, value));
  return [writeItemOf(nameReport(report), items)];
}

function writeFinding(key: string, value: JsonValue): string {
  const name = writeInline(key);
  if (typeof value === 'string') return writeItem(name, value);
  if (value === null || typeof value !== 'object') return `- ${name}: ${String(value)}`;
  const entries = Object.entries(value);
  if (entries.length === 0) return `- ${name}: none`;
  const isList = Array.isArray(value);
  return writeItemOf(
    name,
    writeSome(entries, ([own, each]) => writeItem(isList ? '' : writeInline(own), flatten(each))),
  );
}

/** A value as one text: `path: src/a.ts; change: modified`. */
function flatten(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(flatten).join(', ');
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${flatten(each)}`)
    .join('; ');
}

const LONGEST_URI = 300;

function writePlace({ uri, status, reason, texts }: ContextPlace, isOne: boolean): string {
  const write = ({ text, by }: SourcedText, lead: string) => {
    const names = isOne ? '' : nameSources(by);
    return writeItem([lead, names].filter((part) => part !== '').join(', '), text);
  };
  const [first] = texts;
  if (uri === null) return write(first!, '');
  const why = reason === null ? '' : ` ${writeInline(reason, LONGEST_URI)}`;
  const place = `${writeUri(uri)}${status === null ? '' : ` (${status}${why === '' ? '' : `:${why}`})`}`;
  if (texts.length === 1) return write(first!, place);
  return writeItemOf(
    place,
    writeSome(texts, (said) => write(said, '')),
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

/** The list item `- lead: text`. A text that is not one plain line is in a fence, so that none of it acts as Markdown. */
function writeItem(lead: string, text: string): string {
  const whole = text.trim() === '' ? '(empty)' : text.trim();
  const shown = cutText(whole, LONGEST_TEXT).trimEnd();
  const left = whole.length - shown.length;
  const note = left === 0 ? '' : `… (${writeNumber(left)} more characters in the JSON)`;
  if (PLAIN_LINE.test(shown)) return `- ${lead === '' ? '' : `${lead}: `}${shown}${note}`;
  const fence = fenceFor(shown);
  const block = [`${fence}markdown`, ...shown.split(/\r\n|\r|\n/), fence, ...(note === '' ? [] : ['', note])];
  return `- ${indent([...(lead === '' ? [] : [`${lead}:`, '']), ...block])}`;
}

/** No heading, list, fence, quote, table, definition of a link, image or HTML. */
const PLAIN_LINE = /^(?!\d{1,9}[.)](?:\s|$))(?!.*(?:<|!\[|```|\|))["'“”‘’«(*_`$@/.%§]*[\p{L}\p{N}].*$/u;

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

function indent(lines: readonly string[]): string {
  return lines.map((line, i) => (i === 0 || line === '' ? line : `  ${line}`)).join('\n');
}
