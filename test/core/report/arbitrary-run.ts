import fc from 'fast-check';
import type { Issue } from '../../../src/core/issue.js';
import type { ActionType } from '../../../src/core/plan/types.js';
import type {
  ActionRecord,
  Captured,
  Decider,
  Decision,
  Done,
  Facts,
  Run,
  StateChangeRecord,
} from '../../../src/core/report/record.js';
import { HOSTILE_LINES } from '../plan/arbitrary-plan.js';

/** An arbitrary for each field, the optional ones too: a new field does not compile until it has one. */
type Model<T> = { [Key in keyof Required<T>]: fc.Arbitrary<Required<T>[Key]> };

/** Lines of reports, and what a careless reader takes for such. */
const REPORT_LINES = [
  '# Execution Report: x',
  '# Execution Report',
  '## Action Log',
  '## Applied State Changes',
  '## Validation Errors',
  '### `INVOKE`',
  '### Action 2: edit',
  '#### Execution Details',
  '- **Status:** Approved ✅',
  '- **Execution:** Success 🟢',
  '- **Reason:** No reason given.',
  '- **Note:** x',
  '  - **Note:** x',
  '**Output:**',
  '- **Output:**',
  '**Exit Code:** 0',
  '- **Missing:** x',
  'No reason given.',
  'Unreadable plan',
  'no newline at its end',
  '`"quoted"`',
  '`"half',
  '"in quotes"',
  '  indented by two',
  ' by one',
  'and white at its end  ',
  '\u00a0',
  '> **Tip:** This execution report is large.',
];

const line = fc.oneof(
  { arbitrary: fc.constantFrom(...REPORT_LINES), weight: 3 },
  { arbitrary: fc.constantFrom(...HOSTILE_LINES), weight: 3 },
  {
    arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\n', ' ')),
    weight: 2,
  },
);

/** Any text: one line mostly, sometimes several, with or without a newline at its end. */
export const hostileText = fc.oneof(
  { arbitrary: line, weight: 3 },
  { arbitrary: fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n')), weight: 3 },
  { arbitrary: fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\r\n')), weight: 1 },
  { arbitrary: fc.constantFrom('', '\n', '\n\n', ' ', '\r', '\t', '  \n  '), weight: 1 },
);

const path = fc.oneof(
  fc.constantFrom(
    '01/plan.md',
    'a b.md',
    'app/[id]/page (1).tsx',
    'a](b).md',
    'a](/b',
    '(x',
    'y)',
    '<z>',
    '/rooted',
    'a "b"',
    "c 'd'",
    'x>)y',
    '..',
    '',
    ' ',
    '[](',
  ),
  hostileText,
);

const label = fc.oneof(
  fc.constantFrom(
    ...['Status', 'Execution', 'Reason', 'Modified by user', 'Matched', 'Interrupted', 'Note'],
    ...['File Path', 'Description', 'Expected Outcome', 'env', 'Handoff Resources', 'Output', 'constructor'],
  ),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9 _-]{0,12}$/),
);

const metadataValue = fc.oneof(
  hostileText,
  fc.constantFrom(
    '[a b.md](/a b.md)',
    '\n    - `A`: "b"\n    - `C`: "d"',
    '\n  - [a](/a)\n  - [b](/b)',
    'first\n\n  second paragraph',
    'one\n\ttwo',
    'one\ntwo',
    'one\n  ```\n  two',
    'open\n  ',
  ),
);
const metadata = fc
  .uniqueArray(fc.tuple(label, metadataValue), { selector: ([name]) => name, maxLength: 5 })
  .map((entries) => Object.fromEntries(entries));

const decider = fc.constantFrom<Decider>('person', 'rest', 'yes', 'decisions', 'policy', 'teddy');
const comments = fc.array(
  fc.record({ line: fc.option(fc.integer({ min: 1, max: 99_999 })), text: hostileText }),
  { minLength: 1, maxLength: 3 },
);
const approved = fc.record(
  { status: fc.constant('approved'), by: decider, comments },
  { requiredKeys: ['status', 'by'] },
) as fc.Arbitrary<Decision & { status: 'approved' }>;
const skipped = fc.record(
  { status: fc.constant('skipped'), by: decider, reason: fc.option(hostileText), comments },
  { requiredKeys: ['status', 'by', 'reason'] },
) as fc.Arbitrary<Decision & { status: 'skipped' }>;

const count = fc.oneof(fc.nat(3), fc.maxSafeNat());
const wholeModel: Model<NonNullable<Captured['whole']>> = {
  file: fc.option(path),
  bytes: count,
  lines: count,
};
const capturedModel: Model<Captured> = {
  text: hostileText,
  language: fc.constantFrom('json', 'markdown', 'c++', 'c#', 'objective-c'),
  whole: fc.record(wholeModel),
};
const captured = fc.record(capturedModel, { requiredKeys: ['text'] }) as fc.Arbitrary<Captured>;

