import type { ResultIssueCode } from '../../../src/core/task-result/types.js';
import { change, LINES } from './subject.js';

/** One fault in a result that was in order, and the one issue that it must give. */
export interface Mutation {
  fault: string;
  text: string;
  code: ResultIssueCode;
  field?: string;
  line: number;
  /** What the hint must say. */
  hint?: string | RegExp;
  /** Other issues that the same fault brings with it. */
  also?: ResultIssueCode[];
}

type Edits = Record<number, string | null>;

function edit(
  fault: string,
  edits: Edits,
  code: ResultIssueCode,
  field: string | undefined,
  line: number,
  more: Pick<Mutation, 'hint' | 'also'> = {},
): Mutation {
  return { fault, text: change(edits), code, ...(field !== undefined && { field }), line, ...more };
}

const FAILED: Edits = {
  1: 'status: failure',
  8: '  exit_code: 1',
  10: 'done_criteria_met: false',
  14: 'error: "x"',
};
const BLOCKED: Edits = {
  1: 'status: blocked',
  3: 'files_modified: []',
  4: null,
  5: null,
  7: '  command: null',
  ...{
    8: '  exit_code: null',
    9: '  output_summary: null',
    10: 'done_criteria_met: false',
    14: 'error: "waits"',
  },
};
/** A blocked result is two lines shorter. */
const ON_TASK = (name: string): Edits => ({ 2: `task_name: "${name}"` });

export { BLOCKED, FAILED, ON_TASK };

const UNREADABLE: Mutation[] = [
  { fault: 'nothing', text: '', code: 'result-empty', line: 1 },
  { fault: 'blank lines', text: '\n \n\t\n', code: 'result-empty', line: 1 },
  { fault: 'only marks and a comment', text: '---\n# to do\n...\n', code: 'result-empty', line: 1 },
  { fault: 'too much', text: `a: "${'x'.repeat(10 * 1024 * 1024)}"`, code: 'result-too-large', line: 1 },
  { fault: 'too many bytes', text: `a: "${'é'.repeat(5.3e6)}"`, code: 'result-too-large', line: 1 },
  { fault: 'a sentence', text: 'I could not do it.', code: 'result-not-mapping', line: 1 },
  { fault: 'a list', text: '- status: success\n', code: 'result-not-mapping', line: 1 },
  { fault: 'a number', text: '\n\n42\n', code: 'result-not-mapping', line: 3 },
  {
    fault: 'two results',
    text: `${change({})}\n${change(FAILED)}`,
    code: 'result-ambiguous',
    line: LINES.length + 2,
    hint: 'one result',
  },
  edit('a name with a colon', { 2: 'task_name: Task 2: Check it' }, 'result-not-yaml', undefined, 2, {
    hint: 'in quotes, because it contains a colon: task_name: "Task 2: Check it"',
  }),
  edit('a command with a colon', { 7: "  command: grep 'a: b' x" }, 'result-not-yaml', undefined, 7, {
    hint: `command: "grep 'a: b' x"`,
  }),
  edit('quotes in quotes', { 7: '  command: "grep "a" x"' }, 'result-not-yaml', undefined, 7, {
    hint: 'command: "grep \\"a\\" x"',
  }),
  edit("an apostrophe in '…'", { 9: "  output_summary: 'it's fine'" }, 'result-not-yaml', undefined, 9, {
    hint: `as '': output_summary: "it's fine"`,
  }),
  edit('an open quote', { 7: '  command: "npm test' }, 'result-not-yaml', undefined, 7, {
    hint: 'Close the quote',
  }),
  edit('an odd escape', { 7: '  command: "grep \\d x"' }, 'result-not-yaml', undefined, 7, {
    hint: 'backslash as \\\\',
  }),
  edit('a tab', { 8: '\texit_code: 0' }, 'result-not-yaml', undefined, 8, { hint: 'no tabs' }),
  edit('a star', { 4: '  - *.ts' }, 'text-unquoted', 'files_modified[0]', 4, {
    hint: '"*.ts"',
    also: ['file-missing', 'file-unplanned'],
  }),
  edit('a remark on a status', { 1: 'status: success # yes' }, 'text-ignored', undefined, 1, {
    hint: 'quotes',
  }),
  edit('a backtick', { 9: '  output_summary: `ok`' }, 'result-not-yaml', undefined, 9, { hint: '"`ok`"' }),
  edit('an at sign', { 9: '  output_summary: @x' }, 'result-not-yaml', undefined, 9, {
    hint: 'starts with @',
  }),
  edit('a dash behind a key', { 9: '  output_summary: - ok' }, 'result-not-yaml', undefined, 9, {
    hint: 'next line',
  }),
  edit('words at the margin', { 12: 'readPort refuses it' }, 'result-not-yaml', undefined, 12, {
    hint: 'evidence: |',
  }),
  edit('uneven indents', { 8: '   exit_code: 0' }, 'result-not-yaml', undefined, 8, {
    hint: 'Indent fields of one level alike',
  }),
  edit('a tag', { 8: '  exit_code: !int 0' }, 'result-not-yaml', undefined, 8, { hint: 'starts with !' }),
  edit('a key twice', { 15: 'status: success\nmetadata:' }, 'result-not-yaml', undefined, 15, {
    hint: 'one of the two',
  }),
  edit('a deep key twice', { 9: '  exit_code: 1' }, 'result-not-yaml', undefined, 9, {
    hint: 'one of the two',
  }),
  edit('two documents', { 18: '...\n---\nmore: 1' }, 'result-not-yaml', undefined, 19, {
    hint: 'one result at a time',
  }),
  edit(
    'deep nesting',
    { 18: `  x: ${'['.repeat(200)}${']'.repeat(200)}` },
    'result-not-yaml',
    undefined,
    18,
    { hint: 'flat' },
  ),
  edit('an alias bomb', { 18: bomb() }, 'result-not-yaml', undefined, 22, { hint: 'without anchors' }),
];

