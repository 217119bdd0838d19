// SIGKILL of teddy at random moments of the review, the verification and the landing of an agent's changes: the project is
// entirely before or entirely after, the work is not lost, a second review lands it, and undo is exact.

import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { listWork } from '../../../src/workspace/copy/work.js';
import { type Files, readAllFiles, writeAll } from '../../file-trees.js';
import { makeFolder, PROGRAM_ENV } from '../../folder.js';
import { agentChanges, makeProject } from '../../runs/changeset/make.js';
import { SOAK, seeded } from '../../workspace/faults/random.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';
import {
  findMarked,
  freeze,
  Kills,
  killNow,
  pause,
  REVIEW_PHASES,
  reach,
  reviewPhase,
  timePhases,
} from './killed.js';

/** Of each form. */
const KILLS = SOAK ? 60 : 8;
const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join('');
const numbered = (name: string, text: string) =>
  Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${name}/${at}.txt`, `${at}\n${text}`]));
const BEFORE: Files = {
  ...numbered('edited', LINES),
  ...numbered('deleted', LINES),
  ...numbered('old', `${LINES}${LINES}`),
  'tool.sh': 'echo tool\n',
  'link.txt': '-> tool.sh',
};
/** Many files, so that landing them takes a while. */
const CHANGES: Files = {
  ...numbered('edited', LINES.replace('line 3\n', 'line three\n')),
  ...Object.fromEntries(Object.keys(numbered('deleted', '')).map((path) => [path, null])),
  ...Object.fromEntries(Object.keys(numbered('old', '')).map((path) => [path, null])),
  ...numbered('new', `${LINES}${LINES}`),
  'tool.sh': '!echo tool\n',
  'link.txt': '-> edited/0.txt',
  'added.bin': '\0\u0001',
};

const FORMS = [
  { form: 'approved by --yes', options: () => ['--yes'], keys: undefined },
  {
    form: 'verified and landed',
    options: (mark: string) => [
      ...['--landing', 'auto', '--verify', `: ${mark}; sleep 0.2; test -e new/0.txt && test ! -e old/0.txt`],
    ],
    keys: undefined,
  },
  {
    form: 'at a terminal',
    options: () => [],
    keys: [
      { shown: /Enter start review/, typed: '\r' },
      { shown: /1 of \d+ [\s\S]*q quit/, typed: 'a' },
      { shown: /y keep (it|all)/, typed: 'y' },
    ],
  },
];

/** Whom to kill in which phase: teddy, the verification, or both. */
const MOMENTS = [
  ...REVIEW_PHASES.map((phase) => ({ victim: 'teddy', phase }) as const),
  ...(['command', 'both'] as const).map((victim) => ({ victim, phase: 'verifying' }) as const),
];

interface StartedTeddy {
  ended: Promise<unknown>;
  /** Undefined while it runs. */
  signal: () => number | string | null | undefined;
}

function start(words: string[], cwd: string, env: Record<string, string>): StartedTeddy {
  const child = spawn('node', words, { cwd, env: { ...PROGRAM_ENV, ...env }, stdio: 'ignore' });
  let signal: string | null | undefined;
  const ended = new Promise<void>((resolve) =>
    child.on('exit', (_, name) => {
      signal = name;
      resolve();
    }),
  );
  return { ended, signal: () => signal };
}

function startAtTerminal(
  words: string[],
  cwd: string,
  env: Record<string, string>,
  keys: readonly { shown: RegExp; typed: string }[],
): StartedTeddy {
  const terminal = new TestTerminal(['node', ...words], { cwd, env });
  let signal: number | null | undefined;
  const ended = terminal.ended.then((end) => {
    signal = end.signal;
  });
  void (async () => {
    for (const { shown, typed } of keys) {
      while (signal === undefined && !shown.test(terminal.history())) await pause(10);
      if (signal === undefined) terminal.send(typed);
    }
  })();
  return { ended, signal: () => signal };
}

describe.skipIf(because !== '')(`a review killed at a random moment${because}`, () => {
  test.each(FORMS.filter(({ keys }) => !keys || !noPython))('$form', async ({ form, options, keys }) => {
    const random = seeded(Number(process.env.TEDDY_SEED ?? 1));
    const seen = { before: 0, after: 0, ended: 0, survived: 0 };
    const kills = new Kills();
    const isVerified = form === 'verified and landed';
    const moments = MOMENTS.filter(({ phase }) => isVerified || phase !== 'verifying');
    let lengths: Map<string, number> | undefined;
    // The first round is not killed: it says how long each phase takes.
    for (let round = 0; kills.total < KILLS; round++) {
      const { victim, phase } = moments[round % moments.length]!;
      const about = `${form}, round ${round}: ${victim}, ${phase}`;
      const workspace = makeProject(BEFORE);
      const { root } = workspace;
      const before = readAllFiles(root);
      writeAll(root, CHANGES);
      // Folders that landing empties are removed.
      const { 'old/': _, 'deleted/': __, ...after } = readAllFiles(root);
      writeAll(root, { ...Object.fromEntries(Object.keys(CHANGES).map((path) => [path, null])), ...BEFORE });
      for (const folder of readdirSync(root)) if (folder === 'new') writeAll(root, { new: null });
      expect(readAllFiles(root)).toEqual(before);
      const work = await agentChanges(workspace, CHANGES);
      work.close();
      const mark = `verify-${process.pid}-${form.length}-${round}`;
      const env = { HOME: makeFolder(), XDG_STATE_HOME: process.env.XDG_STATE_HOME! };
      const words = [TEDDY, 'changes', 'review', work.id, ...options(mark)];
      const started = keys
        ? startAtTerminal(words, root, { ...env, TEDDY_MARK: mark }, keys)
        : start(words, root, { ...env, TEDDY_MARK: mark });
      const isOver = () => started.signal() !== undefined;
      const isLanded = () => (statSync(join(root, 'tool.sh')).mode & 0o100) !== 0;
      const phaseNow = () => reviewPhase(root, work.id, isLanded);
      const isTeddy = ({ command }: { command: string }) =>
        /teddy\.cjs changes/.test(command) && !/pty\.py/.test(command);
      let isKilled = false;
      let isFailed = false;
      if (lengths === undefined) lengths = await timePhases(REVIEW_PHASES, phaseNow, isOver);
      else {
        let teddyPid: number | undefined;
        while (teddyPid === undefined && !isOver()) {
          teddyPid = findMarked(mark).find(isTeddy)?.pid;
          await pause(1);
        }
        await reach(phase, REVIEW_PHASES, phaseNow, isOver);
        await pause(random() * lengths.get(phase)!);
        // The command can only be killed once it runs.
        while (victim !== 'teddy' && !isOver() && !findMarked(mark).some(({ pid }) => pid !== teddyPid))
          await pause(1);
        if (teddyPid !== undefined && (await freeze(teddyPid))) {
          const isCommand = ({ pid }: { pid: number }) => victim !== 'teddy' && pid !== teddyPid;
          const commands = findMarked(mark).filter(
            (each) => isCommand(each) && !/pty\.py/.test(each.command),
          );
          isFailed = commands.map(({ pid }) => killNow(pid)).includes(true);
          isKilled = victim !== 'command';
          if (isKilled) expect(killNow(teddyPid), about).toBe(true);
          else process.kill(teddyPid, 'SIGCONT');
          if (isKilled || isFailed)
            kills.add(phaseNow(), isFailed ? (isKilled ? 'both' : 'command') : 'teddy');
        }
      }
      await started.ended;
      if (isKilled) expect([9, 'SIGKILL'], about).toContain(started.signal());
      else if (!isFailed) seen.survived++;
      // Nothing of the verification outlives teddy. What does, the test's own limit ends.
      while (findMarked(mark).length > 0) await pause(20);
      await workspace.recover();
      const now = readAllFiles(root);
      const isAfter = 'tool.sh' in now && now['tool.sh']!.startsWith('!');
      expect(now, about).toEqual(isAfter ? after : before);
      const isListed = listWork(workspace).some(({ record }) => record.id === work.id);
      if (!isAfter) expect(isListed, about).toBe(true);
      if (!isKilled && !isFailed)
        expect({ isAfter, isListed }, about).toEqual({ isAfter: true, isListed: false });
      else seen[!isAfter ? 'before' : isListed ? 'after' : 'ended']++;
      if (isListed) {
        const second = teddy(['changes', 'review', work.id, '--yes'], { cwd: root, env });
        expect(second.exit, `${about}: ${second.stderr}`).toBe(0);
      }
      expect(readAllFiles(root), about).toEqual(after);
      expect(listWork(workspace), about).toEqual([]);
      const undone = teddy(['undo'], { cwd: root, env });
      expect(undone.exit, `${about}: ${undone.stderr}`).toBe(0);
      expect(readAllFiles(root), about).toEqual(before);
    }
    console.log(`${form}: ${kills}; ${JSON.stringify(seen)}`);
    expect(seen.before + seen.after + seen.ended).toBe(kills.total);
    expect(kills.phases.size).toBeGreaterThan(2);
    if (SOAK)
      expect(
        [...new Set(moments.map((each) => each.phase))].filter((each) => !kills.phases.has(each)),
      ).toEqual([]);
  });
});
