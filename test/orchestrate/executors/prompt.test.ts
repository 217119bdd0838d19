import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/core/redact/redactor.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import { judgeResult } from '../../../src/core/task-result/judge.js';
import { readResult } from '../../../src/core/task-result/read.js';
import { MemoryTree, type TextRead, type Tree } from '../../../src/core/tree.js';
import { sha256 } from '../../../src/node/ids.js';
import type { ExecutorFailure } from '../../../src/orchestrate/events.js';
import { type PromptSubject, renderExecutorPrompt } from '../../../src/orchestrate/executors/prompt.js';
import type { GraphTask } from '../../../src/orchestrate/graph/types.js';
import { KEY } from './site.js';

const PLAN = `---
phase: 03
plan: 01
---

<objective>
Ports are checked.
</objective>

<context>
@.planning/STATE.md
Ask you@example.org, or see (@docs/ports.md), @~/notes.md and @docs/gone.md.
</context>

<tasks>
<task type="auto">
  <name>Task 1: Say "no", "#1": it's wrong</name>
  <files>src/port.ts, src/new.ts</files>
  <read_first>src/limits.ts, src/port.ts</read_first>
  <action>
Write this:
\`\`\`\`ts
\`\`\`
export {};
\`\`\`\`
  </action>
  <verify>npm test -- port</verify>
  <done>It refuses 0.</done>
</task>
<task type="auto">
  <name>Task 2: Look at it</name>
  <action>Look.</action>
  <verify>A person sees that it is good.</verify>
</task>
<task type="auto"><name>Task 3: Nothing to run</name><action>Do.</action></task>
</tasks>
`;

const PATH = '.planning/03-01-PLAN.md';
const FILES = {
  [PATH]: PLAN,
  '.planning/STATE.md': '# State\n',
  'docs/ports.md': 'Ports go up to 65535.\n',
  'src/port.ts': 'export const PORT = 1;',
  'src/limits.ts': '```\nnot a fence of ours\n````\n',
};

function taskOf(index: number, plan = PLAN, files: string[] = []): GraphTask {
  const task = parseTaskPlan(plan).tasks[index - 1]!;
  return {
    id: `03-01:${index}`,
    name: task.name,
    task,
    isCheckpoint: false,
    needs: [],
    rank: 1,
    status: task.status,
    files: files.length > 0 ? files : task.files.map(({ path }) => path),
    plan: { id: '03-01', path: PATH, phase: '03', wave: null, needs: [], after: [], files: [], tasks: [] },
  };
}

function render(more: Partial<PromptSubject> = {}): string {
  return renderExecutorPrompt({
    task: taskOf(1),
    failures: [],
    fix: null,
    attempt: 1,
    attemptsLeft: 2,
    plan: parseTaskPlan(PLAN),
    isolation: 'worktree',
    tree: new MemoryTree(FILES),
    mask: (text: string) => text,
    ...more,
  });
}

/** The parts in the order in which they stand. */
function orderOf(prompt: string, ...words: string[]): string[] {
  return [...words].sort((a, b) => prompt.indexOf(a) - prompt.indexOf(b));
}

