import type {
  CheckedReport,
  Measured,
  ReferenceStatus,
  ReportIssue,
  Route,
} from '../../../../core/agent-report/types.js';
import { isJsonObject } from '../../../../core/json/values.js';
import { issueLines } from '../../issue-lines.js';
import { type Paint, visible, visibleLine } from '../../output.js';
import { hang, wrapText } from '../../table.js';
import { plural } from '../../words.js';

const ROUTES = {
  accept: ['green', 'accept'],
  'human-review': ['yellow', 'human-review (please look at it)'],
  blocked: ['yellow', 'blocked (it needs help to continue)'],
  failed: ['red', 'failed'],
} as const satisfies Record<Route, readonly [Parameters<Paint>[0], string]>;

/** The shape that scripts rely on. */
export function checkJson({ compliant, route, issues, value, references, measured, claimed }: CheckedReport) {
  return {
    compliant,
    route,
    issues: issues.map(reportIssueJson),
    report: value,
    references,
    measured,
    claimed,
  };
}

function reportIssueJson({ code, severity, path, message, hint, line, column }: ReportIssue) {
  return {
    code,
    severity,
    path,
    message,
    hint: hint ?? null,
    line: line ?? null,
    column: column ?? null,
  };
}

/** Whose report it is, what is wrong with it, and where it goes. */
export function checkLines(checked: CheckedReport, threshold: number, paint: Paint): string[] {
  const { issues, compliant } = checked;
  return [
    ...headLines(checked, paint),
    ...issues.flatMap((issue) => [...issueLines(issue, placeOf(issue), paint), '']),
    `Contract: ${compliant ? paint('green', 'kept') : paint('red', 'broken')}`,
    wrapText(`Route: ${describeRoute(checked, threshold, paint)}`),
  ];
}

function describeRoute({ compliant, route, report }: CheckedReport, threshold: number, paint: Paint): string {
  const [style, said] = ROUTES[route];
  if (!compliant) return paint(style, 'failed (the report breaks the contract)');
  const confidence = report?.report_metadata.confidence_level ?? 1;
  if (route === 'human-review' && confidence < threshold)
    return paint(style, `human-review (its confidence ${confidence} is below ${threshold})`);
  return paint(style, said);
}

function headLines(checked: CheckedReport, paint: Paint): string[] {
  const lines = [
    ...nameLine(checked, paint),
    ...statusLines(checked, paint),
    ...referenceLine(checked),
    ...amountLines(checked),
  ];
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Also for a report that breaks the contract, as far as it can be read. */
function nameLine({ report, value }: CheckedReport, paint: Paint): string[] {
  if (report) {
    const { agent_name, task_id, status, confidence_level, verbosity_level } = report.report_metadata;
    const about = `${status}, confidence ${confidence_level}, ${verbosity_level}`;
    return [`${paint('bold', visibleLine(agent_name))} on ${visibleLine(task_id)}: ${about}`];
  }
  const metadata = isJsonObject(value) ? value.report_metadata : undefined;
  const { agent_name, task_id } = isJsonObject(metadata) ? metadata : {};
  const hasInk = (text: unknown): text is string => typeof text === 'string' && /\S/.test(text);
  if (!hasInk(agent_name) || !hasInk(task_id)) return [];
  return [`${paint('bold', visibleLine(agent_name))} on ${visibleLine(task_id)}`];
}

/** What failed, or what is in the way: the first thing to know. */
function statusLines({ report }: CheckedReport, paint: Paint): string[] {
  if (!report) return [];
  const { status, error_message } = report.report_metadata;
  const item = (text: string) => `  - ${hang(wrapText(visible(text.trim()), 4), 4)}`;
  if (status === 'failed') return [paint('red', 'It failed:'), item(error_message ?? '')];
  return status === 'blocked'
    ? [paint('yellow', 'It is blocked:'), ...(report.blockers ?? []).map(item)]
    : [];
}

function referenceLine({ references }: CheckedReport): string[] {
  const counts = new Map<ReferenceStatus, number>();
  for (const { status } of references)
    if (status !== 'none') counts.set(status, (counts.get(status) ?? 0) + 1);
  if (counts.size === 0) return [];
  return [`References: ${[...counts].map(([status, count]) => `${count} ${status}`).join(', ')}`];
}

/** Measured values next to claimed ones. */
function amountLines({ measured, claimed }: CheckedReport): string[] {
  const line = (name: string, parts: (string | null)[]) => {
    const told = parts.filter((part) => part !== null && part !== '');
    return told.length === 0 ? [] : [`${name}: ${told.join(', ')}`];
  };
  return [
    ...line('Measured', [measuredWords(measured)]),
    ...line('Claimed', [
      claimed.tokens === null ? null : plural(claimed.tokens, 'token'),
      claimed.seconds === null ? null : `${claimed.seconds} s`,
    ]),
  ];
}

/** `59898 tokens, 48.2 s, $0.0921`; empty if nothing was. */
export function measuredWords({ inputTokens, outputTokens, costUsd, durationMs }: Measured): string {
  const tokens =
    inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);
  return [
    ...(tokens === null ? [] : [plural(tokens, 'token')]),
    ...(durationMs === null ? [] : [`${Math.round(durationMs / 100) / 10} s`]),
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(4)}`]),
  ].join(', ');
}

/** `line 3:2, $.report_metadata.status` */
function placeOf({ path, line, column }: ReportIssue): string {
  const place = line === undefined ? [] : [`line ${line}${column === undefined ? '' : `:${column}`}`];
  return [...place, ...(path === '$' && line !== undefined ? [] : [visibleLine(path)])].join(', ');
}
