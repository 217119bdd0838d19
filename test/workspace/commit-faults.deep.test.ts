// Calls that fail at every step of a commit: the tree stays as it was, and somebody says so.

import { expect, test } from 'vitest';
import { attempt, commit, type Injection, prepared, shorter } from './faults/machine.js';
import { SOAK } from './faults/random.js';
import { entryScenarios, largeScenarios, type Scenario, smallScenarios } from './faults/scenario.js';
import { sweepDoubleFaults, sweepFaults, sweepFaultsThenKills, undisturbed } from './faults/sweep.js';
import { Tally } from './faults/tally.js';
import { sideOf } from './faults/verdict.js';

const arrangements = ['plain', 'linkless'] as const;
const large = largeScenarios(2000);
const half = [...smallScenarios.slice(1, 6), ...entryScenarios.filter((_, i) => i % 2 === 0)];

/** All scenarios in a soak; otherwise all of them where one call fails on the plain disk, and fewer elsewhere. */
function scenariosFor(arrangement: (typeof arrangements)[number], every: boolean): Scenario[] {
  if (SOAK) return [...large, ...smallScenarios, ...entryScenarios];
  if (arrangement === 'linkless') return every ? half : half.slice(1, 8);
  return every ? [...large.slice(2), ...smallScenarios, ...entryScenarios] : half;
}

test.each(arrangements)('one call fails, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  for (const scenario of scenariosFor(arrangement, true))
    await sweepFaults(scenario, arrangement, false, tally);
  tally.expectClean(`single faults, ${arrangement}`, 1500);
});

test.each(arrangements)('all calls fail from one on, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  for (const scenario of scenariosFor(arrangement, false))
    await sweepFaults(scenario, arrangement, true, tally);
  tally.expectClean(`lasting faults, ${arrangement}`, 1300);
});

test.each(arrangements)('taking back fails too, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  const distances = SOAK ? Array.from({ length: 60 }, (_, i) => i + 1) : [1, 13];
  for (const scenario of SOAK ? [...smallScenarios, ...entryScenarios] : half)
    await sweepDoubleFaults(scenario, arrangement, distances, tally);
  tally.expectClean(`double faults, ${arrangement}`, 1500);
});

test.each(arrangements)('killed while taking back, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  for (const scenario of SOAK
    ? [large[1]!, ...smallScenarios, ...entryScenarios]
    : scenariosFor(arrangement, false))
    await sweepFaultsThenKills(scenario, arrangement, tally);
  tally.expectClean(`faults, then kills, ${arrangement}`, 2000);
});

test.each(arrangements)('writes that take little at a time, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  for (const scenario of [...large, ...smallScenarios]) {
    const { calls } = await undisturbed(scenario, arrangement);
    const writes = [...calls.keys()].filter((n) => calls[n]!.startsWith('write '));
    const ways: { where: string; inject: Injection }[] = writes.flatMap((n) =>
      [2, 1e9].map((divisor) => ({
        where: `1/${divisor} of call ${n}`,
        inject: (index, call, perform) => perform(index === n ? shorter(call.args, divisor) : call.args),
      })),
    );
    ways.push({
      where: 'all',
      inject: (_index, call, perform) => perform(call.name === 'write' ? shorter(call.args, 3) : call.args),
    });
    for (const { where, inject } of ways) {
      const machine = await prepared(scenario, arrangement);
      const ended = await attempt(machine, inject, commit(scenario));
      const status = ended.how === 'returned' ? ended.value.status : ended.how;
      const side = sideOf(scenario, machine.snapshot());
      const wrong = status === 'committed' && side === 'after' ? undefined : `${status}, tree ${side}`;
      tally.add(`${scenario.name}, ${arrangement}, ${where}`, wrong);
    }
  }
  tally.expectClean(`short writes, ${arrangement}`, 100);
});

test('a failure names its cause', async () => {
  const scenario = smallScenarios[0]!;
  const machine = await prepared(scenario);
  const ended = await attempt(
    machine,
    (_index, call, perform) => {
      if (call.name === 'write') throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      return perform();
    },
    commit(scenario),
  );
  expect(ended).toMatchObject({ value: { status: 'failed', reason: expect.stringContaining('ENOSPC') } });
});
