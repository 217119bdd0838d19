import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchTask } from '../../../src/core/task-plan/checkboxes.js';
import { setTaskStatus } from '../../../src/core/task-plan/edit.js';
import { phaseOf, planIdOf, readPlanFrontmatter } from '../../../src/core/task-plan/frontmatter.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import type { TaskPlan } from '../../../src/core/task-plan/types.js';
import { expectLinear } from '../../growth.js';
import { CORPUS } from './corpus.js';

const RUNS = process.env.TEDDY_SOAK ? 20_000 : 200;
const SIZE = process.env.TEDDY_SOAK ? 10_000_000 : 200_000;
const AT = '2026-01-26T10:30:45Z';

const corpus = CORPUS.map(({ text }) => text);

/** Pieces of a plan, whole and broken. */
const piece = fc.constantFrom(
  '<tasks>\n',
  '</tasks>\n',
  '<task>\n',
  '<task type="auto">\n',
  "<task status='failed' ",
  '<task/>\n',
  '</task>\n',
  '</task>',
  '<name>Task 1: A</name>\n',
  '<name>Task 2: B</name>\n',
  '<name>',
  '</name>',
  '<action>\n',
  '</action>\n',
  '<verify>npm test</verify>\n',
  '<files>a.ts, b.ts (new)</files>\n',
  '<success_criteria>\n',
  '<context>\n',
  '</context>\n',
  '- [x] Task 1: B\n',
  ' depends_on="1 and 2, x"',
  '</success_criteria>\n',
  '- [ ] Task 1: A\n',
  '- [x] Task 2: B (completed 2026-01-01)\n',
  '- [ ] A\n',
  '```\n',
  '```ts\n',
  '   ```\n',
  '~~~\n',
  '1. ```\n',
  '```</action>\n',
  '<!-- ',
  ' -->\n',
  '`',
  '``',
  '---\n',
  'phase: 3\n',
  '\n',
  '\r\n',
  ' ',
  '\t',
  '"',
  "'",
  '>',
  '<',
  '/',
  '=',
  'status="done"',
  'completed_at=x',
  '\uFEFF',
  '\u0000',
  '\ud83d',
  'words',
);
const pieces = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''));

/** A corpus plan with some of it taken out, and something else put in. */
const spliced = fc
  .tuple(fc.constantFrom(...corpus), fc.nat(), fc.nat({ max: 200 }), fc.oneof(pieces, fc.string()))
  .map(([text, at, length, now]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + now + text.slice(from + length);
  });

/** Two halves of two plans. */
const grafted = fc
  .tuple(fc.constantFrom(...corpus), fc.constantFrom(...corpus), fc.nat(), fc.nat())
  .map(([a, b, i, j]) => a.slice(0, i % (a.length + 1)) + b.slice(j % (b.length + 1)));

const anyText = fc.oneof(pieces, spliced, grafted, fc.string({ unit: 'binary' }));

function expectSound(plan: TaskPlan): void {
  const lines = plan.text.split('\n').length;
  plan.tasks.forEach((task, i) => {
    expect(task.index).toBe(i + 1);
    expect(task.line).toBeGreaterThanOrEqual(plan.tasks[i - 1]?.line ?? 1);
    expect(task.line).toBeLessThanOrEqual(lines);
    expect(task.name).not.toMatch(/\n|^$/);
    expect(plan.text).toContain(task.source);
  });
  plan.issues.forEach(({ line }, i) => {
    expect(line).toBeGreaterThanOrEqual(plan.issues[i - 1]?.line ?? 1);
    expect(line).toBeLessThanOrEqual(lines);
  });
}

