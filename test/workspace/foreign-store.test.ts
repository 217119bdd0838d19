import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder, readTree } from '../folder.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const RUN = '20260102-030405-k3x9';

/** Where others can write, in the way that this user can bring about. */
function spoil(path: string): void {
  if (process.geteuid?.() === 0) chownSync(path, 54321, 54321);
  else chmodSync(path, 0o777);
}

describe('a store that is not this user’s alone is not used', () => {
  const USES: Record<string, (workspace: Workspace) => unknown> = {
    tx: (workspace) => workspace.requireStore(),
    runs: async (workspace) => {
      const begun = await workspace.beginRun(() => ({ id: RUN, files: {}, note: {} }));
      if (begun.status === 'stopped') throw new UserError(begun.reason);
    },
    'runs, to look': (workspace) => workspace.runs(),
    incoming: (workspace) => workspace.incoming.keep(bytes('x')),
    'incoming, to look': (workspace) => workspace.incoming.left(),
    agents: (workspace) => workspace.view((view) => view.list('.teddy/agents')),
    'agents, a file': (workspace) => workspace.view((view) => view.read('.teddy/agents/a.md', 100)),
  };

  test.each(Object.keys(USES))('%s', async (name) => {
    const folder = name.split(',')[0]!;
    const root = makeFolder({ [`.teddy/${folder}/x`]: 'planted' });
    spoil(join(root, '.teddy', folder));
    const before = readTree(root);
    const sentence = new RegExp(`^\\S+/\\.teddy/${folder} is not used because .*; .*run: ch\\w+ -R `);
    await expect(async () => USES[name]!(new Workspace(root))).rejects.toThrow(
      expect.objectContaining({ name: 'UserError', message: expect.stringMatching(sentence) }),
    );
    expect(readTree(root)).toMatchObject(before);
  });

  test.each(Object.keys(USES))('.teddy itself, for %s', async (name) => {
    const root = makeFolder({ '.teddy/agents/a.md': 'planted' });
    spoil(join(root, '.teddy'));
    await expect(async () => USES[name]!(new Workspace(root))).rejects.toThrow(
      expect.objectContaining({
        name: 'UserError',
        message: expect.stringContaining(`${root}/.teddy is not used because`),
      }),
    );
    expect(readTree(root)).toEqual({ '.teddy/agents/a.md': 'planted' });
  });

  test.each(['.teddy', '.teddy/tx', '.teddy/reports'])('nothing is committed with %s', async (path) => {
    const root = makeFolder();
    mkdirSync(join(root, path), { recursive: true });
    spoil(join(root, path));
    const change = { path: '.teddy/reports/x', before: null, after: bytes('x') };
    expect(await new Workspace(root).update(() => ({ changes: [change], value: null }))).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining(`${path} is not used because`),
    });
  });
});

test.each([0o002, 0o000, 0o077])('what teddy makes under umask %o it uses afterwards', async (mask) => {
  const root = makeFolder();
  const umask = process.umask(mask);
  try {
    const workspace = new Workspace(root);
    const paths = ['.teddy/sessions/a/01/plan.md', '.teddy/reports/t/x.json', 'src/a.ts'];
    for (const after of [bytes('a'), null]) {
      const before =
        after === null ? 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb' : null;
      const changes = paths.map((path) => ({ path, before, after }));
      expect(await workspace.update(() => ({ changes, value: null }))).toMatchObject({ status: 'committed' });
    }
    const begun = await workspace.beginRun(() => ({ id: RUN, files: {}, note: {} }));
    if (begun.status === 'begun') begun.folder.close();
    workspace.incoming.keep(bytes('x')).release();
    expect(workspace.runs()).toEqual([RUN]);
    for (const path of ['.teddy', '.teddy/sessions', '.teddy/sessions/a/01', '.teddy/reports/t'])
      expect(statSync(join(root, path)).mode & 0o022).toBe(0);
    // The project's own folders are as the user's umask has them.
    expect(statSync(join(root, 'src')).mode & 0o777).toBe(0o777 & ~mask);
  } finally {
    process.umask(umask);
  }
});
