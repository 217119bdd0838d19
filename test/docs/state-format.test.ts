import { expect, test } from 'vitest';
import { readState, updateState } from '../../src/core/state/state.js';
import type { StateFacts } from '../../src/core/state/types.js';
import { type Example, readExamples, readPage } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

// The text after the opening fence of an example says how it is tested:
//
//   markdown new                  a new STATE.md
//   markdown before               a STATE.md
//   json facts                    the new facts
//   markdown after: CODE CODE     the file after the update, with these issues
//   console                       run, line by line, in a project with one plan
const PAGE = 'docs/formats/state.md';
const examples = readExamples(PAGE);

test('a new one is as shown', () => {
  const { text, issues } = updateState(null, {});
  expect(text).toBe(only('new').text);
  expect(issues.map(({ code }) => code)).toEqual(['state-created']);
});

test('facts are written where they belong, once', () => {
  const [before, facts, after] = ['before', 'facts', 'after: '].map(all);
  expect(before).toHaveLength(2);
  for (const [i, { text }] of before!.entries()) {
    const said = JSON.parse(facts![i]!.text) as StateFacts;
    const edit = updateState(text, said);
    expect(edit.text).toBe(after![i]!.text);
    expect(`after: ${edit.issues.map(({ code }) => code).join(' ')}`).toBe(after![i]!.note);
    expect(updateState(edit.text, said)).toEqual({ text: edit.text, issues: [] });
  }
});

test('every field of a new one is in the table', () => {
  const labels = [...only('new').text.matchAll(/^(?:- )?([A-Z][\w ]+):/gm)].map((match) => match[1]!);
  const page = readPage(PAGE);
  expect(labels.length).toBeGreaterThan(10);
  expect(labels.filter((label) => label !== 'Resume file' && !page.includes(`\`${label}\``))).toEqual([]);
});

test('the spellings that the page names are understood', () => {
  const text =
    '## Position\nCurrent phase: 2 of 3\n\n## Metrics\n**Velocity**\n- Avg. duration: 5 minutes\n- Plans completed: 4\n\n## Open blockers & risks\n\n- Rain\n';
  expect(readState(text)).toMatchObject({
    phase: '2 of 3',
    averageDuration: '5 minutes',
    totalPlansCompleted: '4',
    blockers: ['- Rain'],
  });
  const page = readPage(PAGE);
  for (const spelling of ['Current phase', 'Avg. duration', 'Plans completed', 'Open blockers & risks'])
    expect(page).toContain(`\`${spelling}\``);
});

test('the commands print what the page shows, and every example is tested', () => {
  const others = walkPage(PAGE, makeReadersFolder()).filter(
    ({ note }) => !/^(?:new|before|facts|after: .*)$/.test(note),
  );
  expect(others).toEqual([]);
});

function all(note: string): Example[] {
  return examples.filter((each) => each.note.startsWith(note));
}

function only(note: string): Example {
  const [example, ...others] = all(note);
  if (!example || others.length > 0) throw new Error(`The page needs one example "${note}".`);
  return example;
}