describe('any text', () => {
  test('is read without a throw, with tasks in their order', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const plan = parseTaskPlan(text);
        expect(plan.text).toBe(text);
        expectSound(plan);
        expect(typeof planIdOf('PLAN.md', plan)).toBe('string');
        phaseOf('x', plan);
        expect(readPlanFrontmatter(plan).issues.length).toBeLessThan(20);
        for (const { name } of plan.tasks.slice(0, 3)) expect(matchTask(plan, name)).toBeDefined();
      }),
      { numRuns: RUNS },
    );
  });

  test('is edited in the tag and the checkbox line of one task, or not at all', () => {
    const change = fc.constantFrom('pending', 'completed', 'failed', 'blocked', 'skipped');
    fc.assert(
      fc.property(anyText, change, fc.nat(), (text, status, pick) => {
        const plan = parseTaskPlan(text);
        const task = plan.tasks[pick % Math.max(1, plan.tasks.length)];
        if (!task) return;
        const { text: after, plan: edited, issues } = setTaskStatus(plan, task.index, { status, at: AT });
        const read = parseTaskPlan(after);
        expect(edited.text).toBe(after);
        if (issues.some(({ code }) => code === 'edit-refused')) {
          expect(after).toBe(text);
          return;
        }
        const isShown = !issues.some(({ code }) => code === 'status-not-shown');
        expect(read.tasks[task.index - 1]?.status).toBe(isShown ? status : 'pending');
        expect(read.tasks.map(({ name }) => name)).toEqual(plan.tasks.map(({ name }) => name));
        expect(setTaskStatus(read, task.index, { status, at: '2027-01-01' }).text).toBe(after);
        expectUntouched(text, after, task.line, task.checkbox?.line);
      }),
      { numRuns: RUNS },
    );
  });

  test('with random bytes in it is read', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom(...corpus),
        fc.nat(),
        (bytes, text, at) => {
          const noise = new TextDecoder().decode(bytes);
          const from = at % text.length;
          expectSound(parseTaskPlan(text.slice(0, from) + noise + text.slice(from)));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

/** Without the tag's and the box's lines, both texts are the same; a tag over several lines may lose some. */
function expectUntouched(before: string, after: string, tagLine: number, boxLine: number | undefined): void {
  const a = before.split('\n');
  const b = after.split('\n');
  if (a.length === b.length) {
    a.forEach((line, i) => {
      if (line !== b[i]) expect(isNear(i + 1, tagLine) || i + 1 === boxLine).toBe(true);
    });
    return;
  }
  expect(b.length).toBeLessThan(a.length);
  const kept = Math.min(tagLine, boxLine ?? tagLine) - 1;
  expect(b.slice(0, kept)).toEqual(a.slice(0, kept));
  const rest = a.length - Math.max(tagLine + 5, (boxLine ?? 0) + 1);
  if (rest > 0) expect(b.slice(-rest)).toEqual(a.slice(-rest));
}

/** A tag of the corpus has at most six lines. */
function isNear(line: number, tagLine: number): boolean {
  return line >= tagLine && line <= tagLine + 6;
}

describe('hostile text', () => {
  type Repeat = (text: string) => string;
  const texts: [string, (repeat: Repeat) => string][] = [
    ['tags', (repeat) => repeat('<')],
    ['tasks that never end', (repeat) => repeat('<task>\n<action>\n')],
    ['tasks on one line', (repeat) => repeat('<task><name>Task 1: A</name></task>')],
    ['closing tags', (repeat) => `<task>\n<action>\n${repeat('the </action> tag\n</b>\n')}`],
    ['elements in elements', (repeat) => repeat('<div>\n') + repeat('</div>\n')],
    ['fences that never end', (repeat) => `<task>\n${repeat('```a\n')}`],
    ['fences that seem to end', (repeat) => `<task>\n${repeat('```a\n')}</task>\n<task>\n</task>\n\`\`\`\n`],
    ['fences in the context', (repeat) => `<context>\n${repeat('```a\n</context>\n<task>\n```\n')}`],
    [
      'fences of all lengths',
      (repeat) => {
        const most = Math.sqrt(2 * repeat(' ').length);
        return Array.from({ length: most }, (_, i) => `${'`'.repeat(i + 3)}a\n`).join('');
      },
    ],
    ['comments that never end', (repeat) => `<task>\n${repeat('<!-- ')}`],
    ['comments around the end', (repeat) => `<task>\n${repeat('<!--\n')}</task>\n-->`],
    ['code spans', (repeat) => repeat('` </a> `` </b> ``` ')],
    ['an attribute list', (repeat) => `<task ${repeat('a="b" ')}>`],
    ['quotes', (repeat) => repeat('<task a="\n')],
    ['boxes', (repeat) => repeat('- [ ] Task 1: A\n')],
    ['one box', (repeat) => `- [ ] Task 1: A\n${repeat('  more\n')}`],
    [
      'boxes and tasks',
      (repeat) => repeat('<task><name>Task 1: A</name></task>\n') + repeat('- [ ] Task 1: B\n'),
    ],
    ['files', (repeat) => `<task><files>${repeat('`a` (')}</files></task>`],
    ...['"', "'", '`', '**', '"a" ', '"a" and '].map((mark): [string, (repeat: Repeat) => string] => [
      `files in ${mark}`,
      (repeat) => `<task><files>${repeat(mark)}</files></task>`,
    ]),
    ['a verification', (repeat) => `<task><verify>${repeat('npm a \\\n')}</verify></task>`],
    ['a program that runs itself', (repeat) => `<task><verify>${repeat('npx ')}</verify></task>`],
    ['words', (repeat) => `<task><verify>cat ${repeat('a.')}</verify></task>`],
    ['dependencies', (repeat) => `<task><name>a, b</name></task>\n<task depends_on="${repeat('1, ')}"/>`],
    ['brackets', (repeat) => `<task depends_on="${repeat('[')}${repeat(']')}"/>`],
    ['ranges', (repeat) => repeat('<task depends_on="1-999"/>\n')],
    ['quoted boxes', (repeat) => repeat('<context>\n- [ ] Task 1: A\n</context>\n')],
    ['frontmatter', (repeat) => `---\n${repeat('a\n')}`],
    ['blanks', (repeat) => repeat(' \t')],
    ['line ends', (repeat) => repeat('\r\n')],
  ];

  test.each(texts)('of %s is read in linear time', (_, write) => {
    expectLinear(SIZE, (size) => {
      const text = write((unit) => unit.repeat(Math.ceil(size / unit.length)));
      expect(parseTaskPlan(text).text === text).toBe(true);
    });
  });
});