function bomb(): string {
  const names = [...'abcdefgh'];
  const link = (name: string, at: number) =>
    `${name}: &${name} [${Array(9).fill(at === 0 ? 'x' : `*${names[at - 1]}`)}]`;
  return names.map(link).join('\n');
}

const MISSING: Mutation[] = [
  edit('no status', { 1: null }, 'field-missing', 'status', 1, { hint: 'status: success' }),
  edit('no name', { 2: null }, 'field-missing', 'task_name', 1),
  edit('no files', { 3: null, 4: null, 5: null }, 'field-missing', 'files_modified', 1),
  edit('no verification', { 6: null, 7: null, 8: null, 9: null }, 'field-missing', 'verification', 1),
  edit('no command', { 7: null }, 'field-missing', 'verification.command', 6),
  edit('no exit code', { 8: null }, 'field-missing', 'verification.exit_code', 6),
  edit('no summary', { 9: null }, 'field-missing', 'verification.output_summary', 6),
  edit('no word on the criteria', { 10: null }, 'field-missing', 'done_criteria_met', 1),
  edit('no evidence', { 11: null, 12: null, 13: null }, 'field-missing', 'evidence', 1),
  edit('no error', { 14: null }, 'field-missing', 'error', 1, { hint: 'error: null' }),
];

const TYPES: Mutation[] = [
  edit(
    'a status of the schema',
    { 1: 'status: success | failure | blocked' },
    'status-unknown',
    'status',
    1,
    {
      hint: 'one of the three',
    },
  ),
  edit('the same in quotes', { 1: 'status: "success | failure"' }, 'status-unknown', 'status', 1, {
    hint: 'one of',
  }),
  edit('a status in capitals', { 1: 'status: SUCCESS' }, 'status-unknown', 'status', 1, {
    hint: 'status: success',
  }),
  edit('a status of our own', { 1: 'status: later' }, 'status-unknown', 'status', 1, {
    hint: 'success, failure or',
  }),
  edit('another word for a status', { 1: 'status: completed' }, 'status-unknown', 'status', 1, {
    hint: /^Write status: success$/,
  }),
  edit('an empty status', { 1: 'status:' }, 'field-type', 'status', 1),
  edit('a number for a name', { 2: 'task_name: 2' }, 'field-type', 'task_name', 2, { hint: '"2"' }),
  edit('null for a name', { 2: 'task_name:' }, 'field-type', 'task_name', 2),
  edit(
    'a file as text',
    { 3: 'files_modified: docs/port.md', 4: null, 5: null },
    'field-type',
    'files_modified',
    3,
    {
      hint: 'after "- "',
    },
  ),
  edit('null for no files', { 4: null, 5: null }, 'field-type', 'files_modified', 3, {
    hint: 'files_modified: []',
  }),
  edit('a mapping for a file', { 5: '  - path: a.ts' }, 'field-type', 'files_modified[1]', 5),
  edit('a number for a file', { 4: '  - 7' }, 'field-type', 'files_modified[0]', 4),
  edit(
    'a text for verification',
    { 6: 'verification: ok', 7: null, 8: null, 9: null },
    'field-type',
    'verification',
    6,
  ),
  edit('a list for a command', { 7: '  command: [npm, test]' }, 'field-type', 'verification.command', 7, {
    hint: 'one string',
  }),
  edit('null for a command', { 7: '  command: null' }, 'field-type', 'verification.command', 7, {
    hint: 'npm test -- port',
  }),
  edit('an exit code as text', { 8: '  exit_code: "0"' }, 'field-type', 'verification.exit_code', 8, {
    hint: 'Write exit_code: 0, without quotes',
  }),
  edit('half an exit code', { 8: '  exit_code: 0.5' }, 'field-type', 'verification.exit_code', 8),
  edit('null for an exit code', { 8: '  exit_code: ~' }, 'field-type', 'verification.exit_code', 8),
  edit('an endless exit code', { 8: '  exit_code: 1e999' }, 'field-type', 'verification.exit_code', 8),
  edit('null for a summary', { 9: '  output_summary:' }, 'field-type', 'verification.output_summary', 9),
  edit('a yes', { 10: 'done_criteria_met: yes' }, 'field-type', 'done_criteria_met', 10, {
    hint: 'Write done_criteria_met: true, without quotes',
  }),
  edit('a number for a yes', { 10: 'done_criteria_met: 1' }, 'field-type', 'done_criteria_met', 10),
  edit('a quoted true', { 10: 'done_criteria_met: "true"' }, 'field-type', 'done_criteria_met', 10, {
    hint: 'Write done_criteria_met: true, without quotes',
  }),
  edit('a list for evidence', { 11: 'evidence:', 12: '  - a', 13: '  - b' }, 'field-type', 'evidence', 11, {
    hint: '"|"',
  }),
  edit('null for evidence', { 11: 'evidence:', 12: null, 13: null }, 'field-type', 'evidence', 11),
  edit('false for an error', { 14: 'error: false' }, 'field-type', 'error', 14, { hint: '"false"' }),
];

