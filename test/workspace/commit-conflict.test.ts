// Another program changes the same files. What it wrote is never lost, but for one window: between a commit's
// last look at a file and the one call that puts the new file in its place.

import { describe, expect, test } from 'vitest';
import type { Change, CommitResult } from '../../src/workspace/commit/change.js';
import { attempt, type Injection, MemoryMachine, nothing, recovering } from './faults/machine.js';
import { type Entries, hash } from './faults/scenario.js';
import { Tally } from './faults/tally.js';

const text = (content: string) => Buffer.from(content);
const file = (content: string) => ({ kind: 'file' as const, bytes: text(content), mode: 0o644 });

async function machineWith(entries: Entries): Promise<MemoryMachine> {
  const machine = MemoryMachine.of(entries);
  await attempt(machine, nothing, recovering);
  return machine;
}

async function commitOn(machine: MemoryMachine, changes: Change[], inject: Injection = nothing) {
  const ended = await attempt(machine, inject, (workspace) => workspace.commit(changes));
  if (ended.how !== 'returned') throw new Error(`it ${ended.how}`);
  return ended.value;
}

describe('before the commit', () => {
  const edit: Change = { path: 'a.txt', before: hash(text('a\n')), after: text('A\n') };
  const create: Change = { path: 'a.txt', before: null, after: text('A\n') };
  const remove: Change = { path: 'a.txt', before: hash(text('a\n')), after: null };
  const append: Change = { path: 'a.txt', append: text('A\n'), offset: 2 };
  const other: Change = { path: 'b.txt', before: hash(text('b\n')), after: text('B\n') };

  test.each<[string, Change, string | undefined, string]>([
    ['edit', edit, 'x\n', 'was changed by another program'],
    ['edit', edit, undefined, 'is no longer there'],
    ['create', create, 'x\n', 'is there already'],
    ['remove', remove, 'x\n', 'was changed by another program'],
    ['remove', remove, undefined, 'is no longer there'],
    ['append', append, 'a\nx', 'is 3 bytes long, not 2'],
    ['append', append, 'a', 'is 1 bytes long, not 2'],
    ['append', append, undefined, 'is 0 bytes long, not 2'],
  ])('%s', async (_kind, change, found, reason) => {
    const entries: Entries = {
      'b.txt': file('b\n'),
      ...(found === undefined ? {} : { 'a.txt': file(found) }),
    };
    const machine = await machineWith(entries);
    const before = machine.snapshot();
    const result = await commitOn(machine, [other, change]);
    expect(result).toEqual({ status: 'conflict', conflicts: [{ path: 'a.txt', reason }] });
    expect(machine.snapshot()).toEqual(before);
  });

  test('all conflicts are named', async () => {
    const machine = await machineWith({ 'a.txt': file('x\n'), 'b.txt': file('y\n') });
    const result = await commitOn(machine, [other, edit]);
    expect(result).toMatchObject({
      status: 'conflict',
      conflicts: [{ path: 'b.txt' }, { path: 'a.txt' }],
    });
  });
});

