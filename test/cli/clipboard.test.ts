import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../folder.js';
import { PLAN, teddy } from './teddy.js';

/** A clipboard made of a file: small programs with the names that the clipboard library calls. */
function makeClipboard(content: string) {
  const cwd = makeFolder({
    clipboard: content,
    'bin/xsel': '#!/bin/sh\ncase "$*" in *--input*) cat > "$CLIPBOARD";; *) cat "$CLIPBOARD";; esac\n',
    'bin/pbcopy': '#!/bin/sh\ncat > "$CLIPBOARD"\n',
    'bin/pbpaste': '#!/bin/sh\ncat "$CLIPBOARD"\n',
  });
  for (const name of ['xsel', 'pbcopy', 'pbpaste']) chmodSync(join(cwd, 'bin', name), 0o755);
  const clipboard = join(cwd, 'clipboard');
  const env = { PATH: `${join(cwd, 'bin')}:${process.env.PATH}`, CLIPBOARD: clipboard };
  return {
    run: (...words: string[]) => teddy(words, { cwd, env }),
    read: () => readFileSync(clipboard, 'utf8'),
    fill: (text: string) => writeFileSync(clipboard, text),
  };
}

const wrapped = `Here is the plan:\n\n\`\`\`\`\`markdown\n${PLAN}\`\`\`\`\`\n`;

test('without a file, the plan is taken from the clipboard', () => {
  expect(makeClipboard(PLAN).run('validate')).toEqual({
    exit: 0,
    stdout: 'the clipboard: 1 action, ready\n',
    stderr: '',
  });
});

test('an empty clipboard is no plan', () => {
  expect(makeClipboard('').run('validate')).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: the clipboard is empty.\n',
  });
});

test('preprocess puts the repaired plan back', () => {
  const clipboard = makeClipboard(wrapped);
  expect(clipboard.run('preprocess')).toMatchObject({ exit: 0, stdout: '' });
  expect(clipboard.read()).toBe(PLAN);
});

test('preprocess --no-copy prints it, and leaves the clipboard', () => {
  const clipboard = makeClipboard(wrapped);
  expect(clipboard.run('preprocess', '--no-copy')).toMatchObject({ exit: 0, stdout: PLAN });
  expect(clipboard.read()).toBe(wrapped);
});

test('preprocess --check leaves the clipboard and says no', () => {
  const clipboard = makeClipboard(wrapped);
  expect(clipboard.run('preprocess', '--check')).toMatchObject({ exit: 1, stdout: '' });
  expect(clipboard.read()).toBe(wrapped);
});

test('no clipboard is one clear sentence', () => {
  const { exit, stdout, stderr } = teddy(['validate'], { cwd: makeFolder() });
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(stderr).toMatch(
    /^teddy: the clipboard cannot be read \(.+\); name a file instead, or - to paste it here\.\n$/,
  );
});
