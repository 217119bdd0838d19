import type { Issue, Severity } from '../issue.js';
import type { Fence } from '../markdown/blocks.js';
import { isBlank, type Lines, lineText } from '../markdown/lines.js';
import { findSentinel } from '../redact/values.js';
import { shorten } from '../text.js';
import { findOtherFormat, PLAN_SHAPE } from './other-formats.js';

/**
 * - `structure`: the plan cannot be run as written; it is refused.
 * - `format`: read with a tolerance, or incomplete where that is allowed; `--strict` refuses it.
 * - `prediction`: an action would fail on the tree as it is; the user may continue anyway.
 */
type IssueKind = 'structure' | 'format' | 'prediction';

interface IssueMeaning {
  severity: Severity;
  kind: IssueKind;
  /** One sentence for docs/issues.md. */
  meaning: string;
}

const structure = (meaning: string): IssueMeaning => ({ severity: 'error', kind: 'structure', meaning });
const format = (meaning: string): IssueMeaning => ({ severity: 'warning', kind: 'format', meaning });
const prediction = (meaning: string): IssueMeaning => ({ severity: 'error', kind: 'prediction', meaning });

/** Every issue that a plan can have. docs/issues.md is written from this table. */
export const PLAN_ISSUES = {
  'plan-unreadable': structure('The text contains nothing that can be read as a plan.'),
  'fence-ambiguous': structure('The fences can be read in two equally good ways; teddy chooses neither.'),
  'answer-cut-off': structure(
    'The text ends inside a block. Only you can accept it, in the review, and only for a CREATE.',
  ),
  'fence-unclosed': structure('A block is opened but never closed.'),
  'title-missing': structure('The plan does not start with a `# Title`.'),
  'title-repeated': structure('There is a second level-1 heading outside the blocks.'),
  'section-missing': structure('`## Rationale` or `## Action Plan` is missing.'),
  'section-repeated': structure('A section occurs twice.'),
  'actions-missing': structure('`## Action Plan` contains no action.'),
  'action-unknown': structure(
    'A heading under `## Action Plan` does not name a known action, or an action has no heading.',
  ),
  'heading-unexpected': structure('A `##` heading among the actions is not a section of a plan.'),
  'action-after-end': structure('An action follows INVOKE or CONCLUDE, which end the turn.'),
  'metadata-missing': structure('A required metadata line is missing or empty.'),
  'metadata-invalid': structure('A metadata value cannot be understood.'),
  'block-missing': structure('A required fenced block is missing.'),
  'block-empty': structure('A required block is empty.'),
  'block-unexpected': structure('A fenced block is in a place where the format has none.'),
  'find-without-replace': structure('A FIND has no REPLACE after it.'),
  'replace-without-find': structure('A REPLACE has no FIND before it.'),
  'edit-invalid': structure(
    'A SEARCH/REPLACE block or a diff in an EDIT cannot be read as exact FIND/REPLACE pairs.',
  ),
  'command-prompt': structure('A line of a command starts with the prompt of a shell, such as `$ `.'),
  'find-empty': structure('A FIND block is empty.'),
  'find-equals-replace': structure('FIND and REPLACE are the same text.'),
  'message-missing': structure('CHAT_WITH_USER has no message.'),
  'change-invalid': structure('A line under Memos or Active Context starts with neither `[+]` nor `[-]`.'),
  'path-invalid': structure('A path is empty, cannot be a path, or is two paths.'),
  'path-outside': structure('A path is outside the project root.'),
  'path-remark': structure('There are words after a path, and no file has that whole name.'),
  'path-protected': structure('An action would write under `.git`, `.teddy` or `.ultraplan`.'),
  'content-masked': structure(
    'The text to write contains a mask such as `[masked:…]`, which stands for a secret that was not shown.',
  ),
  'url-invalid': structure('A URL is malformed, or is neither http nor https.'),

  'fence-repaired': format('A fence was rewritten so that its block ends where it should.'),
  'fence-suspect': format(
    'A block contains a fence as long as its own that never closes; the block may end too early.',
  ),
  'plan-unwrapped': format('The whole plan was inside a fence, which was removed.'),
  'chatter-dropped': format('Text before or after the plan was ignored.'),
  bom: format('The text starts with a byte order mark.'),
  crlf: format('Lines end in CRLF; contents are read with LF.'),
  'heading-spacing': format('A heading has no space after its `#`.'),
  'action-style': format('An action name is not in capitals between backticks.'),
  'label-style': format('A FIND or REPLACE label is not written as a code span with a colon.'),
  'edit-style': format(
    'An EDIT has SEARCH/REPLACE blocks or a diff instead of FIND/REPLACE pairs; they are read as pairs.',
  ),
  'metadata-style': format('A metadata line is not written as `- **Label:** value`.'),
  'metadata-unknown': format('A metadata label is unknown here; it is kept and has no effect.'),
  'metadata-repeated': format('A metadata label occurs twice; the first one counts.'),
  'optional-marker': format('`(Optional)` was copied from the format into a value.'),
  'path-style': format('A path is not a link: `[path](/path)`.'),
  'path-slash': format('The destination of a path link lacks its leading slash.'),
  'path-absolute': format('An absolute path inside the project root means that file of the project.'),
  'path-backslash': format('A path uses backslashes; they are read as slashes.'),
  'path-decorated': format('Marks such as `**` around a path, or words after its link, are ignored.'),
  'link-text': format('The text of a link differs from its destination; the destination counts.'),
  'links-many': format('A value contains two links; the first one counts.'),
  'block-unfenced': format('The text of a section is not in a fenced block; it is read as if it were.'),
  'header-incomplete': format('Status, Plan Type or Agent is missing from the header.'),
  'rationale-incomplete': format('A section of the Rationale is missing or out of order.'),
  'section-order': format('A section is out of order.'),
  'section-unknown': format('A `##` section is not part of a plan; it is ignored.'),
  'description-missing': format('An action has no Description.'),
  'outcome-missing': format('An EXECUTE has no Expected Outcome.'),
  'elision-suspect': format(
    'A new file has a line such as `// ...`, which may stand for lines that were left out.',
  ),
  'content-suspect': format(
    'The text of a new file has `\\n` instead of line breaks, or a `+` before every line; it is written as it is.',
  ),
  'create-empty': format('A CREATE block is empty; it creates an empty file.'),
  'text-stray': format('Text between the parts of the plan is ignored.'),

  'file-missing': prediction('The file to read or edit does not exist.'),
  'file-exists': prediction('The file to create already exists.'),
  'file-refused': prediction('The path exists, but is not a text file that can be read or edited.'),
  'find-missing': prediction('FIND is not in the file.'),
  'find-ambiguous': prediction('FIND is in the file more than once.'),
  elision: prediction('The text to write leaves lines out with a line such as `// ... existing code ...`.'),
  'find-whole-file': prediction('FIND is the whole file; EDIT is for surgical changes.'),
  'lines-outside': prediction('The lines to read are past the end of the file.'),
  'cwd-missing': prediction('The working directory does not exist.'),
  'memo-missing': prediction('The memo to remove does not exist.'),
  'memo-exists': prediction('The memo to add already exists.'),
  'agent-unknown': prediction('The agent to hand over to does not exist (checked within a session).'),
  'caller-missing': {
    severity: 'warning',
    kind: 'prediction',
    meaning: 'No agent called this one: CONCLUDE ends the line of work (checked within a session).',
  },
  'research-unavailable': {
    severity: 'warning',
    kind: 'prediction',
    meaning: 'A RESEARCH will fail: no search service is configured, or its key is missing.',
  },
  'session-missing': {
    severity: 'warning',
    kind: 'prediction',
    meaning: 'An INVOKE or CONCLUDE is not run, because the plan is not part of a session.',
  },
  'resource-missing': {
    severity: 'warning',
    kind: 'prediction',
    meaning: 'A path added to the context or handed off does not exist.',
  },
} as const satisfies Record<string, IssueMeaning>;

