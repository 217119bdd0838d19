// SIGKILL of teddy at random moments of the review, the verification and the landing of an agent's changes: the project is
// entirely before or entirely after, the work is not lost, a second review lands it, and undo is exact.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { listWork } from '../../../src/workspace/copy/work.js';
import { type Files, readAllFiles, writeAll } from '../../file-trees.js';
import { makeFolder, PROGRAM_ENV } from '../../folder.js';
import { agentChanges, makeProject } from '../../runs/changeset/make.js';
import { SOAK, seeded } from '../../workspace/faults/random.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';

const ROUNDS = SOAK ? 150 : 21;
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

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function isRunning(mark: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
}

interface StartedTeddy {
  ended: Promise<unknown>;
  kill(): void;
}

function start(words: string[], cwd: string, env: Record<string, string>): StartedTeddy {
  const child = spawn('node', words, { cwd, env: { ...PROGRAM_ENV, ...env }, stdio: 'ignore' });
  return {
    ended: new Promise((resolve) => child.on('exit', resolve)),
    kill: () => void child.kill('SIGKILL'),
  };
}

function startAtTerminal(
  words: string[],
  cwd: string,
  env: Record<string, string>,
  keys: readonly { shown: RegExp; typed: string }[],
): StartedTeddy {
  const terminal = new TestTerminal(['node', ...words], { cwd, env });
  let isOver = false;
  const ended = terminal.ended.then(() => {
    isOver = true;
  });
  void (async () => {
    for (const { shown, typed } of keys) {
      while (!isOver && !shown.test(terminal.history())) await pause(10);
      if (!isOver) terminal.send(typed);
    }
  })();
  return { ended, kill: () => isOver || terminal.signal('KILL') };
}

describe.skipIf(because !== '')(`a review killed at a random moment${because}`, () => {
  test.each(FORMS.filter(({ keys }) => !keys || !noPython))('$form', async ({ form, options, keys }) => {
    const random = seeded(Number(process.env.TEDDY_SEED ?? 1));
    const seen = { before: 0, after: 0, ended: 0 };
    let lengthMs: number | undefined;
    // The first round is not killed: it says how long one takes.
    for (let round = 0; round <= ROUNDS / FORMS.length; round++) {
      const about = `${form}, round ${round}`;
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
      const begunAt = performance.now();
      const started = keys ? startAtTerminal(words, root, env, keys) : start(words, root, env);
      let isKilled = false;
      if (lengthMs !== undefined) {
        await Promise.race([started.ended, pause(random() * lengthMs)]);
        started.kill();
        isKilled = true;
      }
      await started.ended;
      lengthMs ??= performance.now() - begunAt;
      // Nothing of the verification outlives teddy. What does, the test's own limit ends.
      while (isRunning(mark)) await pause(20);
      await workspace.recover();
      const now = readAllFiles(root);
      const isAfter = 'tool.sh' in now && now['tool.sh']!.startsWith('!');
      expect(now, about).toEqual(isAfter ? after : before);
      const isListed = listWork(workspace).some(({ record }) => record.id === work.id);
      if (!isAfter) expect(isListed, about).toBe(true);
      if (!isKilled) expect({ isAfter, isListed }, about).toEqual({ isAfter: true, isListed: false });
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
    console.log(`${form}: ${JSON.stringify(seen)}`);
    expect(seen.before + seen.after + seen.ended).toBe(ROUNDS / FORMS.length);
  });
});
