import { describe, expect, test } from 'vitest';
import { readState, updateState } from '../../../src/core/state/state.js';

const ADD = { change: 'add', taskId: '03-01:2', date: '2026-01-26', text: 'the key is missing' } as const;
const REMOVE = { change: 'remove', taskId: '03-01:2' } as const;
const OURS = '- 03-01:2 (2026-01-26): the key is missing';

const add = (text: string, change: Partial<typeof ADD> | Record<string, string> = {}) =>
  updateState(text, { blockers: { ...ADD, ...change } }).text;
const remove = (text: string) => updateState(text, { blockers: REMOVE });

test.each([
  '## Blockers',
  '# Blockers/Concerns',
  '### Blockers & Concerns',
  '#### **Open blockers:**',
  '**Blockers:**',
])('the section is found as %s', (title) => {
  const text = `${title}\n\n- human\n\n${title.startsWith('*') ? '**Next:**' : '# Next'}\n`;
  expect(add(text)).toBe(text.replace('- human\n', `- human\n${OURS}\n`));
});

describe('trap 29: a placeholder is replaced as a whole line, or not at all', () => {
  test.each([
    'None',
    'None yet.',
    '- None',
    '* none yet',
    '_None_',
    '**None**',
    'N/A',
    '(none)',
    '[None]',
    'No blockers.',
    '  None  ',
  ])('%s', (placeholder) => {
    expect(add(`## Blockers\n\n${placeholder}\n\n## Next\n`)).toBe(`## Blockers\n\n${OURS}\n\n## Next\n`);
    expect(readState(`## Blockers\n\n${placeholder}\n`).blockers).toEqual([]);
  });

  test.each([
    'None of us knows.',
    'None yet. But soon.',
    'None\nof us knows.',
    'Nobody.\nNone',
    '- None\n  but one',
    'Nonet',
  ])('%j stays', (human) => {
    expect(add(`## Blockers\n\n${human}\n\n## Next\n`)).toContain(`## Blockers\n\n${human}\n`);
  });
});

describe('an entry', () => {
  test('stands behind the list that is there, or behind all text', () => {
    expect(add('## Blockers\n\n- a\n  b\n\nText.\n')).toBe(`## Blockers\n\n- a\n  b\n${OURS}\n\nText.\n`);
    expect(add('## Blockers\n\nText.\n\n---\n\n## Next\n')).toBe(
      `## Blockers\n\nText.\n\n${OURS}\n\n---\n\n## Next\n`,
    );
    expect(add('## Blockers\n### Sub\nText.')).toBe(`## Blockers\n\n${OURS}\n\n### Sub\nText.`);
    expect(add('## Blockers')).toBe(`## Blockers\n\n${OURS}`);
  });

  test('makes its section where there is none', () => {
    expect(add('# T\n')).toBe(`# T\n\n## Blockers/Concerns\n\n${OURS}\n`);
  });

  test('replaces the one that the task has', () => {
    const text = `## Blockers\n\n- human\n${OURS}\n- 03-01:22 (2026-01-26): other\n`;
    expect(add(text, { date: '2026-02-01', text: 'no network' })).toBe(
      text.replace(OURS, '- 03-01:2 (2026-02-01): no network'),
    );
  });

  test('is one line of about 200 characters', () => {
    const long = add('## Blockers\n', { text: `first\n- second\r\n\n# third ${'🙂'.repeat(200)}` });
    const line = long.split('\n')[2]!;
    expect(line).toMatch(/^- 03-01:2 \(2026-01-26\): first - second # third (?:🙂)+…$/u);
    expect(line.length).toBeGreaterThan(200);
    expect(line.length).toBeLessThan(240);
    expect(remove(long).text).not.toContain('third');
  });

  test('holds no comment, no tag and no open code', () => {
    const text = add('## Blockers\n', { text: '<!-- a --> </li><b>x</b> 1 < 2 `<i>` `open' });
    expect(text).toContain("): &lt;!-- a --&gt; &lt;/li>&lt;b>x&lt;/b> 1 < 2 `<i>` 'open\n");
  });

  test('without a reason or a date says so', () => {
    expect(add('## Blockers\n', { text: ' \n', date: 'soon' })).toContain(
      '- 03-01:2 (undated): no reason given',
    );
  });
});

describe('taking away', () => {
  test('leaves a placeholder in a section without content', () => {
    for (const rest of ['', '\n\n## Next\n', '\n\n<!-- only a comment -->\n\n---\n']) {
      const text = `## Blockers\n\n${OURS}${rest}`;
      expect(remove(text)).toEqual({ text: text.replace(OURS, 'None yet.'), issues: [] });
    }
  });

  test('takes the line alone where there is more', () => {
    expect(remove(`## Blockers\n\n- a\n${OURS}\n- b\n`).text).toBe('## Blockers\n\n- a\n- b\n');
    expect(remove(`## Blockers\n\nText.\n\n${OURS}\n`).text).toBe('## Blockers\n\nText.\n');
    expect(remove(`## Blockers\n\nText.\n\n${OURS}`).text).toBe('## Blockers\n\nText.');
    expect(remove(`## Blockers\r\n\r\n${OURS}\r\n- b`).text).toBe('## Blockers\r\n\r\n- b');
  });

  test('does not let text that leaned on it lean on another', () => {
    expect(remove(`## Blockers\n\n- a\n${OURS}\nText.\n`).text).toBe('## Blockers\n\n- a\n\nText.\n');
  });

  test.each([
    `${OURS} `,
    ` ${OURS}`,
    OURS.replace('- ', '* '),
    OURS.replace('- ', '- [ ] '),
    OURS.replace('(2026-01-26)', '(since Monday)'),
    OURS.replace(': the', ' the'),
    OURS.replace('03-01:2', '03-01:22'),
    OURS.replace('the key', 'the  key'),
    OURS.replace('the key', '<b>the key</b>'),
    `~~${OURS}~~`,
    `\`\`\`\n${OURS}\n\`\`\``,
    `<!--\n${OURS}\n-->`,
  ])('does not touch a line of another form: %j', (line) => {
    const text = `## Blockers\n\n${line}\n`;
    expect(remove(text)).toEqual({ text, issues: [] });
  });

  test('does not touch an entry with notes under it, and says so', () => {
    const text = `## Blockers\n\n${OURS}\n  He has it.\n`;
    const { text: after, issues } = remove(text);
    expect(after).toBe(text);
    expect(issues).toMatchObject([{ code: 'state-blocker-kept', severity: 'info', line: 3 }]);
  });

  test('does nothing where there is nothing', () => {
    for (const text of ['# T\n', `## Log\n\n${OURS}\n`]) expect(remove(text)).toEqual({ text, issues: [] });
  });
});
