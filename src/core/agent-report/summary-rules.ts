import type { JsonObject, JsonValue } from '../json/types.js';
import type { IssueLog } from './issue.js';
import { namePlace } from './wording.js';

/** A line that opens or closes a fenced block of Markdown. Behind backticks with more of them comes a code span. */
const FENCE = /(?:^|[\n\r]) {0,3}(?:```[^`\n\r]*(?:[\n\r]|$)|~~~)/;

/** What holds of every report at the level `summary` and cannot be said in a JSON Schema: it is short, and quotes no files. */
export function judgeSummary(report: JsonObject, budget: number, log: IssueLog): void {
  const { length } = JSON.stringify(report);
  if (length > budget) {
    const message = `A summary may have ${budget} characters, written without white space between its parts; this one has ${length}.`;
    log.add('summary-too-long', [], message, 'Keep the conclusions, and leave out what only supports them.');
  }
  reportFences(report, [], log);
}

/** `path` is one and the same list for all of the walk: what is told of it is written down at once. */
function reportFences(value: JsonValue, path: (string | number)[], log: IssueLog): void {
  if (typeof value === 'string') {
    if (!FENCE.test(value) || log.skips('summary-holds-contents')) return;
    const message = `${namePlace(path)} holds a fenced block, and a summary quotes no contents.`;
    const hint = 'Say in a sentence what the block shows, or point to the file and its lines.';
    log.add('summary-holds-contents', path, message, hint);
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) reportFencesAt(index, value[index]!, path, log);
  } else if (value !== null && typeof value === 'object') {
    for (const key in value) reportFencesAt(key, value[key]!, path, log);
  }
}

function reportFencesAt(
  step: string | number,
  value: JsonValue,
  path: (string | number)[],
  log: IssueLog,
): void {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return;
  path.push(step);
  reportFences(value, path, log);
  path.pop();
}
