// What an agent answered is on disk before anything else happens to it, and stands in one place afterwards.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { homeOf, makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import { claimOf, makeProject } from '../tasks/project.js';
import { startTeddy, TEDDY } from '../teddy.js';
import {
  brief,
  checkText,
  claimsOf,
  codesOf,
  makeRepository,
  namesIn,
  readJsonFile,
  reportOf,
  write,
} from './project.js';

const INVESTIGATE = ['investigator', '--task-id', 'auth-1', '--goal', 'Look.'];

function folderOf(kept: string | null): string {
  return kept!.slice(0, kept!.lastIndexOf('/'));
}

describe('what comes on standard input', () => {
  test('is kept as it came, for its owner’s eyes alone, and waits nowhere else', async () => {
    const cwd = makeFolder();
    const answer = `\uFEFF${reportOf()}\r\n\n`;
    const { said } = await checkText(answer, [], { cwd });
    const path = join(cwd, said.kept!.replace('.json', '.txt'));
    expect(readFileSync(path, 'utf8')).toBe(answer);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(cwd, said.kept!)).mode & 0o777).toBe(0o600);
    expect(namesIn(cwd, '.teddy/incoming')).toEqual([]);
  });

  test('is kept once, however often it comes; what was found out about it is renewed', async () => {
    const cwd = makeFolder();
    const first = await checkText(reportOf(), [], { cwd });
    const again = await checkText(reportOf(), ['--verbosity', 'summary'], { cwd });
    expect(again.said.kept).toBe(first.said.kept);
    expect(readJsonFile(cwd, first.said.kept!)).toMatchObject({ compliant: false, route: 'failed' });
    const other = await checkText(reportOf({ confidence: 0.8 }), [], { cwd });
    expect(namesIn(cwd, folderOf(other.said.kept))).toEqual([
      'answer-1.json',
      'answer-1.txt',
      'answer-2.json',
      'answer-2.txt',
    ]);
    expect(namesIn(cwd, '.teddy/incoming')).toEqual([]);
  });

  test('is kept whatever it is: not JSON, of no task, of a client', async () => {
    const cwd = makeFolder();
    for (const [answer, words] of [
      ['I am done.', []],
      ['{"report_metadata": {"task_id": 7}}', []],
      ['{"type":"thread.started","thread_id":"0199a213"}\n', ['--from', 'codex']],
    ] as const) {
      const end = await checkText(answer, [...words], { cwd });
      expect(end.exit).toBe(1);
      expect(readFileSync(join(cwd, end.said.kept!.replace('.json', '.txt')), 'utf8')).toBe(answer);
    }
    expect(namesIn(cwd, '.teddy/incoming')).toEqual([]);
  });

  test('is not kept where there is nothing', async () => {
    const cwd = makeFolder();
    const end = await checkText('', [], { cwd });
    expect(end).toMatchObject({ exit: 1, said: { kept: null } });
    expect(existsSync(join(cwd, '.teddy'))).toBe(false);
  });

  test('is kept when many are merged', async () => {
    const cwd = makeFolder({ 'a.json': reportOf({ taskId: 'auth-2' }) });
    const { exit } = await execTeddy(['agent', 'merge', 'a.json', '-'], { cwd, input: reportOf() });
    expect(exit).toBe(0);
    const folders = namesIn(cwd, '.teddy/reports');
    expect(folders).toEqual([expect.stringMatching(/^auth-1-/)]);
    expect(namesIn(cwd, '.teddy/incoming')).toEqual([]);
  });

  test.each([
    ['a client that is none', ['--from', 'cursor']],
    ['a level that is none', ['--verbosity', 'loud']],
  ])('is not lost when the command cannot be carried out: %s', async (_, words) => {
    const cwd = makeFolder();
    const end = await execTeddy(['agent', 'check', '-', ...words], { cwd, input: reportOf() });
    expect(end.exit).toBe(2);
    const [name] = namesIn(cwd, '.teddy/incoming');
    expect(end.stderr).toContain(`teddy agent check .teddy/incoming/${name}`);
    expect(readFileSync(join(cwd, '.teddy/incoming', name!), 'utf8')).toBe(reportOf());
  });

  test('is not lost when a manual is broken, and it is said where it is', async () => {
    const cwd = makeFolder({ '.teddy/agents/investigator.md': '---\nkind: subagent\n---\n' });
    const end = await execTeddy(['agent', 'check', '-', '--trust'], { cwd, input: reportOf() });
    expect(end).toMatchObject({ exit: 2, stdout: '' });
    const [name] = namesIn(cwd, '.teddy/incoming');
    expect(readFileSync(join(cwd, '.teddy/incoming', name!), 'utf8')).toBe(reportOf());
    expect(end.stderr).toContain(`.teddy/incoming/${name}`);
  });
});

