import { describe, expect, test } from 'vitest';
import { readPlan } from '../../../src/core/plan/read.js';

const HEAD = '# Title\n\n## Rationale\n````\nBecause.\n````\n\n';
const MEMOS = '## Memos\n````\n[+] a\nwhat?\n````\n\n';
const EDIT = '### `EDIT`\n- **File Path:** `a.md`\n\n`FIND:`\n````\na\n````\n`REPLACE:`\n````\nb\n````\n';

/** Everything with a line number, as the line's own text. */
function quoted(text: string) {
  const lines = text.split(/\r?\n/);
  const { plan, repairs, issues } = readPlan(text);
  const at = (line: number | undefined) => lines[line! - 1];
  return {
    repairs: repairs.map(({ line, kind }) => [kind, at(line)]),
    issues: issues.map(({ line, code }) => [code, at(line)]),
    actions: plan?.actions.map(({ line }) => at(line)),
    edits: plan?.actions
      .flatMap((action) => (action.type === 'EDIT' ? action.edits : []))
      .map(({ line }) => at(line)),
    memos: plan?.memos.map(({ line }) => at(line)),
  };
}

const SOUND = {
  issues: [
    ['header-incomplete', '# Title'],
    ['rationale-incomplete', '````'],
    ['change-invalid', 'what?'],
    ['description-missing', '### `EDIT`'],
    ['path-style', '- **File Path:** `a.md`'],
  ],
  edits: ['`FIND:`'],
  memos: ['[+] a'],
};

describe('lines are those of the text as it came', () => {
  test('where nothing was repaired', () => {
    expect(quoted(`${HEAD}${MEMOS}## Action Plan\n\n${EDIT}`)).toEqual({
      ...SOUND,
      repairs: [],
      actions: ['### `EDIT`'],
    });
  });

  test('behind chatter and a wrapper that were dropped', () => {
    const { repairs, issues, actions, edits, memos } = quoted(
      `Sure!\n\n\`\`\`\`\`md\n${HEAD}${MEMOS}## Action Plan\n\n${EDIT}\`\`\`\`\`\n\nBye.\n`,
    );
    expect({ edits, memos, actions }).toEqual({
      edits: SOUND.edits,
      memos: SOUND.memos,
      actions: ['### `EDIT`'],
    });
    expect(repairs).toEqual([
      ['chatter-dropped', 'Sure!'],
      ['plan-unwrapped', '`````md'],
      ['chatter-dropped', 'Bye.'],
    ]);
    expect(issues).toEqual([...repairs.slice(0, 2), ...SOUND.issues, repairs[2]]);
  });

  test.each(['\n', '\r\n'])('behind a closing fence that was added (%j)', (eol) => {
    const text = `${HEAD}${MEMOS}## Action Plan\n\n### \`CREATE\`\n- **File Path:** \`b.md\`\n~~~\nb\n\n${EDIT}`;
    const { issues, actions, edits, memos } = quoted(text.replaceAll('\n', eol));
    expect({ actions, edits, memos }).toEqual({
      actions: ['### `CREATE`', '### `EDIT`'],
      edits: SOUND.edits,
      memos: SOUND.memos,
    });
    expect(issues.filter(([code]) => code !== 'crlf')).toEqual([
      ...SOUND.issues.slice(0, 3),
      ['description-missing', '### `CREATE`'],
      ['path-style', '- **File Path:** `b.md`'],
      ['fence-repaired', '~~~'],
      ...SOUND.issues.slice(3),
    ]);
  });

  test('in messages too', () => {
    const { issues } = readPlan(
      `Hi.\n\n${HEAD}## Action Plan\n\n### \`READ\`\n- **Resource:** \`b\`\n\`\`\`\`\nx\n`,
    );
    const unclosed = issues.find(({ code }) => code === 'answer-cut-off')!;
    for (const [number] of unclosed.message.matchAll(/\d+/g)) expect(Number(number)).toBe(unclosed.line);
  });
});

test('a text that cannot be repaired is no plan, and says why', () => {
  const { plan, repairs, issues } = readPlan('Hello.\n');
  expect({ plan, repairs }).toEqual({ plan: null, repairs: [] });
  expect(issues.map(({ code }) => code)).toEqual(['plan-unreadable']);
});

test('issues come in the order of their lines', () => {
  const text = `Hi.\n\n${HEAD}${MEMOS}## Action Plan\n\n${EDIT}\n### \`READ\`\n`;
  const lines = readPlan(text).issues.map(({ line }) => line!);
  expect(lines).toEqual([...lines].sort((a, b) => a - b));
});
