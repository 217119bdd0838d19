import { describe, expect, test } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse/parse.js';
import { type Machine, MemoryTree, type Tree } from '../../../src/core/tree.js';

const HEAD = `# A plan
- **Status:** Green
- **Plan Type:** Test
- **Agent:** Writer

## Rationale
\`\`\`\`text
### 1. Synthesis
### 2. Justification
### 3. Expected Outcome
### 4. State Dashboard
\`\`\`\`
`;

const ROOT = '/home/me/proj';
const ON_DISK = [
  '/home',
  '/home/me',
  ROOT,
  '/usr',
  '/usr/lib',
  '/lib',
  '/bin',
  '/bin/sh',
  '/etc',
  '/etc/hosts',
];
const MACHINE: Machine = {
  insideRoot: (path) =>
    path === ROOT || path === '/link' ? '.' : /^(?:\/home\/me\/proj|\/link)\/(.+)$/.exec(path)?.[1],
  exists: (path) => ON_DISK.includes(path),
  home: '/home/me',
  places: [
    { path: '/home/me', name: 'your home folder' },
    { path: '/scratch', name: 'the temporary folder' },
  ],
};

function treeOf(files: Record<string, string> = {}, machine = MACHINE): Tree {
  const tree = new MemoryTree(files);
  return { stat: (path) => tree.stat(path), text: (path) => tree.text(path), machine };
}

/** The path that a File Path means, or else the codes of its errors; and the codes of its warnings but `path-style`. */
function read(written: string, tree: Tree | undefined = treeOf(), before = ''): unknown {
  const text = `${HEAD}\n## Action Plan\n${before}
### \`EDIT\`
- **File Path:** ${written}
- **Description:** Change it.
\`FIND:\`
\`\`\`
a
\`\`\`
\`REPLACE:\`
\`\`\`
b
\`\`\`
`;
  const { plan, issues } = parsePlan(text, tree);
  const codes = issues.filter(({ code }) => code !== 'path-style');
  const errors = codes.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  const action = plan!.actions.at(-1)!;
  const warnings = codes.filter(({ severity }) => severity === 'warning').map(({ code }) => code);
  return [errors.length > 0 ? errors : action.type === 'EDIT' && action.path, ...warnings];
}

