import { cpSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACTIONS } from '../../src/core/plan/actions.js';
import { parseYaml } from '../../src/core/yaml.js';
import { assembleInput } from '../../src/sessions/context/assemble-input.js';
import type { ContextSource, InputFacts } from '../../src/sessions/context/types.js';
import { writeMeta } from '../../src/sessions/turns/meta.js';
import type { AttemptOutcome, TurnMeta } from '../../src/sessions/turns/turn.js';
import { makeFolder } from '../folder.js';
import { type Example, ROOT, readExamples, readPage, readSources } from './page.js';
import { makeReadersFolder, runShell } from './shell.js';

// What is behind the opening fence of an example says how it is tested:
//
//   text files                     the files of a project, for those that follow
//   text NAME.context              a context file, which counts for the next one of a turn
//   text turn.context brings: …    what it brings, with those before it, in this order
const PAGE = 'docs/formats/session.md';
const examples = readExamples(PAGE);

test('git ignores what the tables say', () => {
  const project = makeReadersFolder();
  // teddy writes .teddy/.gitignore with the session.
  expect(runShell('git init -q . && teddy new leap', project)).toContain('.teddy/sessions/leap/01');
  const { ignored, committed } = pathsInGit();
  const check = (paths: string[]) => runShell(`git check-ignore ${paths.join(' ')} || true`, project);
  expect(check(ignored)).toBe(ignored.map((path) => `${path}\n`).join(''));
  expect(check(committed)).toBe('');
});

test('context files bring what is said of them', async () => {
  const files = only('files').text.trimEnd().split('\n');
  const root = realpathSync(makeFolder(Object.fromEntries(files.map((path) => [path, '']))));
  const groups = contextGroups();
  expect(groups.length).toBeGreaterThan(1);
  for (const { sources, brings, line } of groups) {
    const { resources, leftOut } = await assembleFrom(root, sources, FACTS);
    expect(resources.map(({ target }) => target).join(', '), `line ${line}`).toBe(brings);
    expect(leftOut, `line ${line}`).toEqual([]);
  }
});

test('every section of an input has its row, in its order', async () => {
  const told = { from: 'assistant', message: 'x' };
  const { text } = await assembleExample({
    ...FACTS,
    task: told,
    handoff: told,
    rationale: { turn: 1, text: 'x' },
  });
  const headings = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
  expect(headings.length).toBe(10);
  expect(rowsOf('section')).toEqual(headings);
});

test('every key of meta.yaml is listed, in its order', () => {
  const read = parseYaml(writeMeta(META));
  if (read.status === 'refused') throw new Error(read.reason);
  const keys = keysIn(read.value as object).filter((key) => !/tokens\./.test(key));
  const [, part = ''] = /^## meta\.yaml\n(.*?)^## /ms.exec(readPage(PAGE))!;
  const listed = [...part.matchAll(/^- `([\w.]+)`: /gm)].map(([, key]) => key);
  expect(listed).toEqual(keys);
});

test('every outcome of an answer has its row', () => {
  const outcomes: Record<AttemptOutcome, true> = {
    passed: true,
    refused: true,
    message: true,
    'cut-off': true,
    'broken-off': true,
    interrupted: true,
    replaced: true,
  };
  expect(rowsOf('outcome')).toEqual(Object.keys(outcomes));
});

test('every action has its place in the table of the next turn', () => {
  const named = tableOf('in the plan').flatMap((cell) =>
    [...cell.matchAll(/`(.+?)`/g)].map((span) => span[1]!),
  );
  const all = [...Object.keys(ACTIONS), 'Active Context', 'Memos'];
  expect([...new Set(named)].sort()).toEqual(all.sort());
});

test('the reasons for what is left out are those that are given', () => {
  const source = readSources().replace(/\$\{LARGEST \/ MB\} MB/, '1 MB');
  const reasons = tableOf('reason');
  expect(reasons.length).toBeGreaterThan(8);
  expect(reasons.filter((reason) => !source.includes(reason))).toEqual([]);
});

const FACTS: InputFacts = {
  session: { name: 'leap', turn: 2, agent: 'assistant' },
  task: null,
  handoff: null,
  date: '2026-01-15T09:30:00Z',
  system: 'linux',
  project: 'calendar',
  memos: ['The checks run with: node test/days.mjs'],
  message: 'Now the README.',
  earlier: null,
  rationale: null,
  report: null,
};

