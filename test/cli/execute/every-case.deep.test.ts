import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyInput, findCases, readCase } from '../../../spec/case-folder.js';
import { runTeddy } from '../../../spec/run-teddy.js';
import { isRepair } from '../../../src/core/plan/issues.js';
import { renderContract } from '../../../src/core/report/contract.js';
import { parseReport } from '../../../src/core/report/parse.js';
import type { Run } from '../../../src/core/report/record.js';
import { RUN_SCHEMA } from '../../core/report/run-schema.js';
import { SOAK } from '../../workspace/faults/random.js';
import { readRunFile, runIds } from './program.js';

const all = findCases('execute').filter((name) => !readCase(name).words.includes('--dry-run'));
/** Every case in the long form; every second one in the short one, which the area's own test has already run whole. */
const cases = SOAK ? all : all.filter((_, at) => at % 2 === 0);
const validate = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true }).compile(RUN_SCHEMA);

test('there are cases', () => expect(all.length).toBeGreaterThan(80));

describe.each(cases)('%s', (name) => {
  const spec = readCase(name);
  const { words, stdin, end } = spec;
  const folder = () => {
    const made = copyInput(spec);
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };

  if (end.exit === 2) {
    test('leaves nothing behind', () => {
      const root = folder();
      runTeddy(spec, root);
      expect(runIds(root)).toEqual([]);
      expect(existsSync(join(root, '.teddy'))).toBe(existsSync(join(folder(), '.teddy')));
    });
    return;
  }

  test('has one record, which fits its schema, and reports that can be read back', () => {
    const root = folder();
    const { stdout, exit } = runTeddy({ ...spec, words: [...words, '--json'] }, root);
    const before = runIds(folder());
    const [id, ...others] = runIds(root).filter((each) => !before.includes(each));
    expect(others).toEqual([]);

    const run = JSON.parse(readRunFile(root, id!, 'run.json')) as Run;
    validate(run);
    expect(validate.errors).toBeNull();
    expect(run.id).toBe(id);
    expect(run.root).toBe(realpathSync(root));
    expect(exit).toBe(end.exit);
    if (!words.includes('--format') && !words.includes('--output'))
      expect(withoutChance(JSON.parse(stdout))).toEqual(withoutChance(run));

    const report = readRunFile(root, id!, 'report.md');
    expectSame(report, run);
    expectSame(renderContract(run), run);
    if (end.stdout.startsWith('#')) expect(parseReport(end.stdout).status).not.toBe('refused');

    expect(readRunFile(root, id!, 'plan.md')).toBe(planOf(words, root, stdin));
  });
});

/** What both Markdown forms carry. */
function expectSame(report: string, run: Run): void {
  const parsed = parseReport(report);
  if (parsed.status === 'refused') throw new Error(parsed.reason);
  expect(parsed.plan).toEqual(run.plan);
  expect(parsed.refused).toBe(run.refused);
  expect(parsed.actions.map(({ type, outcome }) => [type, outcome.status])).toEqual(
    run.actions.map(({ type, outcome }) => [type, outcome.status]),
  );
  expect(parsed.issues).toEqual(run.refused ? run.issues : run.issues.filter(isRepair));
  expect(parsed.stateChanges.map(({ notApplied }) => notApplied)).toEqual(
    run.stateChanges.map(({ notApplied }) => notApplied),
  );
}

/** What the runner takes out of what is printed, and not out of files. */
function withoutChance({
  id: _id,
  root: _root,
  durationMs: _duration,
  environment: _where,
  plan: _plan,
  ...run
}: Run) {
  const text = JSON.stringify(run);
  return JSON.parse(text.replace(/\b\d{8}-\d{6}-[a-z0-9]{4}\b/g, 'RUN')) as object;
}

function planOf(words: readonly string[], root: string, stdin: Buffer | undefined): string {
  const file = words[1]!;
  return file === '-' ? stdin!.toString('utf8') : readFileSync(join(root, file), 'utf8');
}