const STATUS: Mutation[] = [
  edit('success, exit code 1', { 8: '  exit_code: 1' }, 'exit-code-not-zero', 'verification.exit_code', 8),
  edit('success, exit code -1', { 8: '  exit_code: -1' }, 'exit-code-not-zero', 'verification.exit_code', 8),
  edit('success, not done', { 10: 'done_criteria_met: false' }, 'done-not-met', 'done_criteria_met', 10),
  edit('success, an error', { 14: 'error: none' }, 'error-not-null', 'error', 14, { hint: 'error: null' }),
  edit('success, an empty error', { 14: 'error: ""' }, 'error-not-null', 'error', 14, {
    hint: 'error: null',
  }),
  edit('failure, no error', { ...FAILED, 14: 'error: null' }, 'error-null', 'error', 14),
  edit('failure, an empty error', { ...FAILED, 14: 'error: " "' }, 'error-empty', 'error', 14),
  edit(
    'failure, done',
    { ...FAILED, 10: 'done_criteria_met: true' },
    'done-but-failed',
    'done_criteria_met',
    10,
  ),
  edit('blocked, no error', { ...BLOCKED, 14: 'error:' }, 'error-null', 'error', 12),
  edit('blocked, an empty error', { ...BLOCKED, 14: 'error: ""' }, 'error-empty', 'error', 12),
  edit(
    'blocked, a file',
    { ...BLOCKED, 3: 'files_modified: [src/server/port.ts]' },
    'files-but-blocked',
    'files_modified',
    3,
  ),
  edit(
    'blocked, a command',
    { ...BLOCKED, 7: '  command: "x"' },
    'command-but-blocked',
    'verification.command',
    5,
    {
      hint: 'command: null',
    },
  ),
  edit(
    'blocked, an empty command',
    { ...BLOCKED, 7: "  command: ''" },
    'command-but-blocked',
    'verification.command',
    5,
  ),
  edit('blocked, without the key', { ...BLOCKED, 7: null }, 'field-missing', 'verification.command', 4),
  edit(
    'blocked, done',
    { ...BLOCKED, 10: 'done_criteria_met: true' },
    'done-but-blocked',
    'done_criteria_met',
    8,
  ),
  edit('no evidence to read', { 11: 'evidence: "  "', 12: null, 13: null }, 'evidence-empty', 'evidence', 11),
  edit('another command', { 7: '  command: "true"' }, 'command-differs', 'verification.command', 7),
  edit(
    'no test ran',
    { 9: '  output_summary: "ok [no tests to run]"' },
    'vacuous',
    'verification.output_summary',
    9,
  ),
  edit('prose to verify', ON_TASK('Task 3: Look at the log'), 'unverified', 'verification', 6),
  edit('nothing to verify', ON_TASK('Task 4: Name things'), 'unverified', 'verification', 6),
];

const TASKS: Mutation[] = [
  edit('another name', ON_TASK('Task 9: Nothing'), 'task-unknown', 'task_name', 2, {
    hint: '"Task 1: Start the server"',
  }),
  edit('no number', ON_TASK('Check the port of the server'), 'task-unknown', 'task_name', 2),
  edit('an empty name', ON_TASK(''), 'task-unknown', 'task_name', 2),
  edit('a name of two', ON_TASK('Tidy up'), 'task-ambiguous', 'task_name', 2, { hint: 'Tidy up' }),
  edit('other words', ON_TASK('Task 2: Paint the fence'), 'task-words-differ', 'task_name', 2),
];

