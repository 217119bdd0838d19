import { mkdirSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type AnswerRecord,
  type BriefingRecord,
  type DecisionRecord,
  findRecords,
  keepAnswer,
  keepBriefing,
  keepDecision,
  listRecords,
} from '../../src/agents/records.js';
import type { ReportIssue } from '../../src/core/agent-report/types.js';
import { sha256 } from '../../src/node/ids.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { listContent, makeFolder, readTree } from '../folder.js';

const AT = '2026-01-02T03:04:05Z';
const ISSUE: ReportIssue = { code: 'json-invalid', severity: 'error', path: '$', message: 'No.' };

function open(files: Record<string, string> = {}) {
  const root = realpathSync(makeFolder(files));
  return { root, workspace: new Workspace(root) };
}

function briefingOf(taskId: string, parts: Partial<BriefingRecord> = {}): BriefingRecord {
  return {
    task_id: taskId,
    agent: 'investigator',
    at: AT,
    goal: 'Look.',
    verbosity: 'detailed',
    scope: ['src/**'],
    manual: 'c'.repeat(64),
    baseline: { commit: 'a'.repeat(40), files: { 'a.ts': 'b'.repeat(64), 'gone.ts': null } },
    ...parts,
  };
}

function answerOf(taskId: string, text: string, parts: Partial<AnswerRecord> = {}): AnswerRecord {
  return {
    task_id: taskId,
    agent: 'investigator',
    at: AT,
    sha256: sha256(text),
    compliant: true,
    route: 'accept',
    confidence: 0.9,
    issues: [],
    ...parts,
  };
}

describe('what is kept of a task', () => {
  test('is found again as it was, in the order in which it came', async () => {
    const { root, workspace } = open();
    expect(findRecords(workspace, 't')).toBeUndefined();
    const first = briefingOf('t');
    const second = briefingOf('t', { baseline: null, verbosity: 'summary' });
    const path = await keepBriefing(workspace, first, 'the first\n');
    await keepBriefing(workspace, second, 'the second\n');
    const answer = answerOf('t', 'x', { compliant: false, confidence: null, issues: [ISSUE] });
    await keepAnswer(workspace, answer, 'x');
    await keepDecision(workspace, 't', { at: AT, decision: 'reject', reason: 'No.', answer: sha256('x') });
    await keepDecision(workspace, 't', { at: AT, decision: 'accept', reason: null, answer: sha256('x') });
    const folder = path.slice(0, path.lastIndexOf('/'));
    expect(findRecords(workspace, 't')).toEqual({
      taskId: 't',
      path: folder,
      briefings: [first, second],
      answers: [answer],
      decisions: [
        { at: AT, decision: 'reject', reason: 'No.', answer: sha256('x') },
        { at: AT, decision: 'accept', reason: null, answer: sha256('x') },
      ],
      strange: false,
    });
    expect(Object.keys(readTree(join(root, folder))).sort()).toEqual([
      'answer-1.json',
      'answer-1.txt',
      'briefing-1.json',
      'briefing-1.md',
      'briefing-2.json',
      'briefing-2.md',
      'decision-1.json',
      'decision-2.json',
    ]);
    expect(readTree(join(root, folder))['briefing-2.md']).toBe('the second\n');
  });

  test('is for its owner alone', async () => {
    const { root, workspace } = open();
    const path = await keepAnswer(workspace, answerOf('t', 'x'), 'x');
    for (const name of [path, path.replace('.json', '.txt')])
      expect(statSync(join(root, name)).mode & 0o777).toBe(0o600);
  });

  test('counts in numbers, not in letters', async () => {
    const { workspace } = open();
    for (let at = 1; at <= 11; at++) await keepAnswer(workspace, answerOf('t', `${at}`), `${at}`);
    const hashes = findRecords(workspace, 't')!.answers.map(({ sha256 }) => sha256);
    expect(hashes).toEqual(Array.from({ length: 11 }, (_, at) => sha256(`${at + 1}`)));
  });

  test('the same answer again only renews what was found out', async () => {
    const { workspace } = open();
    const first = await keepAnswer(workspace, answerOf('t', 'x'), 'x');
    await keepAnswer(workspace, answerOf('t', 'y'), 'y');
    const again = await keepAnswer(workspace, answerOf('t', 'x', { route: 'human-review' }), 'x');
    expect(again).toBe(first);
    expect(findRecords(workspace, 't')!.answers.map(({ route }) => route)).toEqual([
      'human-review',
      'accept',
    ]);
  });

  test('a text that waited is gone with the commit that keeps it', async () => {
    const { root, workspace } = open();
    const held = workspace.incoming.keep(new TextEncoder().encode('x'));
    await keepAnswer(workspace, answerOf('t', 'x'), 'x', held.removal);
    held.release();
    expect(listContent(join(root, '.teddy/incoming'))).toEqual([]);
  });

  test('many who keep at once lose nothing', async () => {
    const { workspace } = open();
    const texts = Array.from({ length: 12 }, (_, at) => `answer ${at}`);
    await Promise.all(texts.map((text) => keepAnswer(workspace, answerOf('t', text), text)));
    const hashes = findRecords(workspace, 't')!.answers.map(({ sha256 }) => sha256);
    expect(hashes.sort()).toEqual(texts.map((text) => sha256(text)).sort());
  });
});

