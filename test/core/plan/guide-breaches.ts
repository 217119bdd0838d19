import { fenceFor } from '../../../src/core/markdown/lines.js';
import { ACTION_EXAMPLES, type RULES } from '../../../src/core/plan/guide.js';
import type { PlanIssueCode } from '../../../src/core/plan/issues.js';
import type { Action, ActionType } from '../../../src/core/plan/types.js';
import { writeAction } from '../../../src/core/plan/write.js';

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

/** The text of the example plan, made into one that breaks a rule. */
type Breach = (plan: string) => string;

function swap(text: string, other: string): Breach {
  return (plan) => plan.replace(text, () => other);
}

/** Takes out all from the first `from` to where `upTo` begins. */
function cut(from: string, upTo: string): Breach {
  return (plan) => {
    const start = plan.indexOf(from);
    return plan.slice(0, start) + plan.slice(plan.indexOf(upTo, start + from.length));
  };
}

/** Takes out the first line that begins so. */
function cutLine(start: string): Breach {
  return (plan) => {
    const at = plan.indexOf(`\n${start}`);
    return plan.slice(0, at) + plan.slice(plan.indexOf('\n', at + 1));
  };
}

/** Puts this text in the place of all actions. */
function acts(text: string): Breach {
  return (plan) => `${plan.slice(0, plan.indexOf('## Action Plan'))}## Action Plan\n\n${text}\n`;
}

/** Puts one action in the place of all: its example, with something changed. */
function changed<T extends ActionType>(type: T, change: Partial<Extract<Action, { type: T }>>): Breach {
  return (plan) => acts(writeAction({ ...ACTION_EXAMPLES[type], ...change }))(plan);
}

function block(content: string): string {
  const fence = fenceFor(content);
  return `${fence}\n${content}\n${fence}`;
}

type Rules = typeof RULES;
type RuleName = { [Part in keyof Rules]: keyof Rules[Part] }[keyof Rules];

/**
 * Plans that each rule of the guide rules out: each code is the first that the parser, or else the checks on the example's
 * project, give for its breach. So a sentence that the parser does not hold to fails a test.
 */
