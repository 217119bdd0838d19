import { describe, expect, test } from 'vitest';
import { parsePlan } from '../../../src/core/plan/parse/parse.js';
import type { Action } from '../../../src/core/plan/types.js';

const HEAD = '# Title\n\n## Rationale\n````\nBecause.\n````\n\n## Action Plan\n\n';

/** The first action of a plan with this body, and the codes of what was found in it. */
function parse(body: string): { action: Action; codes: string[] } {
  const { plan, issues } = parsePlan(HEAD + body);
  return {
    action: plan!.actions[0]!,
    codes: issues.filter(({ action }) => action === 1).map(({ code }) => code),
  };
}

const create = (rest: string) =>
  parse(`### \`CREATE\`\n- **File Path:** [a.md](/a.md)\n- **Description:** d\n${rest}`);
const execute = (metadata: string) =>
  parse(`### \`EXECUTE\`\n- **Description:** d\n- **Expected Outcome:** o\n${metadata}\`\`\`\nls\n\`\`\`\n`);

describe('content', () => {
  test.each([
    ['blank lines at both ends', '```\n\na\n\n```\n', '\na\n\n'],
    ['trailing white space', '```\na  \n\t\n```\n', 'a  \n\t\n'],
    ['a line break of another kind', '```\na\r\nb\rc\n```\n', 'a\r\nb\rc\n'],
    ['a fence indented with its content', '- x\n\n  ```\n  a\n    b\n  ```\n', 'a\n  b\n'],
    ['the same in tabs', '\t```\n\ta\n\t\tb\n\t```\n', 'a\n\tb\n'],
    ['only blank lines', '```\n\n\n```\n', '\n\n'],
    ['nothing', '```\n```\n', ''],
  ])('%s', (_, block, content) => {
    expect(create(block).action).toMatchObject({ content });
  });

  test('the newline before a closing fence is part of neither FIND nor REPLACE', () => {
    const { action } = parse(
      '### `EDIT`\n- **File Path:** [a](/a)\n\n`FIND:`\n```\na\n\n```\n`REPLACE:`\n```\n```\n\n`FIND:`\n```\nb\n```\n`REPLACE:`\n```\n\n```\n',
    );
    expect(action).toMatchObject({
      edits: [
        { find: 'a\n', replace: '' },
        { find: 'b', replace: '' },
      ],
    });
  });
});

describe('action headings', () => {
  test.each([
    '### `CREATE`',
    '### CREATE',
    '### Create',
    '### **CREATE**',
    '### 1. CREATE',
    '### Action 2: `CREATE`',
  ])('%s', (heading) => {
    expect(parse(`${heading}\n- **File Path:** [a](/a)\n\`\`\`\nx\n\`\`\`\n`).action.type).toBe('CREATE');
  });

  test('a plain word is an action only where its metadata follows', () => {
    const { action } = parse(
      '### `CHAT_WITH_USER`\nHello.\n\n### Read\nThe manual.\n\n### Edit\n- nothing\n',
    );
    expect(action).toMatchObject({ message: 'Hello.\n\n### Read\nThe manual.\n\n### Edit\n- nothing' });
  });
});

describe('metadata', () => {
  test.each<[string, string, Record<string, string>]>([
    ['code span and quotes', '    - `A`: "b c"\n', { A: 'b c' }],
    ['single quotes', "    - `A`: 'b'\n", { A: 'b' }],
    ['a code span as value', '    - A: `b`\n', { A: 'b' }],
    ['an assignment', '    - A=b=c\n', { A: 'b=c' }],
    ['an assignment in a code span', '    - `A=b c`\n', { A: 'b c' }],
    ['bold', '    - **A:** b\n', { A: 'b' }],
    ['a colon in the value', '    - `A`: "http://x"\n', { A: 'http://x' }],
    ['an empty value', '    - `A`: ""\n', { A: '' }],
    ['a quote at one end only', '    - `A`: "b\n', { A: '"b' }],
  ])('env: %s', (_, items, env) => {
    const { action, codes } = execute(`- **env:**\n${items}`);
    expect({ codes, env: action.type === 'EXECUTE' && action.env }).toEqual({ codes: [], env });
  });

  test.each([
    ['90', 90],
    ['90s', 90],
    ['5m', 300],
    ['`5m`', 300],
    ['5 minutes', 300],
    ['1 Hour', 3600],
    ['30 secs', 30],
  ])('Timeout: %s', (written, timeout) => {
    expect(execute(`- **Timeout:** ${written}\n`)).toMatchObject({ action: { timeout }, codes: [] });
  });

  test.each(['0', '-1', '1.5m', 'never', 'five minutes', '5 mours', '99999999999'])(
    'no Timeout: %s',
    (written) => {
      expect(execute(`- **Timeout:** ${written}\n`)).toMatchObject({
        action: { timeout: null },
        codes: ['metadata-invalid'],
      });
    },
  );

  test('(Optional) is left out of labels and values', () => {
    expect(execute('- **cwd (Optional):** src\n')).toMatchObject({
      action: { cwd: 'src' },
      codes: ['optional-marker'],
    });
    expect(execute('- **cwd:** (Optional) src\n')).toMatchObject({
      action: { cwd: 'src' },
      codes: ['optional-marker'],
    });
  });

  test('of two equal labels the first stands', () => {
    expect(execute('- **cwd:** a\n- **cwd:** b\n')).toMatchObject({
      action: { cwd: 'a', metadata: { cwd: 'a' } },
      codes: ['metadata-repeated'],
    });
  });

  test('labels that objects have of their own are labels like any', () => {
    const { action, codes } = execute('- **constructor:** a\n- **toString:** b\n');
    expect(action.metadata).toMatchObject({ constructor: 'a', toString: 'b' });
    expect(codes).toEqual(['metadata-unknown', 'metadata-unknown']);
  });
});

describe('messages', () => {
  test('text right under the metadata of INVOKE is its message', () => {
    expect(parse('### `INVOKE`\n- **Agent:** Architect\nThe brief is complete.\n').action).toMatchObject({
      agent: 'Architect',
      message: 'The brief is complete.',
    });
  });

  test('a list after the metadata of INVOKE is its message', () => {
    expect(parse('### `INVOKE`\n- **Agent:** Architect\n\n- first\n- second\n').action).toMatchObject({
      agent: 'Architect',
      message: '- first\n- second',
    });
  });

  test('a list that holds no metadata of CONCLUDE is its message', () => {
    expect(parse('### `CONCLUDE`\n- first\n- second\n').action).toMatchObject({
      handoffResources: [],
      message: '- first\n- second',
    });
  });

  test('handed-off files and URLs', () => {
    expect(
      parse('### `CONCLUDE`\n- **Handoff Resources:**\n  - [a.md](/a.md)\n  - https://example.com\n\nDone.\n')
        .action,
    ).toMatchObject({
      handoffResources: [
        { kind: 'file', target: 'a.md' },
        { kind: 'url', target: 'https://example.com' },
      ],
      message: 'Done.',
    });
  });
});

test('text without a heading of a plan is no plan', () => {
  for (const text of ['', '\n', 'Hello.', '### Notes\n', '\ufeff', '\0']) {
    expect(parsePlan(text)).toMatchObject({ plan: null, issues: [{ code: 'plan-unreadable' }] });
  }
});
