import { describe, expect, test } from 'vitest';
import { setTaskStatus } from '../../../src/core/task-plan/edit.js';
import { readPlanFrontmatter } from '../../../src/core/task-plan/frontmatter.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import type { StatusChange, Task } from '../../../src/core/task-plan/types.js';
import { TASK_PLAN_ISSUES } from '../../../src/core/task-plan/types.js';
import { CORPUS, corpusText, linesOf, variantsOf } from './corpus.js';

const AT = '2026-01-26T10:30:45Z';
const STATUSES = ['pending', 'completed', 'failed', 'blocked', 'skipped'] as const;

/** Line, status and name of each task, as a person reads the file. */
const TASKS: Record<string, string[]> = {
  '01-01-skeleton-PLAN.md': [
    '48 pending Task 1: Create config file',
    '61 pending Task 2: Add validation',
    '76 pending Task 3: Write tests',
  ],
  '01-02-half-done-PLAN.md': [
    '17 completed Task 1: Keep parcels in a table',
    '25 failed Task 2: Serve parcels over HTTP',
    '33 blocked Task 3: Deliver events to the warehouse',
    '41 completed Task 4: Describe the routes',
    '49 in_progress Task 5: Log every request',
    '57 skipped Task 6: Add a cache',
    '65 pending Task 7: Release',
  ],
  '02-01-checkpoints-PLAN.md': [
    '28 pending Task 1',
    '48 pending Task 2: Send the link',
    '75 pending Task 3',
    '81 pending Task 4',
  ],
  '02.1-03-PLAN.md': ['19 pending Task 1: Count requests for each address'],
  '03-01-code-in-actions-PLAN.md': [
    '33 pending Task 1: Render a list of Page<Parcel> items',
    '65 pending Task 2: Teach the importer to read task files',
  ],
  '03-02-unclosed-fence-PLAN.md': [
    '17 pending Task 1: Sort by weight',
    '32 pending Task 2: Filter by state',
    '44 pending Task 3: Remember both in the address',
  ],
  '03-03-unclosed-elements-PLAN.md': [
    '15 pending Task 1: Print a label',
    '26 pending Task 2: Print many labels',
    '33 pending Task 3: Reprint',
  ],
  '03-04-nested-PLAN.md': [
    '12 pending Task 1: Outer',
    '15 pending Task 2: Inner',
    '27 pending Task 3: Write the template',
  ],
  '04-01-one-line-PLAN.md': [
    '8 pending Task 1: Rename the flag',
    '9 pending Task 2: Drop the old flag',
    '10 completed Task 3: Say so',
    '11 pending Task 4',
  ],
  '04-02-attributes-PLAN.md': [
    '9 pending Task 1: Parse weights',
    '23 completed Task 2: Print weights',
    '32 pending Task 3: Shout',
    '40 pending Task 4: Compare weights',
    '48 pending Task 5: No attributes at all',
  ],
  '04-03-files-PLAN.md': [
    '11 pending Task 1: Commas',
    '17 pending Task 2: Lines',
    '28 pending Task 3: Bullets and notes',
    '40 pending Task 4: Routes, globs and braces',
    '46 pending Task 5: Nothing',
    '52 pending Task 6: Nothing either',
    '58 pending Task 7: Code spans and words',
  ],
  '04-04-names-PLAN.md': [
    '10 pending Create config',
    '17 pending Move the part of the importer that reads weights, the part that reads addresses, the part that reads opening hours of the depots and the part that reads the holidays into modules of their own, and leave the old one as a thin shell',
    '24 pending Support Map<string, T> & Set<T> in the "store" \'layer\'',
    '34 pending Task 4',
    '40 completed Named by attribute',
    '45 pending Create config',
  ],
  '04-05-duplicates-PLAN.md': [
    '8 pending Task 1: Update the docs',
    '14 pending Task 2: Update the docs',
    '20 pending Task 2: Check the links',
  ],
  '05-01-checkbox-only-PLAN.md': [
    '7 completed Task 1: Label every cable',
    '8 completed Task 2: Photograph the rack',
    '9 pending Task 3: Order two spare switches from the shop in town',
    '15 pending Task 4: Unplug the rack from the top down',
    '16 pending Task 5: Carry the rack',
    '17 pending Task 6: Plug it in again',
    '18 pending Task 7: Test every port with `nc -z`',
  ],
  '05-02-checkbox-sections-PLAN.md': [
    '16 pending Task 1: Install the new door lock',
    '17 pending Task 2: Give everybody a key',
    '18 completed Task 3: Tell the neighbours',
  ],
  '05-03-no-tasks-PLAN.md': [],
  '06-01-boxes-PLAN.md': [
    '18 pending Task 1: Collect the numbers',
    '29 pending Task 2: Draw a chart of the parcels by day',
    '36 pending Task 3: Send it',
    '43 pending Task 4: Archive it',
  ],
  '06-03-long-PLAN.md': [
    '57 pending Task 1: Break a report into pages',
    '100 pending Task 2: Write pages as PDF',
    '128 pending Task 3: Look at a printed page',
  ],
  '07-01-outside-tasks-PLAN.md': ['14 completed Task 1: Scan a code', '24 pending Task 2: Weigh'],
  '09-01-comments-PLAN.md': ['13 pending Task 1: Keep', '38 pending Task 4: Also keep'],
  '09-02-other-tongues-PLAN.md': [
    '13 pending Task 1: Größe prüfen — «klein», „groß“',
    '21 pending タスク: 説明を書く',
  ],
  '09-03-tabs-PLAN.md': ['8 pending Task 1: Tabs all the way', '26 pending Task 2: Trailing blanks'],
  '09-04-no-final-newline-PLAN.md': ['7 pending Task 1: The file ends without a newline'],
  '09-05-wrapped-PLAN.md': [],
  '10-01-contradictions-PLAN.md': [
    '9 failed Task 1: Ticked and yet failed',
    '13 completed Task 2: Completed and not ticked',
    '17 completed Task 3: Only ticked',
  ],
  'broken-frontmatter-PLAN.md': ['10 pending Task 1: Go on all the same'],
  'quick-fix-PLAN.md': ['10 pending Task 1: Correct the typo on the sign-in page'],
  'unclosed-frontmatter-PLAN.md': ['8 pending Task 1: Be found'],
};

