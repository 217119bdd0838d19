import { requireVerbosity } from '../../../../agents/brief-agent.js';
import type {
  CheckedReport,
  ReferenceStatus,
  ReportIssue,
  Route,
} from '../../../../core/agent-report/types.js';
import { isJsonObject } from '../../../../core/json/values.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { issueLines } from '../../issue-lines.js';
import { type Paint, printResult, visible, visibleLine } from '../../output.js';
import { hang, wrapText } from '../../table.js';
import { plural } from '../../words.js';
import { CLIENTS_HELP, LENIENT, LEVEL, NOT_LENIENT, type ReadOptions, readReport } from './read-report.js';

interface Options extends ReadOptions {
  taskId?: string;
  verbosity?: string;
  base?: string;
}

export const checkReportCommand = new TeddyCommand('check')
  .description("check an agent's report: contract, references, claimed changes")
  .argument('<file>', 'the report, or the output of a client; - for standard input')
  .option('--agent <name>', 'the agent you briefed (default: the one in the report)')
  .option('--task-id <id>', 'the task you gave it')
  .option('--verbosity <level>', `the level you asked for: ${LEVEL}`)
  .option('--from <client>', CLIENTS_HELP)
  .option('--lenient', LENIENT)
  .option('--no-lenient', NOT_LENIENT)
  .option('--base <commit>', 'compare the claimed files with the changes since this commit')
  .run(check)
  .helpText(`Examples:
  teddy agent check report.json
  teddy agent check report.json --agent reviewer --task-id auth-3 --json
  claude -p "$(cat briefing.md)" --output-format json |
    teddy agent check - --from claude --task-id auth-1
  teddy agent check answer.txt --lenient

Routes: accept; human-review (low confidence, or a reference or claim is wrong);
blocked; failed (also when the report breaks the contract).

Exit codes: 0 compliant and not failed, 1 not compliant or failed, 2 unreadable
input.`);

async function check(file: string, options: Options): Promise<number> {
  const checked = await readReport(file, options, () => ({
    base: options.base ?? null,
    asked: {
      agent: options.agent ?? null,
      taskId: options.taskId ?? null,
      verbosity: options.verbosity === undefined ? null : requireVerbosity(options.verbosity),
    },
  }));
  for (const note of checked.notes) writeError(`${visible(note)}\n`);
  const { root, config } = checked.project;
  printResult(root, options, { ...checkJson(checked), kept: checked.kept }, (paint) =>
    checkLines(checked, config.review.confidence, paint),
  );
  if (!options.json && checked.kept !== null) writeError(`Saved in ${checked.kept}.\n`);
  return checked.compliant && checked.route !== 'failed' ? 0 : 1;
}

const ROUTES = {
  accept: ['green', 'accept'],
  'human-review': ['yellow', 'human-review (please look at it)'],
  blocked: ['yellow', 'blocked (it needs help to continue)'],
  failed: ['red', 'failed'],
} as const satisfies Record<Route, readonly [Parameters<Paint>[0], string]>;

/** The shape that scripts rely on. */
function checkJson({ compliant, route, issues, value, references, measured, claimed }: CheckedReport) {
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
function checkLines(checked: CheckedReport, threshold: number, paint: Paint): string[] {
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

/** `line 3:2, $.report_metadata.status` */
function placeOf({ path, line, column }: ReportIssue): string {
  const place = line === undefined ? [] : [`line ${line}${column === undefined ? '' : `:${column}`}`];
  return [...place, ...(path === '$' && line !== undefined ? [] : [visibleLine(path)])].join(', ');
}
