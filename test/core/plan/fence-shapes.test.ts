// The shapes of damage that models really write. Each is read as it was meant, or refused with both readings.
import { describe, expect, test } from 'vitest';
import { readPlan, repairPlan } from '../../../src/core/plan/read.js';
import { HEAD as PLAN_HEAD } from './head.js';

const HEAD = PLAN_HEAD.slice(0, -1);
const create = (path: string, ...lines: string[]) =>
  ['', '### `CREATE`', `- **File Path:** [${path}](/${path})`, '- **Description:** d', ...lines, ''].join(
    '\n',
  );
const execute = (...lines: string[]) =>
  ['', '### `EXECUTE`', '- **Description:** d', '- **Expected Outcome:** o', ...lines, ''].join('\n');
const edit = (path: string, ...lines: string[]) =>
  ['', '### `EDIT`', `- **File Path:** [${path}](/${path})`, '- **Description:** d', '', ...lines, ''].join(
    '\n',
  );
const LIST = execute('```shell', 'ls', '```');

/** The texts of each action, or the codes of the errors. */
function meaning(text: string): string[][] | string[] {
  const { plan, issues } = readPlan(text);
  const errors = issues.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  if (errors.length > 0) return errors;
  return plan!.actions.map((action) => {
    if (action.type === 'CREATE') return [action.content];
    if (action.type === 'EXECUTE') return [action.command];
    if (action.type === 'EDIT') return action.edits.flatMap(({ find, replace }) => [find, replace]);
    return [action.type === 'CHAT_WITH_USER' ? action.message : action.type];
  });
}

describe('a closing fence at the end of a line', () => {
  test.each([
    ['in the middle', create('a.ts', '```ts', 'f({', '});```') + LIST, [['f({\n});\n'], ['ls\n']]],
    ['where the text ends', execute('```shell', 'npm test```'), [['npm test\n']]],
    [
      'of Markdown',
      create('a.md', '```md', '```sh', 'ls', '```', 'end.```') + LIST,
      [['```sh\nls\n```\nend.\n'], ['ls\n']],
    ],
    ['of both halves', edit('a.ts', '`FIND:`', '```ts', 'a```', '`REPLACE:`', '```ts', 'b```'), [['a', 'b']]],
  ])('%s', (_, actions, read) => {
    expect(meaning(HEAD + actions)).toEqual(read);
  });

  test('is not one in a quote, nor in a string that was cut off', () => {
    expect(meaning(HEAD + create('a.md', '```md', '> ```js', '> ```'))).toEqual(['answer-cut-off']);
    expect(meaning(HEAD + create('a.ts', '```ts', 'const fence = "```'))).toEqual(['answer-cut-off']);
  });
});

