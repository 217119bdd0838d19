// What counts as a simple command is held against real shells: the words must be those that a program gets.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSimpleCommand } from '../../src/config/command.js';
import { makeFolder } from '../folder.js';

const UNITS = [
  ...'ab01 -=/.,:%@+_',
  ...`"'"'"'`,
  ...';&|$`<>\\*?[]{}()~#!^',
  ...'\n\r\t\0\u00a0\u2028\u200bé',
  ' "a b" ',
  " 'c d' ",
  "''",
  '$HOME',
  '~',
  ' x ',
];

test.each(['/bin/sh', '/bin/bash'].filter((shell) => existsSync(shell)))('as %s splits it', (shell) => {
  const folder = makeFolder({ show: '#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done\n' });
  chmodSync(join(folder, 'show'), 0o755);
  let simple = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...UNITS), { maxLength: 12 }), (units) => {
      const words = readSimpleCommand(`show ${units.join('')}\n`);
      if (words === undefined) return;
      simple++;
      const { status, stdout, stderr } = spawnSync(shell, ['-c', `show ${units.join('')}\n`], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder },
      });
      expect({ status, stderr, stdout }).toEqual({
        status: 0,
        stderr: '',
        stdout: words
          .slice(1)
          .map((word) => `${word}\n`)
          .join(''),
      });
    }),
    { numRuns: 4000, seed: 7 },
  );
  expect(simple).toBeGreaterThan(200);
});