export const BREACHES: Record<RuleName, Partial<Record<PlanIssueCode, Breach>>> = {
  answer: {
    'plan-unreadable': () => 'I would lock the account at the fifth wrong password. Shall I?',
    'chatter-dropped': (plan) => `Here is the plan:\n\n${plan}`,
    'plan-unwrapped': (plan) => `${fenceFor(plan)}markdown\n${plan}${fenceFor(plan)}\n`,
  },
  title: {
    'title-missing': cut('# Lock', '## Rationale'),
    'title-repeated': swap('## Action Plan', '# The plan itself\n\n## Action Plan'),
  },
  header: { 'header-incomplete': cutLine('- **Plan Type:**') },
  sections: {
    'section-missing': cut('## Rationale', '## Active Context'),
    'section-repeated': swap('## Action Plan', `## Rationale\n${block('Once more.')}\n\n## Action Plan`),
    'section-order': (plan) =>
      swap(
        '## Action Plan',
        '## Active Context\n````\n[-] README.md\n````\n\n## Action Plan',
      )(cut('## Active Context', '## Memos')(plan)),
  },
  rationale: {
    'block-missing': cut('````text', '## Active Context'),
    'block-empty': cut('### 1. Synthesis', '````'),
    'rationale-incomplete': swap('### 2. Justification', '### 2. Why'),
  },
  changes: { 'change-invalid': swap('[-] README.md', '- README.md') },
  memos: {
    'memo-missing': swap('[-] Accounts are never locked.', '[-] Accounts are not locked.'),
    'memo-exists': swap('[-] Accounts are never locked.', '[+] Accounts are never locked.'),
  },
  actionPlan: {
    'actions-missing': acts(''),
    'action-unknown': (plan) => acts(`${writeAction(ACTION_EXAMPLES.READ)}\n\n### \`DELETE\``)(plan),
    'heading-unexpected': swap('### `EXECUTE`', '## Then\n\n### `EXECUTE`'),
    'action-style': swap('### `EXECUTE`', '### Execute'),
    'text-stray': swap('### `EXECUTE`', 'Now the tests.\n\n### `EXECUTE`'),
  },
  metadata: {
    'metadata-missing': cutLine('- **File Path:**'),
    'metadata-unknown': swap('### `EXECUTE`\n', '### `EXECUTE`\n- **Shell:** bash\n'),
    'metadata-style': swap('- **File Path:**', '- File Path:'),
    'metadata-invalid': swap('### `EXECUTE`\n', '### `EXECUTE`\n- **Timeout:** soon\n'),
    'description-missing': cutLine('- **Description:**'),
    'outcome-missing': cutLine('- **Expected Outcome:**'),
  },
  bodies: {
    'block-missing': acts('### `RESEARCH`\n- **Description:** Learn more.'),
    'block-empty': changed('EXECUTE', { command: '' }),
    'command-prompt': changed('EXECUTE', { command: '$ npm test\n' }),
    'block-unexpected': (plan) => acts(`${writeAction(ACTION_EXAMPLES.READ)}\n\n${block('12-20')}`)(plan),
    'create-empty': changed('CREATE', { content: '' }),
    'message-missing': changed('CHAT_WITH_USER', { message: '' }),
  },
  fences: {
    'answer-cut-off': acts(
      '### `EXECUTE`\n- **Description:** Test.\n- **Expected Outcome:** `0 failed`\n````shell\nnpm te',
    ),
    'fence-ambiguous': acts(
      '### `CREATE`\n- **File Path:** [docs/unlock.md](/docs/unlock.md)\n- **Description:** Say how.\n```markdown\n# How\n\n```sh\nnpm test\n```\n\nThat is all.\n\n### `CHAT_WITH_USER`\nIs that enough?',
    ),
  },
  endings: {
    'action-after-end': (plan) =>
      acts(`${writeAction(ACTION_EXAMPLES.CONCLUDE)}\n\n${writeAction(ACTION_EXAMPLES.READ)}`)(plan),
    'agent-unknown': changed('INVOKE', { agent: 'locksmith' }),
    'caller-missing': changed('CONCLUDE', {}),
  },
  paths: {
    'path-remark': swap('[src/limit.ts](/src/limit.ts)', 'src/limit.ts (the limit)'),
    'path-decorated': swap('[src/limit.ts](/src/limit.ts)', '**src/limit.ts**'),
    'path-backslash': swap('[src/limit.ts](/src/limit.ts)', 'src\\limit.ts'),
    'path-style': swap('[src/limit.ts](/src/limit.ts)', 'src/limit.ts'),
    'path-slash': swap('(/src/limit.ts)', '(src/limit.ts)'),
    'link-text': swap('[src/limit.ts]', '[the limit]'),
    'url-invalid': acts(
      '### `READ`\n- **Resource:** [the log](ftp://example.com/log)\n- **Description:** See it.',
    ),
  },
  places: {
    'path-outside': changed('CREATE', { path: '../unlock.md' }),
    'path-protected': changed('CREATE', { path: '.teddy/config.yaml' }),
    'path-invalid': swap('[src/limit.ts](/src/limit.ts)', '[src/](/src/)'),
  },
  targets: {
    'file-exists': changed('CREATE', { path: 'docs/login.md' }),
    'file-missing': changed('EDIT', { path: 'src/limits.ts' }),
    'file-refused': changed('CREATE', { path: 'src/limit.ts/index.ts' }),
    'cwd-missing': changed('EXECUTE', { cwd: 'tests' }),
    'lines-outside': changed('READ', { lines: { from: 40, to: 60 } }),
    'resource-missing': swap('[+] docs/login.md', '[+] docs/logins.md'),
  },
  pairs: {
    'edit-style': acts(
      '### `EDIT`\n- **File Path:** [src/limit.ts](/src/limit.ts)\n- **Description:** Count.\n\n````diff\n@@ @@\n-  return failures > LIMIT;\n+  return failures >= LIMIT;\n````',
    ),
    'edit-invalid': acts(
      '### `EDIT`\n- **File Path:** [src/limit.ts](/src/limit.ts)\n- **Description:** Count.\n\n````diff\n@@ @@\nexport const LIMIT = 5;\n+// at most\n````',
    ),
    'find-without-replace': cut('`REPLACE:`', '### `EXECUTE`'),
    'replace-without-find': cut('`FIND:`', '`REPLACE:`'),
    'find-empty': changed('EDIT', { edits: [{ find: '', replace: '// limits', line: 0 }] }),
    'find-equals-replace': changed('EDIT', {
      edits: [{ find: 'LIMIT = 5', replace: 'LIMIT = 5', line: 0 }],
    }),
  },
  find: {
    'find-missing': changed('EDIT', {
      edits: [{ find: 'return failures > MAX;', replace: 'return true;', line: 0 }],
    }),
  },
  whole: {
    elision: changed('EDIT', {
      edits: [{ find: '  return failures > LIMIT;', replace: '  // ... existing code ...', line: 0 }],
    }),
    'elision-suspect': changed('CREATE', { path: 'src/open.ts', content: 'open();\n// ...\n' }),
  },
  unique: {
    'find-ambiguous': changed('EDIT', { edits: [{ find: 'LIMIT', replace: 'MOST', line: 0 }] }),
    'find-whole-file': changed('EDIT', {
      path: 'README.md',
      edits: [{ find: '# Door\n\nLogins for everyone.', replace: '# Door', line: 0 }],
    }),
  },
  masks: { 'content-masked': changed('CREATE', { content: 'KEY=[masked:0a1b2c3d]\n' }) },
};
