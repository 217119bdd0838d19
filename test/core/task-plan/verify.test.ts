import { describe, expect, test } from 'vitest';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';

const verify = (text: string) =>
  parseTaskPlan(`<task>\n<verify>${text}</verify>\n</task>\n`).tasks[0]!.verify;
const command = (text: string) => verify(text)?.command;

describe('a command', () => {
  test.each([
    'npm test',
    'npm test -- --run 2>&1 | tail -5',
    '! grep -q TODO src/a.ts',
    'FOO=1 BAR="a b" npm test',
    'cd app && npm test',
    'npx vitest run src/a.test.ts; npx tsc --noEmit',
    './scripts/check.sh',
    '../bin/run --all',
    'node_modules/.bin/eslint .',
    'make',
    'pytest -k "a and b" -x',
    'python3 -c "print(1)"',
    'test -f dist/index.js',
    'test "$(wc -l < out.txt)" -gt 3',
    '[ -s out.txt ] && echo ok',
    'grep -rn "the thing is here" src/ || exit 1',
    'curl -s localhost:3000/health | jq -e .ok',
    'find . -name "*.ts" | wc -l',
    'find src -name "*.ts"',
    'go test ./...',
    'ls -la src/',
    'psql < schema.sql',
    'git diff --stat HEAD~1',
    'git log --oneline | head -3 > /tmp/log',
    'npm run verify',
    'docker compose up -d && sleep 5 && curl -f http://localhost',
  ])('%s', (text) => {
    expect(command(text)).toBe(text);
  });

  test.each([
    ['`whatever --flag`', 'whatever --flag'],
    ['``a `b` c``', 'a `b` c'],
    ['```\nnpm test\n```', 'npm test'],
    ['\n    ```bash\n    cd app\n      npm test\n    ```\n', 'cd app\n  npm test'],
    ['\n~~~sh\n$ npm ci\n$ npm test\n~~~\n', 'npm ci\nnpm test'],
    ['<automated>anything at all</automated>', 'anything at all'],
    ['\n  <automated>\n    npm ci\n      npm test\n  </automated>\n', 'npm ci\n  npm test'],
    ['<automated>`npm test`</automated>', 'npm test'],
    ['<AUTOMATED>npm test</AUTOMATED>', 'npm test'],
    ['<automated>npm test</automated><manual>Look.</manual>', 'npm test'],
    ['Run <automated>npm test</automated>', 'npm test'],
    ['<automated>a</automated>\n<automated>b</automated>', 'a\nb'],
    ['<automated>npm test', 'npm test'],
    ['npm test &amp;&amp; grep -c "&lt;a&gt;" x', 'npm test && grep -c "<a>" x'],
    ['grep &quot;a&quot; x &#124; head -1 &#x7c; wc -l', 'grep "a" x | head -1 | wc -l'],
    ['grep &apos;a&apos; &#39;b&#39; &#x27;c&#x27;', "grep 'a' 'b' 'c'"],
    ['grep "&amp;lt;" x', 'grep "&lt;" x'],
    ['\nnpm ci\n\nnpm test\n', 'npm ci\nnpm test'],
    ['\n# first\nnpm ci\n', 'npm ci'],
    ['\n- `npm ci`\n- `npm test`\n', 'npm ci\nnpm test'],
    ['\n1. npm ci\n2. npm test\n', 'npm ci\nnpm test'],
    ['npm test \\\n  --silent', 'npm test \\\n  --silent'],
    ['npm ci &&\n  npm test', 'npm ci &&\n  npm test'],
  ])('in %j', (text, expected) => {
    expect(command(text)).toBe(expected);
    expect(command(text.replaceAll('\n', '\r\n'))).toBe(expected);
  });
});

describe('prose', () => {
  test.each([
    'npm test passes',
    'npm test passes with all green',
    'git log shows the commit.',
    'Run npm test',
    'npm test, then npm run build',
    'npm test — all green',
    'npm test → 0 failures',
    'npm test -> ok',
    'npm test (all green)',
    'npm test exits 0',
    'npm test exit 0',
    "npm test doesn't fail",
    'npm test:',
    'npx vitest run <file>',
    'npx vitest run <the test file>',
    'grep -c x file >= 1',
    'grep -c x file > 0',
    'grep -c x file = 3',
    'curl localhost returns 200',
    'make sure it works',
    'make sure that the page opens',
    'test the login flow',
    'test login',
    'test',
    'find all usages',
    'go to the page',
    'node starts',
    'npm',
    'Make',
    'src/a.ts exists',
    'src/a.ts',
    '/login',
    '/login shows the form',
    'The page opens.',
    'npm test && the page loads',
    'npm test && frobnicate',
    'npm test &&',
    'npm ci\nThe page opens',
    '\n- Open the page\n- Click\n',
    '```ts\nexpect(1).toBe(1)\n```',
    '```\n$ npm test\nok\n```',
    '```\n\n```',
    '`MISSING`',
    'MISSING — wave 0 must create a.test.ts',
    '<automated>MISSING — wave 0 must create a.test.ts</automated>',
    '<automated>missing: later</automated>',
    '<automated></automated>',
    '<automated># npm test</automated>',
    '<automated>:</automated>',
    '<automated>: npm test</automated>',
    '<automated>\n# one\n\n# two\n</automated>',
    '<automated>npm test</automated><automated># later</automated>',
    '```\n# npm test\n```',
    '`# npm test`',
    '<automated>N/A</automated>',
    '<automated>npm test</automated><automated>MISSING</automated>',
    'See `<automated>` in the plan',
    'The `<automated>npm test</automated>` element of task 1',
    'The <automated> element of task 1',
    '説明がある。',
  ])('%j', (text) => {
    expect(verify(text)).toMatchObject({ command: null });
  });

  test('an empty element is no verification', () => {
    expect(verify('')).toBeNull();
    expect(verify(' \n ')).toBeNull();
  });
});