describe('what was left', () => {
  /** What a refused check left, by the command that it names. */
  async function leave(cwd: string, answer: string, words: string[] = []): Promise<string[]> {
    write(cwd, '.teddy/config.yaml', 'review: {confidence: 0.5}\n');
    const end = await execTeddy(['agent', 'check', '-', ...words], { cwd, input: answer });
    expect(end.exit).toBe(2);
    return /To check it again: teddy (.*)\n/.exec(end.stderr)![1]!.split(' ');
  }

  test.each([
    ['small', reportOf()],
    ['large', reportOf({ recommendations: ['x'.repeat(18 * 1024 * 1024)] })],
  ])(
    'is checked with the words that are said, kept, and gone from where it waited: %s',
    async (_, answer) => {
      const cwd = makeFolder();
      const words = await leave(cwd, answer);
      const { exit, stdout, stderr } = await execTeddy([...words, '--trust', '--json'], { cwd });
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
      const { kept } = JSON.parse(stdout);
      expect(readFileSync(join(cwd, kept.replace('.json', '.txt')), 'utf8')).toBe(answer);
      expect(namesIn(cwd, '.teddy/incoming')).toEqual([]);
    },
  );

  test('is checked in the project that it was for', async () => {
    const outer = makeFolder({ 'a/.teddy/agents/notes.txt': '', 'b/x': '' });
    write(`${outer}/a`, '.teddy/config.yaml', 'review: {confidence: 0.5}\n');
    const cwd = join(outer, 'b');
    const words = ['agent', 'check', '-', '--root', '../a'];
    const { stderr } = await execTeddy(words, { cwd, input: reportOf() });
    const again = /To check it again: teddy (.*)\n/.exec(stderr)![1]!.split(' ');
    expect(await execTeddy([...again, '--trust'], { cwd })).toMatchObject({ exit: 0 });
    expect(namesIn(outer, 'a/.teddy/incoming')).toEqual([]);
    expect(namesIn(outer, 'b')).toEqual(['x']);
  });

  test('by a process that was killed can be checked', async () => {
    const bin = makeFolder({ git: '#!/bin/sh\nexec sleep 30\n' });
    chmodSync(join(bin, 'git'), 0o755);
    const cwd = makeRepository({ 'a.ts': 'a\n' });
    const child = spawn(process.execPath, [TEDDY, 'agent', 'check', '-'], {
      cwd,
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        TMPDIR: tmpdir(),
        HOME: homeOf(cwd),
        XDG_STATE_HOME: makeFolder(),
      },
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    child.stdin.end(claimsOf([]));
    while (namesIn(cwd, '.teddy/incoming').length === 0) await setTimeout(20);
    const [name] = namesIn(cwd, '.teddy/incoming');
    const words = ['agent', 'check', `.teddy/incoming/${name}`, '--json'];
    while (readFileSync(join(cwd, '.teddy/incoming', name!), 'utf8') === '') await setTimeout(20);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const end = await execTeddy(words, { cwd });
    expect(JSON.parse(end.stdout)).toMatchObject({ compliant: true, route: 'accept', issues: [] });
    expect(namesIn(cwd, '.teddy/incoming')).toEqual([]);
  });

  test('of an agent is not taken for the result of a task', async () => {
    const cwd = makeProject();
    await leave(cwd, reportOf());
    const [name] = namesIn(cwd, '.teddy/incoming');
    // Of a minute ago.
    const old = `${(Date.now() - 60_000).toString(36)}-4711-0.report`;
    renameSync(join(cwd, '.teddy/incoming', name!), join(cwd, '.teddy/incoming', old));
    const words = ['result', 'submit', '-', '--plan', '01-01', '--trust'];
    const { stderr } = await execTeddy(words, { cwd, input: claimOf() });
    expect(stderr).not.toContain('teddy result submit');
  });
});

test('what comes through a pipe that is named like a file is kept', () => {
  const cwd = makeFolder({ 'r.json': reportOf() });
  const script = `"$0" "$1" agent check <(cat r.json)`;
  const { status } = spawnSync('bash', ['-c', script, process.execPath, TEDDY], {
    cwd,
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: homeOf(cwd) },
  });
  expect(status).toBe(0);
  expect(namesIn(cwd, '.teddy/reports')).toHaveLength(1);
  expect(namesIn(cwd, '.teddy/incoming')).toEqual([]);
});

