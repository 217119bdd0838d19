import { describe, expect, test } from 'vitest';
import { parseTaskPlan } from '../../../src/formats/task-plan/index.js';

// Forms of the shell, and sentences that begin with the same words. A check that is taken for a sentence is never run.
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const verify = (text: string) =>
  parseTaskPlan(`<task>\n<verify>${escaped(text)}</verify>\n</task>\n`).tasks[0]!.verify;
const linesOf = (text: string) => text.trim().split('\n');

const COMMANDS = `
! grep foo x
! diff x y
! grep -q TODO src/a.ts && npm test
! test -e x
! cat x | grep foo
npm ci && ! grep foo x
if test -e x; then npm test; fi
if test -e x; then npm test; else exit 1; fi
if test -e x; then a; elif test -e y; then b; else c; fi
if ! frobnicate --all; then echo it is not there; exit 1; fi
if [ -f x ]; then (cd app && npm test); fi
if [[ -f x && -f y ]]; then npm test; fi
for f in a b; do test -e "$f"; done
for f in *.js; do node --check $f || exit 1; done
for f in $(ls src); do for g in a b; do test -e $f/$g; done; done
for ((i = 0; i < 3; i++)); do npm test; done
for f in a b; do test -e $f; done && npm test
while read -r name; do test -e "$name"; done < names.txt
while ! curl -sf localhost:3000; do sleep 1; done
until test -e ready; do sleep 1; done; npm test
while (( n < 3 )); do n=$((n + 1)); done
case "$(uname)" in Linux) npm test;; *) exit 1;; esac
case $x in a | b) true ;; (c) false ;; esac
case $x in a) npm test; esac
{ npm ci; npm test; }
{ grep foo x; test -e y; }
{ npm ci && npm test; } > out.log 2>&1
npm ci && { npm test || exit 1; }
(sleep 301 &); test -e v3
(cd app; npm test)
( cd app && npm test ) && npm run lint
(npm test) 2>&1 | tail -5
((cd app && npm test) || exit 1)
(if test -e x; then npm test; fi)
[[ -f x ]]
[[ -f x && -f y ]]
[[ -f x ]] || exit 1
[[ "$(cat VERSION)" == 1.2.0 ]]
test -e x # must be there
npm test # and look at the page, too.
npm run build && npm test # both of them
tests/run.sh
tests/run.sh --all
ci/lint.sh && tests/run.sh
checks/ports.py
tests/check_ports.py --fast
tools/verify
e2e/smoke.mjs
./x
./x --all
bin/check
exit 1
test -e ready
"my cmd" x
"./my tools/check it" --all
"$TOOL" --check src
$TOOL x
$HOME/bin/check
out=$(node src/x.js); test "$out" = 3
test -n "$(git log --format=%s -1)"
time { npm ci; npm test; }
`;

const PROSE = `
All tests pass
Check that the page loads
If the server runs, the page shows
if the server runs, the page shows
if test -e x then npm test
if it works; then it is done
if npm test; then
if npm test; then …; fi
if npm test; then the page is there; fi
For each file, look at it
for each file in src; do look; done
for f in src, look at it
for f in a b; do look at it; done
for f in a b do npm test done
for now; do npm test
(see above)
(see above); npm test
(all green)
(make sure)
( … )
npm test (see above)
(npm test
npm test)
(npm test).
While running, open the page
while running, open the page
while npm start, open the page
until it works
Case by case
case by case
case x of npm test
case x in esac
case x in point
{ name: string; age: number; }
{ npm test }
{ the page; the form; }
{name}
! important
! make it pass
! the page
[[page]]
[[ see the page ]]
# npm test
done
fi
"Save" button
"Save" is there
"no results" message in src/a.ts
"npm test"
$5
$PATH contains node
$name
A=1; B=2
src/a.ts
lib/port.js
tests/test_ports.py
read/write
on/off
tests/run.sh green
tests/run.sh, then look
exit 0
exit 1 expected
npm test passes
npx tsc --noEmit fails
npx tsc --noEmit clean
Run \`npm test\` and look
Run \`npm test\` twice
Run \`npm test\`, then \`npm start\`
Do not run \`npm test\`
Look at \`npm test\`
Check \`git log\`
Check \`src/a.ts\`
Run \`test\`
Run \`the thing\`
\`npm test\` fails
\`npm test\` is slow
\`src/a.ts\` passes
\`npm test
`;

describe('is a command, word for word', () => {
  test.each(linesOf(COMMANDS))('%s', (text) => {
    expect(verify(text)?.commands).toEqual([text]);
    expect(verify(`\n- ${text}\n- npm run lint\n`)?.commands).toEqual([text, 'npm run lint']);
  });

  test.each(linesOf(COMMANDS))('a prompt before it is dropped: $ %s', (text) => {
    expect(verify(`$ ${text}`)?.commands).toEqual([text]);
  });
});

describe('is prose', () => {
  test.each(linesOf(PROSE))('%s', (text) => {
    expect(verify(text)).toMatchObject({ command: null, commands: [] });
    if (!text.startsWith('#')) expect(verify(`npm ci\n${text}`)?.command).toBeNull();
  });

  test.each(linesOf(COMMANDS).filter((text) => !text.includes('#')))('as a sentence: %s.', (text) => {
    expect(verify(`${text}.`)?.command).toBeNull();
    expect(verify(`${text} and look`)?.command).toBeNull();
  });
});

