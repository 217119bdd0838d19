import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

let root: string;
let workspace: Workspace;
beforeEach(() => {
  root = makeFolder({ '.teddy/x/y': '' });
  workspace = new Workspace(root);
});
afterEach(() => setFileSeam(undefined));

const at = (path: string) => join(root, '.teddy/x', path);

describe('hold', () => {
  const LOCK = '.teddy/x/lock';

  test('is for one at a time', () => {
    expect(workspace.isHeld(LOCK)).toBe(false);
    expect(existsSync(at('lock'))).toBe(false);
    const lock = workspace.hold(LOCK)!;
    expect([workspace.isHeld(LOCK), workspace.hold(LOCK)]).toEqual([true, undefined]);
    lock.release();
    expect(workspace.isHeld(LOCK)).toBe(false);
    workspace.hold(LOCK)!.release();
  });

  test('is free when its process was killed', async () => {
    const script = `
      const { openSync } = require('node:fs');
      require('fs-native-extensions').tryLock(openSync(${JSON.stringify(at('lock'))}, 'a+'));
      process.stdout.write('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect([workspace.isHeld(LOCK), workspace.hold(LOCK)]).toEqual([true, undefined]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(workspace.isHeld(LOCK)).toBe(false);
    workspace.hold(LOCK)!.release();
  });

  test('whoever only looks for a moment does not keep another from it', () => {
    const looker = workspace.hold(LOCK)!;
    let tries = 0;
    setFileSeam((call, perform) => {
      if (call.name === 'open' && String(call.args[0]).endsWith('/lock') && ++tries === 3) looker.release();
      return perform(call.args);
    });
    workspace.hold(LOCK)!.release();
    expect(tries).toBeGreaterThanOrEqual(3);
  });

  test.each([
    ['.teddy/none/lock', /^\.teddy\/none\/lock cannot be used \(its folder is not there\)\.$/],
    ['.teddy/linked/lock', /its folder is not there/],
    ['.teddy/x/folder', /EISDIR/],
    ['.teddy/x/link', /ELOOP/],
  ])('%s is refused', (path, reason) => {
    mkdirSync(at('folder'));
    symlinkSync('x', join(root, '.teddy/linked'));
    symlinkSync('elsewhere', at('link'));
    expect(() => workspace.hold(path)).toThrow(UserError);
    expect(() => workspace.hold(path)).toThrow(reason);
    expect(existsSync(at('elsewhere'))).toBe(false);
  });
});

describe('grow', () => {
  const PART = '.teddy/x/part';

  test('adds to what is there, at once, for this user alone', () => {
    const file = workspace.grow(PART);
    file.write('one ');
    expect(readFileSync(at('part'), 'utf8')).toBe('one ');
    file.write('twö');
    file.close();
    const again = workspace.grow(PART);
    again.write('.');
    again.close();
    expect(readFileSync(at('part'), 'utf8')).toBe('one twö.');
    expect(statSync(at('part')).mode & 0o777).toBe(0o600);
  });

  test('what comes after a failure is not written, and nothing is thrown', () => {
    const file = workspace.grow(PART);
    expect(file.write('one ')).toBe(true);
    setFileSeam((call, perform) => {
      if (call.name === 'write') throw Object.assign(new Error(), { code: 'ENOSPC' });
      return perform(call.args);
    });
    expect(file.write('two ')).toBe(false);
    setFileSeam(undefined);
    expect(file.write('three')).toBe(false);
    file.close();
    expect(file.write('four')).toBe(false);
    file.close();
    expect(readFileSync(at('part'), 'utf8')).toBe('one ');
  });

  test('what is no plain file is refused', () => {
    mkdirSync(at('part'));
    expect(() => workspace.grow(PART)).toThrow(UserError);
    writeFileSync(join(root, 'outside'), '');
    symlinkSync('../../outside', at('link'));
    expect(() => workspace.grow('.teddy/x/link')).toThrow('.teddy/x/link cannot be used (ELOOP).');
    expect(() => workspace.grow('.teddy/none/part')).toThrow('its folder is not there');
  });
});
