import type { Issue, Severity } from '../issue.js';
import { isRepair } from '../plan/issue-codes.js';
import { readBlockText, writeBlock } from './read/blocks.js';
import { quoteShort, type ReportEntry, type ReportReader } from './read/reader.js';
import { readTextValue, writeLineValue, writeListItem } from './values.js';

const HEADING = '## Validation Errors';
/** How the plan was changed before it was read. */
const REPAIRS = '## Repairs';
const SEVERITIES: readonly string[] = ['error', 'warning', 'info'] satisfies Severity[];

/** Why a plan was refused: every issue, for the person and for the model that fixes it. Else its repairs alone. */
export function writeIssues({ refused, issues }: { refused: boolean; issues: readonly Issue[] }): string[] {
  const shown = refused ? issues : issues.filter(isRepair);
  if (!refused && shown.length === 0) return [];
  return [[refused ? HEADING : REPAIRS, ...shown.map(writeIssue)].join('\n\n')];
}

function writeIssue({ code, severity, line, column, action, message, hint }: Issue): string {
  const numbers = { Line: line, Column: column, Action: action };
  return [
    `### \`${code.replace(/[\r\n`]+/g, ' ')}\``,
    writeListItem('Severity', severity),
    ...Object.entries(numbers).flatMap(([label, number]) =>
      number === undefined ? [] : [writeListItem(label, String(number))],
    ),
    writeWords('Message', message),
    ...(hint === undefined ? [] : [writeWords('Hint', hint)]),
  ].join('\n');
}

/** Several lines stand in a block: they show a place in a file as often as not, and fences with it. */
function writeWords(label: string, words: string): string {
  return /[\r\n]/.test(words)
    ? `${writeListItem(label, '')}\n${writeBlock(words, 4)}`
    : writeListItem(label, writeLineValue(words));
}

/** Undefined when there is no such section. */
export function readIssues(reader: ReportReader): { refused: boolean; issues: Issue[] } | undefined {
  const refused = reader.skip(HEADING);
  if (!refused && !reader.skip(REPAIRS)) return undefined;
  const issues: Issue[] = [];
  reader.skipBlank();
  for (let code = reader.after('### `'); code !== undefined; code = reader.after('### `')) {
    issues.push(readIssue(reader, code.endsWith('`') ? code.slice(0, -1) : code));
    reader.skipBlank();
  }
  return { refused, issues };
}

function readIssue(reader: ReportReader, code: string): Issue {
  const { line } = reader;
  const entries = new Map(reader.readItems().map((entry) => [entry.label, entry]));
  const severity = wordsOf(entries.get('Severity')) ?? '';
  const message = wordsOf(entries.get('Message'));
  const hint = wordsOf(entries.get('Hint'));
  if (!SEVERITIES.includes(severity) || message === undefined)
    reader.refuse(`the issue ${quoteShort(code)} has no Severity or no Message.`, line);
  return {
    code,
    severity: severity as Severity,
    message: message ?? '',
    ...numberOf('line', entries.get('Line')),
    ...numberOf('column', entries.get('Column')),
    ...numberOf('action', entries.get('Action')),
    ...(hint === undefined ? {} : { hint }),
  };
}

function wordsOf(entry: ReportEntry | undefined): string | undefined {
  if (!entry) return undefined;
  return entry.block ? readBlockText(entry.block) : readTextValue(entry.lines);
}

function numberOf(name: 'line' | 'column' | 'action', entry: ReportEntry | undefined): Partial<Issue> {
  const text = wordsOf(entry);
  return text !== undefined && /^\d{1,16}$/.test(text) ? { [name]: Number(text) } : {};
}
