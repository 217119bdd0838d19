import { rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { acceptCase } from './accept.js';
import { copyInput, expectedTree, findCases, readCase, type SpecCase } from './case-folder.js';
import { listTree, type ProcessEnd, runTeddy } from './run-teddy.js';

/** The long form asks for the issues of every case; the short one of every so many, and where the text does not tell. */
const SOAK = process.env.TEDDY_SOAK === '1';
const EVERY = 4;
/** Cases whose result is written down instead of compared: `npm run spec -- --accept CASE`. */
const ACCEPTED = (process.env.TEDDY_ACCEPT ?? '').split(' ').filter((name) => name !== '');

/** One test or two for each case of an area. */
export function testArea(area: string): void {
  describe.each(findCases(area))('%s', (name) => {
    const spec = readCase(name);
    if (ACCEPTED.includes(name)) {
      test('is accepted', () => accept(spec));
      return;
    }

    test('does what is expected', () => {
      const folder = prepare(spec);
      expect(runTeddy(spec, folder)).toEqual(spec.end);
      expect(listTree(folder)).toEqual(expectedTree(spec));
    });

    if (spec.issues !== undefined)
      test('finds the expected issues', () => expect(findIssues(spec, spec.end, name)).toEqual(spec.issues));
  });
}

function accept(spec: SpecCase): void {
  const folder = prepare(spec);
  const end = runTeddy(spec, folder);
  const issues = spec.issues && findIssues(spec, end, '');
  acceptCase(spec, { end, issues, before: listTree(prepare(spec)), after: listTree(folder) });
}

/** From what was printed where that tells them, else from a second run with `--json`. */
function findIssues(spec: SpecCase, end: ProcessEnd, name: string): string[] {
  if (spec.words.includes('--json')) return issueLines(end);
  if (name !== '' && !SOAK && [...name].length % EVERY !== 0 && isTold(spec)) return spec.issues!;
  return issueLines(runTeddy({ ...spec, words: [...spec.words, '--json'] }, prepare(spec)));
}

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
