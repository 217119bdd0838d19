// The key that logs are sealed with: a log is worth what its key is.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryMachine as Memory, type MemoryMachine } from './faults/machine.js';
import { crashStates } from './faults/power-cut.js';

const home = process.env.XDG_STATE_HOME;

beforeEach(() => {
  process.env.XDG_STATE_HOME = '/disk/home/.local/state';
  vi.resetModules();
});

afterEach(async () => {
  process.env.XDG_STATE_HOME = home;
});

/** The key as a new process would find it. */
async function keyOn(machine: MemoryMachine): Promise<string> {
  vi.resetModules();
  const { setFileSeam } = await import('../../src/node/file-calls.js');
  const { userKey } = await import('../../src/node/user-folders.js');
  setFileSeam((call) => machine.disk.call(call.name, call.args));
  try {
    return userKey();
  } finally {
    setFileSeam(undefined);
  }
}

test('a power cut after its first use does not take the key', async () => {
  const machine = Memory.of({ home: { kind: 'folder', mode: 0o700 } });
  const key = await keyOn(machine);
  const { calls } = machine.disk;
  let states = 0;
  for (const state of crashStates(machine.disk, { pairs: 1e9, subsets: 20, seed: 1 }, new Set())) {
    states++;
    const found = await keyOn(new Memory(state.disk));
    expect(found.length).toBeGreaterThanOrEqual(32);
    if (state.calls >= calls) expect(found, state.label).toBe(key);
  }
  expect(states).toBeGreaterThan(10);
});

test('it is for this user alone', async () => {
  const machine = Memory.of({ home: { kind: 'folder', mode: 0o700 } });
  await keyOn(machine);
  const lines = machine.everything();
  expect(lines['home/.local/state/teddy']).toMatch(/^folder 700 /);
  expect(lines['home/.local/state/teddy/key']).toMatch(/^file 600 /);
  expect(machine.disk.list('home/.local/state/teddy')).toEqual(['key']);
});
