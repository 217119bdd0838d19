// An agent works in the same folder as teddy's records of it, and with the same git.
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import {
  brief,
  checkText,
  claimsOf,
  codesOf,
  commitAll,
  git,
  makeRepository,
  readJsonFile,
  remove,
  reportOf,
  write,
} from './project.js';

const FILES = { 'src/auth.ts': 'a\n', 'docs/auth.md': 'd\n' };
const BRIEF = ['implementer', '--task-id', 'auth-1', '--goal', 'Limit the attempts.', '--scope', 'src/**'];
const OUT = 'change-out-of-scope $.findings.changed_files';

/** A project in which an agent has been briefed, and then has written outside of its scope. */
async function briefed(words: string[] = BRIEF): Promise<{ cwd: string; kept: string }> {
  const cwd = makeRepository(FILES);
  const { kept } = await brief(words, { cwd });
  return { cwd, kept };
}

test('a briefing that teddy did not write is none', async () => {
  const { cwd, kept } = await briefed();
  const own = readJsonFile(cwd, kept) as object;
  for (const number of [2, 999_999]) {
    const forged = JSON.stringify({ ...own, scope: [], baseline: null });
    writeFileSync(join(cwd, kept.replace('briefing-1', `briefing-${number}`)), forged);
  }
  write(cwd, 'evil.txt', 'x\n');
  commitAll(cwd);
  const end = await checkText(claimsOf([]), [], { cwd });
  expect(codesOf(end)).toContain(OUT);
  expect(end.said.route).toBe('human-review');
  // Nothing is written over, neither the stranger's nor, by the next answer, our own.
  const again = await checkText(claimsOf(['created evil.txt']), [], { cwd });
  expect(again.said.kept).not.toBe(end.said.kept);
  expect(readJsonFile(cwd, end.said.kept!)).toMatchObject({ route: 'human-review' });
});

test('a kept briefing that was changed is none', async () => {
  const { cwd, kept } = await briefed();
  write(cwd, kept, JSON.stringify({ ...(readJsonFile(cwd, kept) as object), scope: ['**'] }));
  const end = await checkText(claimsOf([]), [], { cwd });
  expect(codesOf(end)).toEqual(['briefing-strange $.report_metadata.task_id']);
  expect(end.said.route).toBe('human-review');
  const { stdout } = await execTeddy(['agent', 'stats', '--json'], { cwd });
  expect(JSON.parse(stdout).total.reports).toBe(1);
});

test('who claims nothing can still have left its scope', async () => {
  const { cwd } = await briefed(['investigator', ...BRIEF.slice(1)]);
  write(cwd, 'evil.txt', 'x\n');
  write(cwd, 'src/more.ts', 'x\n');
  const end = await checkText(reportOf(), [], { cwd });
  expect(codesOf(end)).toEqual([OUT]);
  expect(end.said.issues[0]?.message).toContain('evil.txt');
  expect(end.said.route).toBe('human-review');
});

test('a file that git was told to overlook is looked at', async () => {
  const { cwd } = await briefed();
  git(cwd, 'update-index', '--assume-unchanged', 'docs/auth.md');
  write(cwd, 'docs/auth.md', 'other\n');
  const end = await checkText(claimsOf([]), [], { cwd });
  expect(codesOf(end)).toContain(OUT);
  expect(end.said.route).toBe('human-review');
});

test('one that was overlooked before the briefing, and stays as it is, is no change', async () => {
  const cwd = makeRepository(FILES);
  git(cwd, 'update-index', '--assume-unchanged', 'docs/auth.md');
  write(cwd, 'docs/auth.md', 'my own settings\n');
  await brief(BRIEF, { cwd });
  expect(codesOf(await checkText(claimsOf([]), [], { cwd }))).toEqual([]);
});

test('a commit that stands for another one deceives nobody', async () => {
  const { cwd } = await briefed();
  const before = git(cwd, 'rev-parse', 'HEAD').trim();
  write(cwd, 'docs/auth.md', 'other\n');
  commitAll(cwd);
  git(cwd, 'replace', before, 'HEAD');
  expect(codesOf(await checkText(claimsOf([]), [], { cwd }))).toContain(OUT);
});

test('where git cannot tell any more, a person looks', async () => {
  const { cwd } = await briefed();
  remove(cwd, '.git/HEAD');
  const end = await checkText(claimsOf([]), [], { cwd });
  expect(codesOf(end)).toEqual(['claims-incomparable $.findings.changed_files']);
  expect(end.said.route).toBe('human-review');
});

test('a base that is no commit is a mistake of whoever asks', async () => {
  const { cwd } = await briefed();
  const { exit, stderr } = await execTeddy(['agent', 'check', '-', '--base', 'nope'], {
    cwd,
    input: claimsOf([]),
  });
  expect(exit).toBe(2);
  expect(stderr).toMatch(/--base "nope": "nope" is not a commit of this repository\.\nThe answer was saved/);
});

test('whoever changes the manual that it is judged by is found out', async () => {
  const { cwd } = await briefed();
  const schema = '{"type": "object", "properties": {"changed_files": {"type": "array"}}}';
  write(cwd, '.teddy/agents/implementer.md', `---\nkind: subagent\n---\n\n\`\`\`json\n${schema}\n\`\`\`\n`);
  const untrusted = await execTeddy(['agent', 'check', '-'], { cwd, input: reportOf() });
  expect(untrusted).toMatchObject({ exit: 2, stdout: '' });
  expect(untrusted.stderr).toContain('.teddy/agents/implementer.md is not trusted yet');
  const end = await checkText(reportOf({ agent: 'implementer', findings: {} }), ['--trust'], { cwd });
  expect(codesOf(end)).toContain('manual-changed $.report_metadata.agent_name');
  expect(codesOf(end)).toContain(OUT);
  expect(end.said.route).toBe('human-review');
});

test('what was for human review stays so when it is merged', async () => {
  const cwd = makeRepository({ ...FILES, 'low.json': reportOf({ confidence: 0.2 }), 'b.json': reportOf() });
  const merged = await execTeddy(['agent', 'merge', 'low.json', 'b.json', '--json'], { cwd });
  const raised = merged.stdout.replace('"confidence_level": 0.2', '"confidence_level": 0.9');
  const end = await checkText(raised, [], { cwd });
  expect(codesOf(end)).toEqual(['merged-doubt $.findings.reports[0]']);
  expect(end.said.route).toBe('human-review');
});

test('an address anywhere in the findings is looked up', async () => {
  const cwd = makeRepository(FILES);
  const evidence = ['repo://src/auth.ts:1', 'repo://src/none.ts:1', 'see repo://src/none.ts'];
  const answers = [{ question: 'Where?', answer: 'There.', evidence }];
  const end = await checkText(reportOf({ findings: { context_map: [], answers } }), [], { cwd });
  expect(codesOf(end)).toEqual(['reference-broken $.findings.answers[0].evidence[1]']);
  expect(end.said.route).toBe('human-review');
});

test('a claim outside of the scope needs no git to be seen', async () => {
  const cwd = realpathSync(makeFolder(FILES));
  await brief(BRIEF, { cwd });
  const end = await checkText(claimsOf(['created NEWS.md', 'created src/new.ts']), [], { cwd });
  expect(codesOf(end)).toEqual([
    'claims-unverified $.findings.changed_files',
    'change-out-of-scope $.findings.changed_files[0]',
  ]);
  expect(end.said.route).toBe('human-review');
});
