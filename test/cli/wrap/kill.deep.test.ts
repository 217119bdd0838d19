// SIGKILL of teddy, of the agent and of both, at random moments of `teddy wrap`: the project is as it was, the work is
// kept, and nothing of the agent keeps running.

import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, realpathSync } from 'node:fs';
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
import {
  findMarked,
  freeze,
  Kills,
  killNow,
  listWorks,
  pause,
  reach,
  timePhases,
  WRAP_PHASES,
  wrapPhase,
} from './killed.js';
import { QUIT } from './quit-review.js';

/** Of each of the two forms. */
const KILLS = SOAK ? 90 : 12;
const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;

/** Changes files for ever or for a while, in the background too, in a session of its own. */
const AGENT = `
echo one >> a.txt; rm -f b.txt; mkdir -p new; echo new > new/c.txt
(trap '' HUP TERM INT; exec setsid sh agent-child.sh) &
turns=$TEDDY_TURNS
while [ "$turns" -ne 0 ]; do echo more >> a.txt; sleep 0.01; turns=$((turns - 1)); done
`;
const CHILD = 'while :; do echo child >> child.txt; sleep 0.01; done\n';
const FILES = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'agent.sh': AGENT,
  'agent-child.sh': CHILD,
  'sub/d.txt': 'd\n',
};

const MOMENTS = [
  ...WRAP_PHASES.map((phase) => ({ victim: 'teddy', phase }) as const),
  ...(['agent', 'both'] as const).map((victim) => ({ victim, phase: 'running' }) as const),
];

function snapshot(root: string): string {
  return execFileSync('sh', ['-c', 'find . -path ./.teddy -prune -o -type f -exec sha256sum {} + | sort'], {
    cwd: root,
    encoding: 'utf8',
  });
}

interface Process {
  pid: number;
  command: string;
}

const isTeddy = ({ command }: Process) => /teddy\.cjs wrap/.test(command) && !/pty\.py/.test(command);
const isAgent = ({ command }: Process) => /^sh agent(-child)?\.sh/.test(command);

describe.skipIf(because !== '')(`killed at a random moment${because}`, () => {
  test.each(['in a pipe', ...(noPython ? [] : ['at a terminal'])])('%s', async (where) => {
    const random = seeded(Number(process.env.TEDDY_SEED ?? 1));
    const isAtTerminal = where === 'at a terminal';
    const moments = MOMENTS.filter(({ phase }) => isAtTerminal || phase !== 'reviewing');
    const seen = { kept: 0, none: 0, survived: 0 };
    const kills = new Kills();
    let lengths: Map<string, number> | undefined;
    for (let round = 0; kills.total < KILLS; round++) {
      // The first round is not killed: it says how long each phase takes.
      const { victim, phase } = moments[round % moments.length]!;
      const about = `round ${round}: ${victim}, ${phase}`;
      const root = realpathSync(makeFolder(FILES));
      execFileSync(
        'sh',
        ['-c', 'git init -q && git add -A && git -c user.name=A -c user.email=a@b commit -qm 1'],
        { cwd: root },
      );
      const before = snapshot(root);
      const mark = `TEDDY_ROUND=${where.length}-${process.pid}-${round}.`;
      const isEndless = lengths !== undefined && phase === 'running';
      const env = {
        HOME: makeFolder(),
        XDG_STATE_HOME: process.env.XDG_STATE_HOME!,
        TEDDY_ROUND: mark.slice(12),
        TEDDY_TURNS: isEndless ? '-1' : '5',
      };
      const words = ['node', TEDDY, 'wrap', '--', 'sh', 'agent.sh'];
      let signal: number | string | null | undefined;
      let terminal: TestTerminal | undefined;
      if (isAtTerminal) {
        terminal = new TestTerminal(words, { cwd: root, env });
        void terminal.ended.then((end) => {
          signal = end.signal;
        });
      } else
        spawn(words[0]!, words.slice(1), { cwd: root, env: { ...PROGRAM_ENV, ...env }, stdio: 'ignore' }).on(
          'exit',
          (_, name) => {
            signal = name;
          },
        );
      const isOver = () => signal !== undefined;
      const now = () => wrapPhase(root);
      let teddyPid: number | undefined;
      while (teddyPid === undefined && !isOver()) {
        teddyPid = findMarked(mark).find(isTeddy)?.pid;
        await pause(5);
      }
      const quit = [...QUIT];
      const leave = () => {
        if (terminal && quit[0]?.shown.test(terminal.history())) terminal.send(quit.shift()!.typed);
      };
      let ids: string[] = [];
      let isHit = false;
      if (lengths === undefined) {
        lengths = await timePhases(WRAP_PHASES, now, () => {
          leave();
          return isOver();
        });
      } else {
        await reach(phase, WRAP_PHASES, now, isOver);
        await pause(random() * lengths.get(phase)!);
        // The agent can only be killed once it runs.
        while (victim !== 'teddy' && !isOver() && !findMarked(mark).some(isAgent)) await pause(5);
        if (victim === 'agent') {
          ids = listWorks(root);
          isHit = findMarked(mark)
            .filter(isAgent)
            .map(({ pid }) => killNow(pid))
            .includes(true);
          if (isHit) kills.add('running', victim);
        } else if (await freeze(teddyPid!)) {
          ids = listWorks(root);
          const agents = victim === 'both' ? findMarked(mark).filter(isAgent) : [];
          const isBoth = agents.map(({ pid }) => killNow(pid)).includes(true);
          kills.add(now(), isBoth ? 'both' : 'teddy');
          isHit = killNow(teddyPid!);
          expect(isHit, about).toBe(true);
        }
      }
      if (!isHit) seen.survived++;
      // Whoever was not killed comes to its end. What waits for ever here, the test's own limit ends.
      while (!isOver() || findMarked(mark).some((each) => isAgent(each) || isTeddy(each))) {
        leave();
        await pause(20);
      }
      if (isHit && victim !== 'agent') expect([9, 'SIGKILL'], about).toContain(signal);
      expect(snapshot(root), about).toBe(before);
      const workspace = new Workspace(root);
      const listed = listWork(workspace);
      for (const id of ids)
        expect(
          listed.map(({ record }) => record.id),
          about,
        ).toContain(id);
      for (const { record } of listed) {
        const opened = await openWork(workspace, record.id);
        if (opened.status !== 'ok') throw new Error(`${about}: ${opened.status}`);
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
      const changes = readdirSync(join(root, '.teddy/changes'));
      expect(changes.filter((name) => /^(new|old)-/.test(name))).toEqual([]);
      expect(listWork(workspace)).toHaveLength(listed.length);
    }
    console.log(`${where}: ${kills}; ${JSON.stringify(seen)}`);
    expect(seen.kept).toBeGreaterThan(0);
    expect(kills.phases.size).toBeGreaterThan(2);
    if (SOAK)
      expect([...kills.phases].sort()).toEqual([...new Set(moments.map((each) => each.phase))].sort());
  });
});