describe('an absolute path', () => {
  test.each([
    // Inside the root: that file.
    ['/home/me/proj/a.py', ['a.py', 'path-absolute']],
    ['[a.py](/home/me/proj/a.py)', ['a.py', 'path-absolute']],
    ['[/home/me/proj/src/a.py](/home/me/proj/src/a.py)', ['src/a.py', 'path-absolute']],
    ['`/home/me/proj/a.py`', ['a.py', 'path-absolute']],
    ['/link/a.py', ['a.py', 'path-absolute']],
    ['/home/me/proj/../proj/a.py', ['a.py', 'path-absolute']],
    // Another place.
    ['/home/me/other/a.py', [['path-outside']]],
    ['[a.py](/home/me/other/a.py)', [['path-outside'], 'link-text']],
    ['/home/me/proj/../other/a.py', [['path-outside']]],
    ['/home/me/proj2/a.py', [['path-outside']]],
    ['/home/you/a.py', [['path-outside']]],
    ['/Users/me/a.py', [['path-outside']]],
    ['/root/a.py', [['path-outside']]],
    ['/mnt/c/a.py', [['path-outside']]],
    ['/tmp/a.py', [['path-outside']]],
    ['/scratch/a.py', [['path-outside']]],
    ['C:\\Users\\me\\a.py', [['path-outside']]],
    ['C:/Users/me/a.py', [['path-outside']]],
    ['\\\\server\\share\\a.py', [['path-outside']]],
    ['~/a.py', [['path-outside']]],
    ['~/proj/a.py', [['path-outside']]],
    ['/usr/lib/a.py', [['path-outside']]],
    ['/etc/hosts', [['path-outside']]],
    ['/bin/sh', [['path-outside']]],
    ['file:///home/me/proj/a.py', [['path-invalid']]],
    // From the root of the project.
    ['/lib/a.ts', ['lib/a.ts']],
    ['/bin/x', ['bin/x']],
    ['/variables.tf', ['variables.tf']],
    ['/src/a.ts', ['src/a.ts']],
    ['/homepage/a.ts', ['homepage/a.ts']],
    ['/rootless/a.ts', ['rootless/a.ts']],
    ['/scratchpad/a.ts', ['scratchpad/a.ts']],
    ['/users/a.ts', ['users/a.ts']],
    ['home/me/a.py', ['home/me/a.py']],
    ['[home/me/a.py](/home/me/a.py)', ['home/me/a.py']],
    ['[usr/lib/a.py](/usr/lib/a.py)', ['usr/lib/a.py']],
    ['[`usr/lib/a.py`](/usr/lib/a.py)', ['usr/lib/a.py']],
    // Proven, but doubtful.
    ['[home/me/proj/a.py](/home/me/proj/a.py)', ['home/me/proj/a.py', 'path-absolute']],
  ])('%s', (written, expected) => {
    expect(read(written)).toEqual(expected);
  });

  test('where the project has its first part, nothing on the machine matters', () => {
    expect(read('/usr/lib/a.py', treeOf({ 'usr/x': '' }))).toEqual(['usr/lib/a.py']);
    const tree = treeOf({ 'home/x': '' });
    expect(read('[home/me/proj/a.py](/home/me/proj/a.py)', tree)).toEqual(['home/me/proj/a.py']);
  });

  test('without a machine, only what is clear from the text is another place', () => {
    const tree = new MemoryTree();
    expect(read('/home/me/proj/a.py', tree)).toEqual([['path-outside']]);
    expect(read('/usr/lib/a.py', tree)).toEqual(['usr/lib/a.py']);
  });

  test('the error names the place and what to write', () => {
    const { issues } = parsePlan(
      `${HEAD}\n## Action Plan\n### \`READ\`\n- **Resource:** /home/me/other/a.py\n- **Description:** Look.\n`,
      treeOf(),
    );
    expect(issues.find(({ code }) => code === 'path-outside')).toMatchObject({
      message:
        'Resource: the path "/home/me/other/a.py" is outside the project: it is in your home folder (/home/me).',
      hint: expect.stringContaining('[home/me/other/a.py](/home/me/other/a.py)'),
    });
  });

  test('means the same in every slot of a plan', () => {
    const text = `${HEAD}
## Active Context
\`\`\`\`
[+] /home/me/proj/a.py
[-] [b.py](/home/me/proj/b.py)
[+] \`/link/c.py\`
\`\`\`\`

## Action Plan
### \`READ\`
- **Resource:** /home/me/proj/a.py
- **Description:** Look.
### \`PRUNE\`
- **Resource:** /home/me/proj/a.py
- **Description:** Enough.
### \`EXECUTE\`
- **Description:** Test.
- **Expected Outcome:** Passes.
- **cwd:** /home/me/proj/src
\`\`\`\`shell
true
\`\`\`\`
### \`INVOKE\`
- **Agent:** Architect
- **Handoff Resources:**
  - /home/me/proj/a.py

Go on.
`;
    const { plan, issues } = parsePlan(text, treeOf());
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(plan!.activeContext.map(({ path }) => path)).toEqual(['a.py', 'b.py', 'c.py']);
    expect(plan!.actions).toMatchObject([
      { resource: { target: 'a.py' } },
      { resource: { target: 'a.py' } },
      { cwd: 'src' },
      { handoffResources: [{ target: 'a.py' }] },
    ]);
    expect(plan!.actions[0]!.metadata.Resource).toBe('/home/me/proj/a.py');
    expect(issues.filter(({ code }) => code === 'path-absolute')).toHaveLength(7);
    const elsewhere = parsePlan(text.replaceAll('me/proj', 'you/proj').replaceAll('/link', '/tmp'), treeOf());
    expect(elsewhere.issues.filter(({ code }) => code === 'path-outside')).toHaveLength(7);
  });
});

describe('backslashes', () => {
  test.each([
    ['src\\a.py', ['src/a.py', 'path-backslash']],
    ['[src\\a.py](/src\\a.py)', ['src/a.py', 'path-backslash']],
    ['\\src\\a.py', ['src/a.py', 'path-backslash']],
    ['src\\pkg\\__init__.py', ['src/pkg/__init__.py', 'path-backslash']],
    ['..\\a.py', [['path-outside']]],
    ['~\\a.py', [['path-outside']]],
    ['my\\_file.py', [['path-invalid']]],
    ['pkg/\\_\\_init\\_\\_.py', [['path-invalid']]],
  ])('%s', (written, expected) => {
    expect(read(written)).toEqual(expected);
  });

  test('before punctuation, what exists decides', () => {
    expect(read('my\\_file.py', treeOf({ 'my_file.py': '' }))).toEqual(['my_file.py', 'path-backslash']);
    expect(read('pkg\\__init__.py', treeOf({ 'pkg/a.py': '' }))).toEqual([
      'pkg/__init__.py',
      'path-backslash',
    ]);
    expect(read('pkg/\\_\\_init\\_\\_.py', treeOf({ 'pkg/__init__.py': '' }))).toEqual([
      'pkg/__init__.py',
      'path-backslash',
    ]);
  });
});

