import type {
  AttemptView,
  MetricsView,
  RunView,
  SessionItem,
  SessionView,
  TaskBoard,
  TaskCard,
  UndoPreview,
} from '../../src/faces/web/api.js';
import { minutesAgo, reviewRun } from './fixture-data.js';

// Sessions, tasks, metrics and runs in other states, as the server would describe them.

export const SESSIONS: SessionItem[] = [
  { name: 'search', turns: 3, agent: 'assistant', changedAt: minutesAgo(1) },
  { name: 'uploads', turns: 7, agent: 'assistant', changedAt: minutesAgo(190) },
];

export const SESSION: SessionView = {
  ...SESSIONS[0]!,
  hash: 's1',
  canSend: true,
  whenEmpty: 'ask',
  isBusy: false,
  unsent: null,
  reviewing: null,
  problem: null,
  conversation: [
    {
      turn: '01',
      message: 'Add a full-text search over the notes. It must work offline.',
      prose: null,
      planTitle: 'Index notes in SQLite with FTS5',
      planDiff: null,
      run: '20261118-061512-90cc',
      overall: 'Completed',
      inputTokens: 7199,
      outputTokens: 1893,
      costUsd: 0.042,
    },
    {
      turn: '02',
      message: 'Results should be ranked by date, then by match.',
      prose: null,
      planTitle: 'Rank search results by date',
      planDiff: [
        '--- plan 01',
        '+++ plan 02',
        '@@ -3,3 +3,3 @@',
        ' ## Rationale',
        '-Results are ranked by match.',
        '+Results are ranked by date, then by match.',
        '',
      ].join('\n'),
      run: '20261118-051002-4f21',
      overall: 'Partial',
      inputTokens: 9120,
      outputTokens: 840,
      costUsd: 0.039,
    },
    {
      turn: '03',
      message: null,
      prose: 'Both are possible. Building on start costs about 2 s for 10,000 notes.',
      planTitle: null,
      planDiff: null,
      run: null,
      overall: null,
      inputTokens: 9800,
      outputTokens: 210,
      costUsd: 0.031,
    },
  ],
};

function attempt(number: number, part: Partial<AttemptView>): AttemptView {
  return {
    attempt: number,
    executor: 'claude',
    claimed: 'success',
    effective: 'success',
    verification: 'npm test exited with 0',
    filesClaimed: ['src/session/store.ts'],
    durationMs: 142_000,
    costUsd: 0.21,
    lastOutput: null,
    reason: null,
    ...part,
  };
}

function task(id: string, name: string, status: string, part: Partial<TaskCard> = {}): TaskCard {
  return {
    id,
    name,
    plan: `.planning/${id.split(':')[0]}-PLAN.md`,
    status,
    dependsOn: [],
    files: [],
    verify: 'npm test',
    attempts: status === 'completed' ? [attempt(1, {})] : [],
    question: null,
    ...part,
  };
}

const FAILED = attempt(3, {
  effective: 'failure',
  verification: '`npm test -- session` exited with 1',
  lastOutput:
    ' FAIL  test/session/store.test.ts\n  ✗ keeps a session over a restart\n    expected 1 row, found 0\n',
  reason: 'The executor reported success, but the verification failed.',
});

export function board(): TaskBoard {
  const phases: TaskBoard['phases'] = [
    {
      phase: '01 Storage',
      waves: [
        {
          wave: 1,
          tasks: [
            task('01-01:1', 'Choose the SQLite driver', 'completed'),
            task('01-01:2', 'Write the schema and its migration', 'completed', { dependsOn: ['01-01:1'] }),
            task('01-01:3', 'Read settings from the database', 'completed', { dependsOn: ['01-01:2'] }),
          ],
        },
        {
          wave: 2,
          tasks: [
            task('01-02:1', 'Export sessions as JSON', 'completed', { dependsOn: ['01-01:2'] }),
            task('01-02:2', 'Import sessions from JSON', 'in_progress', {
              dependsOn: ['01-02:1'],
              attempts: [attempt(1, { claimed: null, effective: null, verification: null })],
            }),
            task('01-02:3', 'Move the session store to SQLite', 'blocked', {
              dependsOn: ['01-01:2'],
              files: ['src/session/store.ts', 'test/session/store.test.ts'],
              verify: 'npm test -- session',
              attempts: [
                attempt(1, { effective: 'failure' }),
                attempt(2, { claimed: 'failure', effective: 'failure' }),
                FAILED,
              ],
              question: '01-02:3',
            }),
            task('01-02:4', 'Delete the old store', 'pending', { dependsOn: ['01-02:3'] }),
          ],
        },
      ],
    },
    {
      phase: '02 Search',
      waves: [
        {
          wave: 1,
          tasks: [
            task('01-03:1', 'Index notes', 'pending', { dependsOn: ['01-02:4', '01-02:2'] }),
            task('01-03:2', 'Search box with keyboard navigation', 'pending', { dependsOn: ['01-01:3'] }),
            task('01-03:3', 'Ranking by date', 'blocked', { dependsOn: ['01-03:1'] }),
          ],
        },
      ],
    },
  ];
  const entry = (id: string, number: number, from: number, to: number | null, ok: boolean | null) => ({
    task: id,
    attempt: number,
    startedAt: minutesAgo(from),
    endedAt: to === null ? null : minutesAgo(to),
    ok,
  });
  return {
    phases,
    timeline: [
      entry('01-01:1', 1, 58, 55, true),
      entry('01-01:2', 1, 55, 47, true),
      entry('01-01:3', 1, 47, 41, true),
      entry('01-02:1', 1, 46, 38, true),
      entry('01-02:3', 1, 46, 40, false),
      entry('01-02:3', 2, 39, 30, false),
      entry('01-02:3', 3, 29, 20, false),
      entry('01-02:2', 1, 12, null, null),
    ],
    criticalPath: ['01-01:1', '01-01:2', '01-02:3', '01-02:4', '01-03:1', '01-03:3'],
    active: true,
  };
}

