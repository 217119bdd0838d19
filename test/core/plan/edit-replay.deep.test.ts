import { describe, expect, it } from 'vitest';
import {
  type Change,
  canReplay,
  changeLines,
  createRandom,
  listCommittedChanges,
  type Replay,
  readPlainText,
  replay,
  sampleFiles,
} from './edit-replay.js';

function sum(replays: readonly Replay[]): Replay {
  return {
    hunks: replays.reduce((total, { hunks }) => total + hunks, 0),
    applied: replays.reduce((total, { applied }) => total + applied, 0),
    ambiguous: replays.reduce((total, { ambiguous }) => total + ambiguous, 0),
    faults: replays.flatMap(({ faults }) => faults),
  };
}

function makeChanges(rewrite: (text: string) => string): Change[] {
  const random = createRandom(20_240_607);
  return sampleFiles('node_modules', 200).flatMap((name) => {
    const text = readPlainText(name);
    if (text === undefined) return [];
    return [{ name, before: rewrite(text), after: rewrite(changeLines(text, random)) }];
  });
}

describe('hunks of real files', () => {
  it.each<[string, (text: string) => string]>([
    ['as they are', (text) => text],
    ['with CRLF', (text) => text.replace(/\r?\n/g, '\r\n')],
    ['with a byte order mark', (text) => `\ufeff${text}`],
  ])('%s: each lands in its place byte for byte, or is refused as ambiguous', (_, rewrite) => {
    const changes = makeChanges(rewrite);
    const total = sum(changes.map(replay));
    expect(total.faults).toEqual([]);
    expect(changes.length).toBeGreaterThan(100);
    expect(total.applied).toBeGreaterThan(total.hunks * 0.8);
    expect(total.applied + total.ambiguous).toBe(total.hunks);
  });
});

describe('hunks of this project’s own history', () => {
  it('each lands in its place byte for byte, or is refused as ambiguous', () => {
    const total = sum(listCommittedChanges('.', 40).filter(canReplay).map(replay));
    expect(total.faults).toEqual([]);
    expect(total.applied + total.ambiguous).toBe(total.hunks);
  });
});
