import type {
  Action,
  ChatAction,
  ConcludeAction,
  CreateAction,
  EditAction,
  ExecuteAction,
  InvokeAction,
  PruneAction,
  ReadAction,
} from '../../../src/core/plan/types.js';
import { writePlan } from '../../../src/core/plan/write.js';

const base = { line: 0, metadata: {} };
const file = (target: string) => ({ kind: 'file', target }) as const;

export function create(path: string, content: string, overwrite = false): CreateAction {
  return { ...base, type: 'CREATE', path, description: 'Make it.', content, overwrite };
}

export function edit(path: string, ...pairs: [find: string, replace: string][]): EditAction {
  const edits = pairs.map(([find, replace]) => ({ find, replace, line: 0 }));
  return { ...base, type: 'EDIT', path, description: 'Change it.', edits };
}

export function read(path: string, from?: number, to?: number): ReadAction {
  const lines = from === undefined ? null : { from, to: to ?? from };
  return { ...base, type: 'READ', resource: file(path), description: 'Look at it.', lines };
}

export function prune(path: string): PruneAction {
  return { ...base, type: 'PRUNE', resource: file(path), description: 'No longer needed.' };
}

export function execute(command: string, more: Partial<ExecuteAction> = {}): ExecuteAction {
  return {
    ...base,
    type: 'EXECUTE',
    description: 'Run it.',
    expectedOutcome: 'It runs.',
    cwd: null,
    env: {},
    command: `${command}\n`,
    timeout: null,
    allowFailure: false,
    ...more,
  };
}

export function chat(message: string): ChatAction {
  return { ...base, type: 'CHAT_WITH_USER', message };
}

export function invoke(agent: string, message: string, ...paths: string[]): InvokeAction {
  return { ...base, type: 'INVOKE', agent, handoffResources: paths.map(file), message };
}

export function conclude(message: string, ...paths: string[]): ConcludeAction {
  return { ...base, type: 'CONCLUDE', handoffResources: paths.map(file), message };
}

export interface Around {
  title?: string;
  memos?: readonly string[];
  context?: readonly string[];
}

/** The text of a plan. Memos and context: `+ text` or `- text`. */
export function planOf(
  actions: Action[],
  { title = 'A plan', memos = [], context = [] }: Around = {},
): string {
  const change = (line: string) => ({
    op: line[0] as '+' | '-',
    text: line.slice(2),
    comment: null,
    line: 0,
  });
  return writePlan({
    title,
    metadata: { Status: 'Green 🟢', 'Plan Type': 'Implementation', Agent: 'Developer' },
    rationale:
      '### 1. Synthesis\na\n### 2. Justification\nb\n### 3. Expected Outcome\nc\n### 4. State Dashboard\nd\n',
    activeContext: context.map(change).map(({ text, ...rest }) => ({ ...rest, path: text })),
    memos: memos.map(change),
    actions,
  });
}
