import { error, type IssueMeaning, info, warning } from '../issue.js';

/** A warning that does not make a report worthless, but is for a person to see. */
const doubt = (meaning: string) => ({ ...warning(meaning), isForAPerson: true });

/** Every issue that a report can have. Errors make it non-compliant, and its task failed. */
export const REPORT_ISSUES = {
  'report-empty': error('There is nothing in it, or the client printed no answer.'),
  'report-too-large': error('It is larger than 20 MB.'),
  'json-invalid': error('It is not valid JSON.'),
  'json-cut-off': error('The JSON ends in the middle.'),
  'json-around': error('Something stands before or behind the one JSON object.'),
  'json-too-deep': error('Its values are nested too deeply.'),
  'json-key-repeated': error('A key stands twice in one object.'),
  'json-key-forbidden': error('A key is `__proto__`.'),
  'json-half-character': error('A text holds half a character: a lone surrogate.'),
  'report-ambiguous': error('The text holds two different reports, so neither is taken.'),
  'report-not-object': error('It is JSON, but no object.'),
  'client-output': error('It is what a client printed around a report; say which client with `--from`.'),
  'client-unreadable': error('It is not what this client prints.'),
  'client-error': error('The client itself says that it failed.'),
  'strict-invalid': error('It does not keep the strict transport schema, so it cannot be mapped back.'),

  'field-missing': error('A required field is not there.'),
  'field-type': error('A field holds another type than it must.'),
  'field-empty': error('A required text is empty.'),
  'status-unknown': error('`status` is neither completed, blocked nor failed.'),
  'verbosity-unknown': error('`verbosity_level` is neither summary, detailed nor comprehensive.'),
  'verbosity-unavailable': error('The manual does not offer this level.'),
  'confidence-range': error('`confidence_level` is not between 0 and 1.'),
  'number-range': error('A count is negative or not whole.'),
  'error-message-missing': error('A failed report does not say what went wrong.'),
  'blockers-missing': error('A blocked report does not say what blocks it.'),
  'task-id-differs': error('`task_id` is not the one that was asked for.'),
  'verbosity-differs': error('`verbosity_level` is not the one that was asked for.'),

  'findings-missing': error("A field that the manual's schema requires is not there."),
  'findings-type': error("A value has another type than the manual's schema says."),
  'findings-value': error("A value is none of those that the manual's schema lists."),
  'findings-range': error("A number, text or list is smaller or larger than the manual's schema allows."),
  'findings-pattern': error("A text does not match the pattern of the manual's schema."),
  'findings-unknown': error("A field is not in the manual's schema, which allows no others."),
  'findings-shape': error("A value fits none of the shapes, or not the one shape, of the manual's schema."),
  'findings-level': error('A field belongs to a higher verbosity level than that of the report.'),
  'summary-too-long': error('A summary is longer than its budget.'),
  'summary-holds-contents': error('A summary holds a fenced block, as of file contents.'),

  'client-cut-off': doubt(
    'What the client printed ends before it says that it is done; what the agent said last counts.',
  ),
  'report-wrapped': warning('The report stood in a fence or between other words, and was taken out.'),
  'report-repaired': warning(
    'Trailing commas were left out, or `None`, `True`, `False` and texts in single quotes read as Python does.',
  ),
  'report-comment': doubt('A comment is not part of the report; the issue quotes it.'),
  'report-unclosed': doubt('The last closing brace was missing; more than the brace may be.'),
  'key-unknown': warning('The contract has no such key; it is kept and not used.'),
  'blockers-unexpected': warning('`blockers` is filled although the report is not blocked.'),
  'error-message-unexpected': warning('`error_message` is filled although the report is not failed.'),
  'context-map-form': warning(
    'The context map is not written as pairs of a text and an address; it is read as such.',
  ),
  'entry-blank': warning('An entry of a list is an empty text.'),
  'agent-unknown': warning('There is no manual of this agent, so its findings are not checked.'),
  'agent-differs': doubt('`agent_name` is not the agent that was asked.'),
  'reference-broken': doubt('A reference of the context map points to nothing: no such file, no such lines.'),
  'reference-outside': doubt('A reference of the context map leads out of the project.'),
  'reference-stale': doubt('The lines of a reference moved or changed since they were first seen.'),
  'claim-unchanged': doubt('A file is claimed to be changed, and git sees no change.'),
  'claim-kind': doubt('A file is claimed to be created, modified or deleted, and git sees another of these.'),
  'claim-invalid': doubt('A claimed path cannot be a path of the project.'),
  'change-unclaimed': doubt('git sees a change that the report does not claim.'),
  'change-out-of-scope': doubt("A changed file is outside the briefing's scope."),
  'briefing-strange': doubt(
    'The record of the briefing was changed, or is not of this user, so it does not count.',
  ),
  'manual-changed': doubt("The agent's manual is another one than when it was briefed."),
  'merged-doubt': doubt('A report that was merged into this one was for a person.'),
  'claims-incomparable': doubt(
    'When the agent was briefed git could tell which files it changes, and now it cannot.',
  ),
  'claims-unverified': info('There is no git repository to compare the claimed files with.'),
  'reference-unverifiable': info(
    'A reference of the context map cannot be checked: a symbol, or another address.',
  ),
} as const satisfies Record<string, IssueMeaning>;

export type ReportIssueCode = keyof typeof REPORT_ISSUES;

/** Every issue that a manual can have. With an error it is not used. */
export const MANUAL_ISSUES = {
  'manual-frontmatter': error('The frontmatter is missing, not closed, or not valid YAML.'),
  'manual-kind': error('`kind` is neither subagent nor planner.'),
  'manual-field': error('A key of the frontmatter holds something else than it must.'),
  'manual-schema-missing': error('No fenced block holds a JSON Schema of the findings.'),
  'manual-schema-ambiguous': error('More than one fenced block could be the schema of the findings.'),
  'manual-schema-invalid': error('The schema is not valid JSON, or no JSON Schema that can be used.'),
  'manual-mark-unknown': error('A mark `x-verbosity` is none of the three levels.'),
  'manual-example-invalid': error('The example report does not keep the manual.'),
  'manual-example-missing': warning('There is no example report, so a briefing shows none.'),
  'manual-purpose-missing': warning('`purpose` or `when_to_use` is not there.'),
  'manual-key-unknown': warning('The frontmatter has a key that means nothing here.'),
} as const satisfies Record<string, IssueMeaning>;

export type ManualIssueCode = keyof typeof MANUAL_ISSUES;
