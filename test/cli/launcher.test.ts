import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../folder.js';
import { TEDDY, teddy } from './teddy.js';

const pretend = (version: string) =>
  `Object.defineProperty(process, 'versions', { value: Object.assign({}, process.versions, { node: '${version}' }) });`;

test.each(['0.10.48', '8.17.0', '18.20.4', '20.18.3'])(
  'Node %s is told in one sentence that it is too old',
  (version) => {
    const cwd = makeFolder({ 'pretend.cjs': pretend(version) });
    expect(teddy(['--version'], { cwd, node: ['--require', './pretend.cjs'] })).toEqual({
      exit: 2,
      stdout: '',
      stderr: `teddy: needs Node 20.19 or newer; this is Node ${version}.\n`,
    });
  },
);

test.each(['20.19.0', '22.0.0', '100.1.0'])('Node %s is new enough', (version) => {
  const cwd = makeFolder({ 'pretend.cjs': pretend(version) });
  expect(teddy(['--version'], { cwd, node: ['--require', './pretend.cjs'] })).toMatchObject({
    exit: 0,
    stderr: '',
  });
});

test('the launcher is written in the JavaScript of 2009', () => {
  const code = readFileSync(TEDDY, 'utf8').replace(/'[^']*'|\/\/.*/g, '');
  expect(code).not.toMatch(/=>|`|\b(?:const|let|class|async|await|import)\b/);
});

test('a teddy that is not built says so', () => {
  const folder = makeFolder();
  cpSync(dirname(TEDDY), join(folder, 'bin'), { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'bin/teddy.cjs'), '--version'],
    {
      encoding: 'utf8',
    },
  );
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: '',
    stderr: 'teddy: is not built yet; run `npm run build` in its folder.\n',
  });
});