export type PlanIssueCode = keyof typeof PLAN_ISSUES;

const REPAIRS: readonly string[] = [
  'fence-repaired',
  'plan-unwrapped',
  'chatter-dropped',
] satisfies PlanIssueCode[];

/** They decide what is written, and where. */
const DOUBTS: readonly string[] = [
  'fence-suspect',
  'content-suspect',
  'elision-suspect',
] satisfies PlanIssueCode[];

/** Whether an issue is only about how the plan is written. */
export function isStyle({ code, severity }: { code: PlanIssueCode; severity: Severity }): boolean {
  if (severity !== 'warning' || PLAN_ISSUES[code].kind !== 'format') return false;
  return !isRepair({ code }) && !DOUBTS.includes(code);
}

/** Whether an issue reports a change to the text before it was parsed. */
export function isRepair({ code }: { code: string }): boolean {
  return REPAIRS.includes(code);
}

export function planIssue(
  code: PlanIssueCode,
  message: string,
  where: Omit<Issue, 'code' | 'severity' | 'message'> = {},
): Issue<PlanIssueCode> {
  return { code, severity: PLAN_ISSUES[code].severity, message, ...where };
}

/** Line numbers count from 0 in the grammar and from 1 in messages. */
export function planLine(line: number): number {
  return line + 1;
}

