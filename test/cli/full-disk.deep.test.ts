import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listContent } from '../folder.js';
import { createAction, planOf } from './execute/program.js';
import { TEDDY } from './teddy.js';

const disk = mkdtempSync(join(tmpdir(), 'teddy-disk-'));
const state = mkdtempSync(join(tmpdir(), 'teddy-state-'));
/** A disk of its own, which only root may mount. */
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96k', 'none', disk]).status === 0;

const PLAN = `# Plan
<tasks>
<task type="auto">
<name>Task 1: Do</name>
<files>a.txt</files>
<action>Do.</action>
<verify>true</verify>
<done>Done.</done>
</task>
</tasks>
`;

beforeAll(() => {
  mkdirSync(join(disk, '.planning/phases/01-a'), { recursive: true });
  writeFileSync(join(disk, '.planning/phases/01-a/01-01-PLAN.md'), PLAN);
  writeFileSync(join(disk, 'plan.md'), planOf('One', createAction('made.txt')));
});
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk]);
  for (const folder of [disk, state]) rmSync(folder, { recursive: true, force: true });
});

/** The texts that are kept, whole or not. */
function listKept(): string[] {
  return listContent(join(disk, '.teddy/incoming'));
}

/** Leaves so many bytes of the disk free, and runs teddy there. */
function runWith(free: number, words: string[], input = '') {
  const fill = join(disk, 'fill');
  rmSync(fill, { force: true });
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(fill, Buffer.alloc(Math.max(0, bavail * bsize - free)));
  const env = { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: state, XDG_STATE_HOME: state };
  const end = spawnSync(process.execPath, [TEDDY, ...words], { cwd: disk, env, input, encoding: 'utf8' });
  rmSync(fill);
  return end;
}

describe.skipIf(!isMounted)('on a disk that is full, or nearly so', () => {
  const FREE = [0, 4096, 8192, 12_288, 16_384, 20_480];

  test.each(FREE)(
    'result submit with %i bytes left: the text is kept, or it says that nothing was',
    (free) => {
      mkdirSync(join(disk, '.teddy/incoming'), { recursive: true });
      const before = listKept();
      const { status, stderr } = runWith(
        free,
        ['result', 'submit', '-', '--plan', '01-01'],
        `status: ${free}\n`,
      );
      expect(stderr).not.toContain('bug');
      // An answer, or none for want of space.
      expect([1, 2]).toContain(status);
      if (status === 1) return;
      expect(stderr).toMatch(
        /the disk is full \(ENOSPC\)|cannot be made there \(ENOSPC\)|cannot be used \(ENOSPC\)/,
      );
      const kept = /teddy result submit (\.teddy\/incoming\/\S+)/.exec(stderr)?.[1];
      if (kept) expect(existsSync(join(disk, kept))).toBe(true);
      else expect(listKept()).toEqual(before);
      rmSync(join(disk, '.teddy/incoming'), { recursive: true, force: true });
    },
  );

  test.each([['init'], ['execute', 'plan.md', '-y'], ['trust', '--yes'], ['session', 'new', 'x'], ['undo']])(
    'teddy %s %s is not called a bug',
    (...words) => {
      for (const free of FREE) {
        const { status, stderr } = runWith(
          free,
          words.filter((word) => word !== undefined),
        );
        expect([words, free, stderr]).toEqual([words, free, expect.not.stringContaining('bug')]);
        expect(status).not.toBeNull();
        for (const name of ['config.yaml', 'policy.yaml', 'sessions'])
          rmSync(join(disk, '.teddy', name), { recursive: true, force: true });
      }
    },
  );
});

test.skipIf(isMounted)('a disk of its own cannot be mounted here: nothing was tried on a full one', () => {});
