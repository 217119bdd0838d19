import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isProse } from '../../src/sessions/ask-plan.js';
import { create, planOf } from '../runs/boundary/plan.js';

const CARELESS = new URL('../core/plan/careless/', import.meta.url);
/** Code and steps for the user to follow, and a question. */
const ANSWERS = ['apology.md', 'code-with-the-path-in-the-fence.md', 'numbered-steps-in-prose.md'];
const PLAN = planOf([create('honey.txt', 'sweet\n')], { title: 'Store the honey' });

describe('prose is answered by the user', () => {
  test.each([
    ['a sentence', 'Do you want jam, or bread?\n'],
    ['paragraphs, lists and emphasis', 'First:\n\n- **Jam:** red\n- bread\n\nWhich one?\n'],
    ['headings of its own', '# What I found\n\n## Summary\n\nTwo bugs.\n\n## Next steps\n\nYour choice.\n'],
    [
      'a heading that is another name of an action',
      '## Question\n\nJam, or bread?\n\n## Done\n\nThe rest.\n',
    ],
    [
      'a heading of the format without metadata',
      '### Read\n\nI have read it.\n\n### 1. Test\n\nIt passes.\n',
    ],
    ['code', 'Try this:\n\n```sh\nnpm test\n```\n'],
    ['Windows line endings', 'Jam?\r\n\r\n## Question\r\n\r\nOr bread?\r\n'],
  ])('%s', (_, text) => {
    expect(isProse(text)).toBe(true);
  });
});

describe('an attempt at a plan goes back to the model', () => {
  test.each([
    ['nothing at all', ' \n'],
    ['a plan', PLAN],
    ['a plan with Windows line endings', PLAN.replaceAll('\n', '\r\n')],
    ['a plan fenced as a whole', `\`\`\`\`markdown\n${PLAN}\`\`\`\`\n`],
    ['a quoted plan', PLAN.replace(/^/gm, '> ')],
    ['the start of a plan', PLAN.slice(0, PLAN.indexOf('Rationale') + 'Rationale\n'.length)],
    ['one action alone', '### `CREATE`\n'],
    ['an action that the format does not have', 'I will.\n\n### `DEPLOY` the site\n'],
    ['another name, with metadata', '### Update\n\n- **File Path:** [a.txt](/a.txt)\n'],
    ['a message as an action', '### CHAT_WITH_USER\n\nJam?\n'],
  ])('%s', (_, text) => {
    expect(isProse(text)).toBe(false);
  });

  test('every careless plan, but for answers that try none', () => {
    const names = readdirSync(CARELESS).filter((name) => name.endsWith('.md'));
    const prose = names.filter((name) => isProse(readFileSync(new URL(name, CARELESS), 'utf8')));
    expect(prose.sort()).toEqual(ANSWERS);
  });
});
