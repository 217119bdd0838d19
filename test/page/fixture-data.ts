import type {
  ActionDetail,
  ActionView,
  Inbox,
  InboxQuestion,
  RunItem,
  RunView,
} from '../../src/faces/web/api.js';
import type { ActionQuestion, Preview, Risk } from '../../src/review/question.js';

// A project as the server would describe it: one review, one run that is over, and questions of every kind.

const NOW = Date.now();
export const minutesAgo = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

export const RUN = '20261118-070112-ab3f';
export const TITLE = 'Retry failed uploads with a growing delay';

export const BEFORE = `import { request } from './http.js';

export interface Upload {
  path: string;
  bytes: Uint8Array;
}

/** Uploads one file. */
export async function upload(file: Upload): Promise<void> {
  await request('PUT', file.path, file.bytes);
}

export function sizeOf(files: readonly Upload[]): number {
  let size = 0;
  for (const file of files) size += file.bytes.length;
  return size;
}

export function describe(file: Upload): string {
  return file.path + ' (' + file.bytes.length + ' bytes)';
}

/** All of them, one after the other. */
export async function uploadAll(files: readonly Upload[]): Promise<number> {
  for (const file of files) await upload(file);
  return files.length;
}
`;

export const AFTER = `import { request } from './http.js';
import { retry } from './retry.js';

export interface Upload {
  path: string;
  bytes: Uint8Array;
}

/** Uploads one file, up to four times. */
export async function upload(file: Upload): Promise<void> {
  await retry(4, () => request('PUT', file.path, file.bytes));
}

export function sizeOf(files: readonly Upload[]): number {
  let size = 0;
  for (const file of files) size += file.bytes.length;
  return size;
}

export function describe(file: Upload): string {
  return \`\${file.path} (\${file.bytes.length} bytes)\`;
}

/** All of them, one after the other. */
export async function uploadAll(files: readonly Upload[]): Promise<number> {
  for (const file of files) await upload(file);
  return files.length;
}
`;

const RETRY = `const FIRST_WAIT_MS = 200;

/** Tries again after a growing delay, and throws the last error. */
export async function retry<T>(attempts: number, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}
`;

const RATIONALE = `Uploads fail now and then because the store answers **503** while it restarts. The client gives up at once.

- \`retry\` waits 0.4 s, 0.8 s and 1.6 s, then throws the last error.
- \`upload\` uses it; \`uploadAll\` needs no change.

The delay is short enough for the tests to stay fast.`;

interface Fixture {
  type: ActionView['type'];
  label: string;
  lines: ActionView['lines'];
  status: ActionView['status'];
  preview: Preview;
  risks?: Risk[];
  fields: object;
}

const ACTIONS: Fixture[] = [
  {
    type: 'CREATE',
    label: 'src/retry.ts',
    lines: { added: 13, removed: 0 },
    status: 'success',
    preview: { kind: 'write', path: 'src/retry.ts', before: null, after: RETRY, matched: null },
    fields: { path: 'src/retry.ts', description: 'The retry loop', content: RETRY, overwrite: false },
  },
  {
    type: 'EDIT',
    label: 'src/upload.ts',
    lines: { added: 4, removed: 3 },
    status: 'asked',
    preview: { kind: 'write', path: 'src/upload.ts', before: BEFORE, after: AFTER, matched: null },
    fields: { path: 'src/upload.ts', description: 'Uploads are retried up to four times', edits: [] },
  },
  {
    type: 'EDIT',
    label: 'test/upload.test.ts',
    lines: { added: 18, removed: 2 },
    status: 'planned',
    preview: {
      kind: 'write',
      path: 'test/upload.test.ts',
      before: "test('uploads', async () => {});\n",
      after: "test('uploads after two failures', async () => {});\n",
      matched: null,
    },
    fields: { path: 'test/upload.test.ts', description: null, edits: [] },
  },
  {
    type: 'EXECUTE',
    label: 'npm test -- upload',
    lines: null,
    status: 'planned',
    preview: { kind: 'none' },
    risks: [{ kind: 'agent-guard', message: 'its failure does not stop the run' }],
    fields: {
      description: 'The tests of uploads pass',
      expectedOutcome: 'All tests pass',
      cwd: null,
      env: { NODE_ENV: 'test' },
      command: 'npm test -- upload\n',
      timeout: null,
      allowFailure: true,
    },
  },
  {
    type: 'EXECUTE',
    label: 'rm -rf build/cache',
    lines: null,
    status: 'planned',
    preview: { kind: 'none' },
    risks: [{ kind: 'deletes', message: 'deletes files: rm -rf build/cache' }],
    fields: {
      description: 'An old cache',
      expectedOutcome: null,
      cwd: null,
      env: {},
      command: 'rm -rf build/cache\n',
      timeout: null,
      allowFailure: false,
    },
  },
  {
    type: 'READ',
    label: 'docs/uploads.md',
    lines: null,
    status: 'planned',
    preview: { kind: 'none' },
    fields: { resource: { kind: 'file', target: 'docs/uploads.md' }, description: null, lines: null },
  },
];

