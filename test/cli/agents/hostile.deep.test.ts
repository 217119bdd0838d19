// Whatever an agent answers ends with a clear sentence, and with an exit code that says so.
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { SOAK } from '../../workspace/faults/random.js';
import { execTeddy } from '../execute/program.js';
import { brief, checkText, codesOf, namesIn, reportOf } from './project.js';

const MB = 1024 * 1024;
/** Each of them in the long form; in the short one they take turns. */
const CLIENTS = ['claude', 'codex', 'gemini'];

describe.each([
  ['100,000 lists in one another', '['.repeat(100_000) + ']'.repeat(100_000), 'json-too-deep'],
  ['100,000 objects in one another', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'json-too-deep'],
  ['20 MB of [', '['.repeat(20 * MB), 'json-too-deep'],
  ['20 MB of {', '{'.repeat(20 * MB), 'json-invalid'],
  ['20 MB of white space', ' '.repeat(20 * MB), 'report-empty'],
  ['15 MB of halves', `"${'\\ud800'.repeat(2.5 * MB)}"`, 'json-half-character'],
])('%s', (name, answer, code) => {
  test.each([[[]], [['--lenient']]])('is refused in a sentence %j', async (words) => {
    const cwd = makeFolder({ 'answer.txt': answer });
    const { exit, stdout, stderr } = await execTeddy(['agent', 'check', 'answer.txt', ...words], { cwd });
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: '' });
    expect(stdout).toContain(`  ${code}\n  `);
    expect(stdout.length).toBeLessThan(1000);
  });

  const turn = name.length % CLIENTS.length;
  test.each(SOAK ? CLIENTS : [CLIENTS[turn]!])('is nothing that %s prints', async (client) => {
    const cwd = makeFolder({ 'answer.txt': answer });
    const words = ['agent', 'check', 'answer.txt', '--from', client, '--json'];
    const { exit, stdout } = await execTeddy(words, { cwd });
    expect(exit).toBe(1);
    expect(['client-unreadable', 'report-empty']).toContain(JSON.parse(stdout).issues[0].code);
  });
});

test.each(['check', 'merge', 'context-map'])('more than 20 MB are not read: %s', async (word) => {
  const cwd = makeFolder({ 'answer.txt': ' '.repeat(20 * MB + 1) });
  const said = (name: string) => ({ exit: 2, stdout: '', stderr: `teddy: ${name} is larger than 20 MB.\n` });
  expect(await execTeddy(['agent', word, 'answer.txt'], { cwd })).toEqual(said('answer.txt'));
  const input = ' '.repeat(20 * MB + 1);
  expect(await execTeddy(['agent', word, '-'], { cwd, input })).toEqual(said('standard input'));
});

test('nearly 20 MB that come on standard input are judged and kept', async () => {
  const cwd = makeFolder();
  const answer = reportOf({ recommendations: ['x'.repeat(20 * MB - 1000)] });
  const end = await checkText(answer, [], { cwd });
  expect(end).toMatchObject({ exit: 0, stderr: '', said: { compliant: true } });
  expect(namesIn(cwd, '.teddy/incoming')).toEqual([]);
});

test('a device is no report', async () => {
  expect(await execTeddy(['agent', 'check', '/dev/zero'], { cwd: makeFolder() })).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: /dev/zero is not a regular file.\n',
  });
});

test('many references take few lines to tell of', async () => {
  const context_map = Array.from({ length: 100_000 }, (_, at) => ['x', `repo://no/${at}.ts:1`]);
  const cwd = makeFolder({ 'report.json': reportOf({ findings: { context_map } }) });
  const { exit, stdout } = await execTeddy(['agent', 'check', 'report.json'], { cwd });
  expect(exit).toBe(0);
  expect(stdout).toContain('References: ');
  expect(stdout.split('\n').length).toBeLessThan(300);
});

const ODD = [
  '../../x',
  '/etc/passwd',
  'constructor',
  '__proto__',
  'toString',
  '.',
  'con.md',
  'a\nb',
  'a\u202Eb',
  'Ä'.repeat(5000),
  'x'.repeat(10_000),
];

describe.each(ODD.map((name) => [name.length > 20 ? `${name.slice(0, 5)}… (${name.length})` : name, name]))(
  'the name %j',
  (_, name) => {
    test('is no agent: a sentence that does not go on forever', async () => {
      for (const words of [
        ['schema', name],
        ['brief', name, '--task-id', 't', '--goal', 'g'],
      ]) {
        const { exit, stdout, stderr } = await execTeddy(['agent', ...words], { cwd: makeFolder() });
        expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
        expect(stderr).toMatch(
          /^teddy: There is no agent ".*"\. Available: implementer, investigator, reviewer\.\n$/,
        );
        expect(stderr.length).toBeLessThan(400);
        expect(stderr).not.toContain('\u202E');
      }
    });

    test('in a report, and as the id of a task, leads nowhere else', async () => {
      const outer = makeFolder({ 'in/ner/.teddy/agents/notes.txt': '' });
      const cwd = `${outer}/in/ner`;
      const report = reportOf({ agent: name, taskId: name });
      const end = await checkText(report, ['--agent', name, '--task-id', name], { cwd });
      expect(end).toMatchObject({ exit: 0, said: { compliant: true } });
      expect(codesOf(end)).toEqual(['agent-unknown $.report_metadata.agent_name']);
      expect(end.said.kept).toMatch(/^\.teddy\/reports\/[a-z0-9-]{1,80}\/answer-1\.json$/);
      expect(namesIn(cwd, '.teddy/reports')).toHaveLength(1);
      expect([namesIn(outer, '.'), namesIn(outer, 'in')]).toEqual([['in'], ['ner']]);
    });

    test('is the id of a task like any other', async () => {
      const cwd = makeFolder();
      await brief(['investigator', '--task-id', name, '--goal', 'g'], { cwd });
      const end = await checkText(reportOf({ taskId: name }), [], { cwd });
      expect(end.said).toMatchObject({ route: 'accept', issues: [] });
      const decided = await execTeddy(['agent', 'decide', name, 'accept'], { cwd });
      expect(decided).toMatchObject({ exit: 0, stderr: '' });
      expect(decided.stdout).not.toContain('\u202E');
      const stats = await execTeddy(['agent', 'stats', '--json'], { cwd });
      expect(JSON.parse(stats.stdout).total).toMatchObject({ reports: 1, decided: 1 });
    });
  },
);

test('ids that look alike in a folder’s name are two tasks', async () => {
  const cwd = makeFolder();
  await checkText(reportOf({ taskId: 'a b' }), [], { cwd });
  await checkText(reportOf({ taskId: 'a/b' }), [], { cwd });
  await checkText(reportOf({ taskId: 'A-B' }), [], { cwd });
  expect(namesIn(cwd, '.teddy/reports')).toHaveLength(3);
});

test('a required field of a briefing is asked for, whatever it is called', async () => {
  const cwd = makeFolder({
    '.teddy/agents/odd.md':
      '---\nkind: subagent\nbriefing: {constructor: {about: Who., required: true}}\n---\n\n```json\n{"type": "object"}\n```\n',
  });
  const words = ['agent', 'brief', 'odd', '--task-id', 't', '--goal', 'g', '--trust'];
  expect(await execTeddy(words, { cwd })).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: odd needs --field constructor="…" (Who).\n',
  });
  expect(await execTeddy([...words, '--field', 'constructor=me'], { cwd })).toMatchObject({ exit: 0 });
});
