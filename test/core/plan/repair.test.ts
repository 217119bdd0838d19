import { describe, expect, test } from 'vitest';
import { repairPlan } from '../../../src/core/plan/read.js';
import type { Repair } from '../../../src/core/plan/types.js';
import { HEAD } from './head.js';

/** Its fence is line 19. */
const CREATE = '### `CREATE`\n- **File Path:** [a.md](/a.md)\n- **Description:** d\n';
const EXECUTE = '\n### `EXECUTE`\n- **Description:** d\n- **Expected Outcome:** o\n```shell\nls\n```\n';

function repairs(text: string): Repair[] {
  const result = repairPlan(text);
  expect(result.issues).toEqual([]);
  expect(result.changed).toBe(result.repairs.length > 0);
  return result.repairs;
}

describe('each repair says what it did, at its line in the text as it came', () => {
  test('a block that holds fences as long as its own', () => {
    expect(repairs(`${HEAD}${CREATE}\`\`\`md\n\`\`\`js\na\n\`\`\`\nb\n\`\`\`\n${EXECUTE}`)).toEqual([
      {
        line: 19,
        kind: 'fence-repaired',
        message: 'Lines 19–24: the block contains ``` fences, so its own fence was lengthened to ````.',
      },
    ]);
  });

  test('a missing closing fence', () => {
    expect(repairs(`${HEAD}${CREATE}\`\`\`md\na\nb\n${EXECUTE}`)).toEqual([
      {
        line: 19,
        kind: 'fence-repaired',
        message: 'Line 19: the block had no closing fence; one was added after line 21.',
      },
    ]);
  });

  test('a closing fence that is too short', () => {
    expect(repairs(`${HEAD}${CREATE}\`\`\`\`md\na\n\`\`\`\n${EXECUTE}`)).toEqual([
      {
        line: 21,
        kind: 'fence-repaired',
        message:
          'Line 21: the closing fence was shorter than the opening fence at line 19; it was lengthened.',
      },
    ]);
  });

  test('text after a closing fence', () => {
    expect(repairs(`${HEAD}${CREATE}\`\`\`md\na\n\`\`\` That is all.\n${EXECUTE}`)).toEqual([
      {
        line: 21,
        kind: 'fence-repaired',
        message: 'Line 21: the text "That is all." after the closing fence was removed.',
      },
    ]);
  });

  test('an indented fence around text that is not', () => {
    expect(repairs(`${HEAD}${CREATE}  \`\`\`md\na\n  \`\`\`\n${EXECUTE}`)).toEqual([
      {
        line: 19,
        kind: 'fence-repaired',
        message: 'Line 19: the fence was indented and its content was not; the indent was removed.',
      },
    ]);
  });

  test('a wrapper and chatter on both sides, in the order of their lines', () => {
    const text = `Sure!\nHere:\n\n\`\`\`markdown\n${HEAD}${CREATE}\`\`\`md\na\nb\n${EXECUTE}\`\`\`\n\nBye.\n`;
    const found = repairs(text);
    expect(found.map(({ line, kind }) => [line, kind])).toEqual([
      [1, 'chatter-dropped'],
      [4, 'plan-unwrapped'],
      [23, 'fence-repaired'],
      [35, 'chatter-dropped'],
    ]);
    expect(found[0]!.message).toBe('Lines 1–2: ignored text before the plan: "Sure!"');
    expect(found[2]!.message).toContain('Line 23: the block had no closing fence');
    expect(found[2]!.message).toContain('added after line 25');
    expect(found[3]!.message).toBe('Line 35: ignored text after the plan: "Bye."');
    const lines = text.split('\n');
    expect(lines[4 - 1]).toBe('```markdown');
    expect(lines[23 - 1]).toBe('```md');
    expect(lines[35 - 1]).toBe('Bye.');
  });
});

describe('what cannot be told stays as it is', () => {
  test('an ambiguity names the block and the ends of both readings', () => {
    const text = `${HEAD}${CREATE}\`\`\`\na\n\`\`\`\n\`\`\`\n${EXECUTE}`;
    const { changed, text: after, repairs: made, issues } = repairPlan(text);
    expect({ changed, after, made }).toEqual({ changed: false, after: text, made: [] });
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatchObject({ code: 'fence-ambiguous', severity: 'error', line: 19 });
    expect(issues[0]!.message).toContain('line 19');
    expect(issues[0]!.message).toContain('line 21');
    expect(issues[0]!.message).toContain('line 22');
    expect(issues[0]!.hint).toContain('longer');
  });

  test('a text without any part of a plan', () => {
    for (const text of ['', 'Hello.\n', '# A title\n', '```\n```\n', '`FIND:`\n```\na\n```\n']) {
      const { changed, text: after, issues } = repairPlan(text);
      expect({ changed, after }).toEqual({ changed: false, after: text });
      expect(issues.map(({ code }) => code)).toEqual(['plan-unreadable']);
    }
  });
});

describe('a plan that can be read keeps its bytes', () => {
  test.each([
    [
      'a label in a message',
      `${HEAD}### \`CHAT_WITH_USER\`\nWrite\n\`FIND:\`\n\`\`\`\na\n\`\`\`\nand go on.\n`,
    ],
    ['a section in a message', `${HEAD}### \`CHAT_WITH_USER\`\nBefore.\n## Memos\nAfter.\n`],
    ['a last action without its block', `${HEAD}${CREATE}`],
    [
      'a longer fence around a whole plan',
      `${HEAD}${CREATE}\`\`\`\`\`md\n${HEAD}${CREATE}\`\`\`\na\n\`\`\`\n\`\`\`\`\`\n`,
    ],
    [
      'a far indented fence in the block of a message',
      `${HEAD}### \`CONCLUDE\`\n\`\`\`js\n      \`\`\`\n\`\`\`\n`,
    ],
    ['a fence under the list, all of it in tabs', `${HEAD}${CREATE}\t\`\`\`js\n\ta\n\t\`\`\`\n`],
    ['no final newline', `${HEAD}${CREATE}\`\`\`\na\n\`\`\``],
    ['blank lines at both ends', `\n\n${HEAD}${CREATE}\`\`\`\na\n\`\`\`\n\n\n`],
  ])('%s', (_, text) => {
    expect(repairPlan(text)).toEqual({ text, changed: false, repairs: [], issues: [] });
  });
});
