import { fenceFor } from '../../markdown/lines.js';
import { ACTION_TYPES, hasEffect } from '../actions.js';
import { HEADER_LABELS, RATIONALE_SECTIONS, SECTIONS, type SectionName } from '../grammar.js';
import type { PlanIssueCode } from '../issue-codes.js';
import type { Action, ActionType } from '../types.js';
import { writeAction } from '../write.js';
import { ACTION_EXAMPLES } from './examples.js';

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

/**
 * One sentence for the model, and plans that it rules out: each code is the first that the parser, or else the checks on
 * the example's project, give for its breach. So a sentence that the parser does not hold to fails a test.
 */
export interface Rule {
  part: RulePart;
  rule: string;
  breaches: Partial<Record<PlanIssueCode, Breach>>;
}

export type RulePart = 'shape' | 'actions' | 'paths' | 'edits';

const HEADER_NOTES: Record<(typeof HEADER_LABELS)[number], string> = {
  Status: 'how the work goes: Green 🟢, Yellow 🟡 or Red 🔴',
  'Plan Type': 'a word or two',
  Agent: 'your name',
};

const RATIONALE_NOTES: Record<(typeof RATIONALE_SECTIONS)[number], string> = {
  Synthesis: 'what the last report means',
  Justification: 'why this is the next step',
  'Expected Outcome': 'what comes next if it works, and if not',
  'State Dashboard': 'where the whole work stands',
};

const section = (name: SectionName) => `\`## ${name}\``;
const header = HEADER_LABELS.map((label) => `\`${label}\` (${HEADER_NOTES[label]})`).join(', ');
const thoughts = RATIONALE_SECTIONS.map((name, i) => `\`### ${i + 1}. ${name}\` (${RATIONALE_NOTES[name]})`);
const endings = ACTION_TYPES.filter((type) => hasEffect({ type }, 'hands-over')).map((type) => `\`${type}\``);