const COMMANDS: (string | null | undefined)[] = [
  'npm test -- --run 2>&1 | tail -5',
  null,
  'make check',
  'make check',
  'cd app\nnpm ci\nnpm test',
  'test "$(grep -c \'<li>\' out.html)" -gt 3 && echo ok',
  'npm run build\nnpm run smoke',
  null,
  'npx tsc --noEmit\nnpx vitest run \\\n  --reporter=dot\n! grep -rq TODO src/',
  null,
  null,
  'npm run lint\nnpm test',
  undefined,
  undefined,
  'grep -c "&lt;" out.html',
  null,
];

const shown = ({ line, status, name }: Task) => `${line} ${status} ${name}`;

test('the corpus is varied', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(25);
});

const CONTRADICTIONS = '10-01-contradictions-PLAN.md';

describe.each(CORPUS)(
  '$file, with LF and CRLF, with and without a byte order mark',
  ({ file, text: plain }) => {
    const texts = variantsOf(plain);

    test('has these tasks', () => {
      if (!(file in TASKS)) return expect(file).toBe('06-02-verify-PLAN.md');
      for (const text of texts) expect(parseTaskPlan(text).tasks.map(shown)).toEqual(TASKS[file]);
    });

    test('loses no byte to a status that is there', () => {
      for (const [text, { index, status }] of tasksOf(texts)) {
        if (status === 'in_progress' || file === CONTRADICTIONS) continue;
        expect(set(text, index, status)).toBe(text);
      }
    });

    test('is edited in the tag and the checkbox line, and read back', () => {
      for (const [text, task] of tasksOf([texts[0]!, texts[3]!])) {
        const plan = parseTaskPlan(text);
        for (const status of STATUSES) {
          const { text: after, plan: edited, issues } = setTaskStatus(plan, task.index, { status, at: AT });
          const read = parseTaskPlan(after);
          expect(edited.text).toBe(after);
          const isShown = task.source.startsWith('<') || status === 'completed';
          const statuses = plan.tasks.map((other) => other.status);
          statuses[task.index - 1] = isShown ? status : 'pending';
          expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
          expect(read.tasks.map((other) => other.status)).toEqual(statuses);
          expect(read.tasks.map(({ name }) => name)).toEqual(plan.tasks.map(({ name }) => name));
          expect(read.criteria.map((one) => one.text)).toEqual(plan.criteria.map((one) => one.text));
          expect(withoutPlaces(after, read.tasks[task.index - 1]!)).toBe(withoutPlaces(text, task));
        }
      }
    });

    test('has its bytes back when a status is taken away again', () => {
      for (const [text, { index, status, source }] of tasksOf(texts)) {
        if (status !== 'pending' || source.includes('status="almost"')) continue;
        for (const other of STATUSES) expect(set(set(text, index, other), index, 'pending')).toBe(text);
        expect(set(set(text, index, 'completed'), index, 'failed')).toBe(set(text, index, 'failed'));
        expect(set(set(text, index, 'failed'), index, 'completed')).toBe(set(text, index, 'completed'));
      }
    });
  },
);