describe('the folder of a task', () => {
  test.each([
    ['words', 'sprint 1/Task 2', /^sprint-1-task-2-[0-9a-f]{8}$/],
    ['a way out', '../../x', /^x-[0-9a-f]{8}$/],
    ['nothing', '', /^unnamed-[0-9a-f]{8}$/],
    ['no letter of ours', '日本', /^unnamed-[0-9a-f]{8}$/],
    ['what every object has', 'constructor', /^constructor-[0-9a-f]{8}$/],
    ['too long', 'x'.repeat(10_000), /^x{60}-[0-9a-f]{8}$/],
    ['too long, cut at a dash', `${'x'.repeat(59)}//y`, /^x{59}-[0-9a-f]{8}$/],
  ])('can be read, and is one name: %s', async (_, taskId, name) => {
    const { root, workspace } = open();
    await keepAnswer(workspace, answerOf(taskId, 'x'), 'x');
    expect(listContent(join(root, '.teddy/reports'))).toEqual([expect.stringMatching(name)]);
    expect(findRecords(workspace, taskId)!.answers).toHaveLength(1);
    expect(findRecords(workspace, `${taskId} `)).toBeUndefined();
  });

  test('is another for ids that read alike', async () => {
    const { workspace } = open();
    for (const taskId of ['a b', 'a/b', 'A-B', 'a--b'])
      await keepAnswer(workspace, answerOf(taskId, 'x'), 'x');
    expect(
      listRecords(workspace)
        .map(({ taskId }) => taskId)
        .sort(),
    ).toEqual(['A-B', 'a b', 'a--b', 'a/b']);
  });
});