describe('a first attempt', () => {
  test('begins with the task, as it is written, and ends with what to print', () => {
    const prompt = render();
    expect(prompt.startsWith('# Task 1: Say "no", "#1": it\'s wrong\n')).toBe(true);
    expect(prompt).toContain(taskOf(1).task.source);
    expect(prompt).toContain('This is the first attempt; 2 more may follow.');
    expect(prompt).not.toContain('Earlier attempts');
    const parts = [
      '<task type="auto">',
      'Ports are checked.',
      'npm test -- port\n`',
      '### src/limits.ts',
      '## Rules',
      '\n## The result\n',
    ];
    for (const part of parts) expect(prompt).toContain(part);
    expect(orderOf(prompt, ...parts)).toEqual(parts);
  });

  test('puts every text into a fence that nothing in it closes', () => {
    const prompt = render();
    expect(prompt).toContain('`````xml\n<task type="auto">');
    expect(prompt).toContain('### src/limits.ts\n\n`````\n```\nnot a fence of ours\n````\n`````\n');
  });

  test('shows files that are to be read, its own that exist, and those that the plan refers to', () => {
    const prompt = render();
    const shown = [...prompt.matchAll(/^### (.*)$/gm)].map(([, path]) => path);
    expect(shown).toEqual(['src/limits.ts', 'src/port.ts', '.planning/STATE.md', 'docs/ports.md']);
    expect(prompt).toContain('export const PORT = 1;\n```\n');
    expect(prompt).toContain('- ~/notes.md leads to a home folder.\n- docs/gone.md does not exist.\n');
    expect(prompt).not.toContain('- src/new.ts');
    expect(prompt).not.toContain('example.org is');
  });

  test('says where the work is done', () => {
    expect(render()).toContain('your own git worktree');
    expect(render({ isolation: 'none' })).toContain('is the project itself, and others may be working in it');
  });

  test.each([
    [2, 'Verify the task as follows'],
    [3, 'The task names no way to verify it.'],
  ])('of task %i tells that no command is run', (index, words) => {
    expect(render({ task: taskOf(index) })).toContain(words);
  });
});

describe('a retry', () => {
  const failures: ExecutorFailure[] = [
    { attempt: 1, kind: 'crash', reason: 'It ended.', evidence: null, filesChanged: null },
    {
      ...{
        attempt: 2,
        kind: 'verification',
        reason: '`npm test -- port` failed with exit code 1.\n```\nlog\n```',
      },
      evidence: 'I wrote the check.',
      filesChanged: ['src/port.ts'],
    },
  ];

  test('first tells what a person wants, then what went wrong and what was tried', () => {
    const prompt = render({ failures, fix: 'Do not touch limits.ts', attempt: 3, attemptsLeft: 0 });
    expect(prompt.startsWith('# Instruction from the user\n')).toBe(true);
    const parts = [
      'Do not touch limits.ts',
      '# Earlier attempts\n',
      '## Attempt 1: it ended without a result',
      '## Attempt 2: the verification failed',
      'failed with exit code 1.',
      'I wrote the check.',
      'It changed src/port.ts.',
      'This is attempt 3, the last one before the user is asked.',
      '## The result',
    ];
    for (const part of parts) expect(prompt).toContain(part);
    expect(orderOf(prompt, ...parts)).toEqual(parts);
    expect(prompt).toContain('````\n`npm test -- port` failed');
  });

  test('may come of a person alone', () => {
    const prompt = render({ fix: 'Use tabs.' });
    expect(prompt).toContain(
      '# Instruction from the user\n\nThis takes precedence over everything else:\n\n```\nUse tabs.\n```\n\n# Task 1',
    );
    expect(prompt).not.toContain('Earlier attempts');
    expect(render({ failures })).not.toContain('Instruction from the user');
  });

  test('tells no more than can be read', () => {
    const many = Array.from({ length: 12 }, (_, at) => ({
      attempt: at + 1,
      kind: 'invalid',
      reason: `why ${at + 1} ${'r'.repeat(50_000)} end`,
      evidence: 'e'.repeat(50_000),
      filesChanged: Array.from({ length: 80 }, (_, file) => `f${file}`),
    })) as ExecutorFailure[];
    const prompt = render({ failures: many, attempt: 13, attemptsLeft: 1 });
    expect(prompt).toContain('7 older attempts are not listed.');
    expect(prompt).not.toContain('why 7 ');
    expect(prompt).toContain('why 12 ');
    expect(prompt).toContain('characters omitted');
    expect(prompt).toContain('f49 and 30 more.');
    expect(prompt.length).toBeLessThan(100_000);
    expect(prompt).toContain('This is attempt 13; 1 more may follow.');
  });
});

describe('what is to be printed', () => {
  const results = (prompt: string) => {
    const contract = prompt.slice(prompt.lastIndexOf('\n## The result'));
    return [...contract.matchAll(/^```yaml\n([^`]*)\n```$/gm)].map(([, yaml]) => yaml!);
  };

  test.each([1, 2, 3])('is valid in each example for task %i', (index) => {
    const task = taskOf(index);
    const examples = results(render({ task, attempt: 2 }));
    const tree = new MemoryTree({ ...FILES, 'src/new.ts': '', 'path/to/file': '' });
    const verdicts = examples.map((text) =>
      judgeResult(readResult(text), { plan: parseTaskPlan(PLAN), planName: '03-01-PLAN.md', tree }),
    );
    expect(verdicts.map(({ result }) => result?.status)).toEqual(['success', 'failure', 'blocked']);
    for (const { verdict, match, result, issues } of verdicts) {
      expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(verdict).not.toBe('INVALID');
      expect(match).toMatchObject({ match: 'exact', task: { index } });
      expect(result?.metadata.attempt).toBe(2);
    }
  });

  test('an executor that only repeats what it was told has no result', () => {
    const { result } = readResult(render());
    expect(result).toBeNull();
  });
});

describe('limits', () => {
  test('a long file is cut, and it is said', () => {
    const text = `${'x'.repeat(99)}\n`.repeat(1000);
    const prompt = render({ tree: new MemoryTree({ ...FILES, 'src/port.ts': text }) });
    expect(prompt).toContain('The last 50000 characters of src/port.ts are not shown.');
    expect(prompt.length).toBeLessThan(70_000);
  });

  test('what is too much is named', () => {
    const files = Array.from({ length: 60 }, (_, at) => `src/f${at}.ts`);
    const tree = new MemoryTree(Object.fromEntries(files.map((path) => [path, 'y'.repeat(49_000)])));
    const prompt = render({ task: taskOf(2, PLAN, files), tree, plan: { objective: null, context: null } });
    expect([...prompt.matchAll(/^### /gm)]).toHaveLength(4);
    expect(prompt).toContain('- src/f4.ts has 49000 characters, more than fits here.');
    expect(prompt.length).toBeLessThan(215_000);
  });

  test('half a character is none', () => {
    const text = `x${'😀'.repeat(40_000)}`;
    const prompt = render({ tree: new MemoryTree({ ...FILES, 'src/port.ts': text }) });
    expect(prompt).not.toMatch(/\p{Surrogate}/u);
  });

  test('what cannot be read is said', () => {
    const files = new MemoryTree(FILES);
    const text = (path: string): TextRead =>
      path === 'src/port.ts' ? { status: 'refused', reason: 'is not UTF-8' } : files.text(path);
    const tree: Tree = { stat: (path) => files.stat(path), text };
    expect(render({ tree })).toContain('- src/port.ts is not UTF-8.\n');
  });
});

test('secrets are masked wherever they come from', () => {
  const { mask } = createRedactor({ hash: sha256, secrets: [KEY] });
  const prompt = render({
    mask,
    fix: `Use ${KEY}.`,
    failures: [{ attempt: 1, kind: 'crash', reason: KEY, evidence: KEY, filesChanged: [] }],
    tree: new MemoryTree({ ...FILES, 'src/port.ts': `${'x'.repeat(49_980)}\n${KEY}` }),
    plan: { objective: KEY, context: null },
  });
  expect(prompt).not.toContain('abcdefgh');
  expect(prompt).toContain('replaces a secret that is not shown to you');
  expect(render()).not.toContain('replaces a secret');
});
