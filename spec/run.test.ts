import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  copyInput,
  findCases,
  listTree,
  type ProcessEnd,
  readCase,
  runTeddy,
  type SpecCase,
} from './case-folder.js';

const spec = fileURLToPath(new URL('.', import.meta.url));
const cases = findCases(spec);

test('there are cases', () => expect(cases.length).toBeGreaterThan(0));

describe.each(cases)('%s', (name) => {
  const spec = readCase(name);

  test('does what is expected', () => {
    const folder = prepare(spec);
    const end = runTeddy(spec.words, folder, spec.stdin, spec.now);
    expect(end).toEqual(spec.end);
    expect(listTree(folder)).toEqual(spec.treeAfter);
  });

  if (spec.issues === undefined) return;

  test('finds the expected issues', () => {
    const words = spec.words.includes('--json') ? spec.words : [...spec.words, '--json'];
    const end = runTeddy(words, prepare(spec), spec.stdin, spec.now);
    expect(issueLines(end)).toEqual(spec.issues);
  });
});

function prepare(spec: SpecCase): string {
  const folder = copyInput(spec);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function issueLines({ stdout }: ProcessEnd): string[] {
  const { issues } = JSON.parse(stdout) as {
    issues: { severity: string; code: string; line: number | null }[];
  };
  return issues.map(({ severity, code, line }) => `${severity} ${code} ${line ?? '-'}`);
}