describe('files that a stranger put there', () => {
  const GOOD = briefingOf('t');

  async function openWith(files: Record<string, string | Uint8Array>) {
    const { root, workspace } = open();
    const path = await keepBriefing(workspace, GOOD, 'text\n');
    const folder = join(root, path.slice(0, path.lastIndexOf('/')));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return { root, workspace, folder };
  }

  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['without a seal', JSON.stringify(GOOD)],
    ['with a seal of nobody', JSON.stringify({ ...GOOD, seal: 'a'.repeat(64) })],
    ['with a seal that is none', JSON.stringify({ ...GOOD, seal: null })],
    ['not UTF-8', new Uint8Array([0xff])],
  ] as const)('are no briefing: %s', async (_, text) => {
    const { workspace } = await openWith({ 'briefing-2.json': text });
    expect(findRecords(workspace, 't')!.briefings).toEqual([GOOD]);
  });

  test('are none where they are ours, but changed or in another place', async () => {
    const { workspace, folder } = await openWith({});
    const ours = readTree(folder)['briefing-1.json']!;
    writeFileSync(join(folder, 'briefing-2.json'), ours);
    writeFileSync(join(folder, 'briefing-3.json'), ours.replace('Look.', 'Forget it.'));
    expect(findRecords(workspace, 't')!.briefings).toEqual([GOOD]);
    writeFileSync(join(folder, 'briefing-1.json'), ours.replace('src/**', '**'));
    expect(findRecords(workspace, 't')).toMatchObject({ briefings: [], strange: true });
  });

  test('are none where they are too large, whoever wrote them', async () => {
    const { workspace, folder } = await openWith({});
    const ours = readTree(folder)['briefing-1.json']!;
    writeFileSync(join(folder, 'briefing-1.json'), `${ours}${' '.repeat(4 * 1024 * 1024)}`);
    expect(findRecords(workspace, 't')).toMatchObject({ briefings: [], strange: true });
  });

  test.each([
    ['no text for a goal', { goal: 1 }],
    ['a scope that is none', { scope: 'src/**' }],
    ['a scope of numbers', { scope: [1] }],
    ['a baseline without files', { baseline: { commit: 'a' } }],
    ['a baseline that is a list', { baseline: [] }],
  ])('are none where another version wrote them otherwise: %s', async (_, parts) => {
    const { workspace } = await openWith({});
    await keepBriefing(workspace, { ...GOOD, ...parts } as unknown as BriefingRecord, 'text\n');
    expect(findRecords(workspace, 't')!.briefings).toEqual([GOOD]);
  });

  test('are no answers and no decisions', async () => {
    const { workspace } = await openWith({
      'answer-1.json': JSON.stringify(answerOf('t', 'x')),
      'decision-1.json': JSON.stringify({ at: AT, decision: 'accept', reason: null, answer: sha256('x') }),
    });
    for (const parts of [{ compliant: 'yes' }, { confidence: '1' }, { issues: [null] }, { issues: ['x'] }]) {
      const text = JSON.stringify(parts);
      await keepAnswer(workspace, { ...answerOf('t', text), ...parts } as unknown as AnswerRecord, text);
    }
    const odd = { at: AT, decision: 'maybe', reason: null } as unknown as DecisionRecord;
    await keepDecision(workspace, 't', odd);
    expect(findRecords(workspace, 't')).toMatchObject({ answers: [], decisions: [] });
  });

  test('are not followed out of the project', async () => {
    const outside = makeFolder({ 'b.json': JSON.stringify(briefingOf('t', { goal: 'Other.' })) });
    const { workspace, folder } = await openWith({});
    symlinkSync(join(outside, 'b.json'), join(folder, 'briefing-2.json'));
    mkdirSync(join(folder, 'briefing-3.json'));
    expect(findRecords(workspace, 't')!.briefings).toEqual([GOOD]);
  });

  test('are neither counted nor overwritten when their names are odd', async () => {
    const names = [
      'answer-.json',
      'answer-1e3.json',
      'answer--1.json',
      'answer-9999999999.json',
      'Answer-5.json',
    ];
    const { workspace, folder } = await openWith(Object.fromEntries(names.map((name) => [name, '{}'])));
    const path = await keepAnswer(workspace, answerOf('t', 'x'), 'x');
    expect(path).toMatch(/\/answer-1\.json$/);
    for (const name of names) expect(readTree(folder)[name]).toBe('{}');
  });

  test('are passed over in a list of all', async () => {
    const { root, workspace } = await openWith({});
    mkdirSync(join(root, '.teddy/reports/empty'));
    writeFileSync(join(root, '.teddy/reports/a-file'), 'x');
    symlinkSync(
      makeFolder({ 'briefing-1.json': JSON.stringify(briefingOf('u')) }),
      join(root, '.teddy/reports/link'),
    );
    expect(listRecords(workspace).map(({ taskId }) => taskId)).toEqual(['t']);
  });
});

test('where nothing can be written it is said', async () => {
  const { workspace } = open({ '.teddy': 'a file' });
  await expect(keepAnswer(workspace, answerOf('t', 'x'), 'x')).rejects.toThrow(
    expect.objectContaining({ name: 'UserError' }),
  );
});

test('a folder that is a link is not written through', async () => {
  const { root, workspace } = open({ '.teddy/.gitignore': '' });
  const outside = makeFolder();
  symlinkSync(outside, join(root, '.teddy/reports'));
  await expect(keepAnswer(workspace, answerOf('t', 'x'), 'x')).rejects.toThrow(
    expect.objectContaining({ name: 'UserError' }),
  );
  expect(readdirSync(outside)).toEqual([]);
});
