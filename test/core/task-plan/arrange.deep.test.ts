import { execFileSync } from 'node:child_process';
import { diffArrays } from 'diff';
import { describe, expect, test } from 'vitest';
import { addTask, moveTask, removeTask, type TaskEdit } from '../../../src/core/task-plan/arrange.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import { rewriteTask } from '../../../src/core/task-plan/rewrite-task.js';
import type { Task, TaskPlan } from '../../../src/core/task-plan/types.js';
import { CORPUS, linesOf, variantsOf } from './corpus.js';

/** The git directory of a repository with task files, `*PLAN.md`; without one, only our own corpus is edited. */
const REAL = process.env.TEDDY_TASK_FILES;
const MOST = process.env.TEDDY_SOAK ? 100_000 : 2_000;

const NEW = { files: ['src/new.ts', 'test/new.ts'], verify: 'npm test -- new', action: null, done: null };

/** Other forms of the same file: tabs, dependencies, an example in a fence. */
const FORMS: Record<string, (text: string) => string> = {
  tabs: (text) => text.replace(/^(?: {2})+/gm, (space) => '\t'.repeat(space.length / 2)),
  dependencies: (text) => {
    let count = 0;
    return text.replace(
      /<task(?=[ >])(?![^>]*depends)/g,
      () => `<task depends_on="${[...Array(count++).keys()].map((i) => i + 1)}"`,
    );
  },
  example: (text) =>
    text.replace(
      /\n#|<tasks>/,
      (found) => `\n\`\`\`xml\n<task>\n  <name>Task 1: No task</name>\n</task>\n\`\`\`\n${found}`,
    ),
};

const own = CORPUS.flatMap(({ file, text }) => [
  ...variantsOf(text).map((variant, i) => ({ name: `${file} ${i}`, text: variant })),
  { name: `${file} without a last line ending`, text: text.trimEnd() },
  ...Object.entries(FORMS).flatMap(([form, change]) =>
    [change(text), change(text).replaceAll('\n', '\r\n')].map((variant, i) => ({
      name: `${file} ${form} ${i}`,
      text: variant,
    })),
  ),
]);

function realFiles(): { name: string; text: string }[] {
  if (!REAL) return [];
  const git = (...args: string[]) =>
    execFileSync('git', ['--git-dir', REAL, ...args], { maxBuffer: 1 << 28 });
  const names = git('ls-tree', '-r', '--name-only', 'HEAD').toString().split('\n');
  return names
    .filter((name) => /PLAN\.md$/.test(name))
    .map((name) => ({ name, text: git('show', `HEAD:${name}`).toString() }));
}

/** Each task of a plan is a mark, so that only what is between them is left. */
function between({ text, tasks }: TaskPlan): string {
  let at = 0;
  let left = '';
  for (const { source } of tasks) {
    const next = text.indexOf(source, at);
    if (next === -1) return `${left} nested`;
    left += `${text.slice(at, next)}\0`;
    at = next + source.length;
  }
  return left + text.slice(at);
}

const withoutPositions = (text: string) =>
  text.replace(/depends[_-]?on\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)/gi, 'depends_on');
const titles = ({ tasks }: TaskPlan) =>
  tasks.map(({ name, named, files, action, isElement, source }) =>
    JSON.stringify([
      named && name,
      files,
      action,
      isElement && withoutPositions(source.split('\n', 3).join()),
    ]),
  );

/** For each task that waits for others, by name which; a removed one stands for those that it waited for. */
function waits({ tasks }: TaskPlan, removed?: Task): Map<string, Set<string>> {
  const key = (index: number) => titles({ tasks } as TaskPlan)[index - 1]!;
  const expand = (index: number): readonly number[] =>
    index === removed?.index ? (removed.dependsOn ?? []) : [index];
  return new Map(
    tasks.flatMap((task): [string, Set<string>][] =>
      task.dependsOn === null || task.index === removed?.index
        ? []
        : [
            [
              key(task.index),
              new Set(
                task.dependsOn
                  .flatMap(expand)
                  .filter((each) => each !== task.index)
                  .map(key),
              ),
            ],
          ],
    ),
  );
}

function expectLines(
  before: string,
  after: string,
  isRemovable: (line: string) => boolean,
  isAddable: (line: string) => boolean,
) {
  for (const { added, removed, value } of diffArrays(linesOf(before), linesOf(after))) {
    if (removed)
      for (const line of value) if (!isRemovable(line)) expect.fail(`lost ${JSON.stringify(line)}`);
    if (added) for (const line of value) if (!isAddable(line)) expect.fail(`new ${JSON.stringify(line)}`);
  }
}

const hasReference = (line: string) => /depends[_-]?on/i.test(line);

function checkMove(plan: TaskPlan, index: number, to: number): TaskEdit {
  const edit = moveTask(plan, index, to);
  if (edit.status === 'refused') return edit;
  const expected = titles(plan);
  expected.splice(to - 1, 0, ...expected.splice(index - 1, 1));
  expect(titles(edit.plan)).toEqual(expected);
  expect(waits(edit.plan)).toEqual(waits(plan));
  if (plan.tasks[0]!.isElement) expect(between(edit.plan)).toBe(between(plan));
  const sources = (each: TaskPlan) =>
    each.tasks
      .map(({ source }) => withoutPositions(source).replace(/^[ \t]*(?:[-*+]|\d+[.)])[ \t]+/, ''))
      .sort();
  expect(sources(edit.plan)).toEqual(sources(plan));
  const back = moveTask(edit.plan, to, index);
  expect(back.status === 'edited' && withoutPositions(back.plan.text)).toBe(withoutPositions(plan.text));
  return edit;
}

