import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Workspace } from '../../src/workspace/workspace.js';

interface Attributes {
  listAttrsSync(file: number): string[];
  getAttrSync(file: number, name: string): Buffer | null;
  setAttrSync(file: number, name: string, value: Buffer): void;
}
const native = createRequire(import.meta.url)('fs-native-extensions') as Attributes;

const root = mkdtempSync(join(tmpdir(), 'teddy-attributes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function opened<T>(path: string, work: (file: number) => T): T {
  const file = openSync(path, 'r+');
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

const readAll = (path: string) =>
  opened(path, (file) =>
    Object.fromEntries(
      native.listAttrsSync(file).map((name) => [name, native.getAttrSync(file, name)?.toString('hex')]),
    ),
  );

/** user::rw-, user:1000:rw-, group::r--, mask::rw-, other::r-- */
const ACL = Buffer.from(
  '0200000001000600ffffffff02000600e803000004000400ffffffff10000600ffffffff20000400ffffffff',
  'hex',
);

/** Whether the file system here lets us set one. */
function isPossible(name: string, value: Buffer): boolean {
  const path = join(root, 'try.txt');
  writeFileSync(path, '');
  try {
    opened(path, (file) => native.setAttrSync(file, name, value));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path);
  }
}

const KINDS: [string, Buffer][] = [
  ['user.note', Buffer.from('mine')],
  ['user.empty', Buffer.alloc(0)],
  ['system.posix_acl_access', ACL],
  ['security.capability', Buffer.from('0100000200040000000000000000000000000000', 'hex')],
];

describe.each(KINDS)('%s', (name, value) => {
  test.skipIf(!isPossible(name, value))(
    'stays when its file is replaced, and when that is undone',
    async () => {
      const path = join(root, 'a.txt');
      writeFileSync(path, 'old\n');
      opened(path, (file) => native.setAttrSync(file, name, value));
      const before = { attributes: readAll(path), mode: statSync(path).mode };
      expect(Object.keys(before.attributes)).toContain(name);
      const workspace = new Workspace(root);
      const run = `20260101-000000-${createHash('sha256').update(name).digest('hex').slice(0, 4)}`;
      const begun = await workspace.beginRun(() => ({ id: run, files: {}, note: {} }));
      if (begun.status === 'begun') begun.folder.close();
      const change = {
        path: 'a.txt',
        before: createHash('sha256').update('old\n').digest('hex'),
        after: Buffer.from('new\n'),
      };
      const result = await workspace.commit([change], { run });
      expect(result).toEqual({ status: 'committed', id: expect.any(String) });
      expect(readFileSync(path, 'utf8')).toBe('new\n');
      expect({ attributes: readAll(path), mode: statSync(path).mode }).toEqual(before);
      expect(await workspace.undo(run)).toMatchObject({ status: 'undone', restored: ['a.txt'] });
      expect(readFileSync(path, 'utf8')).toBe('old\n');
      expect({ attributes: readAll(path), mode: statSync(path).mode }).toEqual(before);
      rmSync(path);
    },
  );
});
