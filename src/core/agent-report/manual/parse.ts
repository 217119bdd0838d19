import { isJsonObject } from '../../json/values.js';
import { quoteExcerpt } from '../../text.js';
import { manualIssue } from '../issue.js';
import { judgeValue } from '../judge.js';
import { type AgentReport, type Manual, type ManualIssue, type ManualRead, VERBOSITIES } from '../types.js';
import { checkSchema, chooseSchema, type JsonBlock, proseOf, readBody, readFindings } from './body.js';
import { type FrontmatterRead, readFrontmatter, readManualFields } from './frontmatter.js';

const KINDS = ['subagent', 'planner'] as const;
/** The kinds of agent file: a subagent's manual, or a planner's system prompt. */
type AgentKind = (typeof KINDS)[number];

/** Faults reported for one example. */
const MOST_FAULTS = 10;

/**
 * A manual, or all that keeps it from being one. `name` is the agent's: that of its file. A `proven` one is known to have
 * a schema that can be used and an example that keeps it, which takes most of the time to find out. Never throws.
 */
export function parseManual(name: string, text: string, { proven = false } = {}): ManualRead {
  const front = readFrontmatter(text);
  if (front.status === 'refused') return { manual: null, issues: [front.issue] };
  const kind = kindOf(front);
  if (kind !== 'subagent') return { manual: null, issues: [wrongKind(kind, front)] };

  const issues: ManualIssue[] = [];
  const fields = readManualFields(name, front, issues);
  const body = readBody(front.body, front.linesBefore);
  const schemaBlock = chooseSchema(body.json, issues);
  const findings = schemaBlock && readFindings(schemaBlock, issues);
  if (!schemaBlock || !findings) return { manual: null, issues: inOrder(issues) };

  const examples = body.json.filter(({ role }) => role === 'example');
  const taken = new Set([schemaBlock, ...examples].map(({ fence }) => fence));
  const manual: Manual = { name, ...fields, findings, example: null, instructions: proseOf(body, taken) };
  if (!proven) checkSchema(manual, schemaBlock, issues);
  if (hasError(issues)) return { manual: null, issues: inOrder(issues) };

  manual.example = proven ? provenExample(examples) : readExamples(manual, examples, issues);
  return { manual: hasError(issues) ? null : manual, issues: inOrder(issues) };
}

function provenExample([first]: readonly JsonBlock[]): AgentReport | null {
  return first?.read.status === 'value' ? (first.read.value as unknown as AgentReport) : null;
}

export interface AgentHead {
  /** Null if the file does not say it. */
  kind: AgentKind | null;
  purpose: string | null;
}

/** Reads the frontmatter of any agent file, including a planner's. Never throws. */
export function readAgentHead(text: string): AgentHead {
  const front = readFrontmatter(text);
  if (front.status === 'refused') return { kind: null, purpose: null };
  const { purpose } = front.keys;
  const said = typeof purpose === 'string' ? purpose.trim() : '';
  return { kind: kindOf(front), purpose: said === '' ? null : said };
}

type Frontmatter = Extract<FrontmatterRead, { status: 'read' }>;

function kindOf({ keys }: Frontmatter): AgentKind | null {
  return KINDS.find((kind) => kind === keys.kind) ?? null;
}

function wrongKind(kind: AgentKind | null, { keys, lineOf }: Frontmatter): ManualIssue {
  const line = lineOf(['kind']);
  if (kind === 'planner') {
    const message = 'This is the system prompt of a planner (`kind: planner`), not the manual of a subagent.';
    return manualIssue('manual-kind', line, message);
  }
  const said = (keys.kind ?? null) === null ? 'is missing' : `is ${quoteExcerpt(String(keys.kind))}`;
  const hint = 'Write kind: subagent for a manual, or kind: planner for a system prompt.';
  return manualIssue('manual-kind', line, `\`kind\` ${said}.`, hint);
}

/** Picks the most informative example; every example must follow the manual. */
function readExamples(
  manual: Manual,
  blocks: readonly JsonBlock[],
  issues: ManualIssue[],
): AgentReport | null {
  if (blocks.length === 0) {
    const message = 'The manual has no example report, so briefings have none.';
    const hint = 'Add a fenced JSON block with a complete report: report_metadata, findings and the rest.';
    issues.push(manualIssue('manual-example-missing', undefined, message, hint));
  }
  const reports = blocks.flatMap((block) => readExample(manual, block, issues) ?? []);
  const rank = (report: AgentReport) => VERBOSITIES.indexOf(report.report_metadata.verbosity_level);
  return reports.reduce<AgentReport | null>(
    (best, report) => (best && rank(best) >= rank(report) ? best : report),
    null,
  );
}

function readExample(manual: Manual, block: JsonBlock, issues: ManualIssue[]): AgentReport | null {
  const refuse = (line: number, why: string, hint?: string) => {
    const message = `The example report does not match the manual: ${why}`;
    issues.push(manualIssue('manual-example-invalid', line, message, hint));
  };
  const { read, line } = block;
  if (read.status === 'refused') {
    refuse(line + read.problem.line, read.problem.message, read.problem.hint);
    return null;
  }
  if (!isJsonObject(read.value)) return null;
  const judgement = judgeValue(read.value, {
    manualOf: () => manual,
    asked: { agent: manual.name, taskId: null, verbosity: null },
    lenient: false,
  });
  const faults = judgement.issues.filter(
    ({ severity, code }) => severity === 'error' || code === 'agent-differs',
  );
  for (const { path, message, hint } of faults.slice(0, MOST_FAULTS))
    refuse(line, `${message} (${path})`, hint);
  return faults.length === 0 ? judgement.report : null;
}

function hasError(issues: readonly ManualIssue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}

/** Sorts by line; issues without a line come last. */
function inOrder(issues: readonly ManualIssue[]): ManualIssue[] {
  const lineOf = ({ line }: ManualIssue) => line ?? Number.POSITIVE_INFINITY;
  return issues.toSorted((a, b) => (lineOf(a) === lineOf(b) ? 0 : lineOf(a) - lineOf(b)));
}