describe('what stands in a file', () => {
  test('is kept where somebody was briefed for it, and the file stays', async () => {
    const cwd = makeRepository({ 'r.json': reportOf() });
    await brief(INVESTIGATE, { cwd });
    const { exit, stderr } = await execTeddy(['agent', 'check', 'r.json'], { cwd });
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringMatching(/^Saved in \.teddy\/reports\/auth-1-[0-9a-f]{8}\/answer-1\.json\.\n$/),
    });
    expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(reportOf());
  });

  test('is kept nowhere else where nobody was', async () => {
    const cwd = makeRepository({ 'r.json': reportOf() });
    const { exit, stderr } = await execTeddy(['agent', 'check', 'r.json'], { cwd });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(namesIn(cwd, '.')).not.toContain('.teddy');
  });
});

test('many at once: every answer is kept, once', async () => {
  const cwd = makeRepository({});
  await brief(INVESTIGATE, { cwd });
  const answers = Array.from({ length: 6 }, (_, at) => reportOf({ confidence: 0.9 - at / 100 }));
  const ends = await Promise.all([...answers, ...answers].map((answer) => checkText(answer, [], { cwd })));
  expect(ends.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(
    ends.map(() => ({ exit: 0, stderr: '' })),
  );
  const folder = folderOf(ends[0]!.said.kept);
  const texts = namesIn(cwd, folder).filter((name) => /^answer-\d\.txt$/.test(name));
  expect(texts.map((name) => readFileSync(join(cwd, folder, name), 'utf8')).sort()).toEqual(
    answers.toSorted(),
  );
  for (const { said } of ends.slice(0, 6))
    expect(ends.filter((end) => end.said.kept === said.kept)).toHaveLength(2);
  expect(namesIn(cwd, '.teddy/incoming')).toEqual([]);
});

test('a reader that goes away is no error, and the answer is kept', async () => {
  const cwd = makeFolder();
  const child = startTeddy(['agent', 'check', '-', '--json'], cwd);
  const stderr = text(child.stderr!);
  child.stdout!.once('data', () => child.stdout!.destroy());
  const recommendations = Array.from({ length: 200_000 }, (_, at) => `Step ${at}.`);
  child.stdin!.end(reportOf({ recommendations }));
  const [exit] = await once(child, 'close');
  expect({ exit, stderr: await stderr }).toEqual({ exit: 0, stderr: '' });
  expect(namesIn(cwd, '.teddy/reports')).toHaveLength(1);
});

test('a `.teddy` that leads elsewhere is not written through', async () => {
  const cwd = makeFolder();
  const elsewhere = makeFolder();
  symlinkSync(elsewhere, join(cwd, '.teddy'));
  for (const words of [
    ['check', '-'],
    ['brief', ...INVESTIGATE],
    ['decide', 'auth-1', 'accept'],
  ]) {
    const { exit } = await execTeddy(['agent', ...words, '--root', '.'], { cwd, input: reportOf() });
    expect(exit, words.join(' ')).toBe(2);
  }
  expect(namesIn(elsewhere, '.')).toEqual([]);
});

test('a stranger’s records are no briefing and no answer', async () => {
  const cwd = makeRepository({});
  const { kept } = await brief(INVESTIGATE, { cwd });
  const folder = join(cwd, folderOf(kept));
  writeFileSync(join(folder, 'briefing-2.json'), '{"task_id": "auth-1", "agent": 1}');
  writeFileSync(join(folder, 'briefing-3.json'), '[');
  writeFileSync(join(folder, 'decision-1.json'), '{"decision": "accept"}');
  const end = await checkText(reportOf(), [], { cwd });
  // They do not count, and that they are there is for human review to see.
  expect(codesOf(end)).toEqual(['briefing-strange $.report_metadata.task_id']);
  expect(end.said.route).toBe('human-review');
  const stats = await execTeddy(['agent', 'stats', '--json'], { cwd });
  expect(JSON.parse(stats.stdout).total).toMatchObject({ reports: 1, decided: 0 });
});
