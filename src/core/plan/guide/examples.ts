import { RATIONALE_SECTIONS } from '../grammar.js';
import type { Action, ActionType, Plan } from '../types.js';

/** The project that the examples are about. On it none of them would fail. */
export const EXAMPLE_FILES: Record<string, string> = {
  'README.md': '# Door\n\nLogins for everyone.\n',
  'docs/login.md': '# Login\n\nAn account stays open, whatever happens.\n',
  'src/limit.ts':
    'export const LIMIT = 5;\n\nexport function isLocked(failures: number): boolean {\n  return failures > LIMIT;\n}\n',
  'src/login.ts':
    "import { isLocked } from './limit.js';\n\nexport const open = (failures: number) => !isLocked(failures);\n",
  'test/limit.test.ts': "import { isLocked } from '../src/limit.js';\n\nconsole.assert(isLocked(5));\n",
};

export const EXAMPLE_MEMOS: readonly string[] = ['Accounts are never locked.'];

const unwritten = { line: 0, metadata: {} };

/** Each action as a guide shows it. */
export const ACTION_EXAMPLES: { [T in ActionType]: Extract<Action, { type: T }> } = {
  CREATE: {
    ...unwritten,
    type: 'CREATE',
    path: 'docs/unlock.md',
    description: 'Say how to open an account.',
    // With a fence of its own, so that the example shows how fences grow.
    content: '# Open an account\n\n```sh\nnpm run unlock -- ada\n```\n',
    overwrite: false,
  },
  READ: {
    ...unwritten,
    type: 'READ',
    resource: { kind: 'file', target: 'src/login.ts' },
    description: 'See who asks for the limit.',
    lines: null,
  },
  EDIT: {
    ...unwritten,
    type: 'EDIT',
    path: 'src/limit.ts',
    description: 'Count the fifth wrong password, too.',
    edits: [{ find: '  return failures > LIMIT;', replace: '  return failures >= LIMIT;', line: 0 }],
  },
  EXECUTE: {
    ...unwritten,
    type: 'EXECUTE',
    description: 'Test the limit as the CI does.',
    expectedOutcome: 'The last line is `3 passed`.',
    cwd: 'test',
    env: { CI: '1' },
    command: 'npm test -- limit\n',
    timeout: null,
    allowFailure: false,
  },
  RESEARCH: {
    ...unwritten,
    type: 'RESEARCH',
    description: 'Learn how long others lock an account.',
    queries: ['account lockout duration', 'backoff after wrong passwords'],
  },
  CHAT_WITH_USER: {
    ...unwritten,
    type: 'CHAT_WITH_USER',
    message: 'The lock works. Shall it end by itself after an hour, or only by hand?',
  },
  INVOKE: {
    ...unwritten,
    type: 'INVOKE',
    agent: 'debugger',
    handoffResources: [
      { kind: 'file', target: 'src/limit.ts' },
      { kind: 'file', target: 'test/limit.test.ts' },
    ],
    message: 'The test passes alone and fails with the others. Find out why.',
  },
  CONCLUDE: {
    ...unwritten,
    type: 'CONCLUDE',
    handoffResources: [{ kind: 'file', target: 'src/login.ts' }],
    message: 'Found: src/login.ts keeps the count between two tests.',
  },
  PRUNE: {
    ...unwritten,
    type: 'PRUNE',
    resource: { kind: 'file', target: 'README.md' },
    description: 'It says nothing about logins.',
  },
};

const RATIONALE: Record<(typeof RATIONALE_SECTIONS)[number], string> = {
  Synthesis: 'The new test fails as it should: five wrong passwords leave the account open.',
  Justification: 'One comparison in src/limit.ts decides it, and the input shows it.',
  'Expected Outcome':
    'All tests pass; docs/login.md is next. If one fails, the next plan looks into that one.',
  'State Dashboard': '- Failing test: done\n- Fix: this plan\n- Docs: next',
};

/** A whole plan, of a middle turn. */
export const EXAMPLE_PLAN: Plan = {
  title: 'Lock an account at the fifth wrong password',
  metadata: { Status: 'Green 🟢', 'Plan Type': 'Implementation', Agent: 'developer' },
  rationale: RATIONALE_SECTIONS.map((name, i) => `### ${i + 1}. ${name}\n${RATIONALE[name]}\n`).join('\n'),
  activeContext: [
    { op: '+', path: 'docs/login.md', comment: 'corrected next', line: 0 },
    { op: '-', path: 'README.md', comment: null, line: 0 },
  ],
  memos: [
    {
      op: '+',
      text: 'An account is locked at the fifth wrong password.',
      comment: 'the user decided',
      line: 0,
    },
    { op: '-', text: 'Accounts are never locked.', comment: null, line: 0 },
  ],
  actions: [
    ACTION_EXAMPLES.EDIT,
    {
      ...unwritten,
      type: 'EXECUTE',
      description: 'See that the new test passes, and all others.',
      expectedOutcome: 'Exit code 0, and `12 passed`.',
      cwd: null,
      env: {},
      command: 'npm test\n',
      timeout: null,
      allowFailure: false,
    },
  ],
};
