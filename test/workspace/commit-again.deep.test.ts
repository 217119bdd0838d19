// A commit that has to end what another left, and is disturbed itself.

import { expect, test } from 'vitest';
import { attempt, commit, dieBefore, fail, MemoryMachine, nothing, prepared } from './faults/machine.js';
import { crashStates } from './faults/power-cut.js';
import { SOAK } from './faults/random.js';
import { smallScenarios } from './faults/scenario.js';
import { Tally } from './faults/tally.js';
import { sideOf, wrongAfterRecovery } from './faults/verdict.js';

const once = (at: number) => fail('EIO', (index) => index === at);

/** What a process leaves that fails at the last file and is killed before it has taken anything back. */
async function cutOffWhileTakingBack(scenario: (typeof smallScenarios)[number]): Promise<MemoryMachine[]> {
  const start = await prepared(scenario);
  const whole = await attempt(start.fork(), nothing, commit(scenario));
  const left: MemoryMachine[] = [];
  for (let n = whole.calls - 1; n > 0 && left.length < (SOAK ? 3 : 1); n--) {
    for (let k = n + 1; k < n + 60; k++) {
      const machine = start.fork();
      const ended = await attempt(machine, dieBefore(k, once(n)), commit(scenario));
      if (ended.how !== 'died') break;
      if (!machine.list('tx').some((name) => name.endsWith('.undo'))) continue;
      left.push(machine.fork());
      break;
    }
  }
  expect(left.length).toBeGreaterThan(0);
  return left;
}

test('a commit that first takes another back, and then fails', async () => {
  const tally = new Tally();
  for (const scenario of smallScenarios.filter(({ cold }) => !cold)) {
    for (const start of await cutOffWhileTakingBack(scenario)) {
      const whole = await attempt(start.fork(), nothing, commit(scenario));
      for (let n = 0; n < whole.calls; n++) {
        const machine = start.fork();
        const ended = await attempt(machine, once(n), commit(scenario));
        const status = ended.how === 'returned' ? ended.value.status : ended.how;
        const wrong = await wrongAfterRecovery(scenario, machine, [
          status === 'committed' ? 'after' : 'before',
        ]);
        tally.add(`${scenario.name}, EIO at call ${n} → ${status}`, wrong);
      }
    }
  }
  tally.expectClean('faults in a commit that recovers first', SOAK ? 1000 : 300);
});

test('the power fails on first use, and again in the next commit', async () => {
  const tally = new Tally();
  const few = { pairs: SOAK ? 1e9 : 4, subsets: SOAK ? 20 : 1, seed: 4 };
  for (const scenario of [smallScenarios[2]!, smallScenarios[7]!].map((warm) => ({ ...warm, cold: true }))) {
    const first = await prepared(scenario);
    await attempt(first, dieBefore(60), commit(scenario));
    const seen = new Set<string>();
    for (const state of crashStates(first.disk, few, new Set())) {
      const second = new MemoryMachine(state.disk);
      const ended = await attempt(second, nothing, commit(scenario));
      if (ended.how !== 'returned' || ended.value.status !== 'committed') continue;
      if (sideOf(scenario, second.snapshot()) !== 'after') throw new Error('not wholly after');
      for (const { calls, label, disk } of crashStates(second.disk, { ...few, pairs: 0 }, seen)) {
        const allowed = calls >= second.disk.calls ? (['after'] as const) : (['before', 'after'] as const);
        const wrong = await wrongAfterRecovery(scenario, new MemoryMachine(disk), allowed);
        tally.add(`${scenario.name}: ${state.calls} ${state.label}; then ${calls} ${label}`, wrong);
      }
    }
  }
  tally.expectClean('power cuts in two commits', 1000);
});
