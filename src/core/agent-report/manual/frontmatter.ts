import type { JsonValue } from '../../json/types.js';
import { findFrontmatter } from '../../markdown/frontmatter.js';
import { parseYaml } from '../../yaml.js';
import { manualIssue } from '../issue.js';
import type { ManualIssue } from '../types.js';
import { describeValue } from '../wording.js';

/** More than any manual has, and few enough to be read at once. */
const MOST_TOKENS = 20_000;

export type FrontmatterRead =
  | {
      status: 'read';
      /** Without a prototype. */
      keys: Readonly<Record<string, unknown>>;
      /** The 1-based line of a key or of a value below it. */
      lineOf(path: readonly (string | number)[]): number;
      /** What stands behind the frontmatter. */
      body: string;
      /** How many lines stand before the body. */
      linesBefore: number;
    }
  | { status: 'refused'; issue: ManualIssue };

const SAMPLE =
  'Begin the file with a line ---, then kind: subagent and the other keys, one a line, then a line --- again.';

export function readFrontmatter(text: string): FrontmatterRead {
  const found = findFrontmatter(text);
  if (found === 'none') return refuse(1, 'The file has no frontmatter, so it does not say what it is.');
  if (found === 'unclosed') return refuse(1, 'The frontmatter has no end: the second line --- is missing.');
  const read = parseYaml(text.slice(found.from, found.to), { mostTokens: MOST_TOKENS });
  if (read.status === 'refused') {
    const hint = 'Put a text that holds ": " or " #" into quotes.';
    return refuse(found.linesBefore + read.line, `The frontmatter ${read.reason}.`, hint);
  }
  const { value } = read;
  if (value === null) return refuse(found.linesBefore, 'The frontmatter is empty.');
  if (typeof value !== 'object' || Array.isArray(value))
    return refuse(
      found.linesBefore + 1,
      `The frontmatter is ${describeValue(value as JsonValue)}, not a mapping.`,
    );
  return {
    status: 'read',
    keys: value as Record<string, unknown>,
    lineOf: (path) => found.linesBefore + read.lineOf(path),
    body: text.slice(found.next),
    linesBefore: countLines(text, found.next),
  };
}

function refuse(line: number, message: string, hint = SAMPLE): FrontmatterRead {
  return { status: 'refused', issue: manualIssue('manual-frontmatter', line, message, hint) };
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
