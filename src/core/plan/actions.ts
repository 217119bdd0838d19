import type { Tree } from '../tree.js';
import type { FileTexts } from './edit/match.js';
import type { FieldLabel } from './metadata.js';
import { type Shown, type Simulated, simulateCreate, simulateEdit, simulateRead } from './simulate.js';
import type { Action, ActionType, Resource } from './types.js';

/** How many fenced blocks an action or a section holds, and what else its body may be. */
export type Slot =
  | 'none'
  /** Exactly one block. */
  | 'one'
  /** One block or more. */
  | 'many'
  /** FIND and REPLACE labels, each with one block. */
  | 'pairs'
  /** Free Markdown up to the next action heading. */
  | 'message';

/**
 * - `writes`: a file of the project, with the next commit.
 * - `looks`: changes nothing but what the next turn sees.
 * - `runs`: a command; its effect on the files is unknown.
 * - `asks`: only the user has the answer.
 * - `hands-over`: ends the turn; only a session can do it, and nothing may follow.
 */
type Effect = 'writes' | 'looks' | 'runs' | 'asks' | 'hands-over';

/** What a rule of a policy can name, besides the action itself. */
type RuleKey = 'path' | 'url' | 'command' | 'overwrite' | 'allowFailure' | 'timeout';

const SLOTS = {
  content: 'one',
  command: 'one',
  edits: 'pairs',
  queries: 'many',
  message: 'message',
  none: 'none',
} as const satisfies Record<string, Slot>;

type ActionOf<T extends ActionType> = Extract<Action, { type: T }>;

interface ActionRow<A extends Action> {
  effect: Effect;
  /** What it does and what its body holds, for the guide. */
  does: string;
  holds: string | null;
  /** In the order in which they are written. */
  labels: readonly FieldLabel[];
  /** The field that its blocks or its message are read into. */
  body: keyof typeof SLOTS;
  ruleKeys: readonly RuleKey[];
  /** What it does to the next turn's context, once it has succeeded. */
  contextOp?: '+' | '-';
  /** What it acts on, and a remark; left out if its body says it. */
  subject?(action: A): { text: string; remark: string };
  /** What it does to a tree, or why it fails there; undefined if the tree does not decide that. */
  simulate?(action: A, tree: Tree, show?: Shown, files?: FileTexts): Simulated | undefined;
  /** As the guide shows it: all of its fields, in the order in which JSON has them. */
  example: Omit<A, 'type' | 'line' | 'metadata'>;
}

/**
 * The nine actions. Parser, repair, writer, checks, guide, policy, review and reports all read this table; how each is
 * run is in `runs/actions.ts`.
 */
export const ACTIONS: { [T in ActionType]: ActionRow<ActionOf<T>> } = {
  CREATE: {
    effect: 'writes',
    does: 'creates a new file, and the folders above it',
    holds: 'the whole file',
    labels: ['File Path', 'Description', 'Overwrite'],
    body: 'content',
    ruleKeys: ['path', 'overwrite'],
    subject: ({ path }) => ({ text: path, remark: '' }),
    simulate: simulateCreate,
    example: {
      path: 'docs/unlock.md',
      description: 'Say how to open an account.',
      // With a fence of its own, so that the example shows how fences grow.
      content: '# Open an account\n\n```sh\nnpm run unlock -- ada\n```\n',
      overwrite: false,
    },
  },
  READ: {
    effect: 'looks',
    does: 'brings a file or a web page into your next input',
    holds: null,
    labels: ['Resource', 'Description', 'Lines'],
    body: 'none',
    ruleKeys: ['path', 'url'],
    contextOp: '+',
    subject: ({ resource, lines }) => ({
      text: resource.target,
      remark: lines === null ? '' : `lines ${lines.from} to ${lines.to}`,
    }),
    simulate: (action, tree) => (action.resource.kind === 'url' ? undefined : simulateRead(action, tree)),
    example: {
      resource: { kind: 'file', target: 'src/login.ts' },
      description: 'See who asks for the limit.',
      lines: null,
    },
  },
  EDIT: {
    effect: 'writes',
    does: 'changes places in a file',
    holds: 'the text to find, and its replacement',
    labels: ['File Path', 'Description'],
    body: 'edits',
    ruleKeys: ['path'],
    subject: ({ path }) => ({ text: path, remark: '' }),
    simulate: simulateEdit,
    example: {
      path: 'src/limit.ts',
      description: 'Count the fifth wrong password, too.',
      edits: [{ find: '  return failures > LIMIT;', replace: '  return failures >= LIMIT;', line: 0 }],
    },
  },
  EXECUTE: {
    effect: 'runs',
    does: 'runs a shell command (rm, mv); the report has its output',
    holds: 'the command',
    labels: ['Description', 'Expected Outcome', 'cwd', 'env', 'Timeout', 'Allow Failure'],
    body: 'command',
    ruleKeys: ['command', 'allowFailure', 'timeout'],
    example: {
      description: 'Test the limit as the CI does.',
      expectedOutcome: 'The last line is `3 passed`.',
      cwd: 'test',
      env: { CI: '1' },
      command: 'npm test -- limit\n',
      timeout: null,
      allowFailure: false,
    },
  },
  RESEARCH: {
    effect: 'looks',
    does: 'searches the web; the report has the results',
    holds: 'one query each',
    labels: ['Description'],
    body: 'queries',
    ruleKeys: [],
    example: {
      description: 'Learn how long others lock an account.',
      queries: ['account lockout duration', 'backoff after wrong passwords'],
    },
  },
  CHAT_WITH_USER: {
    effect: 'asks',
    does: 'says or asks something; the report has the reply',
    holds: 'the message',
    labels: [],
    body: 'message',
    ruleKeys: [],
    example: { message: 'The lock works. Shall it end by itself after an hour, or only by hand?' },
  },
  INVOKE: {
    effect: 'hands-over',
    does: 'hands the work to another agent, which sees your message and these resources, but not your context',
    holds: 'the task',
    labels: ['Agent', 'Handoff Resources'],
    body: 'message',
    ruleKeys: ['path', 'url'],
    subject: ({ agent }) => ({ text: agent, remark: 'takes over' }),
    example: {
      agent: 'debugger',
      handoffResources: [
        { kind: 'file', target: 'src/limit.ts' },
        { kind: 'file', target: 'test/limit.test.ts' },
      ],
      message: 'The test passes alone and fails with the others. Find out why.',
    },
  },
  CONCLUDE: {
    effect: 'hands-over',
    does: 'hands the work back to the agent that invoked you, with your message and these resources',
    holds: 'the result',
    labels: ['Handoff Resources'],
    body: 'message',
    ruleKeys: ['path', 'url'],
    example: {
      handoffResources: [{ kind: 'file', target: 'src/login.ts' }],
      message: 'Found: src/login.ts keeps the count between two tests.',
    },
  },
  PRUNE: {
    effect: 'looks',
    does: 'removes a file or a web page from your next inputs',
    holds: null,
    labels: ['Resource', 'Description'],
    body: 'none',
    ruleKeys: ['path', 'url'],
    contextOp: '-',
    subject: ({ resource }) => ({ text: resource.target, remark: "leaves the agent's context" }),
    example: {
      resource: { kind: 'file', target: 'README.md' },
      description: 'It says nothing about logins.',
    },
  },
};

