import { expect, test } from 'vitest';
import { PlanOutline } from '../../../src/core/plan/outline.js';
import { chat, create, edit, execute, planOf, read } from '../../runs/boundary/plan.js';

const PLAN = planOf(
  [
    create(
      'docs/a plan.md',
      '# Not the title\n\n### `EDIT`\n\n- **File Path:** [x](/x)\n\n````sh\nls\n````\n',
    ),
    edit('README.md', ['### `READ`', '### `PRUNE`']),
    read('app/[id]/notes (2).txt'),
    execute('npm test', { description: 'Run the tests.' }),
    chat('Which colour?'),
  ],
  { title: 'Fill the larder' },
);
const OUTLINE = {
  title: 'Fill the larder',
  actions: [
    { type: 'CREATE', label: 'docs/a plan.md' },
    { type: 'EDIT', label: 'README.md' },
    { type: 'READ', label: 'app/[id]/notes (2).txt' },
    { type: 'EXECUTE', label: 'Run the tests.' },
    { type: 'CHAT_WITH_USER', label: null },
  ],
};

function outline(text: string, size = text.length) {
  const outlined = new PlanOutline();
  for (let at = 0; at < text.length; at += size) outlined.push(text.slice(at, at + size));
  const { title, actions } = outlined;
  return { title, actions };
}

test.each([1, 7, PLAN.length])('the title and the actions, in pieces of %i', (size) => {
  expect(outline(PLAN, size)).toEqual(OUTLINE);
});

test('grows by whole lines: an action is there before its path', () => {
  const outlined = new PlanOutline();
  outlined.push('# Fill the lar');
  expect(outlined.title).toBeNull();
  outlined.push('der\n\n### `CREATE`\n- **File Path:** [a.t');
  expect(outlined.title).toBe('Fill the larder');
  expect(outlined.actions).toEqual([{ type: 'CREATE', label: null }]);
  outlined.push('xt](/a.txt)\n- **Description:** Make it.\n');
  expect(outlined.actions).toEqual([{ type: 'CREATE', label: 'a.txt' }]);
});

test('what a model thinks before its plan is not part of it', () => {
  expect(outline(`<think>\n# A draft\n### \`READ\`\n</think>\n${PLAN}`)).toEqual(OUTLINE);
});

test('a plan that is fenced as a whole', () => {
  expect(outline(`\`\`\`\`\`\`\`markdown\n${PLAN}\`\`\`\`\`\`\`\n`)).toEqual(OUTLINE);
});

test('Windows line endings', () => {
  expect(outline(PLAN.replaceAll('\n', '\r\n'))).toEqual(OUTLINE);
});

test('prose has no outline', () => {
  expect(outline('Do you want jam?\n\n- **File Path:** none\n')).toEqual({ title: null, actions: [] });
});

test('labels of an EDIT that are headings are not actions', () => {
  const labelled = PLAN.replace(/^`(FIND|REPLACE):`$/gm, '#### `$1:`');
  expect(labelled).toContain('#### `REPLACE:`');
  expect(outline(labelled)).toEqual(OUTLINE);
});
