import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentEnvironment } from '../../src/confine/agents.js';
import { because, House, isRoot } from './escape/house.js';

async function inHouse(work: (house: House) => void | Promise<void>): Promise<void> {
  const house = await House.build(realpathSync(mkdtempSync(join(tmpdir(), 'teddy-escape-'))));
  try {
    await house.settle();
    await work(house);
  } finally {
    house.tearDown();
  }
}

const expects = /^/;

describe.skipIf(because !== '')(`what confinement does not block${because}`, () => {
  test.for([
    ['services on localhost, with the network on', 'reach(socket.AF_INET, ("127.0.0.1", int(E["PORT"])))'],
    ['abstract sockets, with the network on', 'reach(socket.AF_UNIX, "\\0" + E["PLAIN"])'],
  ] as const)('%s', async ([name, script]) => {
    await inHouse((house) => {
      expect(house.make({ name, script: `#python\n${script}`, expects }, { network: true }).isRead).toBe(
        true,
      );
    });
  });

  test('a service that starts to listen later, at a path that the program sees', async () => {
    await inHouse(async (house) => {
      const path = join(house.home, '.cargo/later.sock');
      const name = 'later';
      const script = `#python\nfor _ in range(500):\n  if os.path.exists(${JSON.stringify(path)}): break\n  time.sleep(0.02)\nreach(socket.AF_UNIX, ${JSON.stringify(path)})`;
      const listen = `import socket, sys, time\ntime.sleep(1)\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\ns.listen()\np, _ = s.accept()\np.sendall(b"hello")`;
      const service = spawn('python3', ['-c', listen, path]);
      try {
        expect(house.make({ name, script, expects }).text).toContain("got b'hello'");
      } finally {
        service.kill('SIGKILL');
      }
    });
  });

  test('the state of its own agent, other than its settings, and settings that are links', async () => {
    await inHouse((house) => {
      const settings = join(house.home, '.claude/settings.json');
      const target = join(house.home, 'dotfiles.json');
      rmSync(settings);
      writeFileSync(target, '{}');
      symlinkSync(target, settings);
      const script =
        'echo x > ~/.claude/history; rm ~/.claude/settings.json; echo x > ~/.claude/settings.json';
      house.make({ name: 'state', script, expects });
      expect(readFileSync(join(house.home, '.claude/history'), 'utf8')).toBe('x\n');
      expect(readFileSync(settings, 'utf8')).toBe('x\n');
      expect(readFileSync(target, 'utf8')).toBe('{}');
    });
  });

  test('using up memory, disk and processes; all of it ends with it', async () => {
    await inHouse((house) => {
      const script =
        'i=0; while [ $i -lt 200 ]; do sleep 3000 & i=$((i + 1)); done; head -c 20000000 /dev/zero > /tmp/full; head -c 20000000 /dev/zero > full; wc -c < /tmp/full; wc -c < full; echo started';
      const { text, left } = house.make({ name: 'use up', script, expects });
      expect(text).toBe('20000000\n20000000\nstarted\n');
      expect(left).toEqual([]);
      rmSync(join(house.copy!.copy, 'full'));
    });
  });

  test('secrets in dependencies, and in ignored files whose names do not say so', async () => {
    await inHouse((house) => {
      const paths = ['node_modules/dep/.env', 'build/notes.txt'];
      for (const path of paths) writeFileSync(join(house.root, path), house.canary);
      for (const path of paths)
        expect(house.make({ name: path, script: `cat ${path}`, expects }).isRead).toBe(true);
    });
  });

  test('the password of a proxy, where its address has one', () => {
    const HTTPS_PROXY = 'http://me:secret@proxy.example:3128';
    expect(agentEnvironment({ HTTPS_PROXY, OTHER: 'secret' })).toEqual({ HTTPS_PROXY });
  });

  test('reading the rest of the disk', async () => {
    await inHouse((house) => {
      expect(
        house.make({ name: 'read', script: 'cat /etc/passwd ~/.cargo/outside/file', expects }).text,
      ).toContain('plain');
    });
  });
});

describe.skipIf(because !== '' || !isRoot)(`a weaker confinement, for root${because}`, () => {
  test('with /proc writable, what the kernel runs for a crash could be set', async () => {
    await inHouse((house) => {
      const change = (args: string[]) =>
        args.filter(
          (word, at) =>
            !(word === '/proc' && args[at - 1] === '--remount-ro') &&
            !(word === '--remount-ro' && args[at + 1] === '/proc'),
        );
      const script =
        'old=$(cat /proc/sys/kernel/core_pattern); echo "$old" > /proc/sys/kernel/core_pattern && echo written';
      expect(house.make({ name: 'crash', script, expects }, { change }).text).toContain('written');
    });
  });
});
