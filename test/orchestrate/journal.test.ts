import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import type { FailureKind } from '../../src/orchestrate/events.js';
import {
  type AskedLine,
  AttemptJournal,
  countedFailures,
  type EndedLine,
  type JournalLine,
  type LandingLine,
  type StartedLine,
} from '../../src/orchestrate/journal.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

const PATH = '.ultraplan/state/journal.jsonl';
const USAGE = { inputTokens: null, outputTokens: null, costUsd: null };
const at = '2026-03-01T09:00:00.000Z';

const started = (task: string, attempt: number): StartedLine => ({
  type: 'started',
  at,
  task,
  name: 'n',
  attempt,
  key: 'k',
  executor: 'e',
  decisions: 0,
  place: { taskId: task, taskName: 'n', attempt, root: '/p', base: null, branch: null },
});

const landing = (task: string, attempt: number): LandingLine => ({
  type: 'landing',
  at,
  task,
  attempt,
  candidate: null,
  verification: null,
  filesChanged: null,
});

const ended = (
  task: string,
  attempt: number,
  outcome: EndedLine['outcome'],
  { kind, decisions = 0 }: { kind?: FailureKind; decisions?: number } = {},
): EndedLine => ({
  type: 'ended',
  at,
  task,
  name: 'n',
  attempt,
  executor: 'e',
  outcome,
  behind: [],
  failure: kind === undefined ? null : { attempt, kind, reason: 'r', evidence: null, filesChanged: null },
  durationMs: 1,
  usage: USAGE,
  decisions,
});

const asked = (task: string): AskedLine => ({
  type: 'asked',
  at,
  task,
  name: 'n',
  why: 'blocked',
  message: 'm',
  decisions: 0,
});

async function write(workspace: Workspace, ...lines: JournalLine[]): Promise<AttemptJournal> {
  const journal = AttemptJournal.open(workspace);
  const result = await workspace.update((view) => ({ changes: [journal.change(view, lines)], value: null }));
  expect(result.status).toBe('committed');
  journal.took(lines);
  return journal;
}

describe('the journal', () => {
  test('says the same to whoever wrote it and to whoever reads it later', async () => {
    const root = makeFolder();
    const workspace = new Workspace(root);
    expect(AttemptJournal.open(workspace).of('1')).toEqual({
      ended: [],
      open: null,
      landing: null,
      asked: null,
    });
    await write(workspace, started('1', 1), started('2', 1));
    await write(workspace, landing('2', 1));
    const wrote = await write(workspace, ended('1', 1, 'failed', { kind: 'crash' }), asked('1'));
    const read = AttemptJournal.open(new Workspace(root));
    for (const journal of [wrote, read]) {
      expect(journal.of('1')).toEqual({
        ended: [ended('1', 1, 'failed', { kind: 'crash' })],
        open: null,
        landing: null,
        asked: asked('1'),
      });
      expect(journal.of('2')).toEqual({
        ended: [],
        open: started('2', 1),
        landing: landing('2', 1),
        asked: null,
      });
      expect([...journal.open.keys()]).toEqual(['2']);
    }
    expect(statSync(join(root, PATH)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(root, PATH), 'utf8').split('\n')).toHaveLength(6);
  });

  test('a landing is of the attempt that is under way, and of none after it', async () => {
    const journal = await write(
      new Workspace(makeFolder()),
      started('1', 1),
      landing('1', 1),
      ended('1', 1, 'cut-off'),
      started('1', 2),
    );
    expect(journal.of('1')).toMatchObject({ open: { attempt: 2 }, landing: null });
  });

  test('only failures since a person last decided count; what was cut off or blocked never does', async () => {
    const history = (
      await write(
        new Workspace(makeFolder()),
        ended('1', 1, 'failed', { kind: 'invalid' }),
        ended('1', 2, 'failed', { kind: 'crash', decisions: 1 }),
        ended('1', 3, 'cut-off', { decisions: 1 }),
        ended('1', 4, 'blocked', { decisions: 1 }),
        ended('1', 5, 'failed', { kind: 'vacuous', decisions: 1 }),
      )
    ).of('1');
    expect(countedFailures(history, 0)).toEqual(['invalid']);
    expect(countedFailures(history, 1)).toEqual(['crash', 'vacuous']);
    expect(countedFailures(history, 2)).toEqual([]);
  });

  test.each<[string, (text: string) => string, string]>([
    ['a line that somebody else wrote', (text) => `${text}{"type":"ended","task":"1"}\n`, 'line 3'],
    ['a word that was changed', (text) => text.replace('"executor":"e"', '"executor":"f"'), 'line 1'],
    ['a line that was cut off', (text) => text.slice(0, -5), 'line 2'],
  ])('%s: nothing of it is acted on, and the sentence says where', async (_, change, where) => {
    const root = makeFolder();
    await write(new Workspace(root), started('1', 1), ended('1', 1, 'done'));
    writeFileSync(join(root, PATH), change(readFileSync(join(root, PATH), 'utf8')));
    expect(() => AttemptJournal.open(new Workspace(root))).toThrow(UserError);
    expect(() => AttemptJournal.open(new Workspace(root))).toThrow(`${PATH}, ${where},`);
  });

  test("lines are this file's own: those of another file with a seal do not count", async () => {
    const root = makeFolder();
    await write(new Workspace(root), started('1', 1));
    const other = join(root, '.ultraplan/state/other.jsonl');
    writeFileSync(other, '');
    const { sealLine } = await import('../../src/orchestrate/state-files.js');
    appendFileSync(join(root, PATH), sealLine('.ultraplan/state/other.jsonl', ended('1', 1, 'done')));
    expect(() => AttemptJournal.open(new Workspace(root))).toThrow('line 2');
  });
});
