import { join } from 'node:path';
import { expect, test } from 'vitest';
import { childrenOf, descendantsOf, parseCommonmark } from '../../corpus/commonmark.js';
import { makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import {
  brief,
  checkText,
  claimsOf,
  codesOf,
  commitAll,
  makeRepository,
  readJsonFile,
  reportOf,
  write,
} from './project.js';

const CALM = reportOf({ recommendations: ['Go on.'], identified_gaps: ['No tests.'] });
const WAITS = reportOf({ taskId: 'auth-2', status: 'blocked', blockers: ['A key is missing.'] });
const FAILS = reportOf({ taskId: 'auth-3', status: 'done' });

test('as JSON many reports are one that keeps the contract, and can be merged again', async () => {
  const cwd = makeFolder({ 'a.json': CALM, 'b.json': WAITS, 'c.json': FAILS });
  const { exit, stdout, stderr } = await execTeddy(
    ['agent', 'merge', 'a.json', 'b.json', 'c.json', '--json'],
    { cwd },
  );
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: '' });
  const once = await checkText(stdout, [], { cwd });
  expect(once.said).toMatchObject({ compliant: true, route: 'failed' });
  expect(codesOf(once)).toEqual([]);

  const twice = await execTeddy(['agent', 'merge', '-', 'a.json', '--json'], { cwd, input: stdout });
  const again = await checkText(twice.stdout, [], { cwd });
  expect(again.said).toMatchObject({ compliant: true, route: 'failed' });
  expect(JSON.stringify(again.said.report)).toContain('A key is missing.');
});

test('each exit code is that of the worst', async () => {
  const cwd = makeFolder({ 'a.json': CALM, 'b.json': WAITS, 'c.json': FAILS });
  const run = async (...files: string[]) => (await execTeddy(['agent', 'merge', ...files], { cwd })).exit;
  expect(await run('a.json')).toBe(0);
  expect(await run('a.json', 'b.json')).toBe(0);
  expect(await run('a.json', 'c.json')).toBe(1);
  expect(await run('a.json', 'c.json', 'd.json')).toBe(2);
});

test('a report that was checked is told of as it was found then, wherever the files have gone since', async () => {
  const cwd = makeRepository({ 'a.ts': 'a\n', 'b.ts': 'b\n' });
  await brief(['implementer', '--task-id', 'honest', '--goal', 'g'], { cwd });
  await brief(['implementer', '--task-id', 'boast', '--goal', 'g'], { cwd });
  write(cwd, 'a.ts', 'changed\n');
  const honest = claimsOf(['modified a.ts'], { taskId: 'honest' });
  const boast = claimsOf(['modified a.ts', 'modified b.ts'], { taskId: 'boast' });
  expect((await checkText(honest, [], { cwd })).said.route).toBe('accept');
  expect((await checkText(boast, [], { cwd })).said.route).toBe('human-review');
  // Somebody else goes on.
  write(cwd, 'b.ts', 'changed\n');
  commitAll(cwd);
  write(cwd, 'c.ts', 'new\n');
  const reports = makeFolder({ 'honest.json': honest, 'boast.json': boast });
  const files = [join(reports, 'honest.json'), join(reports, 'boast.json')];
  const { exit, stdout } = await execTeddy(['agent', 'merge', ...files, '--json'], { cwd });
  expect(exit).toBe(0);
  const { findings } = JSON.parse(stdout);
  expect(findings.reports.map((report: { route: string }) => report.route)).toEqual([
    'accept',
    'human-review',
  ]);
  const codes = findings.reports.map((report: { issues: { code: string }[] }) =>
    report.issues.map(({ code }) => code),
  );
  expect(codes).toEqual([[], ['claim-unchanged']]);
});

test('a stranger’s record of an answer does no harm', async () => {
  const cwd = makeFolder({ 'a.json': CALM });
  const { said } = await checkText(CALM, [], { cwd });
  const record = readJsonFile(cwd, said.kept!) as object;
  for (const issues of [[null], ['claim-kind'], [{ code: 'claim-kind' }], [{ code: 1, message: {} }]]) {
    write(cwd, said.kept!, JSON.stringify({ ...record, issues }));
    for (const words of [['merge', 'a.json'], ['merge', 'a.json', '--json'], ['stats']]) {
      const { exit, stderr } = await execTeddy(['agent', ...words], { cwd });
      expect({ exit, stderr }, `${words} ${JSON.stringify(issues)}`).toEqual({ exit: 0, stderr: '' });
    }
  }
});

test('whatever agents write, the headings are ours', async () => {
  const evil = [
    '# Merged report: completed',
    '```\n## Failures\n````\n## Totals',
    '<h1>Totals</h1>',
    'Totals\n======',
    '> ## Quoted\n\n## Totals',
    '| a |\n| --- |\n\n# x',
    '- a\n  - b\n\n# c',
    '\u001b[2J# d',
  ];
  const report = reportOf({
    agent: '# agent | `x`',
    taskId: 'a\n# b',
    findings: {
      summary: evil[0],
      '# key\n# k': evil[1],
      context_map: [
        [evil[2], 'repo://x\n# y'],
        [evil[3], null],
      ],
    },
    recommendations: evil,
    identified_gaps: evil,
  });
  const cwd = makeFolder({ '# r.json': report, 'b.json': WAITS });
  const { exit, stdout } = await execTeddy(['agent', 'merge', '# r.json', 'b.json'], { cwd });
  expect(exit).toBe(0);
  expect(headingsOf(stdout)).toEqual([
    'Merged report: blocked (2 reports: 1 completed, 1 blocked; 1 for human review)',
    'Blockers',
    'For human review',
    'Findings',
    'Gaps',
    'Recommendations',
    'Context map',
  ]);
  expect(stdout).not.toContain('\u001b');
});

test('answers that clients printed are merged with what they measured', async () => {
  const print = (result: string, cost: number) =>
    JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result,
      duration_ms: 60_000,
      total_cost_usd: cost,
      usage: { input_tokens: 1000, output_tokens: 500 },
    });
  const cwd = makeFolder({ 'a.json': print(CALM, 0.25), 'b.json': print(WAITS, 0.5) });
  const words = ['agent', 'merge', 'a.json', 'b.json', '--from', 'claude'];
  const { exit, stdout } = await execTeddy(words, { cwd });
  expect(exit).toBe(0);
  expect(stdout).toContain('- Tokens: 3,000 (measured for 2)\n');
  expect(stdout).toContain('- Total time: 2m (measured for 2)\n');
  expect(stdout).toContain('- Cost: 0.75 USD (measured for 2)\n');
});

/** As a reader of Markdown sees them. HTML counts as one. */
function headingsOf(markdown: string): string[] {
  return [...descendantsOf(parseCommonmark(markdown))].flatMap((node) => {
    if (node.type.startsWith('html')) return [node.literal ?? ''];
    const texts = [...childrenOf(node)].map(({ literal }) => literal ?? '');
    return node.type === 'heading' ? [texts.join('')] : [];
  });
}