// Marked for the bundler: the page uses functions of this file, and must not load the table with all that it needs.
export const ACTION_TYPES = /* @__PURE__ */ Object.keys(ACTIONS) as ActionType[];

/** In capitals or not, in a code span or not. */
export function readActionType(name: string): ActionType | undefined {
  const plain = (/^`(.*)`$/.exec(name)?.[1] ?? name).toUpperCase();
  return ACTION_TYPES.find((type) => type === plain);
}

export function slotOf(type: ActionType): Slot {
  return SLOTS[ACTIONS[type].body];
}

function rowOf<A extends Action>(action: A): ActionRow<A> {
  return ACTIONS[action.type] as unknown as ActionRow<A>;
}

/** Files of a changeset are deleted and renamed, too: that is writing. */
export function hasEffect({ type }: { type: ActionType | 'DELETE' | 'RENAME' }, effect: Effect): boolean {
  if (type === 'DELETE' || type === 'RENAME') return effect === 'writes';
  return ACTIONS[type].effect === effect;
}

/** The checks and the run both ask here, on the same overlay, so that they cannot disagree. */
export function simulateAction(
  action: Action,
  tree: Tree,
  show?: Shown,
  files?: FileTexts,
): Simulated | undefined {
  return rowOf(action).simulate?.(action, tree, show, files);
}

/** What an action acts on, and a remark on it; undefined if only its body says it. */
export function subjectOf(action: Action): { text: string; remark: string } | undefined {
  return rowOf(action).subject?.(action);
}

/** What an action is about, in a few words for one line. Of several lines it says how many more there are. */
export function labelAction(action: Action): string {
  const subject = subjectOf(action);
  if (subject) return subject.text;
  if ('queries' in action) return firstOf(action.queries.flatMap(linesOf), 'query', 'queries');
  if ('message' in action)
    return firstOf(
      linesOf(action.message).filter((line) => !FENCE.test(line)),
      'line',
      'lines',
    );
  return firstOf('command' in action ? linesOf(action.command) : [], 'line', 'lines');
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;

function linesOf(text: string): string[] {
  return text.trim().split('\n');
}

function firstOf(items: readonly string[], one: string, many: string): string {
  const more = items.length - 1;
  return more < 1 ? (items[0] ?? '') : `${items[0]} (${more} more ${more === 1 ? one : many})`;
}

/** How a successful action changes the next turn's context. Reading a folder lists it, and adds none of its files. */
export function contextStepOf(
  action: Action,
  tree?: Pick<Tree, 'stat'>,
): { op: '+' | '-'; path: string } | undefined {
  const { contextOp } = ACTIONS[action.type];
  if (!contextOp || !('resource' in action)) return undefined;
  const path = action.resource.target;
  return contextOp === '+' && tree?.stat(path)?.kind === 'folder' ? undefined : { op: contextOp, path };
}

/** The files and pages that an action names. */
export function resourcesOf(action: Action): readonly Resource[] {
  if ('path' in action) return [{ kind: 'file', target: action.path }];
  if ('resource' in action) return [action.resource];
  return 'handoffResources' in action ? action.handoffResources : [];
}

/** The words that decide where an action acts, and what it runs. */
export function decisiveTexts(action: Action): string[] {
  return [
    ...('agent' in action ? [action.agent] : []),
    ...resourcesOf(action).map(({ target }) => target),
    ...('command' in action ? [action.command, action.cwd ?? '', ...Object.entries(action.env).flat()] : []),
  ];
}

/** The texts that an action would write into a file. */
export function writtenTexts(action: Action): string[] {
  if ('content' in action) return [action.content];
  return 'edits' in action ? action.edits.map(({ replace }) => replace) : [];
}