export const METRICS: MetricsView = {
  executors: [
    {
      name: 'claude',
      results: 64,
      falseClaims: 5,
      links: ['.ultraplan/logs/01-02/3.md', '.ultraplan/logs/01-02/2.md'],
    },
    { name: 'codex', results: 41, falseClaims: 2, links: ['.ultraplan/logs/01-01/3.md'] },
    { name: 'gemini', results: 18, falseClaims: 4, links: [] },
  ],
  firstAttemptRate: 0.67,
  days: Array.from({ length: 14 }, (_, at) => ({
    day: `2026-11-${String(at + 4).padStart(2, '0')}`,
    results: 4 + ((at * 7) % 9),
    successes: 3 + ((at * 5) % 5),
    averageMs: 90_000 + ((at * 37) % 11) * 14_000,
    costUsd: 0.4 + ((at * 3) % 7) * 0.31,
  })),
  calibration: [
    { agent: 'security', decided: 12, meanConfidence: 0.82, acceptedRate: 0.58 },
    { agent: 'review', decided: 31, meanConfidence: 0.74, acceptedRate: 0.77 },
  ],
};

export const ENDED_RUN = '20261118-061512-90cc';
export const RUNNING_RUN = '20261118-070500-1d2e';
export const REFUSED_RUN = '20261117-150011-02be';

export function endedRun(): RunView {
  const run = reviewRun();
  return {
    ...run,
    id: ENDED_RUN,
    title: 'Compress uploads larger than 1 MB',
    status: 'ended',
    overall: 'Partial',
    actions: run.actions.map((action, at) => ({
      ...action,
      question: null,
      status: at === 3 ? 'failure' : at === 4 ? 'skipped' : 'success',
    })),
    report: '# Execution report\n',
  };
}

export function runningRun(): RunView {
  const run = reviewRun();
  return {
    ...run,
    id: RUNNING_RUN,
    status: 'running',
    actions: run.actions.map((action, at) => ({
      ...action,
      question: null,
      status: at < 3 ? 'success' : at === 3 ? 'running' : 'planned',
    })),
  };
}

export function refusedRun(): RunView {
  return {
    ...reviewRun(),
    id: REFUSED_RUN,
    title: null,
    status: 'refused',
    plan: null,
    actions: [],
    issues: [
      {
        code: 'find-missing',
        severity: 'error',
        message: 'FIND is not in src/upload.ts: "await request(\'POST\', …".',
        line: 27,
        hint: "The closest lines are 10 to 12:\n  await request('PUT', file.path, file.bytes);",
      },
      {
        code: 'unknown-action',
        severity: 'error',
        message: 'Unknown action MODIFY. Did you mean EDIT?',
        line: 44,
      },
      {
        code: 'ignored-text',
        severity: 'warning',
        message: 'Ignored text: "First, let me add the helper …"',
        line: 3,
      },
    ],
    feedback:
      'The plan cannot be run.\n\n- Line 27: FIND is not in src/upload.ts.\n- Line 44: Unknown action MODIFY.\n',
  };
}

export const UNDO: UndoPreview = {
  hash: 'u1',
  canUndo: true,
  restores: ['src/upload.ts is restored.', 'src/retry.ts is deleted.'],
  leaves: ['What `npm test -- upload` did stays: commands cannot be undone.'],
};