function checkRemove(plan: TaskPlan, index: number): TaskEdit {
  const edit = removeTask(plan, index);
  if (edit.status === 'refused') return edit;
  const task = plan.tasks[index - 1]!;
  expect(titles(edit.plan)).toEqual(titles(plan).toSpliced(index - 1, 1));
  expect(waits(edit.plan)).toEqual(waits(plan, task));
  const gone = new Set(
    linesOf(plan.text).filter(
      (line) => task.source.includes(line.trim()) || line.includes(task.checkbox?.text ?? '\0'),
    ),
  );
  const isLast = (line: string) =>
    plan.text.endsWith(task.source) || line.endsWith('\n') || !plan.text.endsWith('\n');
  expectLines(
    plan.text,
    edit.plan.text,
    (line) => line.trim() === '' || gone.has(line) || hasReference(line) || isLast(line),
    (line) =>
      hasReference(line) ||
      linesOf(plan.text).some((old) => old.trim() === line.trim() || old.includes(line.trim())),
  );
  expect(edit.plan.text.endsWith('\n')).toBe(plan.text.endsWith('\n'));
  return edit;
}

function checkAdd(plan: TaskPlan, after: number[]): TaskEdit {
  const edit = addTask(plan, { ...NEW, name: 'A new one', after });
  if (edit.status === 'refused') return edit;
  const added = edit.plan.tasks[edit.index - 1]!;
  expect(added.name).toMatch(/^(?:Task \d+: )?A new one$/);
  expect(added.verify?.command).toBe('npm test -- new');
  expect(titles(edit.plan).toSpliced(edit.index - 1, 1)).toEqual(titles(plan));
  const rest = { ...edit.plan, tasks: edit.plan.tasks } as TaskPlan;
  const others = waits(rest);
  others.delete(titles(edit.plan)[edit.index - 1]!);
  expect(others).toEqual(waits(plan));
  const fresh = new Set(linesOf(added.source).map((line) => line.trim()));
  expectLines(
    plan.text,
    edit.plan.text,
    (line) => hasReference(line) || (plan.text.endsWith(line) && !line.endsWith('\n')),
    (line) =>
      line.trim() === '' ||
      hasReference(line) ||
      fresh.has(line.trim()) ||
      line.includes('A new one') ||
      !plan.text.endsWith('\n'),
  );
  const [was, is] = [plan.text.match(/\r\n/g)?.length ?? 0, edit.plan.text.match(/\r\n/g)?.length ?? 0];
  expect(is).toBe(was === 0 ? 0 : was + edit.plan.text.split('\n').length - plan.text.split('\n').length);
  return edit;
}

function checkRewrite(plan: TaskPlan, index: number): TaskEdit {
  const change = { name: 'Another one', files: ['src/new.ts', 'test/new.ts'], verify: 'npm test -- new' };
  const edit = rewriteTask(plan, index, plan.tasks[0]!.isElement ? change : { name: change.name });
  if (edit.status === 'refused') return edit;
  const [old, task] = [plan.tasks[index - 1]!, edit.plan.tasks[index - 1]!];
  expect(task.name).toMatch(/^(?:\S+ [\d.]+[a-z]?\S? )?Another one$/i);
  if (task.isElement) expect(task.verify?.command).toBe(change.verify);
  expect([task.status, task.action, task.done, task.dependsOn]).toEqual([
    old.status,
    old.action,
    old.done,
    old.dependsOn,
  ]);
  expect(titles(edit.plan).toSpliced(index - 1, 1)).toEqual(titles(plan).toSpliced(index - 1, 1));
  const own = linesOf(old.source).map((line) => line.trim());
  expectLines(
    plan.text,
    edit.plan.text,
    (line) =>
      hasReference(line) ||
      own.some((each) => line.includes(each)) ||
      /^\uFEFF?[ \t]*(?:[-*+]|\d+[.)])/.test(line),
    (line) =>
      hasReference(line) ||
      line.includes('Another one') ||
      linesOf(task.source).some((each) => line.includes(each.trim())),
  );
  return edit;
}

describe.each([
  ['our own corpus', own],
  ['real task files', realFiles()],
])('%s', (_, files) => {
  test.skipIf(files.length === 0)('only the intended bytes change, and every id means what it meant', () => {
    let [edited, refused] = [0, 0];
    const reasons = new Map<string, string>();
    const count = (name: string, edit: TaskEdit) => {
      if (edit.status === 'edited') edited++;
      else {
        refused++;
        reasons.set(`${edit.reason}`, name);
      }
    };
    for (const { name, text } of files.slice(0, MOST)) {
      const plan = parseTaskPlan(text);
      const indexes = plan.tasks.map(({ index }) => index);
      try {
        count(name, checkAdd(plan, []));
        for (const index of indexes.slice(0, 12)) {
          count(name, checkRemove(plan, index));
          count(name, checkRewrite(plan, index));
          if (plan.tasks[0]!.isElement) count(name, checkAdd(plan, [index]));
          for (const to of [1, indexes.length]) if (to !== index) count(name, checkMove(plan, index, to));
        }
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    if (REAL) console.log(`${files.length} files, ${edited} edits, ${refused} refused`, reasons);
    expect(edited).toBeGreaterThan(files === own ? 1000 : 0);
    expect(own.length).toBeGreaterThan(300);
    expect(refused).toBeLessThan(edited / 10);
  });
});