describe('prose with commands in code', () => {
  test.each<[string, string[]]>([
    ['Run `npm test` and look at the page', ['npm test']],
    ['Run `npm test -- port`.', ['npm test -- port']],
    ['Run: npm test', ['npm test']],
    ['Run: npm test\nVerify: all tests pass (762+ tests)', ['npm test']],
    ['Run: node bin/tool.cjs phase list\nIt lists three phases.', ['node bin/tool.cjs phase list']],
    ['TypeScript compiles without errors: `npx tsc --noEmit`', ['npx tsc --noEmit']],
    ['`npm run build` passes with no TypeScript errors', ['npm run build']],
    ['`npm test` exits with 0', ['npm test']],
    ['- src/a.ts exists\n- `npx tsc --noEmit` passes\n- The page `/login` opens', ['npx tsc --noEmit']],
    ['Tests pass:\n```bash\nnpm ci\nnpm test\n```\nAll of them.', ['npm ci\nnpm test']],
    ['Run `my-checker --all` in the root', ['my-checker --all']],
    ['Run `./x`', ['./x']],
    ['1. `npm run build` passes\n2. It is there: `ls dist/a.js`', ['npm run build', 'ls dist/a.js']],
    ['\n- Run `npm ci`\n- `npm test` passes\n- ls dist\n', ['npm ci', 'npm test', 'ls dist']],
  ])('%j runs', (text, expected) => {
    expect(verify(text)).toMatchObject({
      text: text.trim(),
      command: expected.join('\n'),
      commands: expected,
      hint: null,
    });
  });

  test.each<[string, RegExp]>([
    ['Run `npm run build`. Then run `npm test` and look.', /names 2 commands/],
    ['- `npm test` passes\n- `npm run lint` passes\n- The page opens', /names 2 commands/],
    ['Run `npm run dev` and open the page', /does not end by itself or changes something/],
    ['After `git push` the page is there', /does not end by itself or changes something/],
    ['Run `npm ci && rm -rf dist`', /does not end by itself or changes something/],
    ['`grep -r old src/` returns nothing', /may mean that it must fail/],
    ['`grep -c old src/a.ts` returns 0', /may mean that it must fail/],
    ['`ls src/old/` fails (it was moved)', /may mean that it must fail/],
    ['Do not run `npm test`', /may mean that it must fail/],
    ['```bash\ngrep old src/a.ts # should find no match\n```\nThat is all.', /may mean that it must fail/],
    ['npm ci\nThe page opens', /read as prose/],
    ['`src/a.ts` exists and exports `run`', /read as prose/],
    ['Import it from `../layout`', /read as prose/],
    ['`ls skills/{name}/SKILL.md` for each skill', /read as prose/],
    ['`npx vitest run <file>` for each file', /read as prose/],
    ['`node -e "..."` prints it', /read as prose/],
    ['`grep "a" src/(app)/page.tsx` finds it', /read as prose/],
    ['Run: node bin/tool.cjs quick --help to see that it exists', /read as prose/],
    ['Run: docker compose config (checks the file)', /read as prose/],
    ['Run `the thing`', /read as prose/],
    ['The answer:\n```\nok\n```', /read as prose/],
    ['The answer:\n```json\n{"a": 1}\n```', /read as prose/],
    ['TODO', /runs nothing/],
    ['<automated>MISSING: later</automated>', /runs nothing/],
  ])('%j stays prose, and says why', (text, hint) => {
    expect(verify(text)).toMatchObject({ command: null, commands: [], hint: expect.stringMatching(hint) });
    expect(verify(text)?.hint).toContain('<automated>');
  });
});

test('its text is what stands there', () => {
  expect(verify('\n  npm test passes &amp; more\n  and more\n')?.text).toBe(
    'npm test passes & more\nand more',
  );
  expect(verify('<automated>npm test</automated>')?.text).toBe('npm test');
  expect(verify('<automated>npm test</automated> <manual>Look.</manual>')?.text).toBe(
    '<automated>npm test</automated> <manual>Look.</manual>',
  );
});

describe('commands that are run', () => {
  test.each<[string, string[]]>([
    ['npm test', ['npm test']],
    ['npm test passes', []],
    ['\n- test -f x && grep -q y x\n- ls dist\n', ['test -f x && grep -q y x', 'ls dist']],
    ['\ntest -f x && grep -q y x\nls dist\n', ['test -f x && grep -q y x', 'ls dist']],
    ['<automated>exit 0</automated>\n<automated>false</automated>', ['exit 0', 'false']],
    ['\n1. cd api && npm test\n2. npm run lint\n', ['cd api && npm test', 'npm run lint']],
    ['\ncd api\nnpm test\n', ['cd api\nnpm test']],
    ['\nexport CI=1\nnpm test\n', ['export CI=1\nnpm test']],
    ['\nset -e\nnpm test\n', ['set -e\nnpm test']],
    ['```\nfor f in a b; do\n  test -f $f\ndone\n```', ['for f in a b; do\n  test -f $f\ndone']],
    ['<automated>\nnpm ci\nnpm test\n</automated>', ['npm ci\nnpm test']],
    ['npm ci &&\n  npm test\nls dist', ['npm ci &&\n  npm test', 'ls dist']],
  ])('%j', (text, expected) => {
    const read = verify(text.replaceAll('&', '&amp;'))!;
    expect(read.commands).toEqual(expected);
    expect(read.command).toBe(expected.length === 0 ? null : expected.join('\n'));
  });
});