export const RULES: readonly Rule[] = [
  {
    part: 'shape',
    rule: 'Answer with the plan alone: no greeting, no remark, no fence around it.',
    breaches: {
      'plan-unreadable': () => 'I would lock the account at the fifth wrong password. Shall I?',
      'chatter-dropped': (plan) => `Here is the plan:\n\n${plan}`,
      'plan-unwrapped': (plan) => `${fenceFor(plan)}markdown\n${plan}${fenceFor(plan)}\n`,
    },
  },
  {
    part: 'shape',
    rule: 'It begins with its title, the only `#` heading outside the blocks.',
    breaches: {
      'title-missing': cut('# Lock', '## Rationale'),
      'title-repeated': swap('## Action Plan', '# The plan itself\n\n## Action Plan'),
    },
  },
  {
    part: 'shape',
    rule: `Under the title: ${header}.`,
    breaches: { 'header-incomplete': cutLine('- **Plan Type:**') },
  },
  {
    part: 'shape',
    rule: `Then ${SECTIONS.map(section).join(', ')}, in this order, each once. ${section('Active Context')} and ${section('Memos')} are there only if they change something.`,
    breaches: {
      'section-missing': cut('## Rationale', '## Active Context'),
      'section-repeated': swap('## Action Plan', `## Rationale\n${block('Once more.')}\n\n## Action Plan`),
      'section-order': (plan) =>
        swap(
          '## Action Plan',
          '## Active Context\n````\n[-] README.md\n````\n\n## Action Plan',
        )(cut('## Active Context', '## Memos')(plan)),
    },
  },
  {
    part: 'shape',
    rule: `${section('Rationale')} is one fenced block that holds, in this order, ${thoughts.join(', ')}.`,
    breaches: {
      'block-missing': cut('````text', '## Active Context'),
      'block-empty': cut('### 1. Synthesis', '````'),
      'rationale-incomplete': swap('### 2. Justification', '### 2. Why'),
    },
  },
  {
    part: 'shape',
    rule: `${section('Active Context')} (what your next input shows) and ${section('Memos')} are one fenced block each, a change a line: \`[+]\` adds, \`[-]\` takes out; \` # \` begins a comment.`,
    breaches: { 'change-invalid': swap('[-] README.md', '- README.md') },
  },
  {
    part: 'shape',
    rule: 'A memo is taken out by its exact words, and not added twice.',
    breaches: {
      'memo-missing': swap('[-] Accounts are never locked.', '[-] Accounts are not locked.'),
      'memo-exists': swap('[-] Accounts are never locked.', '[+] Accounts are never locked.'),
    },
  },
  {
    part: 'shape',
    rule: `${section('Action Plan')} holds one action or more, each under a \`###\` heading with its name in capitals between backticks. Nothing else stands between them.`,
    breaches: {
      'actions-missing': acts(''),
      'action-unknown': (plan) => acts(`${writeAction(ACTION_EXAMPLES.READ)}\n\n### \`DELETE\``)(plan),
      'heading-unexpected': swap('### `EXECUTE`', '## Then\n\n### `EXECUTE`'),
      'action-style': swap('### `EXECUTE`', '### Execute'),
      'text-stray': swap('### `EXECUTE`', 'Now the tests.\n\n### `EXECUTE`'),
    },
  },
  {
    part: 'actions',
    rule: 'First the metadata, each as `- **Label:** value`, with no label but those below. Never leave out a `Description`, which says why, or an `Expected Outcome`.',
    breaches: {
      'metadata-missing': cutLine('- **File Path:**'),
      'metadata-unknown': swap('### `EXECUTE`\n', '### `EXECUTE`\n- **Shell:** bash\n'),
      'metadata-style': swap('- **File Path:**', '- File Path:'),
      'metadata-invalid': swap('### `EXECUTE`\n', '### `EXECUTE`\n- **Timeout:** soon\n'),
      'description-missing': cutLine('- **Description:**'),
      'outcome-missing': cutLine('- **Expected Outcome:**'),
    },
  },
  {
    part: 'actions',
    rule: 'Then its blocks or its message: none missing, none empty, nothing more.',
    breaches: {
      'block-missing': acts('### `RESEARCH`\n- **Description:** Learn more.'),
      'block-empty': changed('EXECUTE', { command: '' }),
      'block-unexpected': (plan) => acts(`${writeAction(ACTION_EXAMPLES.READ)}\n\n${block('12-20')}`)(plan),
      'create-empty': changed('CREATE', { content: '' }),
      'message-missing': changed('CHAT_WITH_USER', { message: '' }),
    },
  },
  {
    part: 'actions',
    rule: 'Open and close each block with more backticks than any run in it: four as a rule, five around four.',
    breaches: {
      'answer-cut-off': acts(
        '### `EXECUTE`\n- **Description:** Test.\n- **Expected Outcome:** `0 failed`\n````shell\nnpm te',
      ),
      'fence-ambiguous': acts(
        '### `CREATE`\n- **File Path:** [docs/unlock.md](/docs/unlock.md)\n- **Description:** Say how.\n```markdown\n# How\n\n```sh\nnpm test\n```\n\nThat is all.\n\n### `CHAT_WITH_USER`\nIs that enough?',
      ),
    },
  },
  {
    part: 'actions',
    rule: `${endings.join(' and ')} end the turn: nothing follows them. Invoke agents that you know of, and conclude only if one invoked you.`,
    breaches: {
      'action-after-end': (plan) =>
        acts(`${writeAction(ACTION_EXAMPLES.CONCLUDE)}\n\n${writeAction(ACTION_EXAMPLES.READ)}`)(plan),
      'agent-unknown': changed('INVOKE', { agent: 'locksmith' }),
      'caller-missing': changed('CONCLUDE', {}),
    },
  },
  {
    part: 'paths',
    rule: 'A path is only a link from the project root, the same on both sides: `[src/limit.ts](/src/limit.ts)`. A web page is `[URL](URL)`, http or https.',
    breaches: {
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
  },
  {
    part: 'paths',
    rule: 'No path leads out of the root. Nothing is written under `.git`, `.teddy` or `.ultraplan`. A `File Path` is neither a folder nor a URL.',
    breaches: {
      'path-outside': changed('CREATE', { path: '../unlock.md' }),
      'path-protected': changed('CREATE', { path: '.teddy/config.yaml' }),
      'path-invalid': swap('[src/limit.ts](/src/limit.ts)', '[src/](/src/)'),
    },
  },
  {
    part: 'paths',
    rule: '`CREATE` needs a path where nothing is, unless `Overwrite` is `true`. `EDIT` and `READ` need a text file, `cwd` a folder. What the actions before have done counts.',
    breaches: {
      'file-exists': changed('CREATE', { path: 'docs/login.md' }),
      'file-missing': changed('EDIT', { path: 'src/limits.ts' }),
      'file-refused': changed('CREATE', { path: 'src/limit.ts/index.ts' }),
      'cwd-missing': changed('EXECUTE', { cwd: 'tests' }),
      'lines-outside': changed('READ', { lines: { from: 40, to: 60 } }),
      'resource-missing': swap('[+] docs/login.md', '[+] docs/logins.md'),
    },
  },
  {
    part: 'edits',
    rule: 'Each FIND has a REPLACE after it, which differs; an empty one deletes. Small pairs are best.',
    breaches: {
      'find-without-replace': cut('`REPLACE:`', '### `EXECUTE`'),
      'replace-without-find': cut('`FIND:`', '`REPLACE:`'),
      'find-empty': changed('EDIT', { edits: [{ find: '', replace: '// limits', line: 0 }] }),
      'find-equals-replace': changed('EDIT', {
        edits: [{ find: 'LIMIT = 5', replace: 'LIMIT = 5', line: 0 }],
      }),
    },
  },
  {
    part: 'edits',
    rule: 'FIND is copied from the file as the input shows it: every character, white space too, nothing left out in the middle, no half words at its ends. Never write it from memory.',
    breaches: {
      'find-missing': changed('EDIT', {
        edits: [{ find: 'return failures > MAX;', replace: 'return true;', line: 0 }],
      }),
    },
  },
  {
    part: 'edits',
    rule: 'FIND stands in the file exactly once: take neighbouring lines along until it does. It is never the whole file.',
    breaches: {
      'find-ambiguous': changed('EDIT', { edits: [{ find: 'LIMIT', replace: 'MOST', line: 0 }] }),
      'find-whole-file': changed('EDIT', {
        path: 'README.md',
        edits: [{ find: '# Door\n\nLogins for everyone.', replace: '# Door', line: 0 }],
      }),
    },
  },
  {
    part: 'edits',
    rule: '`[masked:…]` in what you see stands for a secret. Never write it: change the lines around it.',
    breaches: { 'content-masked': changed('CREATE', { content: 'KEY=[masked:0a1b2c3d]\n' }) },
  },
];
