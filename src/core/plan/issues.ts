import type { Issue, Severity } from '../issue.js';

/**
 * - `structure`: the plan cannot be carried out as written; it is refused.
 * - `format`: read with a tolerance, or incomplete where that is allowed; `--strict` refuses it.
 * - `prediction`: an action would fail on the tree as it is; a person may go on all the same.
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
  'plan-unreadable': structure('The text holds nothing that can be read as a plan.'),
  'fence-ambiguous': structure('The fences can be read in two equally good ways, so neither is taken.'),
  'answer-cut-off': structure(
    'The text ends inside a block. Only you can accept it, in the review, and only for a CREATE.',
  ),
  'fence-unclosed': structure('A block is opened and never closed.'),
  'title-missing': structure('The plan does not begin with a `# Title`.'),
  'title-repeated': structure('There is a second level-1 heading outside the blocks.'),
  'section-missing': structure('`## Rationale` or `## Action Plan` is missing.'),
  'section-repeated': structure('A section stands twice.'),
  'actions-missing': structure('`## Action Plan` holds no action.'),
  'action-unknown': structure('A `###` heading under `## Action Plan` names no action.'),
  'heading-unexpected': structure('A `##` heading among the actions is no section of a plan.'),
  'action-after-end': structure('An action stands after INVOKE or CONCLUDE, which end the turn.'),
  'metadata-missing': structure('A required metadata line is missing or empty.'),
  'metadata-invalid': structure('A metadata value cannot be understood.'),
  'block-missing': structure('A required fenced block is missing.'),
  'block-empty': structure('A required block holds nothing.'),
  'block-unexpected': structure('A fenced block stands where the grammar has no place for one.'),
  'find-without-replace': structure('A FIND has no REPLACE after it.'),
  'replace-without-find': structure('A REPLACE has no FIND before it.'),
  'find-empty': structure('A FIND block holds nothing to look for.'),
  'find-equals-replace': structure('FIND and REPLACE are the same text.'),
  'message-missing': structure('CHAT_WITH_USER has no message.'),
  'change-invalid': structure('A line under Memos or Active Context begins with neither `[+]` nor `[-]`.'),
  'path-invalid': structure('A path is empty or cannot be a path.'),
  'path-outside': structure('A path leads out of the project root, or means another place on the machine.'),
  'path-remark': structure('Words after a path make a name that no file in the project has.'),
  'path-protected': structure('An action would write under `.git`, `.teddy` or `.ultraplan`.'),
  'content-masked': structure(
    'A text to be written holds a mask such as `[masked:…]`, which stands for a secret that was not shown.',
  ),
  'url-invalid': structure('A URL is malformed, or is neither http nor https.'),

  'fence-repaired': format('A fence was rewritten so that its block reads as it was meant.'),
  'fence-suspect': format(
    'A block holds a fence as long as its own that never closes; the block may be cut short.',
  ),
  'plan-unwrapped': format('The whole plan stood in a fence, which was taken off.'),
  'chatter-dropped': format('Text before or after the plan was left out.'),
  bom: format('The text begins with a byte order mark.'),
  crlf: format('The lines of the text end in CRLF; contents are read with LF.'),
  'heading-spacing': format('A heading has no space after its `#`.'),
  'action-style': format('An action name is not in capitals between backticks.'),
  'label-style': format('A FIND or REPLACE label is not written as a code span with a colon.'),
  'metadata-style': format('A metadata line is not written as `- **Label:** value`.'),
  'metadata-unknown': format('A metadata label is not known here; it is kept and has no effect.'),
  'metadata-repeated': format('A metadata label stands twice; the first stands.'),
  'optional-marker': format('`(Optional)` was copied from the format into a value.'),
  'path-style': format('A path is not a link: `[path](/path)`.'),
  'path-slash': format('The destination of a path link lacks its leading slash.'),
  'path-absolute': format('An absolute path inside the project root is read as that file of the project.'),
  'path-backslash': format('The folders of a path are divided by backslashes, which are read as slashes.'),
  'path-decorated': format('Marks such as `**` around a path, or words after its link, are left out.'),
  'link-text': format('The text of a link differs from its destination, which stands.'),
  'links-many': format('A value holds two links; the first stands.'),
  'header-incomplete': format('Status, Plan Type or Agent is missing from the header.'),
  'rationale-incomplete': format('A section of the Rationale is missing or out of order.'),
  'section-order': format('A section stands out of its order.'),
  'section-unknown': format('A `##` section is not part of a plan and is left out.'),
  'description-missing': format('An action has no Description.'),
  'outcome-missing': format('An EXECUTE has no Expected Outcome.'),
  'create-empty': format('A CREATE block is empty; it makes an empty file.'),
  'text-stray': format('Text stands between the parts of the plan and has no effect.'),

  'file-missing': prediction('The file to read or edit is not there.'),
  'file-exists': prediction('The file to create is already there.'),
  'file-refused': prediction('The path is there, but not as a text file that can be read or edited.'),
  'find-missing': prediction('FIND is not in the file.'),
  'find-ambiguous': prediction('FIND is in the file more than once.'),
  'find-whole-file': prediction('FIND is the whole file; EDIT is for surgical changes.'),
  'lines-outside': prediction('The lines to read lie past the end of the file.'),
  'cwd-missing': prediction('The working directory is not there.'),
  'memo-missing': prediction('The memo to remove does not exist.'),
  'memo-exists': prediction('The memo to add exists already.'),
  'agent-unknown': prediction('The agent to hand over to does not exist; checked within a session.'),
  'caller-missing': {
    severity: 'warning',
    kind: 'prediction',
    meaning: 'Nobody waits for the CONCLUDE: it ends the line of work; checked within a session.',
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
    meaning: 'A path added to the context or handed off is not there.',
  },
} as const satisfies Record<string, IssueMeaning>;

export type PlanIssueCode = keyof typeof PLAN_ISSUES;

const REPAIRS: readonly string[] = [
  'fence-repaired',
  'plan-unwrapped',
  'chatter-dropped',
] satisfies PlanIssueCode[];

/** Whether an issue says that the text was changed before it was read. */
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

/** Line numbers count from 0 in the grammar and from 1 in what people read. */
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
