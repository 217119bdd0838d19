import { ACTION_TYPES } from '../../../src/core/plan/actions.js';

// JSON Schema of `run.json`: the type Run in record.ts, field by field; a test compares the two.

const text = (description: string) => ({ type: 'string', description });
const count = (description: string, minimum = 0) => ({ type: 'integer', minimum, description });
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });

/** An object without any other property. What is not optional is required. */
function object(description: string, required: object, optional: object = {}) {
  return {
    type: 'object',
    description,
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

const time = (description: string) => ({
  ...text(description),
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
});

const facts = {
  output: { ...ref('captured'), description: 'Standard output, the content read, or the results found.' },
  error: { ...ref('captured'), description: 'Standard error, or what went wrong.' },
  reply: text("The user's reply."),
  exitCode: { type: 'integer', description: 'Of the command.' },
  ended: text('How a command ended that did not end by itself.'),
  expectedOutcome: ref('expectedOutcome'),
  ranAs: text("The user changed the action: this is what ran, in the plan's format."),
  kept: ref('kept'),
  attempts: count('How many times the command ran, where that was more than once.', 2),
  changed: {
    type: 'array',
    items: ref('fileChange'),
    description: 'EXECUTE: what the command changed in files that undo covers.',
  },
  unrestorable: {
    type: 'array',
    items: ref('unrestorable'),
    minItems: 1,
    description: 'EXECUTE: what it changed and undo leaves as it is.',
  },
  moved: {
    type: 'array',
    items: ref('moved'),
    minItems: 1,
    description: 'EXECUTE: where it moved HEAD, branches or the stash.',
  },
  doneIn: text('The continued run in which it succeeded; it was not run again.'),
  matched: text('How FIND was matched, if not exactly.'),
  replaced: { const: true, description: 'CREATE: there was a file at its path.' },
  unchanged: text('Why nothing was written.'),
  interrupted: text('The run ended while the action was under way: what is known of its effects.'),
  notes: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description: 'Anything else a reader must know, one sentence each.',
  },
};

const RUN_ID = '^\\d{8}-\\d{6}-[0-9a-z]{4}$';

export const RUN_SCHEMA: object = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'teddy run',
  ...object(
    'One run of a plan: decisions and outcomes.',
    {
      id: { ...text('Names the run, and its folder.'), pattern: RUN_ID },
      kind: { enum: ['plan', 'changeset'], description: 'What it ran.' },
      root: text('The folder that it was run in, as an absolute path without links.'),
      plan: object('What was run.', {
        title: {
          type: ['string', 'null'],
          description: "The plan's title; null if it could not be read.",
        },
        path: text("From the root: the plan's own path, or that of its copy in the run's folder."),
      }),
      startedAt: time('ISO 8601, UTC, with milliseconds.'),
      endedAt: time('ISO 8601, UTC, with milliseconds.'),
      durationMs: {
        type: 'number',
        minimum: 0,
        description: 'Measured, and so not always the difference of the two times.',
      },
      environment: object('Where it ran.', {
        os: text('linux or darwin.'),
        cwd: text('The root, as an absolute path.'),
      }),
      overall: {
        enum: ['Completed', 'Partial', 'Failed', 'Skipped'],
        description: 'The outcome of the run as a whole.',
      },
      refused: { type: 'boolean', description: 'The plan was not run at all; `issues` says why.' },
      interrupted: {
        type: ['string', 'null'],
        description: 'Why the run ended before its plan did: a sentence.',
      },
      issues: { type: 'array', items: ref('issue'), description: 'All problems found before the run.' },
      stateChanges: { type: 'array', items: ref('stateChange') },
      actions: { type: 'array', items: ref('action'), description: "In the plan's order." },
    },
    {
      continues: {
        ...text('The run that this one continues. What succeeded there did not run again.'),
        pattern: RUN_ID,
      },
      task: text('The id of the task whose work it is, as TEDDY_TASK_ID had it.'),
    },
  ),
  $defs: {
    issue: object(
      'One problem of the plan.',
      {
        code: { ...text('Listed in docs/issues.md.'), pattern: '^[a-z][a-z0-9-]*$' },
        severity: { enum: ['error', 'warning', 'info'] },
        message: text('What is wrong, and where.'),
      },
      {
        line: count('Of the plan as received.', 1),
        column: count('In that line, in UTF-16 units.', 1),
        action: count('The number of the action that it belongs to.', 1),
        hint: text('What to write instead.'),
      },
    ),
    decider: {
      enum: ['person', 'rest', 'yes', 'decisions', 'policy', 'teddy'],
      description:
        'The user for this one, the user for all the rest, --yes, a decisions file, the policy, or a rule of teddy itself.',
    },
    comments: {
      type: 'array',
      description: "The user's comments for the agent.",
      items: object('One comment.', {
        line: { type: ['integer', 'null'], minimum: 1, description: 'Of the new file; null: on all of it.' },
        text: text('As it was written.'),
      }),
    },
    approved: object(
      'The action was approved.',
      { status: { const: 'approved' }, by: ref('decider') },
      { comments: ref('comments') },
    ),
    skipped: object(
      'The action was skipped.',
      {
        status: { const: 'skipped' },
        by: ref('decider'),
        reason: { type: ['string', 'null'], description: 'As it was given; null when none was.' },
      },
      { comments: ref('comments') },
    ),
    stateChange: object('A change to what the agent sees or remembers.', {
      section: { enum: ['Active Context', 'Memos'] },
      changes: {
        ...text('The proposed lines, each with its newline.'),
        pattern: '(?:^|\\n)$',
      },
      decision: { anyOf: [ref('approved'), ref('skipped')] },
      notApplied: {
        type: 'array',
        items: { type: 'string' },
        description: 'Each line of an approved change that could not be applied, and why.',
      },
    }),
    action: {
      ...object(
        'One action: its decision and its outcome.',
        {
          type: { enum: [...ACTION_TYPES, 'DELETE', 'RENAME'] },
          line: count('Of its heading, in the plan as received.', 1),
          metadata: {
            type: 'object',
            description: "As written in the plan, and in the plan's order.",
            propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9 _-]*$' },
            additionalProperties: { type: 'string' },
          },
          decision: { anyOf: [ref('approved'), ref('skipped')] },
          outcome: { anyOf: [ref('notRun'), ref('done')] },
        },
        { verification: ref('landingCheck') },
      ),
      // What was skipped was not run.
      anyOf: [{ properties: { decision: ref('approved') } }, { properties: { outcome: ref('notRun') } }],
    },
    landingCheck: object('How what a changeset would make of the project was verified.', {
      command: text('As it was run.'),
      prepare: { type: ['string', 'null'], description: 'What ran first; null for nothing.' },
      confined: { type: 'boolean', description: 'Whether it ran confined.' },
    }),
    notRun: object('Nothing was done.', { status: { const: 'not-run' } }),
    done: object(
      'It was tried.',
      { status: { enum: ['success', 'failure'] }, summary: text('One sentence.') },
      facts,
    ),
    fileChange: object('What became of a file.', {
      path: text('From the root.'),
      change: { enum: ['created', 'edited', 'deleted'], description: 'What the command did.' },
    }),
    unrestorable: object('A file that undo does not restore.', {
      path: text('From the root.'),
      reason: text('Completes the sentence "<path> …".'),
    }),
    moved: object('HEAD, a branch or the stash.', {
      name: text('Its short name.'),
      from: { type: ['string', 'null'], description: 'A commit or branch; null for none.' },
      to: { type: ['string', 'null'], description: 'A commit or branch; null for none.' },
      revert: text('The command that moves it back.'),
    }),
    kept: object('The user kept only some of the changes to the file.', {
      count: count('How many changes were written.'),
      dropped: { type: 'array', items: ref('dropped'), minItems: 1 },
    }),
    dropped: object('A change that the user dropped.', {
      id: { ...text('A hash of path and content.'), pattern: '^[0-9a-f]{16}(?:-\\d{1,9})?$' },
      change: text('The lines of its diff.'),
      reason: { type: ['string', 'null'], description: 'As it was given; null when none was.' },
    }),
    captured: object(
      'Text for a reader. Where it is not all, it says so in its middle.',
      { text: { type: 'string' } },
      {
        language: { ...text('What the text is written in.'), pattern: '^[A-Za-z0-9_+#.-]{1,40}$' },
        whole: object('Where all of it is.', {
          file: { type: ['string', 'null'], description: 'From the root; null when it was not kept.' },
          bytes: count('Of the whole.'),
          lines: count('Of the whole.'),
        }),
      },
    ),
    expectedOutcome: object('Texts that the Expected Outcome quotes, looked for in the output.', {
      met: { type: 'boolean' },
      missing: { type: 'array', items: { type: 'string' }, description: 'Those that are not there.' },
    }),
  },
};
