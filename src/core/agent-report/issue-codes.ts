import { error, type IssueMeaning, info, warning } from '../issue.js';

/** A warning that leaves a report usable but needs human review. */
const doubt = (meaning: string) => ({ ...warning(meaning), needsHumanReview: true });

/** Every issue that a report can have. Errors make it non-compliant, and its task failed. */
export const REPORT_ISSUES = {
  'report-empty': error('The report is empty, or the client printed no answer.'),
  'report-too-large': error('The report is larger than 20 MB.'),
  'json-invalid': error('It is not valid JSON.'),
  'json-cut-off': error('The JSON ends in the middle.'),
  'json-around': error('There is text before or after the one JSON object.'),
  'json-too-deep': error('Its values are nested too deeply.'),
  'json-key-repeated': error('An object has the same key twice.'),
  'json-key-forbidden': error('A key is `__proto__`.'),
  'json-half-character': error('A string contains half a character: a lone surrogate.'),
  'report-ambiguous': error('The text contains two different reports, so neither is used.'),
  'report-not-object': error('It is JSON, but not an object.'),
  'client-output': error('It is the output of a client around a report; name the client with `--from`.'),
  'client-unreadable': error('It is not the output of this client.'),
  'client-error': error('The client reported that it failed.'),

  'field-missing': error('A required field is missing.'),
  'field-type': error('A field has the wrong type.'),
  'field-empty': error('A required string is empty.'),
  'status-unknown': error('`status` is neither completed, blocked nor failed.'),
  'verbosity-unknown': error('`verbosity_level` is neither summary, detailed nor comprehensive.'),
  'verbosity-unavailable': error('The manual does not offer this level.'),
  'confidence-range': error('`confidence_level` is not between 0 and 1.'),
  'number-range': error('A count is negative or not whole.'),
  'error-message-missing': error('A failed report gives no `error_message`.'),
  'blockers-missing': error('A blocked report lists no `blockers`.'),
  'task-id-differs': error('`task_id` is not the one in the briefing.'),
  'verbosity-differs': error('`verbosity_level` is not the one in the briefing.'),

  'findings-missing': error("A field that the manual's schema requires is missing."),
  'findings-type': error("A value has another type than in the manual's schema."),
  'findings-value': error("A value is not one of those that the manual's schema lists."),
  'findings-range': error("A number, string or list is smaller or larger than the manual's schema allows."),
  'findings-pattern': error("A string does not match the pattern of the manual's schema."),
  'findings-unknown': error("A field is not in the manual's schema, which allows no others."),
  'findings-shape': error("A value matches none of the alternatives of the manual's schema, or too many."),
  'findings-level': error('A field belongs to a higher verbosity level than that of the report.'),
  'summary-too-long': error('A summary is longer than its budget.'),
  'summary-holds-contents': error('A summary contains a fenced block, such as file contents.'),

  'client-cut-off': doubt(
    'The output of the client ends before it is complete; the last message of the agent counts.',
  ),
  'client-denied': warning('The client did not allow its agent to use a tool.'),
  'report-wrapped': warning('The report was in a fence or between other words; it was extracted.'),
  'key-unknown': warning('The contract has no such key; it is kept but not used.'),
  'blockers-unexpected': warning('`blockers` is not empty although the report is not blocked.'),
  'error-message-unexpected': warning('`error_message` is set although the report is not failed.'),
  'context-map-form': warning(
    'The context map is not written as pairs of a text and an address; it was converted.',
  ),
  'entry-blank': warning('An entry of a list is an empty string.'),
  'agent-unknown': warning('This agent has no manual, so its findings are not checked.'),
  'agent-differs': doubt('`agent_name` is not the agent that was briefed.'),
  'reference-broken': doubt('A reference of the context map does not exist: no such file, no such lines.'),
  'reference-outside': doubt('A reference of the context map leads out of the project.'),
  'claim-unchanged': doubt('The report lists a file as changed, but git shows no change.'),
  'claim-kind': doubt('The report says created, modified or deleted, but git shows another of these.'),
  'claim-invalid': doubt('A listed path cannot be a path of the project.'),
  'change-unclaimed': doubt('git shows a change that the report does not list.'),
  'change-out-of-scope': doubt("A changed file is outside the briefing's scope."),
  'briefing-strange': doubt('The record of the briefing was changed, or is not yours, so it does not count.'),
  'manual-changed': doubt("The agent's manual has changed since the briefing."),
  'merged-doubt': doubt('One of the merged reports needs human review.'),
  'claims-incomparable': doubt('At the briefing git could show which files change; now it cannot.'),
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
  'manual-field': error('A key of the frontmatter has a wrong value.'),
  'manual-schema-missing': error('No fenced block contains a JSON Schema of the findings.'),
  'manual-schema-ambiguous': error('More than one fenced block could be the schema of the findings.'),
  'manual-schema-invalid': error('The schema is not valid JSON, or not a usable JSON Schema.'),
  'manual-mark-unknown': error('`x-verbosity` is not one of the three levels.'),
  'manual-example-invalid': error('The example report does not match the manual.'),
  'manual-example-missing': warning('The manual has no example report, so briefings have none.'),
  'manual-purpose-missing': warning('`purpose` or `when_to_use` is missing.'),
  'manual-key-unknown': warning('The frontmatter has an unknown key.'),
} as const satisfies Record<string, IssueMeaning>;

export type ManualIssueCode = keyof typeof MANUAL_ISSUES;
