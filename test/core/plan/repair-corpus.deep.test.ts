import { beforeAll, describe, expect, it } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse/parse.js';
import { repairPlan } from '../../../src/core/plan/read.js';
import type { Case } from '../../corpus/case.js';
import { DEFECTS, damage } from '../../corpus/damage.js';
import { changesParity, type Hunk, isOdd, revise } from '../../corpus/hunks.js';
import { judge } from '../../corpus/judge.js';
import { fencedFiles, type MarkdownFile } from '../../corpus/markdown-files.js';
import { arrange, arrangeHunks } from '../../corpus/plans.js';
import { readPlainly } from '../../corpus/readers.js';
import { difference } from '../../corpus/reading.js';

// The short form of `npm run bench -- repair`: the documents of the installed packages only.
const SEED = 7;
const PER_FILE = 5;

interface Outcome {
  exact: number;
  total: number;
  /** The first lines about what must not happen. */
  faults: string[];
}

/** `refusable`: whether a plan may be refused with an error of another kind, which is not silent. */
function judgeAll(cases: Iterable<Case>, refusable: boolean): Outcome {
  const outcome: Outcome = { exact: 0, total: 0, faults: [] };
  const fault = (subject: Case, what: string) => {
    if (outcome.faults.length < 10) outcome.faults.push(`${subject.name}: ${what}`);
  };
  for (const subject of cases) {
    const { verdict, why, idempotent, twin } = judge(subject, repairPlan, parsePlan);
    outcome.total++;
    if (verdict === 'exact') outcome.exact++;
    if (verdict === 'wrong' || (verdict === 'refused' && !refusable)) fault(subject, `${verdict}, ${why}`);
    if (!idempotent) fault(subject, 'a second repair changes the text again');
    if (twin !== true) fault(subject, `twin: ${twin}`);
  }
  return outcome;
}

/** By the kind of their defect. */
function damageAll(sound: readonly Case[]): Map<string, Case[]> {
  const damaged = new Map<string, Case[]>();
  for (const subject of sound) {
    for (const each of damage(subject, SEED)) {
      const others = damaged.get(each.kind);
      if (others) others.push(each);
      else damaged.set(each.kind, [each]);
    }
  }
  return damaged;
}

describe('repair on real documents', () => {
  let files: MarkdownFile[];
  let hunks: Hunk[];
  let damaged: ReturnType<typeof damageAll>;

  beforeAll(() => {
    files = fencedFiles('node_modules').filter(({ lines }) => lines.length < 1500);
    hunks = [...revise(files, SEED)];
    damaged = damageAll([...arrange(files, SEED, 1), ...arrangeHunks(hunks.slice(0, 100), files, SEED)]);
  });

  it('has a corpus that is worth the name', () => {
    expect(files.length).toBeGreaterThan(120);
    expect(hunks.length).toBeGreaterThan(200);
    expect(hunks.filter(isOdd).length / hunks.length).toBeGreaterThan(0.3);
  });

  it('has twins that CommonMark reads as they are meant', () => {
    for (const { name, twin, truth } of arrange(files, SEED, 2)) {
      const { reading, leftover } = readPlainly(twin);
      expect(leftover, name).toEqual([]);
      expect(difference(truth, reading), name).toBeNull();
    }
  });

  it('reads files in naive fences exactly', () => {
    const { exact, total, faults } = judgeAll(arrange(files, SEED, PER_FILE), false);
    expect(faults).toEqual([]);
    expect(exact / total).toBeGreaterThanOrEqual(0.995);
  });

  it('reads hunks in naive fences exactly, odd halves included', () => {
    const plain = hunks.filter((hunk) => !changesParity(hunk));
    const { exact, total, faults } = judgeAll(arrangeHunks(plain, files, SEED), false);
    expect(faults).toEqual([]);
    expect(exact / total).toBeGreaterThanOrEqual(0.995);
  });

  // An edit that adds or removes one fence alone reads like a plan with a stray or a missing fence. Whether it can be
  // told apart depends on the document, so the share of exact readings has no limit; a silent fault has: none.
  it('reads or refuses hunks with one fence more or less, never wrong in silence', () => {
    const uneven = hunks.filter(changesParity);
    const { total, faults } = judgeAll(arrangeHunks(uneven, files, SEED), false);
    expect(total).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  });

  // A defect can make a plan that is legal and says something else: no reader could tell. On the whole corpus that is
  // two in some 28,000; here it may be one.
  it.each(DEFECTS)('is not wrong in silence: %s', (kind) => {
    const { total, faults } = judgeAll(damaged.get(kind) ?? [], true);
    expect(total).toBeGreaterThan(0);
    expect(faults.slice(1)).toEqual([]);
  });
});
