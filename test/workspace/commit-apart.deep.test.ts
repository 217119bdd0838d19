// `.teddy` on a file system of its own, where no rename leads from it to the user's files.

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realPath } from '../../src/node/files.js';
import {
  attempt,
  commit,
  dieBefore,
  FAULTS,
  fail,
  nothing,
  RealMachine,
  recovering,
} from './faults/machine.js';
import { SOAK, sample } from './faults/random.js';
import { largeScenarios, smallScenarios } from './faults/scenario.js';
import { sweepDoubleFaults, sweepFaults, sweepFaultsThenKills, sweepKills } from './faults/sweep.js';
import { Tally } from './faults/tally.js';
import { sideOf, withoutOwnNames, wrongAfterRecovery } from './faults/verdict.js';

const large = largeScenarios(1500);
const scenarios = [...(SOAK ? large : []), ...(SOAK ? smallScenarios : smallScenarios.slice(1, 5))];

test('killed anywhere', async () => {
  const tally = new Tally();
  for (const scenario of scenarios) await sweepKills(scenario, 'apart', tally);
  tally.expectClean('kill points, apart', 1000);
});

test('one call fails', async () => {
  const tally = new Tally();
  for (const scenario of scenarios) await sweepFaults(scenario, 'apart', false, tally);
  tally.expectClean('single faults, apart', 1000);
});

test('all calls fail from one on', async () => {
  const tally = new Tally();
  for (const scenario of scenarios) await sweepFaults(scenario, 'apart', true, tally);
  tally.expectClean('lasting faults, apart', 1000);
});

test('taking back fails too', async () => {
  const tally = new Tally();
  for (const scenario of scenarios)
    await sweepDoubleFaults(scenario, 'apart', SOAK ? [1, 2, 3, 5, 8, 13, 21, 34] : [2, 13], tally);
  tally.expectClean('double faults, apart', 1000);
});

test('killed while taking back', async () => {
  const tally = new Tally();
  for (const scenario of SOAK ? smallScenarios : scenarios.slice(0, 2))
    await sweepFaultsThenKills(scenario, 'apart', tally);
  tally.expectClean('faults, then kills, apart', 500);
});

// Needs the right to mount; where that is missing the report shows these as skipped.
describe.runIf(canMount())('on a real mount', () => {
  let root: string;
  let store: string;

  beforeAll(() => {
    root = realPath(fs.mkdtempSync('/tmp/teddy-apart-'))!;
    store = join(root, '.teddy');
    fs.mkdirSync(store);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'none', store]);
  });

  afterAll(() => {
    execFileSync('umount', ['-l', store]);
    fs.rmSync(root, { recursive: true, force: true });
  });

  const fresh = (scenario: (typeof large)[number]): RealMachine => {
    for (const name of fs.readdirSync(root))
      if (name !== '.teddy') fs.rmSync(join(root, name), { recursive: true });
    for (const name of fs.readdirSync(store)) fs.rmSync(join(store, name), { recursive: true });
    return RealMachine.of(scenario.entries, root);
  };

  test.each(large)('$name', async (scenario) => {
    const whole = fresh(scenario);
    const done = await attempt(whole, nothing, commit(scenario));
    expect(done).toMatchObject({ value: { status: 'committed' } });
    expect(sideOf(scenario, whole.snapshot())).toBe('after');
    const tally = new Tally();
    for (const n of sample([...Array(done.calls).keys()], SOAK ? 1e9 : 15, 3)) {
      const killed = fresh(scenario);
      await attempt(killed, dieBefore(n), commit(scenario));
      await attempt(killed, dieBefore(Math.floor(n / 3)), recovering);
      tally.add(`killed before call ${n}`, await wrongAfterRecovery(scenario, killed));
      const fault = FAULTS[n % FAULTS.length]!;
      const failing = fresh(scenario);
      const ended = await attempt(
        failing,
        fail(fault, (index) => index === n),
        commit(scenario),
      );
      failing.dropHandles();
      const status = ended.how === 'returned' ? ended.value.status : ended.how;
      const kept = status === 'committed' ? 'after' : 'before';
      const side = sideOf(scenario, withoutOwnNames(failing.snapshot()));
      const wrong =
        side === kept ? await wrongAfterRecovery(scenario, failing, [kept]) : `${status}, tree ${side}`;
      tally.add(`${fault} at call ${n}`, wrong);
    }
    tally.expectClean('kills and faults on a real mount', SOAK ? 60 : 30);
  });
});

function canMount(): boolean {
  if (process.getuid!() !== 0) return false;
  const folder = fs.mkdtempSync('/tmp/teddy-mount-');
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'none', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    fs.rmdirSync(folder);
  }
}