function set(text: string, index: number, status: StatusChange['status']): string {
  return setTaskStatus(parseTaskPlan(text), index, { status, at: AT }).text;
}

function tasksOf(texts: readonly string[]): [string, Task][] {
  return texts.flatMap((text) => parseTaskPlan(text).tasks.map((task): [string, Task] => [text, task]));
}

/** A text without what an edit may change: the two attributes of the tag; the tick and the day of the checkbox. */
function withoutPlaces(text: string, { line, source, checkbox }: Task): string {
  const lines = linesOf(text);
  const tag = /^<task(?:[^>"']|"[^"]*"|'[^']*')*>/i.exec(source)?.[0] ?? '';
  const count = tag === '' ? 0 : linesOf(tag).length;
  const plain = lines
    .slice(line - 1, line - 1 + count)
    .join('')
    .replace(tag, () => tag.replace(/\s+(?:status|completed_at)=("[^"]*"|'[^']*'|[^\s>]*)/gi, ''));
  if (checkbox) {
    const at = checkbox.line - 1;
    lines[at] = lines[at]!.replace(/\[[ xX]\]/, '[]').replace(/ \(completed [0-9-]*\)(?=\s*$)/, '');
  }
  return [...lines.slice(0, line - 1), ...(count > 0 ? [plain] : []), ...lines.slice(line - 1 + count)].join(
    '',
  );
}

test('verifications are commands or prose', () => {
  const { tasks } = parseTaskPlan(corpusText('06-02-verify-PLAN.md'));
  expect(tasks.map(({ verify }) => verify?.command)).toEqual(COMMANDS);
});

test('contradictions are brought in line', () => {
  const text = corpusText(CONTRADICTIONS);
  expect(set(text, 1, 'failed')).toBe(
    text.replace(
      '[x] Task 1: Ticked and yet failed (completed 2026-01-02)',
      '[ ] Task 1: Ticked and yet failed',
    ),
  );
  expect(set(text, 2, 'completed')).toBe(text.replace(/\[ \] (Task 2: .*)/, '[x] $1 (completed 2026-01-26)'));
  expect(set(text, 3, 'completed')).toBe(text);
});

test('every issue is shown by a plan of the corpus, or by a text here', () => {
  const texts = [
    ...CORPUS.map(({ text }) => text),
    '<task x\n<task>\n<name>a</name>\n<name>b</name>\n</task>\n',
    '<task depends_on="2"><name>a</name></task>\n<task depends_on="1"><name>b</name></task>\n',
  ];
  const types = '---\nwave: two\n---\n<task/>\n';
  const plans = [...texts, types].map((text) => parseTaskPlan(text));
  const found = new Set([
    ...plans.flatMap((plan) => [...plan.issues, ...readPlanFrontmatter(plan).issues]).map(({ code }) => code),
    ...plans
      .flatMap((plan) => setTaskStatus(plan, 1, { status: 'failed', at: '' }).issues)
      .map(({ code }) => code),
  ]);
  expect(Object.keys(TASK_PLAN_ISSUES).filter((code) => !found.has(code as never))).toEqual([]);
});