describe('a decorated path', () => {
  test.each([
    ['**src/a.py**', ['src/a.py', 'path-decorated']],
    ['*src/a.py*', ['src/a.py', 'path-decorated']],
    ['***src/a.py***', ['src/a.py', 'path-decorated']],
    ['_src/a.py_', ['src/a.py', 'path-decorated']],
    ['__src/a.py__', ['src/a.py', 'path-decorated']],
    ['"src/a.py"', ['src/a.py']],
    ["'src/a.py'", ['src/a.py']],
    ['`src/a.py`', ['src/a.py']],
    ['“src/a.py”', ['src/a.py', 'path-decorated']],
    ['‘src/a.py’', ['src/a.py', 'path-decorated']],
    ['**`src/a.py`**', ['src/a.py', 'path-decorated']],
    ['`**src/a.py**`', ['src/a.py', 'path-decorated']],
    ['**[src/a.py](/src/a.py)**', ['src/a.py', 'path-decorated']],
    ['_[src/a.py](/src/a.py)_', ['src/a.py', 'path-decorated']],
    ['[**src/a.py**](/src/a.py)', ['src/a.py']],
    ['[“src/a.py”](/src/a.py)', ['src/a.py']],
    ['[src/a.py](`/src/a.py`)', ['src/a.py']],
    ['[src/a.py](/src/a.py) (new file)', ['src/a.py', 'path-decorated']],
    ['**/home/me/other/a.py**', [['path-outside'], 'path-decorated']],
    // Names, and nothing around them.
    ['__main__.py', ['__main__.py']],
    ['__init__.py', ['__init__.py']],
    ['__init__', ['__init__']],
    ['__pycache__', ['__pycache__']],
    ['_private_', ['_private_']],
    ['_a_.py', ['_a_.py']],
    ['src/__init__.py', ['src/__init__.py']],
    ['_layouts/page.html', ['_layouts/page.html']],
    ['**src**/**a.py**', ['**src**/**a.py**']],
    ['app/[id]/page.tsx', ['app/[id]/page.tsx']],
    ['[__init__.py](/__init__.py)', ['__init__.py']],
  ])('%s', (written, expected) => {
    expect(read(written)).toEqual(expected);
  });

  test('a file of exactly that name wins', () => {
    expect(read('_a.py_', treeOf({ '_a.py_': '' }))).toEqual(['_a.py_']);
    expect(read('**a.py**', treeOf({ '**a.py**': '', 'a.py': '' }))).toEqual(['**a.py**']);
  });

  test('means the same as a working directory and in the context', () => {
    const { plan, issues } = parsePlan(
      `${HEAD}
## Active Context
\`\`\`\`
[+] **a.py** # why
[+] [b.py](/b.py)
[+] c.py (new)
\`\`\`\`

## Action Plan
### \`EXECUTE\`
- **Description:** Test.
- **Expected Outcome:** Passes.
- **cwd:** "src"
\`\`\`\`shell
true
\`\`\`\`
`,
      treeOf(),
    );
    expect(plan!.activeContext.map(({ path }) => path)).toEqual(['a.py', 'b.py', 'c.py (new)']);
    expect(plan!.actions).toMatchObject([{ cwd: 'src' }]);
    expect(issues.map(({ code }) => code)).toEqual(['path-decorated', 'path-remark', 'path-decorated']);
  });
});

describe('a remark after a path', () => {
  test.each([
    'src/a.py (new file)',
    'src/a.py [new]',
    'src/a.py {new}',
    'src/a.py - main module',
    'src/a.py -- main module',
    'src/a.py — main',
    'src/a.py – main',
    'src/a.py # the entry',
    '`src/a.py` (new file)',
    '**src/a.py** - main',
    '"src/a.py (new file)"',
    '[src/a.py](/src/a.py (new file))',
  ])('%s is an error that names the path', (written) => {
    const text = `${HEAD}\n## Action Plan\n### \`CREATE\`\n- **File Path:** ${written}\n- **Description:** Add.\n\`\`\`\`\na\n\`\`\`\`\n`;
    const errors = parsePlan(text, treeOf()).issues.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code }) => code)).toEqual(['path-remark']);
    expect(errors[0]!.message).toMatch(/after \/?src\/a\.py is a remark/);
  });

  test.each([
    ['a-b.py', 'a-b.py'],
    ['my file.txt', 'my file.txt'],
    ['C#.md', 'C#.md'],
    ['a (copy).py', 'a (copy).py'],
    ['My File - draft.txt', 'My File - draft.txt'],
  ])('%s is a name where it exists, or cannot be anything else', (written, path) => {
    expect(read(written, treeOf({ [path]: '' }))).toEqual([path]);
  });

  test('a link has a clear end', () => {
    for (const name of ['a (copy).py', 'My File - draft.txt', 'a.py (new file)']) {
      expect(read(`[${name}](/${name})`)).toEqual([name]);
      expect(read(`[${name}](</${name}>)`)).toEqual([name]);
    }
  });

  test('what an earlier action creates exists', () => {
    const create =
      '### `CREATE`\n- **File Path:** [a (b).py](</a (b).py>)\n- **Description:** Add.\n````\na\n````\n';
    expect(read('a (b).py', treeOf(), create)).toEqual(['a (b).py']);
    expect(read('a (c).py', treeOf(), create)).toEqual([['path-remark']]);
  });

  test('after a command it is a warning', () => {
    const execute =
      '### `EXECUTE`\n- **Description:** Make.\n- **Expected Outcome:** Made.\n````shell\nmake\n````\n';
    expect(read('a (b).py', treeOf(), execute)).toEqual(['a (b).py', 'path-remark']);
    const text = `${HEAD}\n## Action Plan\n${execute}### \`CREATE\`\n- **File Path:** a (b).py\n- **Description:** Add.\n\`\`\`\`\na\n\`\`\`\`\n`;
    const issue = parsePlan(text, treeOf()).issues.find(({ code }) => code === 'path-remark');
    expect(issue?.severity).toBe('error');
  });
});
