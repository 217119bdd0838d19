// SIGKILL before every call of a commit, and before every call of the recovery that follows.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { realPath } from '../../src/node/files.js';
import { inParallel, workerOf } from '../worker.js';
import { changesDisk } from './faults/changing-calls.js';
import {
  attempt,
  commit,
  die,
  type Machine,
  MemoryMachine,
  nothing,
  RealMachine,
  recovering,
} from './faults/machine.js';
import { SOAK, sample, seeded } from './faults/random.js';
import {
  entryScenarios,
  largeScenarios,
  type Scenario,
  type Snapshot,
  smallScenarios,
} from './faults/scenario.js';
import { sweepKills } from './faults/sweep.js';
import { Tally } from './faults/tally.js';
import { wrongAfterRecovery } from './faults/verdict.js';
import type { Task } from './faults/worker.js';

const runWorker = workerOf<Task, { calls: number; status: string }>('test/workspace/faults/worker.ts');

const MEGABYTE = 2 ** 20;
test.each(['plain', 'linkless'] as const)('killed anywhere, on a %s disk', async (arrangement) => {
  const tally = new Tally();
  const large = largeScenarios(2000);
  const scenarios = [...(SOAK ? large : arrangement === 'plain' ? large.slice(2) : []), ...smallScenarios];
  scenarios.push(...entryScenarios);
  for (const scenario of scenarios) await sweepKills(scenario, arrangement, tally);
  tally.expectClean(`kill points, ${arrangement}`, 5000);
});

describe('the disk in memory is like the real one', () => {
  const onRealDisk = (scenario: Scenario) => {
    const folder = newFolder();
    return RealMachine.of(scenario.entries, folder);
  };

  test.each([...largeScenarios(2000), ...smallScenarios, ...entryScenarios])('$name', async (scenario) => {
    const record = async (machine: Machine) => {
      const calls: string[] = [];
      if (!scenario.cold) await attempt(machine, nothing, recovering);
      const ended = await attempt(
        machine,
        (_index, call, perform) => {
          if (changesDisk(call)) calls.push(call.name);
          return perform();
        },
        commit(scenario),
      );
      const status = ended.how === 'returned' ? ended.value.status : ended.how;
      return { calls, status, tree: named(machine) };
    };
    const real = await record(onRealDisk(scenario));
    const model = await record(MemoryMachine.of(scenario.entries));
    expect(real).toEqual(model);
    expect(real.status).toBe('committed');
    const dieAndRecover = async (machine: Machine, at: number) => {
      if (!scenario.cold) await attempt(machine, nothing, recovering);
      let changes = 0;
      await attempt(
        machine,
        (_index, call, perform) => {
          if (changesDisk(call) && changes++ === at) die();
          return perform();
        },
        commit(scenario),
      );
      const killed = named(machine);
      const wrong = await wrongAfterRecovery(scenario, machine);
      return { killed, wrong, recovered: named(machine) };
    };
    for (const n of sample([...real.calls.keys()], SOAK ? 1e9 : 12, 5)) {
      const first = await dieAndRecover(onRealDisk(scenario), n);
      const second = await dieAndRecover(MemoryMachine.of(scenario.entries), n);
      expect(first, `killed before change ${n}`).toEqual(second);
      expect(first.wrong).toBeUndefined();
    }
  });
});

describe('with SIGKILL to real processes', () => {
  const scenarios = largeScenarios(MEGABYTE);

  test.each([1, 2])('scenario %i', async (index) => {
    const scenario = scenarios[index]!;
    const task = { scenario: index, large: MEGABYTE };
    const fresh = () => RealMachine.of(scenario.entries, newFolder());
    const whole = await runWorker({ ...task, root: fresh().root, work: 'commit', killBefore: null });
    if (whole.how !== 'returned') throw new Error('killed by someone else');
    expect(whole.status).toBe('committed');
    const tally = new Tally();
    const random = seeded(11);
    const points = sample([...Array(whole.calls).keys()], SOAK ? 1e9 : 8, 7 + index).map((n) => ({
      n,
      m: Math.floor(random() ** 2 * 150),
    }));
    await inParallel(points, 2, async ({ n, m }) => {
      const machine = fresh();
      const { root } = machine;
      const ended = await runWorker({ ...task, root, work: 'commit', killBefore: n });
      const again = await runWorker({ ...task, root, work: 'recover', killBefore: m });
      const finished = await runWorker({ ...task, root, work: 'recover', killBefore: null });
      const wrong =
        ended.how !== 'killed'
          ? 'it was not killed'
          : finished.how === 'returned' && finished.status === 'recovered'
            ? undefined
            : `recovery: ${JSON.stringify(finished)}`;
      tally.add(`killed before call ${n}, recovery before call ${m} (${again.how})`, wrong);
      await inTurn(async () => {
        tally.add(`killed before call ${n}, ${m}`, await wrongAfterRecovery(scenario, machine));
      });
      rmSync(root, { recursive: true, force: true });
    });
    tally.expectClean('processes killed', 16);
  });
});

let turn = Promise.resolve();

/** The seam is one for the whole process. */
function inTurn(work: () => Promise<void>): Promise<void> {
  turn = turn.then(work);
  return turn;
}

/** Names that commits give, made the same in every run. */
function named(machine: Machine): Snapshot {
  const names = new Map<string, string>();
  const plain = (path: string) =>
    path.replace(/[0-9a-z]{8}-[0-9a-z]{8}(?![0-9a-z])/g, (id) => {
      if (!names.has(id)) names.set(id, `commit-${names.size + 1}`);
      return names.get(id)!;
    });
  const lines = Object.entries(machine.everything()).map(([path, line]): [string, string] => {
    // Logs and records hold names and times.
    const shown = /^\.teddy\/(?:tx\/|.*\.json$)/.test(path) ? line.split(' ').slice(0, 3).join(' ') : line;
    return [plain(path), shown];
  });
  return Object.fromEntries(lines);
}

function newFolder(): string {
  const base = existsSync('/dev/shm') && !SOAK ? '/dev/shm' : tmpdir();
  const folder = realPath(mkdtempSync(join(base, 'teddy-kill-')))!;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