const FILES: Mutation[] = [
  edit('a file that is not there', { 5: '  - src/server/gone.ts' }, 'file-missing', 'files_modified[1]', 5, {
    also: ['file-unplanned'],
  }),
  edit('a file of another task', { 5: '  - docs/port.md' }, 'file-unplanned', 'files_modified[1]', 5),
  edit('an absolute path', { 5: '  - /etc/passwd' }, 'file-absolute', 'files_modified[1]', 5),
  edit('a drive', { 4: '  - C:\\a.ts' }, 'file-absolute', 'files_modified[0]', 4),
  edit('a way out', { 4: '  - ../a.ts' }, 'file-outside', 'files_modified[0]', 4),
  edit('a home', { 4: '  - ~/a.ts' }, 'file-outside', 'files_modified[0]', 4),
  edit('an empty path', { 4: '  - ""' }, 'file-invalid', 'files_modified[0]', 4),
  edit('a path with a line break', { 4: '  - "a\\nb"' }, 'text-escaped', 'files_modified[0]', 4, {
    also: ['file-invalid'],
  }),
  edit('a file twice', { 5: '  - ./src/server/port.ts' }, 'file-repeated', 'files_modified[1]', 5),
];

const UNKNOWN: Mutation[] = [
  edit('a new field', { 14: 'notes: x\nerror: null' }, 'field-unknown', 'notes', 14),
  edit('a known field in other words', { 14: 'taskName: x\nerror: null' }, 'field-unknown', 'taskName', 14, {
    hint: 'Did you mean task_name?',
  }),
  edit(
    'a new field in verification',
    { 9: '  exitCode: 0\n  output_summary: "4 tests"' },
    'field-unknown',
    'verification.exitCode',
    9,
    {
      hint: 'Did you mean exit_code?',
    },
  ),
  edit(
    'a new field in metadata',
    { 18: '  executor_id: x\n  model: y' },
    'field-unknown',
    'metadata.model',
    19,
  ),
  edit(
    'a key that is no plain key',
    { 18: '  executor_id: x\n__proto__: {a: 1}' },
    'field-unknown',
    '__proto__',
    19,
  ),
  edit(
    'a key that objects have',
    { 18: '  executor_id: x\nconstructor: 1' },
    'field-unknown',
    'constructor',
    19,
  ),
];

const METADATA: Mutation[] = [
  edit('none', { 15: null, 16: null, 17: null, 18: null }, 'metadata-missing', 'metadata', 1),
  edit('nothing in it', { 16: null, 17: null, 18: null }, 'metadata-missing', 'metadata', 15),
  edit('no attempt', { 17: null }, 'metadata-missing', 'metadata', 15),
  edit('a null', { 18: '  executor_id: null' }, 'metadata-missing', 'metadata', 15),
  edit('a text', { 15: 'metadata: fast', 16: null, 17: null, 18: null }, 'metadata-invalid', 'metadata', 15),
  edit('a negative time', { 16: '  duration_ms: -1' }, 'metadata-invalid', 'metadata.duration_ms', 16),
  edit('half a millisecond', { 16: '  duration_ms: 0.5' }, 'metadata-invalid', 'metadata.duration_ms', 16),
  edit('a time as text', { 16: '  duration_ms: 45s' }, 'metadata-invalid', 'metadata.duration_ms', 16),
  edit('ages', { 16: '  duration_ms: 9007199254740993' }, 'metadata-invalid', 'metadata.duration_ms', 16),
  edit('attempt 0', { 17: '  attempt: 0' }, 'metadata-invalid', 'metadata.attempt', 17),
  edit('a number for an id', { 18: '  executor_id: 7' }, 'metadata-invalid', 'metadata.executor_id', 18),
  edit('an empty id', { 18: '  executor_id: ""' }, 'metadata-invalid', 'metadata.executor_id', 18),
];

const WRAPPED: Mutation[] = [
  { fault: 'a fence', text: `\`\`\`yaml\n${change({})}\`\`\`\n`, code: 'result-wrapped', line: 2 },
  { fault: 'words before', text: `Done. Here it is:\n\n${change({})}`, code: 'result-wrapped', line: 3 },
];

export const MUTATIONS: readonly Mutation[] = [
  ...UNREADABLE,
  ...MISSING,
  ...TYPES,
  ...STATUS,
  ...TASKS,
  ...FILES,
  ...UNKNOWN,
  ...METADATA,
  ...WRAPPED,
];