describe('a closing fence with a language on it', () => {
  test.each(['text', 'ts', 'elixir'])('before the next action: %s', (info) => {
    expect(meaning(HEAD + create('a.ts', '```ts', 'a();', `\`\`\`${info}`) + LIST)).toEqual([
      ['a();\n'],
      ['ls\n'],
    ]);
    expect(meaning(HEAD + create('a.md', '```md', '```sh', 'x', '```', `\`\`\`${info}`) + LIST)).toEqual([
      ['```sh\nx\n```\n'],
      ['ls\n'],
    ]);
  });

  test.each(['```elixir', '```js title="a.js"', '```rust,ignore', '```sh\nnpm ci\n', '```\nnpm ci'])(
    'closes nothing where the text ends: %j',
    (cut) => {
      const errors = meaning(`${HEAD}${create('a.md', '```md', '# A', '', 'Then:', '').trimEnd()}\n\n${cut}`);
      expect(errors).toHaveLength(1);
      expect(['answer-cut-off', 'fence-ambiguous']).toContain(errors[0]);
    },
  );
});

test('a missing closing fence of code: its last paragraph is no remark', () => {
  const code = ['import a from "a";', '', 'export default a'];
  expect(meaning(HEAD + create('a.ts', '```ts', ...code) + LIST)).toEqual([
    [`${code.join('\n')}\n`],
    ['ls\n'],
  ]);
});

describe('a fence that stands alone at the end', () => {
  test.each([
    ['of a file of code', create('a.ts', '```ts', 'a();', '```', '```'), [['a();\n']]],
    ['of a command', `${LIST}\n\`\`\`\n`, [['ls\n']]],
    ['of Markdown, after a blank line', create('a.md', '```md', 'a', '```', '', '```'), [['a\n']]],
    ['of a message', '\n### `CHAT_WITH_USER`\nGo on?\n```\n', [['Go on?']]],
  ])('%s', (_, actions, read) => {
    expect(meaning(HEAD + actions)).toEqual(read);
  });

  test('of Markdown, right below its fence, may be content', () => {
    expect(meaning(HEAD + create('a.md', '```md', 'a', '```', '```'))).toEqual(['fence-ambiguous']);
  });
});

describe('fences that belong to the content', () => {
  test('in a here-document', () => {
    const script = [
      "cat > a.md <<'EOF'",
      '# A',
      '',
      '```',
      'npm i',
      '```',
      '',
      'Done.',
      'EOF',
      'git add a.md',
    ];
    expect(meaning(HEAD + execute('```bash', ...script, '```') + LIST)).toEqual([
      [`${script.join('\n')}\n`],
      ['ls\n'],
    ]);
  });

  test('in code', () => {
    const code = [
      'def f():',
      '    """',
      '    Example:',
      '',
      '```',
      'f()',
      '```',
      '',
      '```',
      'f() + 1',
      '```',
      '    """',
    ];
    expect(meaning(HEAD + create('a.py', '```python', ...code, '```') + LIST)).toEqual([
      [`${code.join('\n')}\n`],
      ['ls\n'],
    ]);
  });

  test('in a list, where an item ends what it opened', () => {
    const list = ['1. First', '', '   ```sh', '   npm i', '', '2. Second', '', '```', 'x', '```', '', 'End.'];
    expect(meaning(HEAD + create('a.md', '```md', ...list, '```') + LIST)).toEqual([
      [`${list.join('\n')}\n`],
      ['ls\n'],
    ]);
  });
});

describe('two blocks where one is expected are two readings', () => {
  test.each(['a.ts', 'a.md', 'Makefile'])('%s', (path) => {
    for (const between of [[''], []]) {
      const plan = HEAD + create(path, '```', 'a', '```', ...between, '```', 'b', '```') + LIST;
      expect(meaning(plan)).toContain('fence-ambiguous');
    }
  });

  test('the error names both', () => {
    const { issues } = readPlan(HEAD + execute('```sh', 'a', '```', '', '```sh', 'b', '```'));
    const found = issues.find(({ code }) => code === 'fence-ambiguous')!;
    for (const line of ['line 19', 'line 21', 'line 23', 'line 25']) expect(found.message).toContain(line);
  });
});

describe('an action heading in the wrong place is named', () => {
  const off = (level: string) =>
    HEAD + LIST + create('a.md', '```md', '```sh', 'x', '```', '```').replace('###', level) + LIST;

  test('two levels off', () => {
    const found = readPlan(off('#')).issues.find(({ code }) => code === 'action-unknown')!;
    expect(found.message).toContain('"# `CREATE`"');
    expect(found.hint).toContain('### `CREATE`');
  });

  test.each(['##', '####'])('and read, one level off: %s', (level) => {
    const { plan, issues } = readPlan(off(level));
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(issues.find(({ code }) => code === 'action-style')?.message).toContain(`"${level} \`CREATE\`"`);
    expect(plan!.actions.map(({ type }) => type)).toEqual(['EXECUTE', 'CREATE', 'EXECUTE']);
    expect(plan!.actions[1]).toMatchObject({ content: '```sh\nx\n```\n' });
  });

  test('before the title', () => {
    const { issues } = readPlan(`### \`READ\`\n- **Resource:** [a.md](/a.md)\n\n${HEAD}${LIST}`);
    const found = issues.find(({ severity }) => severity === 'error')!;
    expect(found).toMatchObject({ code: 'title-missing', line: 1 });
    expect(found.message).toContain('`READ`');
  });
});

describe('a text that ends inside a block was cut off', () => {
  test.each([
    ['a CREATE', create('a.ts', '```ts', 'a(', 'b')],
    ['an EXECUTE', execute('```shell', 'psql -c "DELETE FROM t WHER')],
    ['an EDIT, in FIND', edit('a.ts', '`FIND:`', '```ts', 'a')],
    ['an EDIT, in REPLACE', edit('a.ts', '`FIND:`', '```ts', 'a', '```', '`REPLACE:`', '```ts', 'b')],
    ['a RESEARCH', '\n### `RESEARCH`\n- **Description:** d\n```text\na quer'],
    ['a message', '\n### `CHAT_WITH_USER`\nRun:\n\n```sh\nnpm'],
    [
      'a here-document',
      execute('```bash', "cat > a.md <<'EOF'", '# A', '```sh', 'npm i', '```', '', 'More te'),
    ],
  ])('%s', (_, actions) => {
    const text = `${HEAD}${actions.trimEnd()}`;
    expect(meaning(text)).toContain('answer-cut-off');
    expect(meaning(`\`\`\`\`markdown\n${text}`)).toContain('answer-cut-off');
  });

  test('an EDIT, after a fence of its REPLACE', () => {
    const replace = ['`REPLACE:`', '```md', 'Then:', '```sh', 'npm i', '```', '', '- **Rea'];
    const read = meaning(HEAD + edit('a.md', '`FIND:`', '```md', 'Then:', '```', ...replace).trimEnd());
    expect(['answer-cut-off', 'fence-ambiguous']).toContain(read[0]);
  });

  test('an EDIT whose REPLACE so far begins with a fence', () => {
    const replace = ['`REPLACE:`', '```md', '```', '', '## Quic'];
    const read = meaning(
      HEAD + edit('a.md', '`FIND:`', '```md', '```', '', '## Quick', '```', ...replace).trimEnd(),
    );
    expect(['answer-cut-off', 'fence-ambiguous']).toContain(read[0]);
  });

  test('inside the fence around the whole plan', () => {
    expect(meaning(`\`\`\`\`markdown\n${HEAD}${LIST}`)).toEqual(['answer-cut-off']);
  });

  test('is left as it came by a repair', () => {
    const text = `Sure!\n\n${HEAD}${create('a.md', '```md', '```sh', 'x', '```', 'y', '```js').trimEnd()}`;
    const { changed, text: after, issues } = repairPlan(text);
    expect({ changed, after }).toEqual({ changed: false, after: text });
    expect(issues.map(({ code }) => code)).toEqual(['answer-cut-off']);
  });

  test('of a CREATE what came is kept, and no repair makes it look complete', () => {
    const { plan, repairs } = readPlan(
      `${HEAD}${create('a.md', '```md', '```sh', 'x', '```', '', 'Mo').trimEnd()}`,
    );
    if (plan) expect(plan.actions[0]).toMatchObject({ cutOff: true });
    expect(repairs.filter(({ message }) => message.includes('closed after'))).toEqual([]);
  });
});

describe('the halves of a change begin and end at one place of the file', () => {
  const NEXT = '\n### `READ`\n- **Resource:** [b.md](/b.md)\n- **Description:** d\n';
  const pair = (find: string[], replace: string[]) =>
    HEAD + edit('a.md', '`FIND:`', '```md', ...find, '`REPLACE:`', '```md', ...replace) + NEXT;

  test('a FIND that lost its closing fence does not end at the last fence of its content', () => {
    const read = meaning(pair(['# A', '```rust', 'a', '```'], ['# A', '```bash', 'a', '```', '```']));
    expect(read).toEqual(['fence-ambiguous']);
  });

  test('nor does a REPLACE, after a FIND that begins inside a fence', () => {
    const find = ['x', '```', '', 'Then:', '', '```sh', 'a', '```', '```'];
    expect(meaning(pair(find, ['x', 'a', '```']))).toEqual(['fence-ambiguous']);
  });

  test('both may begin inside a fence', () => {
    const find = ['x', '```', '', '```css', 'a {}', '```'];
    const replace = ['x', '```', '', 'a {}'];
    expect(meaning(pair([...find, '```'], [...replace, '```']))).toEqual([
      [find.join('\n'), replace.join('\n')],
      ['READ'],
    ]);
  });

  test('a list after a change is not lost without a word', () => {
    const replace = ['Tools:', '```sh', 'npm i', '```', '', '- **Read** (`r`): reads', '- Write'];
    expect(
      meaning(pair(['Tools:', '', '- **Read** (`r`): reads', '- Write', '```'], replace)),
    ).not.toContainEqual([expect.anything(), 'Tools:\n```sh\nnpm i']);
  });
});

test('a list item of an EDIT that says nothing is reported', () => {
  const { issues } = readPlan(
    HEAD + edit('a.md', '- And more', '', '`FIND:`', '```md', 'a', '```', '`REPLACE:`', '```md', 'b', '```'),
  );
  expect(issues.map(({ code }) => code)).toContain('text-stray');
});

describe('a here-document', () => {
  const START = "cat > a.md <<'EOF'";

  test('cut off at a fence of its content is not a whole command', () => {
    expect(meaning(HEAD + execute('```bash', START, '```').trimEnd())).toEqual(['answer-cut-off']);
  });

  test('ends only where its word begins the line, and its fences are its own', () => {
    const script = [START, '```', 'steps: |', '  node <<EOF', '  EOF', '```', 'x', '```', 'EOF'];
    const read = [[`${script.join('\n')}\n`], ['ls\n']];
    expect(meaning(HEAD + execute('```bash', ...script, '```') + LIST)).toEqual(read);
    expect(meaning(HEAD + create('a.sh', '```', ...script, '```') + LIST)).toEqual(read);
  });

  test.each(['echo $((1 << N))', 'echo $(( a << n ))', 'python -c "print(1 << n)"'])(
    'is not in %s',
    (command) => {
      expect(meaning(HEAD + execute('```bash', command, '```'))).toEqual([[`${command}\n`]]);
    },
  );
});

test('where the text ends, a fence at the end of a line may be one of several', () => {
  const code = ['a = """', '```', '{x}```', '"""', 'b = """', '```', '{y}```'];
  expect(meaning(HEAD + create('a.py', '```python', ...code).trimEnd())).toEqual(['fence-ambiguous']);
});

test('a longer fence right behind one that closes the block may stand alone or close it', () => {
  const actions = create('a.md', '```md', '```', 'a', '```', '````') + LIST;
  expect(meaning(HEAD + actions)).toEqual(['fence-ambiguous']);
});

test('a fence below a message does not make an action content of the file before it', () => {
  const actions = `${create('a.md', '```md', '```', 'a', '```')}\n### \`CHAT_WITH_USER\`\nShall I?\n\`\`\`\n`;
  expect(meaning(HEAD + actions)).toEqual(['fence-ambiguous']);
});

test('a file does not take in an edit of a document about plans', () => {
  const file = create('a.md', '```', '# A', '```sh', 'ls', '```', 'B.', '```', '', 'Next, the plan.');
  const quoted = [
    '',
    '### `EDIT`',
    '- **Description:** d',
    '',
    '`FIND:`',
    '````',
    'a',
    '````',
    '`REPLACE:`',
    '````',
    'b',
    '````',
  ];
  const change = edit(
    'p.md',
    '`FIND:`',
    '```diff',
    '',
    '### `READ`',
    '- **Description:** d',
    '```',
    '`REPLACE:`',
    '```diff',
    ...quoted,
    '```',
  );
  const end = '\nNext, the end.\n\n### `INVOKE`\n- **Agent:** Architect\n\nDone.\n';
  expect(meaning(HEAD + file + change + end)).toEqual(['fence-ambiguous']);
});

test('two changes whose halves quote an action are not one change that quotes all of it', () => {
  const code = (word: string) => ['```js', word, '```'];
  const quote = ['`````', '', '`````md', '### `READ`', '- x', '`````', ''];
  const half = (label: string, ...lines: string[]) => [`\`${label}:\``, '```md', ...lines, '```'];
  const first = [
    ...half('FIND', 'a', ...quote, ...code('a')),
    ...half('REPLACE', 'b', ...quote, ...code('b')),
  ];
  const second = [...half('FIND', 'c', ...quote, ...code('c')), ...half('REPLACE', 'd', '', ...code('d'))];
  const text = HEAD + edit('a.md', ...first) + edit('a.md', ...second);
  expect(meaning(text)).toEqual(['fence-ambiguous']);
});
