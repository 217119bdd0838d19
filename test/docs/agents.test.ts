import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseManual } from '../../src/core/agent-report/manual/parse.js';
import { KEYWORDS } from '../../src/core/json/schema/keywords.js';
import { placeClientPrograms } from './client-programs.js';
import { readExamples, readPage } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

// The text after the opening fence of an example says how it is tested:
//
//   console                run, line by line, in the folder of examples/agents
//   LANGUAGE file: PATH    saved there, for the commands that follow
const PAGE = 'docs/agents.md';

test('the commands print what the page shows, from its first line to its last', () => {
  const folder = makeReadersFolder();
  placeClientPrograms(folder);
  const others = walkPage(PAGE, join(folder, 'examples/agents'));
  // The drawing of the whole.
  expect(others.map(({ language }) => language)).toEqual(['']);
});

test('the manual on the page has no issue', () => {
  const { text } = readExamples(PAGE).find(({ note }) => note.startsWith('file: .teddy/agents/'))!;
  const { manual, issues } = parseManual('dependency-auditor', text);
  expect(manual?.levels.map(({ level }) => level)).toEqual(['summary', 'detailed']);
  expect(issues).toEqual([]);
});

test('the keywords on the page are the supported ones', () => {
  const [, table] = /\| for \| keywords \|\n.*\n((?:\|.*\n)+)/.exec(readPage(PAGE))!;
  const shown = [...table!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
  expect(shown.filter((keyword) => keyword !== 'x-').sort()).toEqual([...KEYWORDS.keys()].sort());
});