const META: TurnMeta = {
  session: 'leap',
  turn: 2,
  parent: 1,
  agent: 'developer',
  callers: [{ turn: 1, agent: 'assistant', task: 'x', context: 'x' }],
  handoff: { from: 'debugger', message: 'x' },
  madeAt: '2026-01-15T09:30:00Z',
  message: 'x',
  model: { provider: 'anthropic', name: 'x' },
  attempts: [
    {
      answer: 'answer.md',
      outcome: 'passed',
      reason: null,
      at: '2026-01-15T09:30:00Z',
      tokens: { input: 1, output: 1, estimated: true },
      costUsd: 1,
    },
  ],
  plannedAt: '2026-01-15T09:30:00Z',
  run: { id: '20260115-093000-k3x9', overall: 'Completed', endedAt: '2026-01-15T09:30:00Z' },
  concluded: false,
};

function assembleExample(facts: InputFacts) {
  const root = realpathSync(makeFolder());
  cpSync(join(ROOT, 'examples/session/calendar'), root, { recursive: true });
  const sources = [
    { name: 'session.context', text: 'docs/\n' },
    { name: 'turn.context', text: 'test/days.mjs\n' },
  ];
  return assembleFrom(root, sources, facts);
}

function assembleFrom(root: string, sources: readonly ContextSource[], facts: InputFacts) {
  const others = { pages: () => undefined, budget: 100_000, mask: (text: string) => text };
  return assembleInput({ root, sources, facts, ...others });
}

/** The paths of the page's tables, of the third turn, by whether git is said to ignore them. */
function pathsInGit(): { ignored: string[]; committed: string[] } {
  const turn = '.teddy/sessions/leap/03';
  const places = [
    ...readPage(PAGE).matchAll(/^\| `(\.teddy\/.+?)` \| .* \| (ignored|yours to commit) \|$/gm),
  ].map((row) => ({
    path: row[1]!.replace('NAME/NN', 'leap/03').replace('NAME', 'leap'),
    isOut: row[2] === 'ignored',
  }));
  const files = [...readPage(PAGE).matchAll(/^\| `([\w.-]+)`.* \| .* \| (.*) \|$/gm)]
    .filter((row) => /^(?:\w+\.(?:context|part)|[\w-]+\.(?:md|yaml))$/.test(row[1]!))
    .map((row) => ({ path: `${turn}/${row[1]}`, isOut: row[2]!.endsWith('ignored by git') }));
  const all = [...places, ...files];
  expect([places.length, files.length]).toEqual([9, 13]);
  return {
    ignored: all.flatMap(({ path, isOut }) => (isOut ? path : [])),
    committed: all.flatMap(({ path, isOut }) => (isOut ? [] : path)),
  };
}

/** Context files up to one that says what comes of them all. */
function contextGroups() {
  let sources: ContextSource[] = [];
  return examples.flatMap(({ note, text, line }) => {
    const [, name, brings] = /^(\w+\.context)(?: brings: (.+))?$/.exec(note) ?? [];
    if (name === undefined) return [];
    sources.push({ name, text });
    if (brings === undefined) return [];
    const group = { sources, brings, line };
    sources = [];
    return [group];
  });
}

/** The keys of a mapping and, behind a dot, of what is in it. */
function keysIn(value: object): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = Array.isArray(inner) ? inner[0] : inner;
    const isMapping = typeof below === 'object' && below !== null;
    return [key, ...(isMapping ? keysIn(below).map((each) => `${key}.${each}`) : [])];
  });
}

/** The first cells of the table whose first heading is `title`. */
function tableOf(title: string): string[] {
  const [, rows = ''] =
    new RegExp(`^\\| ${title} \\| .*\n.*\n((?:\\|.*\n)+)`, 'm').exec(readPage(PAGE)) ?? [];
  return [...rows.matchAll(/^\| (.+?) \|/gm)].map((row) => row[1]!);
}

/** The same without their backticks. */
function rowsOf(title: string): string[] {
  return tableOf(title).map((cell) => cell.replaceAll('`', ''));
}

function only(note: string): Example {
  const [example, ...others] = examples.filter((each) => each.note === note);
  if (!example || others.length > 0) throw new Error(`The page needs one example "${note}".`);
  return example;
}