export const ACTION_COUNT = ACTIONS.length;

function questionOf(number: number, total: number, fixture: Fixture): ActionQuestion {
  return {
    kind: 'action',
    number,
    total,
    action: {
      type: fixture.type,
      line: number * 10,
      metadata: {},
      ...fixture.fields,
    } as ActionQuestion['action'],
    modified: false,
    preview: fixture.preview,
    risks: fixture.risks ?? [],
    hash: `hash-${number}`,
  };
}

export const QUESTION_ID = `${RUN}.2`;

export function reviewRun(): RunView {
  return {
    id: RUN,
    title: TITLE,
    startedAt: minutesAgo(3),
    status: 'waiting',
    overall: null,
    undone: false,
    root: '/home/ada/upload-client',
    plan: { title: TITLE, rationale: RATIONALE },
    issues: [],
    feedback: null,
    stateChanges: [],
    actions: ACTIONS.map(({ type, label, lines, status, risks }, at) => ({
      number: at + 1,
      type,
      label,
      lines,
      status,
      risks: (risks ?? []).map(({ message }) => message),
      question: status === 'asked' ? QUESTION_ID : null,
    })),
    interrupted: null,
    report: null,
  };
}

export function detailOf(number: number): ActionDetail {
  const fixture = ACTIONS[number - 1]!;
  return {
    number,
    source: `### \`${fixture.type}\`\n- **File Path:** [${fixture.label}](/${fixture.label})\n`,
    question: questionOf(number, ACTIONS.length, fixture),
    open: fixture.status === 'asked' ? { id: QUESTION_ID, hash: `hash-${number}` } : null,
    rerun: null,
    record:
      fixture.status === 'success'
        ? {
            type: 'CREATE',
            line: number * 10,
            metadata: {},
            decision: { status: 'approved', by: 'person' },
            outcome: { status: 'success', summary: `File '${fixture.label}' created.` },
          }
        : null,
    output: null,
  };
}

export const QUESTIONS: InboxQuestion[] = [
  {
    id: '01-02:3',
    hash: 'h1',
    kind: 'task',
    askedAt: minutesAgo(42),
    title: 'Move the session store to SQLite',
    subject: 'Verification failed three times: npm test -- session exited with 1',
    question: {
      id: '01-02:3',
      name: 'Move the session store to SQLite',
      why: 'attempts-exhausted',
      message:
        'Three attempts failed. The last one claimed success, but `npm test -- session` exited with 1.',
      detail: 'Replace the JSON files of src/session/store.ts with one SQLite database.',
      answers: ['retry', 'fix', 'skip', 'abort'],
      blocks: ['01-02:4', '01-03:1'],
      outputs: [],
    },
  },
  {
    id: QUESTION_ID,
    hash: 'hash-2',
    kind: 'action',
    askedAt: minutesAgo(2),
    title: TITLE,
    subject: 'EDIT src/upload.ts',
    run: RUN,
    number: 2,
    total: ACTIONS.length,
  },
  {
    id: 'm-search',
    hash: 'h3',
    kind: 'message',
    askedAt: minutesAgo(1),
    title: 'search',
    subject: 'Shall the index be built on start, or on first use?',
    session: 'search',
    turn: '03',
    asked: 'Shall the index be built on start, or on first use?',
  },
  {
    id: 'r-7',
    hash: 'h4',
    kind: 'report',
    askedAt: minutesAgo(0),
    title: 'Agent report on 01-03:2',
    subject: 'security: confidence 0.42',
    taskId: '01-03:2',
    agent: 'security',
    confidence: 0.42,
    why: 'The confidence 0.42 is below 0.6.',
    summary: 'Tokens are compared in constant time, but one log line contains a session id.',
  },
];

export const INBOX: Inbox = { root: '/home/ada/upload-client', trusted: true, questions: QUESTIONS };

export const RUNS: RunItem[] = [
  { id: RUN, title: TITLE, startedAt: minutesAgo(3), status: 'waiting', overall: null, undone: false },
  {
    id: '20261118-061512-90cc',
    title: 'Compress uploads larger than 1 MB',
    startedAt: minutesAgo(48),
    status: 'ended',
    overall: 'Completed',
    undone: false,
  },
  {
    id: '20261118-051002-4f21',
    title: 'Rename the `Upload` type',
    startedAt: minutesAgo(118),
    status: 'ended',
    overall: 'Partial',
    undone: false,
  },
  {
    id: '20261117-163340-77ad',
    title: 'Try another HTTP client',
    startedAt: minutesAgo(900),
    status: 'ended',
    overall: 'Completed',
    undone: true,
  },
  {
    id: '20261117-150011-02be',
    title: null,
    startedAt: minutesAgo(1000),
    status: 'refused',
    overall: null,
    undone: false,
  },
];
