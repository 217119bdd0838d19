// SIGKILL of teddy, of the agent and of both, at random moments of `teddy wrap`: the project is as it was, the work is
// kept, and nothing of the agent keeps running.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { diffTrees } from '../../../src/core/changeset/changeset.js';
import { readCopy } from '../../../src/workspace/copy/read-copy.js';
import { listWork, openWork } from '../../../src/workspace/copy/work.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder, PROGRAM_ENV } from '../../folder.js';
import { SOAK, seeded } from '../../workspace/faults/random.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';
import { QUIT } from './quit-review.js';

const ROUNDS = SOAK ? 300 : 24;
const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;

/** Changes files for ever, in the background too, in a session of its own. */
const AGENT = `
echo one >> a.txt; rm -f b.txt; mkdir -p new; echo new > new/c.txt
(trap '' HUP TERM INT; exec setsid sh agent-child.sh) &
while :; do echo more >> a.txt; sleep 0.01; done
`;
const CHILD = 'while :; do echo child >> child.txt; sleep 0.01; done\n';
const FILES = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'agent.sh': AGENT,
  'agent-child.sh': CHILD,
  'sub/d.txt': 'd\n',
};

/** Processes that have a variable, with their command lines. */
function findMarked(mark: string): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'latin1').includes(mark)) return [];
      return [
        { pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ') },
      ];
    } catch {
      return [];
    }
  });
}

function kill(processes: readonly { pid: number }[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {}
  }
}

function snapshot(root: string): string {
  return execFileSync('sh', ['-c', 'find . -path ./.teddy -prune -o -type f -exec sha256sum {} + | sort'], {
    cwd: root,
    encoding: 'utf8',
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(because !== '')(`killed at a random moment${because}`, () => {
  test.each(['in a pipe', ...(noPython ? [] : ['at a terminal'])])('%s', async (where) => {
    const random = seeded(Number(process.env.TEDDY_SEED ?? 1));
    const seen = { kept: 0, none: 0 };
    for (let round = 0; round < ROUNDS / 2; round++) {
      const root = realpathSync(makeFolder(FILES));
      execFileSync(
        'sh',
        ['-c', 'git init -q && git add -A && git -c user.name=A -c user.email=a@b commit -qm 1'],
        { cwd: root },
      );
      const before = snapshot(root);
      const mark = `TEDDY_ROUND=${where.length}-${process.pid}-${round}`;
      const env = {
        HOME: makeFolder(),
        XDG_STATE_HOME: process.env.XDG_STATE_HOME!,
        TEDDY_ROUND: mark.slice(12),
      };
      const words = ['node', TEDDY, 'wrap', '--', 'sh', 'agent.sh'];
      const terminal = where === 'at a terminal' ? new TestTerminal(words, { cwd: root, env }) : undefined;
      if (!terminal)
        spawn(words[0]!, words.slice(1), { cwd: root, env: { ...PROGRAM_ENV, ...env }, stdio: 'ignore' });
      const isTeddy = ({ command }: { command: string }) =>
        /teddy\.cjs wrap/.test(command) && !/pty\.py/.test(command);
      const isAgent = ({ command }: { command: string }) => /^sh agent(-child)?\.sh/.test(command);
      const victim = ['teddy', 'agent', 'both'][round % 3]!;
      while (!findMarked(mark).some(isTeddy)) await pause(5);
      await pause(random() ** 2 * 2500);
      // The agent can only be killed once it runs.
      while (victim === 'agent' && !findMarked(mark).some(({ command }) => /^sh agent\.sh/.test(command)))
        await pause(5);
      const found = findMarked(mark);
      const changes = join(root, '.teddy/changes');
      const ids = existsSync(changes) ? readdirSync(changes).filter((name) => /^\d{8}-/.test(name)) : [];
      kill(
        found.filter(
          (each) => (victim !== 'agent' && isTeddy(each)) || (victim !== 'teddy' && isAgent(each)),
        ),
      );
      // Whoever was not killed comes to its end. What waits for ever here, the test's own limit ends.
      const quit = [...QUIT];
      while (findMarked(mark).some((each) => isAgent(each) || isTeddy(each))) {
        if (terminal && quit[0]?.shown.test(terminal.history())) terminal.send(quit.shift()!.typed);
        await pause(20);
      }
      expect(snapshot(root), `round ${round}, ${victim}`).toBe(before);
      const workspace = new Workspace(root);
      const listed = listWork(workspace);
      for (const id of ids)
        expect(
          listed.map(({ record }) => record.id),
          `round ${round}`,
        ).toContain(id);
      for (const { record } of listed) {
        const opened = await openWork(workspace, record.id);
        if (opened.status !== 'ok') throw new Error(`round ${round}: ${opened.status}`);
        const read = await readCopy(opened.work.copy);
        if (read.status !== 'ok') throw new Error(read.reason);
        const paths = diffTrees(read.base, read.folder).map(({ path }) => path);
        if (paths.length > 0) expect(paths).toContain('a.txt');
        opened.work.close();
        seen.kept++;
      }
      if (listed.length === 0) seen.none++;
      // The next one starts, and removes what was never complete.
      const next = teddy(['wrap', '--', 'true'], { cwd: root, env });
      expect(next.exit, next.stderr).toBe(0);
      expect(readdirSync(changes).filter((name) => /^(new|old)-/.test(name))).toEqual([]);
      expect(listWork(workspace)).toHaveLength(listed.length);
    }
    console.log(`${where}: ${ROUNDS / 2} kills, ${seen.kept} works kept, ${seen.none} not begun`);
    expect(seen.kept).toBeGreaterThan(0);
  });
});
