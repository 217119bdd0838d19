import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placeClientPrograms } from './client-programs.js';
import { readPage, readSources } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

// What stands behind the opening fence of an example says how it is tested:
//
//   console                run, line by line, in the folder of examples/agents
//   LANGUAGE file: PATH    saved there, for the commands that follow
const PAGE = 'docs/agents.md';

test('the guide goes as it is shown, from its first line to its last', () => {
  const folder = makeReadersFolder();
  placeClientPrograms(folder);
  const others = walkPage(PAGE, join(folder, 'examples/agents'));
  // The drawing of the whole.
  expect(others.map(({ language }) => language)).toEqual(['']);
});

test('what teddy is said to say, it can say', () => {
  const [, table] = /\| what teddy says \| .*\n.*\n((?:\|.*\n)+)/.exec(readPage(PAGE))!;
  const said = [...table!.matchAll(/^\| (.+?) \| /gm)].flatMap((row) => row[1]!.split('…'));
  const source = readSources();
  const missing = said.map((part) => part.trim()).filter((part) => part !== '' && !source.includes(part));
  expect(said.length).toBeGreaterThan(12);
  expect(missing).toEqual([]);
});