describe('a short sentence with one command', () => {
  test.each([
    ['Run `npm test`', 'npm test'],
    ['Run `npm test`.', 'npm test'],
    ['Run: `npm test -- --run`', 'npm test -- --run'],
    ['run `grep foo x`', 'grep foo x'],
    ['Please run `make`', 'make'],
    ['Verify with `tests/run.sh`', 'tests/run.sh'],
    ['Run `for f in a b; do test -e $f; done`', 'for f in a b; do test -e $f; done'],
    ['`npm test` passes', 'npm test'],
    ['`npm test` exits with code 0.', 'npm test'],
    ['Check that `npm test` passes.', 'npm test'],
    ['Make sure `npx tsc --noEmit` succeeds', 'npx tsc --noEmit'],
    ['Run `npm test` and check that it passes', 'npm test'],
    ['npx tsc --noEmit passes', 'npx tsc --noEmit'],
    ['pytest -q succeeds.', 'pytest -q'],
  ])('%s', (text, expected) => {
    expect(verify(text)).toMatchObject({ text, command: expected });
  });

  test('each line may be one', () => {
    expect(verify('\n- Run `npm ci`\n- `npm test` passes\n- ls dist\n')?.commands).toEqual([
      'npm ci',
      'npm test',
      'ls dist',
    ]);
    expect(verify('\n- Run `npm ci`\n- The page loads\n')?.commands).toEqual([]);
  });
});

describe('over several lines', () => {
  test.each<[string, string[]]>([
    ['if test -e x; then\n  npm test\nfi', ['if test -e x; then\n  npm test\nfi']],
    [
      'if test -e x\nthen\n  npm test\nelse\n  exit 1\nfi\nls dist',
      ['if test -e x\nthen\n  npm test\nelse\n  exit 1\nfi', 'ls dist'],
    ],
    [
      'npm ci\nfor f in a b\ndo\n  # each\n  test -e $f # once\ndone',
      ['npm ci', 'for f in a b\ndo\n  # each\n  test -e $f # once\ndone'],
    ],
    [
      'case $x in\n  1) npm test ;;\n  *)\n    exit 1\n    ;;\nesac\nnpm test',
      ['case $x in\n  1) npm test ;;\n  *)\n    exit 1\n    ;;\nesac', 'npm test'],
    ],
    ['{\n  npm ci\n  npm test\n}', ['{\n  npm ci\n  npm test\n}']],
    ['(\n  cd app\n  npm test\n)\nnpm test', ['(\n  cd app\n  npm test\n)', 'npm test']],
    [
      'while true; do\n  if test -e x; then break; fi\n  sleep 1\ndone',
      ['while true; do\n  if test -e x; then break; fi\n  sleep 1\ndone'],
    ],
    ['npm ci && # first\n  npm test', ['npm ci && # first\n  npm test']],
    ['npm test # all of it \\\nls dist', ['npm test # all of it \\', 'ls dist']],
    ['out=$(node src/x.js)\ntest "$out" = 3', ['out=$(node src/x.js)\ntest "$out" = 3']],
    ['A=1\nnpm test', ['A=1\nnpm test']],
    ['A=1\nB=2', []],
    ['$ npm ci\n$ npm test', ['npm ci', 'npm test']],
    ['$ npm ci\nnpm test', []],
    ['$ npm ci\nadded 3 packages', []],
    ['npm test # all of it \\\nThe page loads', []],
    ['if test -e x; then\n  npm test\nThe page loads', []],
    ['if test -e x; then\n  npm test\nfi\nThe page loads', []],
    ['(\n  npm test\n  The page loads\n)', []],
    ['cat > x <<END\nnpm test\nEND', []],
  ])('%j', (text, expected) => {
    expect(verify(`\n${text}\n`)?.commands).toEqual(expected);
    expect(verify(`\n${text}\n`.replaceAll('\n', '\r\n'))?.commands).toEqual(expected);
  });
});

test('a prompt is dropped in a code span and in <automated>', () => {
  expect(verify('`$ my-checker --all`')?.command).toBe('my-checker --all');
  const automated = '<task><verify><automated>$ npm ci\n$ npm test</automated></verify></task>';
  expect(parseTaskPlan(automated).tasks[0]!.verify?.command).toBe('npm ci\nnpm test');
});

describe('is read in linear time', () => {
  const many = 100_000;
  test.each([
    ['parentheses', '('.repeat(many)],
    ['words with parentheses', 'a( '.repeat(many)],
    ['substitutions', '$('.repeat(many)],
    ['ifs', 'if '.repeat(many)],
    ['loops', 'for f in a; do '.repeat(many)],
    ['loops on lines', 'for f in a; do\n'.repeat(many)],
    ['cases', 'case x in a) '.repeat(many)],
    ['quotes', `"a' `.repeat(many)],
    ['negations', '! '.repeat(many)],
    ['comments', 'npm test # \\\n'.repeat(many)],
    ['spans', '`'.repeat(many)],
    ['verdicts', 'npx tsc --noEmit passes '.repeat(many)],
    ['slashes', 'a/'.repeat(many)],
  ])('of %s', (_, text) => {
    expect(verify(text)?.command ?? null).not.toBe('');
  });
});

test('the tables are long enough to mean something', () => {
  expect(linesOf(COMMANDS).length).toBeGreaterThanOrEqual(50);
  expect(linesOf(PROSE).length).toBeGreaterThanOrEqual(60);
});