const factsModel: Model<Facts> = {
  output: captured,
  error: captured,
  reply: hostileText,
  exitCode: fc.integer({ min: -1, max: 255 }),
  ended: hostileText,
  expectedOutcome: fc.record({ met: fc.boolean(), missing: fc.array(hostileText, { maxLength: 3 }) }),
  changed: fc.array(fc.record({ path, change: fc.constantFrom('created', 'edited', 'deleted') }), {
    minLength: 1,
    maxLength: 3,
  }),
  unrestorable: fc.array(fc.record({ path, reason: hostileText }), { minLength: 1, maxLength: 2 }),
  moved: fc.array(
    fc.record({
      name: fc.constantFrom('HEAD', 'main', 'stash'),
      from: fc.option(fc.constantFrom('main', '1f0c3a')),
      to: fc.option(fc.constantFrom('side', '9a3b00')),
      revert: fc.constantFrom(
        'git symbolic-ref HEAD refs/heads/main',
        "git update-ref -d 'refs/heads/a b' 1f0c",
      ),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  ranAs: hostileText,
  kept: fc.record({
    count: fc.nat(5),
    dropped: fc.array(
      fc.record({
        id: fc.constantFrom('0123456789abcdef', 'fedcba9876543210-2'),
        change: hostileText.map((text) => `-${text}\n`),
        reason: fc.option(hostileText),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  attempts: fc.integer({ min: 2, max: 9 }),
  doneIn: hostileText,
  matched: hostileText,
  unchanged: hostileText,
  interrupted: hostileText,
  notes: fc.array(hostileText, { minLength: 1, maxLength: 3 }),
};
const doneModel: Model<Done> = {
  ...factsModel,
  status: fc.constantFrom('success', 'failure'),
  summary: hostileText,
  replaced: fc.constant(true),
};
const done = fc.record(doneModel, { requiredKeys: ['status', 'summary'] }) as fc.Arbitrary<Done>;

const actionType = fc.constantFrom<ActionType>(
  ...([
    'CREATE',
    'READ',
    'EDIT',
    'EXECUTE',
    'RESEARCH',
    'CHAT_WITH_USER',
    'INVOKE',
    'CONCLUDE',
    'PRUNE',
  ] as const),
);

const notRun = fc.constant({ status: 'not-run' } as const);

function actionModel(decision: fc.Arbitrary<Decision>, outcome: fc.Arbitrary<ActionRecord['outcome']>) {
  const model: Model<ActionRecord> = {
    type: actionType,
    line: fc.integer({ min: 1, max: 9999 }),
    metadata,
    decision,
    outcome,
    verification: fc.record({
      command: hostileText,
      prepare: fc.option(hostileText),
      confined: fc.boolean(),
    }),
  };
  return fc.record(model, {
    requiredKeys: ['type', 'line', 'metadata', 'decision', 'outcome'],
  }) as fc.Arbitrary<ActionRecord>;
}

const action = fc.oneof(
  { arbitrary: actionModel(approved, done), weight: 5 },
  { arbitrary: actionModel(skipped, notRun), weight: 3 },
  { arbitrary: actionModel(approved, notRun), weight: 1 },
);

const stateChangeModel: Model<StateChangeRecord> = {
  section: fc.constantFrom('Active Context', 'Memos'),
  changes: fc.array(line, { maxLength: 4 }).map((lines) => lines.map((text) => `${text}\n`).join('')),
  decision: fc.oneof(approved, skipped),
  notApplied: fc.array(hostileText, { maxLength: 2 }),
};

const position = fc.integer({ min: 1, max: 99_999 });
const issueModel: Model<Issue> = {
  code: fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/),
  severity: fc.constantFrom('error', 'warning', 'info'),
  message: hostileText,
  line: position,
  column: position,
  action: position,
  hint: hostileText,
};
const issue = fc.record(issueModel, { requiredKeys: ['code', 'severity', 'message'] }) as fc.Arbitrary<Issue>;

const time = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

const runModel: Model<Run> = {
  id: fc.stringMatching(/^20[0-9]{6}-[0-9]{6}-[0-9a-z]{4}$/),
  kind: fc.constantFrom('plan', 'changeset'),
  root: hostileText,
  plan: fc.record({ title: fc.option(hostileText), path }),
  startedAt: time,
  endedAt: time,
  durationMs: fc.oneof(fc.nat(10_000_000), fc.double({ min: 0, max: 1e9, noNaN: true })),
  environment: fc.record({ os: fc.constantFrom('linux', 'darwin'), cwd: hostileText }),
  overall: fc.constantFrom('Completed', 'Partial', 'Failed', 'Skipped'),
  continues: fc.stringMatching(/^20[0-9]{6}-[0-9]{6}-[0-9a-z]{4}$/),
  task: fc.stringMatching(/^[0-9]{2}-[0-9]{2}:[1-9]$/),
  refused: fc.boolean(),
  interrupted: fc.option(hostileText),
  issues: fc.array(issue, { maxLength: 3 }),
  stateChanges: fc.array(fc.record(stateChangeModel), { maxLength: 2 }),
  actions: fc.array(action, { maxLength: 5 }),
};

const requiredKeys = Object.keys(runModel).filter((key) => key !== 'continues' && key !== 'task');

/** Runs of every kind, as `run.json` holds them; their parts need not agree, for a report says what the record says. */
export const anyRun: fc.Arbitrary<Run> = fc
  .record(runModel, { requiredKeys: requiredKeys as ['id'] })
  .map((run) => JSON.parse(JSON.stringify(run)) as Run);

/** The properties that each part of a Run can have, for comparison with the schema. */
export const RUN_FIELDS = {
  run: Object.keys(runModel),
  issue: Object.keys(issueModel),
  stateChange: Object.keys(stateChangeModel),
  action: ['type', 'line', 'metadata', 'decision', 'outcome', 'verification'],
  done: Object.keys(doneModel),
  captured: Object.keys(capturedModel),
  whole: Object.keys(wholeModel),
};
