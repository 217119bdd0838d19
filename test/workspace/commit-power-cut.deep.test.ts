// What a power cut may take: every write, name and mode that no fsync made safe, lost, torn or reordered.
// The model is faults/memory-disk.ts; its states are chosen by faults/power-cut.ts.

import { expect, test } from 'vitest';
import { SOAK } from './faults/random.js';
import { entryScenarios, largeScenarios, smallScenarios } from './faults/scenario.js';
import {
  sweepFaultsThenPowerCuts,
  sweepLaterWrites,
  sweepOpposites,
  sweepPowerCuts,
  syncsNotMissed,
} from './faults/sweep.js';
import { Tally } from './faults/tally.js';

const arrangements = ['plain', 'linkless', 'apart'] as const;
const ALL = { pairs: Number.POSITIVE_INFINITY, subsets: 40, seed: 1 };
const SOME = { pairs: 3, subsets: 1, seed: 2 };
const FEW = { pairs: 0, subsets: 1, seed: 3 };

test.each(arrangements)('small commits, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  // The power fails again in recovery: on every disk in a soak, otherwise on the plain one.
  const again = SOAK ? SOME : arrangement === 'plain' ? FEW : undefined;
  for (const scenario of smallScenarios) await sweepPowerCuts(scenario, arrangement, ALL, again, tally);
  tally.expectClean(`crash states of small commits, ${arrangement}`, again ? 1500 : 600);
});

test.each(arrangements)('entries of a changeset, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  const again = arrangement === 'plain' ? FEW : undefined;
  for (const scenario of entryScenarios)
    await sweepPowerCuts(scenario, arrangement, SOAK ? ALL : SOME, again, tally);
  tally.expectClean(`crash states of entries, ${arrangement}`, 600);
});

test.each(arrangements)('a commit of everything, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  for (const scenario of largeScenarios(1500).slice(SOAK ? 0 : 2))
    await sweepPowerCuts(scenario, arrangement, SOAK ? { ...ALL, pairs: 400 } : FEW, undefined, tally);
  tally.expectClean(`crash states of a large commit, ${arrangement}`, 2000);
});

test.each(arrangements)('while a failed commit is taken back, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  const scenarios = SOAK
    ? [...smallScenarios, ...entryScenarios]
    : [...smallScenarios.slice(2, arrangement === 'plain' ? 4 : 3), ...entryScenarios.slice(4, 7)];
  for (const scenario of scenarios)
    await sweepFaultsThenPowerCuts(scenario, arrangement, SOAK ? ['EIO', 'EIO after'] : ['EIO'], FEW, tally);
  tally.expectClean(`crash states of commits taken back, ${arrangement}`, 1000);
});

test('what another program writes after a commit stays', async () => {
  const tally = new Tally();
  const [edit, , removeAndEdit, append] = smallScenarios;
  const depth = { ...ALL, pairs: 200 };
  for (const arrangement of arrangements) {
    for (const content of ['a\n', 'something else\n']) {
      await sweepLaterWrites(edit!, arrangement, 'a.txt', Buffer.from(content), depth, tally);
      await sweepLaterWrites(removeAndEdit!, arrangement, 'a.txt', Buffer.from(content), depth, tally);
      await sweepLaterWrites(append!, arrangement, 'a.log', Buffer.from(content), depth, tally);
    }
  }
  tally.expectClean('crash states after a later write', 30);
});

test('a commit and its opposite', async () => {
  const tally = new Tally();
  const swap = smallScenarios[5]!;
  const [a, b] = swap.changes as { path: string; before: string; after: Uint8Array }[];
  const opposite = {
    ...swap,
    changes: [
      { path: a!.path, before: b!.before, after: b!.after },
      { path: b!.path, before: a!.before, after: a!.after },
    ],
  };
  await sweepOpposites(swap, opposite, ALL, tally);
  tally.expectClean('crash states of a commit and its opposite', 50);
});

/** Folders that get no new name, and a file that is written again if it is lost: their syncs are spare. */
const SPARE: Record<string, string[]> = {
  'append much': ['disk'],
  'remove one, edit one, with a journal': ['.gitignore', 'runs'],
};

test('no sync can be left out but those of clean-up', async () => {
  for (const scenario of smallScenarios.slice(1, SOAK ? 8 : 4)) {
    const files = await syncsNotMissed(scenario, { ...ALL, pairs: 300 });
    const spare = ['tx', ...(SPARE[scenario.name] ?? [])];
    expect(files.filter((file) => !spare.includes(file))).toEqual([]);
  }
});