describe('in the middle of the commit', () => {
  const ENTRIES: Entries = {
    'first.txt': file('first\n'),
    'a.txt': file('old\n'),
    'last.txt': file('last\n'),
  };
  const around = (change: Change): Change[] => [
    { path: 'first.txt', before: hash(text('first\n')), after: text('FIRST\n') },
    change,
    { path: 'last.txt', before: hash(text('last\n')), after: text('LAST\n') },
  ];
  const changes = {
    edit: { path: 'a.txt', before: hash(text('old\n')), after: text('new\n') },
    remove: { path: 'a.txt', before: hash(text('old\n')), after: null },
    append: { path: 'a.txt', append: text('more\n'), offset: 4 },
    create: { path: 'n.txt', before: null, after: text('new\n') },
    'append to nothing': { path: 'n.txt', append: text('new\n'), offset: 0 },
  } satisfies Record<string, Change>;

  const others: Record<string, (machine: MemoryMachine, path: string) => Buffer | undefined> = {
    'writes into it': (machine, path) => {
      machine.disk.put(path, file('odd\n'));
      return text('odd\n');
    },
    'replaces it': (machine, path) => {
      machine.disk.remove(path);
      machine.disk.put(path, file('odd\n'));
      return text('odd\n');
    },
    'adds to it': (machine, path) => {
      const bytes = Buffer.concat([machine.read(path) ?? text(''), text('xyz\n')]);
      machine.disk.put(path, { kind: 'file', bytes, mode: 0o644 });
      return bytes;
    },
    'adds what we would': (machine, path) => {
      const bytes = Buffer.concat([machine.read(path) ?? text(''), text('more\n')]);
      machine.disk.put(path, { kind: 'file', bytes, mode: 0o644 });
      return bytes;
    },
    'removes it': (machine, path) => {
      machine.disk.remove(path);
      return undefined;
    },
  };

  const cases = Object.entries(changes).flatMap(([kind, change]) =>
    Object.entries(others).map(([what, act]) => ({ kind, change, what, act })),
  );

  /** The calls that change a file in place: what another program does just before them is not seen. */
  const WINDOW = new Set(['rename', 'write', 'link']);

  test.each(cases)('$kind, and another program $what', async ({ kind, change, what, act }) => {
    const tally = new Tally();
    const windows = new Set<number>();
    for (let n = 0; ; n++) {
      const machine = await machineWith(ENTRIES);
      let written: Buffer | undefined;
      let acted = false;
      let call = '';
      const result = await commitOn(machine, around(change), (index, made, perform) => {
        if (index === n && !(what === 'removes it' && machine.read(change.path) === undefined)) {
          written = act(machine, change.path);
          acted = true;
          call = made.name;
        }
        return perform();
      });
      if (!acted && n > 300) break;
      if (!acted) continue;
      const wrong = judge(machine, result, change, written);
      if (wrong === 'lost' && WINDOW.has(call)) windows.add(n);
      tally.add(
        `${what} before call ${n} (${call})`,
        wrong === 'lost' && WINDOW.has(call) ? undefined : wrong,
      );
    }
    tally.expectClean(`${kind}, ${what}`, 5);
    // One call at most, and none where the kernel itself refuses to replace what is there.
    expect(windows.size).toBeLessThanOrEqual(kind === 'create' || kind === 'append to nothing' ? 0 : 1);
  });

  /** 'lost' when what the other program wrote is nowhere any more though it came before our last look. */
  function judge(
    machine: MemoryMachine,
    result: CommitResult,
    change: Change,
    written: Buffer | undefined,
  ): string | undefined {
    const found = machine.read(change.path);
    const rest = ['first.txt', 'last.txt'].map((path) => String(machine.read(path))).join('');
    const stands = written === undefined ? found === undefined : found?.includes(written) === true;
    if (result.status === 'committed') {
      if (rest !== 'FIRST\nLAST\n') return `committed, but the rest is ${JSON.stringify(rest)}`;
      return stands ? undefined : 'lost';
    }
    // A file that vanishes under our hands fails a call; nothing of the other program's is lost by it.
    const vanished = result.status === 'failed' && written === undefined && found === undefined;
    if (result.status !== 'conflict')
      return vanished && rest === 'first\nlast\n' ? undefined : JSON.stringify(result);
    if (rest !== 'first\nlast\n') return `conflict, but the rest is ${JSON.stringify(rest)}`;
    if (!result.conflicts.some(({ path }) => path === change.path)) return JSON.stringify(result);
    const exact = written === undefined ? found === undefined : found?.equals(written) === true;
    return exact ? undefined : `conflict, but ${JSON.stringify(String(found))} stands there`;
  }
});

describe('after its file was put in place, and before the commit ends in a conflict', () => {
  const ENTRIES: Entries = {
    'edited.txt': file('old\n'),
    'removed.txt': file('old\n'),
    'log.txt': file('old\n'),
    'last.txt': file('last\n'),
  };
  const CHANGES: Change[] = [
    { path: 'edited.txt', before: hash(text('old\n')), after: text('new\n') },
    { path: 'removed.txt', before: hash(text('old\n')), after: null },
    { path: 'created.txt', before: null, after: text('new\n') },
    { path: 'log.txt', append: text('more\n'), offset: 4 },
    { path: 'last.txt', before: hash(text('last\n')), after: text('LAST\n') },
  ];

  test.each(['edited.txt', 'removed.txt', 'created.txt', 'log.txt'])(
    'what another program writes to %s stays',
    async (path) => {
      const tally = new Tally();
      for (let n = 0; n < 300; n++) {
        const machine = await machineWith(ENTRIES);
        let written: Buffer | undefined;
        const result = await commitOn(machine, CHANGES, (index, call, perform) => {
          // Between two steps: our file is in place, and the look at the last one is still to come.
          const looksAtLast = call.name === 'lstat' && String(call.args[0]).endsWith('/last.txt');
          if (index >= n && !written && looksAtLast) {
            written = Buffer.concat([machine.read(path) ?? text(''), text('theirs\n')]);
            machine.disk.put(path, { kind: 'file', bytes: written, mode: 0o644 });
            machine.disk.put('last.txt', file('theirs too\n'));
          }
          return perform();
        });
        if (!written) break;
        const found = String(machine.read(path));
        const wrong =
          result.status !== 'conflict'
            ? JSON.stringify(result)
            : String(machine.read('last.txt')) !== 'theirs too\n' || !found.includes('theirs\n')
              ? `${path} is ${JSON.stringify(found)}`
              : undefined;
        tally.add(`from call ${n}`, wrong);
      }
      tally.expectClean(path, 20);
    },
  );
});
