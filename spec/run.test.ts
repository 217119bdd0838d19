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
/** The long form asks for the issues of every case; the short one of every so many, and where the text does not tell. */
const SOAK = process.env.TEDDY_SOAK === '1';
const EVERY = 4;

test('there are cases', () => expect(cases.length).toBeGreaterThan(0));

describe.each(cases)('%s', (name) => {
  const spec = readCase(name);

  test('does what is expected', () => {
    const folder = prepare(spec);
    const end = runTeddy(spec.words, folder, spec.stdin, spec.now, spec.ownRuns);
    expect(end).toEqual(spec.end);
    expect(listTree(folder)).toEqual(spec.treeAfter);
  });

  if (spec.issues === undefined) return;

  test('finds the expected issues', () => {
    if (spec.words.includes('--json')) {
      expect(issueLines(spec.end)).toEqual(spec.issues);
      return;
    }
    if (isTold(spec) && !SOAK && cases.indexOf(name) % EVERY !== 0) return;
    const end = runTeddy([...spec.words, '--json'], prepare(spec), spec.stdin, spec.now, spec.ownRuns);
    expect(issueLines(end)).toEqual(spec.issues);
  });
});

/** Whether the text for people, which is compared to the byte, tells of these issues, no others, and in this order. */
function isTold({ end, issues }: SpecCase): boolean {
  const lines = end.stdout.split('\n').flatMap((line) => {
    const [severity, ...parts] = line.split('  ');
    if (!['error', 'warning', 'info'].includes(severity!) || parts.length === 0) return [];
    const at = parts.length > 1 ? /^line (\d+)/.exec(parts[0]!)?.[1] : undefined;
    return `${severity} ${parts.at(-1)} ${at ?? '-'}`;
  });
  return JSON.stringify(lines) === JSON.stringify(issues);
}

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