/** Collects issues, each with the action that is being read. */
export class PlanIssueLog {
  readonly issues: Issue<PlanIssueCode>[] = [];
  action: number | undefined;

  add(
    code: PlanIssueCode,
    message: string,
    where: Pick<Issue, 'line' | 'column' | 'hint'> = {},
  ): Issue<PlanIssueCode> {
    const action = this.action === undefined ? {} : { action: this.action };
    const issue = planIssue(code, message, { ...where, ...action });
    this.issues.push(issue);
    return issue;
  }
}

// The ways in which any part of a plan can depart from the grammar.

export function unreadablePlan(text: string): Issue<PlanIssueCode> {
  const other = findOtherFormat(text);
  if (other) {
    return planIssue('plan-unreadable', `This is ${other.what}, not a plan.`, { line: 1, hint: other.hint });
  }
  return planIssue('plan-unreadable', 'This is not a plan: it has none of the headings of a plan.', {
    line: 1,
    hint: PLAN_SHAPE,
  });
}

export function cutOffIssue(line: number) {
  const message = 'The answer was cut off: it ends inside this block.';
  return { ...planIssue('answer-cut-off', message), line, hint: 'Ask for the rest.' };
}

/** Whether the text ends inside a block: what is missing is not known, so nothing may close it. */
export function isCutOff(fence: Fence, lines: Lines): boolean {
  if (fence.closed) return false;
  for (let line = fence.end; line < lines.count; line++) if (!isBlank(lines, line)) return false;
  return true;
}

export function reportUnclosed(fence: Fence, lines: Lines, log: PlanIssueLog, remedy = ''): void {
  if (fence.closed) return;
  if (isCutOff(fence, lines)) {
    const { code, message, line, hint } = cutOffIssue(planLine(fence.at));
    log.add(code, message, { line, hint: hint + remedy });
    return;
  }
  log.add('fence-unclosed', 'This block is never closed.', {
    line: planLine(fence.at),
    hint: `Close it with ${fence.mark.char.repeat(fence.mark.length)} on a line of its own.`,
  });
}

export function reportUnexpected(fence: Fence, where: string, log: PlanIssueLog): void {
  log.add('block-unexpected', `No fenced block is expected ${where}.`, {
    line: planLine(fence.at),
    hint: 'If it belongs to the content of the block before it, give that block a fence longer than any inside it.',
  });
}

/** More than one block where the grammar takes one: the others are either left over or content of the first. */
export function reportSecondBlock(first: Fence, others: readonly Fence[], log: PlanIssueLog): void {
  const end = others.at(-1)!.end;
  log.add(
    'fence-ambiguous',
    `The fences can be read in two ways: either the block opened at line ${planLine(first.at)} ends at line ${first.end} and another one follows at line ${planLine(others[0]!.at)}, or it continues to line ${end}.`,
    { line: planLine(first.at), hint: ONE_BLOCK },
  );
}

export const LONGER_FENCE =
  'Give every block a fence that is longer than any run of backticks inside it, for example ```` around a text that contains ```.';
const ONE_BLOCK = `Write one block. ${LONGER_FENCE}`;

export function reportStray(lines: Lines, line: number, log: PlanIssueLog, where = ''): void {
  const start = shorten(lineText(lines, line).trim(), 60);
  log.add('text-stray', `Ignored text${where}: "${start}"`, { line: planLine(line) });
}

/** A text that would be written; its first line is line `first` of the plan. */
export function reportMasked(text: string, first: number, log: PlanIssueLog): void {
  const found = findSentinel(text);
  if (!found) return;
  log.add(
    'content-masked',
    `${found.sentinel} would be written into the file; it stands for a secret that was not shown.`,
    {
      line: first + found.line - 1,
      hint: 'Use EDIT on the lines around it, and leave its own line unchanged.',
    },
  );
}
