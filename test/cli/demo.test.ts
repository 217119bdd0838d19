import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEMO_FILES } from '../../src/faces/cli/commands/setup/demo.js';
import { homeOf, makeFolder } from '../folder.js';
import { noPython, TestTerminal } from './pty/terminal.js';
import { TEDDY, teddy } from './teddy.js';

const read = (folder: string, path: string) => readFileSync(join(folder, 'teddy-demo', path), 'utf8');

test('without a terminal it creates the project and says how to continue; another one gets another name', () => {
  const cwd = makeFolder({ '.git/HEAD': '' });
  const { exit, stdout } = teddy(['demo'], { cwd });
  expect(exit).toBe(0);
  expect(stdout).toContain('Created teddy-demo:');
  expect(stdout).toMatch(/cd teddy-demo[\s\S]*teddy plan\.md[\s\S]*teddy undo/);
  for (const [path, text] of Object.entries(DEMO_FILES)) expect(read(cwd, path)).toBe(text);
  const { stdout: second } = teddy(['demo', '--json'], { cwd });
  expect(JSON.parse(second)).toMatchObject({ folder: 'teddy-demo-2', plan: 'teddy-demo-2/plan.md' });
  // A root of its own, though it is inside another project.
  const { stdout: own } = teddy(['status', '--json'], { cwd: join(cwd, 'teddy-demo') });
  expect(JSON.parse(own)).toMatchObject({ root: realpathSync(join(cwd, 'teddy-demo')), plan: 'plan.md' });
});

test('a folder that cannot be created is named', () => {
  const { exit, stderr } = teddy(['demo', 'no/such'], { cwd: makeFolder() });
  expect(exit).toBe(2);
  expect(stderr).toContain('no/such cannot be created: the folder above it does not exist.');
});

describe.skipIf(noPython)(`at a terminal${noPython}`, () => {
  test('it is typed through from the first key to undo', async () => {
    const cwd = makeFolder();
    const demo = new TestTerminal([process.execPath, TEDDY, 'demo'], { cwd });
    await demo.shows('Enter start review');
    demo.send('\r');
    for (const question of ['1 of 4  EDIT', '2 of 4  CREATE', '3 of 4  EXECUTE']) {
      await demo.shows(new RegExp(`── ${question} [\\s\\S]*y approve`));
      demo.send('y');
    }
    await demo.shows(/── 4 of 4 {2}EXECUTE [\s\S]*rm notes\.txt[\s\S]*y approve/);
    demo.send('n');
    await demo.shows('Why skip it?');
    demo.send('\r');
    expect(await demo.ended).toMatchObject({ exit: 0 });
    expect(demo.history()).toContain('The total is right.');
    expect(demo.text()).toContain('teddy undo');
    expect(demo.history().trimEnd().split('\n').at(-1)).toMatch(/\/teddy-demo$/);
    expect(read(cwd, 'src/total.mjs')).toContain('item.price * item.quantity');
    expect(read(cwd, 'notes.txt')).toBe(DEMO_FILES['notes.txt']);

    const undo = new TestTerminal([process.execPath, TEDDY, 'undo'], {
      cwd: join(cwd, 'teddy-demo'),
      env: { HOME: homeOf(cwd) },
    });
    expect(await undo.ended).toMatchObject({ exit: 0 });
    expect(read(cwd, 'src/total.mjs')).toBe(DEMO_FILES['src/total.mjs']);
    expect(() => read(cwd, 'check.mjs')).toThrow('ENOENT');
  });
});
