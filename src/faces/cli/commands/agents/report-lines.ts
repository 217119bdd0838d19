import type {
  CheckedReport,
  Reference,
  ReferenceStatus,
  ReportIssue,
  Route,
} from '../../../../core/agent-report/types.js';
import { isJsonObject } from '../../../../core/json/values.js';
import { indent, plural } from '../../issue-lines.js';
import type { Paint } from '../../paint.js';
import { hang, wrapText } from '../../table.js';
import { visible, visibleLine } from '../../visible.js';

const SEVERITIES = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

const ROUTES = {
  accept: ['green', 'accept'],
  'human-review': ['yellow', 'human-review: a person should look at it'],
  blocked: ['yellow', 'blocked: it cannot go on without help'],
  failed: ['red', 'failed'],
} as const satisfies Record<Route, readonly [Parameters<Paint>[0], string]>;

/** The shape that scripts rely on. */
export function checkJson({ compliant, route, issues, value, references, measured, claimed }: CheckedReport) {
  return {
    compliant,
    route,
    issues: issues.map(issueJson),
    report: value,
    references: references.map(referenceJson),
    measured,
    claimed,
  };
}

/** What a later look compares with is nothing to rely on. */
export function referenceJson({ pin: _, ...reference }: Reference) {
  return reference;
}

function issueJson({ code, severity, path, message, hint, line, column }: ReportIssue) {
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
    ...issues.flatMap((issue) => [...issueLines(issue, paint), '']),
    `Contract: ${compliant ? paint('green', 'kept') : paint('red', 'not kept')}`,
    wrapText(`Route: ${describeRoute(checked, threshold, paint)}`),
  ];
}

function describeRoute({ compliant, route, report }: CheckedReport, threshold: number, paint: Paint): string {
  const [style, said] = ROUTES[route];
  if (!compliant) return paint(style, 'failed: a report that does not keep the contract is no report');
  const confidence = report?.report_metadata.confidence_level ?? 1;
  if (route === 'human-review' && confidence < threshold)
    return paint(style, `human-review: its confidence of ${confidence} is below ${threshold}`);
  return paint(style, said);
}

function headLines(checked: CheckedReport, paint: Paint): string[] {
  const lines = [
    ...nameLine(checked, paint),
    ...whyLines(checked, paint),
    ...referenceLine(checked),
    ...amountLines(checked),
  ];
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Also of what keeps no contract, as far as it can be told. */
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

/** What failed, or what stands in the way: the first thing that anybody wants to know. */
function whyLines({ report }: CheckedReport, paint: Paint): string[] {
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

/** What was measured stands beside what is claimed. */
function amountLines({ measured, claimed }: CheckedReport): string[] {
  const { inputTokens, outputTokens, costUsd, durationMs } = measured;
  const line = (name: string, parts: (string | null)[]) => {
    const told = parts.filter((part) => part !== null);
    return told.length === 0 ? [] : [`${name}: ${told.join(', ')}`];
  };
  const tokens =
    inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);
  return [
    ...line('Measured', [
      tokens === null ? null : plural(tokens, 'token'),
      durationMs === null ? null : `${Math.round(durationMs / 100) / 10} s`,
      costUsd === null ? null : `$${costUsd.toFixed(4)}`,
    ]),
    ...line('Claimed', [
      claimed.tokens === null ? null : plural(claimed.tokens, 'token'),
      claimed.seconds === null ? null : `${claimed.seconds} s`,
    ]),
  ];
}

/** `error  $.report_metadata.status  status-unknown`, and below it what is wrong and what to write. */
function issueLines(
  { code, severity, path, message, line, column, hint }: ReportIssue,
  paint: Paint,
): string[] {
  const place = [
    ...(line === undefined ? [] : [`line ${line}${column === undefined ? '' : `:${column}`}`]),
    ...(path === '$' && line !== undefined ? [] : [visibleLine(path)]),
  ].join(', ');
  return [
    [paint(SEVERITIES[severity], severity), place, paint('dim', code)].join('  '),
    indent(wrapText(visible(message), 2)),
    ...(hint === undefined ? [] : [indent(paint('cyan', wrapText(visible(hint), 2)))]),
  ];
}
