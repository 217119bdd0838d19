import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { endOf, until } from '../sessions/site.js';
import { isAlive, lines, planText, readEvents, Site } from './site.js';

/** Clients start their tools in sessions of their own: this one would spoil the file of the task, 2 s later. */
const TOOL = `setsid sh -c 'echo $$ >> "$SITE/pids"; sleep 2; echo spoilt > made-01-01-1.txt; sleep 60' </dev/null >/dev/null 2>&1 &
until test -s "$SITE/pids"; do sleep 0.02; done`;

function makeSite(executor: string, options: { git?: boolean; config?: string } = {}): Site {
  const site = new Site({ '01-01': planText('01-01', 1) }, { executor, ...options });
  onTestFinished(() => {
    for (const pid of left(site)) process.kill(pid, 'SIGKILL');
  });
  return site;
}

/** Those tools that still run. */
function left(site: Site): number[] {
  return lines(site.note('pids')).map(Number).filter(isAlive);
}

describe.each(['none', 'worktree'])(
  'what an attempt started does not outlive it, with isolation %s',
  (isolation) => {
    const git = isolation === 'worktree';
    const words = ['--isolation', isolation];

    test('when it ends by itself', async () => {
      const site = makeSite(`${TOOL}\nmake\nclaim`, { git });
      const { exit, summary } = await site.conduct(...words);
      expect({ exit, done: summary.done, left: left(site) }).toEqual({ exit: 0, done: 1, left: [] });
      expect(lines(site.note('pids'))).toHaveLength(1);
      expect(readFileSync(join(site.root, 'made-01-01-1.txt'), 'utf8')).not.toContain('spoilt');
    });

    test('when its time is up', async () => {
      const site = makeSite(`${TOOL}\nsleep 60`, {
        git,
        config: 'orchestrate: {taskTime: 1s, maxAttempts: 1}\n',
      });
      const { summary } = await site.conduct(...words);
      expect({ done: summary.done, left: left(site) }).toEqual({ done: 0, left: [] });
      expect(lines(site.note('pids'))).toHaveLength(1);
    });

    test('when the run is interrupted', async () => {
      const site = makeSite(`${TOOL}\ntouch "$SITE/waits"\nsleep 60`, { git });
      const child = site.start(['orchestrate', '--yes', '--json', ...words]);
      const ended = endOf(child);
      await until(() => site.note('pids') !== '', 'the tool runs');
      child.kill('SIGINT');
      await sleep(200);
      child.kill('SIGINT');
      const { exit, stdout } = await ended;
      expect({ exit, left: left(site) }).toEqual({ exit: 130, left: [] });
      expect(readEvents(stdout).summary).toMatchObject({ stopped: 'interrupted', attempts: 0 });
    });

    test('when the run was killed, once the next one starts', async () => {
      const site = makeSite(`if [ ! -f "$SITE/go" ]; then ${TOOL}\nsleep 60; fi\nmake\nclaim`, { git });
      const child = site.start(['orchestrate', '--yes', ...words]);
      const ended = endOf(child);
      await until(() => site.note('pids') !== '', 'the tool runs');
      child.kill('SIGKILL');
      await ended;
      expect(left(site)).toHaveLength(1);
      site.leave('go');
      const { exit, summary } = await site.conduct(...words);
      expect({ exit, done: summary.done, left: left(site) }).toEqual({ exit: 0, done: 1, left: [] });
    });
  },
);
