import { ACTION_TYPES, ACTIONS } from '../actions.js';
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
export const ACTION_EXAMPLES = Object.fromEntries(
  ACTION_TYPES.map((type) => [type, { ...unwritten, type, ...ACTIONS[type].example }]),
) as unknown as { [T in ActionType]: Extract<Action, { type: T }> };

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
