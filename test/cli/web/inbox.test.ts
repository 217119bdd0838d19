import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { NOBODY, noOtherUser, teddy } from '../teddy.js';

test.skipIf(noOtherUser)(`the folder of a run that cannot be opened hides no question${noOtherUser}`, () => {
  const cwd = makeFolder();
  const folders = ['.teddy', '.teddy/runs', '.teddy/runs/20260102-030405-k3x9'].map((path) =>
    join(cwd, path),
  );
  for (const folder of folders) mkdirSync(folder, 0o700);
  for (const folder of [cwd, ...folders]) chownSync(folder, NOBODY, NOBODY);
  chmodSync(folders.at(-1)!, 0);
  expect(teddy(['inbox'], { cwd, uid: NOBODY })).toMatchObject({
    exit: 0,
    stdout: 'Nothing is waiting for you.\n',
  });
});
