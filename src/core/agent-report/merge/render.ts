import type { JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { isForAPerson } from '../route.js';
import type { ReportIssue } from '../types.js';
import { writeInline, writeItem, writeItemOf, writeNumber } from './contain.js';
import type { Amount, ContextPlace, Gathered, GatheredReport, MergeInput, Said, Sum } from './gather.js';
import { gatherOnce } from './merge.js';

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
 * Many reports as Markdown for a person with a minute: what came of them, what stands in the way, what to look at. Only the
 * headings are headings, whatever the agents' texts hold. What is cut or counted here stands in full in `mergeReports`.
 */
export function renderMerged(inputs: readonly MergeInput[], options: RenderOptions = {}): string {
  const limits = { longest: 600, most: 20, threshold: 0.7, ...options };
  const gathered = gatherOnce(inputs);
  const { reports, context, recommendations, gaps, blockers } = gathered;
  const isOne = reports.length === 1;
  const said = (texts: readonly Said[]) =>
    texts.map(({ text, by }) => writeItem(isOne ? '' : nameSources(by), text, limits.longest));
  const sections: [string, string[]][] = [
    ['What blocks', said(blockers)],
    ['What failed', reports.flatMap((report) => writeFailure(report, limits))],
    ['For a person to look at', reports.flatMap((report) => writeDoubts(report, limits))],
    ['What was found', reports.flatMap((report) => writeFindings(report, limits))],
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
  const person = countOf(reports, 'for a person', (report) => writeDoubts(report, limits).length > 0);
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

function writeIssues(
  issues: readonly ReportIssue[],
  { longest, most, otherwise }: Pick<Limits, 'longest' | 'most'> & { otherwise: string | null },
): string[] {
  if (issues.length === 0) return [writeItem('', otherwise ?? '', longest)];
  const left = issues.length - most;
  return [
    ...issues.slice(0, most).map(({ message }) => writeItem('', message, longest)),
    ...(left > 0 ? [`- ${writeNumber(left)} more in the JSON.`] : []),
  ];
}

/** Why a report is for a person; a blocked or failed one may have such reasons, too. */
function writeDoubts(report: GatheredReport, { longest, most, threshold }: Limits): string[] {
  const { compliant, route, issues } = report.checked;
  const confidence = report.checked.report?.report_metadata.confidence_level;
  if (!compliant || confidence === undefined) return [];
  const doubts = issues.filter(isForAPerson);
  // Where nothing else sent it to a person, its confidence did, by whatever threshold.
  const isUnsure = confidence < threshold || (route === 'human-review' && doubts.length === 0);
  const reasons = [
    ...(isUnsure ? [`- It states a confidence of ${confidence}.`] : []),
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
  const items = found.slice(0, most).map(([key, value]) => writeFinding(key, value, longest));
  const left = found.length - items.length;
  return [
    writeItemOf(nameReport(report), [
      ...items,
      ...(left > 0 ? [`- ${writeNumber(left)} more in the JSON.`] : []),
    ]),
  ];
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
  const write = ({ text, by }: Said, lead: string) => {
    const names = isOne ? '' : nameSources(by);
    return writeItem([lead, names].filter((part) => part !== '').join(', '), text, longest);
  };
  const [first] = texts;
  if (uri === null) return write(first!, '');
  const why = reason === null ? '' : ` ${writeInline(reason, LONGEST_URI)}`;
  const place = `${writeUri(uri)}${status === null ? '' : ` (${status}${why === '' ? '' : `:${why}`})`}`;
  if (texts.length === 1) return write(first!, place);
  const left = texts.length - most;
  return writeItemOf(place, [
    ...texts.slice(0, most).map((said) => write(said, '')),
    ...(left > 0 ? [`- ${writeNumber(left)} more in the JSON.`] : []),
  ]);
}

function writeUri(uri: string): string {
  return /^[!-_a-~]{1,300}$/.test(uri) ? `\`${uri}\`` : writeInline(uri, LONGEST_URI);
}

function writeTotals({ tokens, seconds, costUsd }: Gathered): string[] {
  return [
    ...writeSum('Tokens', tokens, writeNumber),
    ...writeSum('Time, in sum', seconds, writeSeconds),
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
