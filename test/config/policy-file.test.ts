import { expect, test } from 'vitest';
import { parsePolicy } from '../../src/config/policy-file.js';

test('rules keep their order, line and text', async () => {
  const read = await parsePolicy(`\
# mine
rules:
  - {deny: EXECUTE, command: "rm *"}

  - allow: CREATE
    path: docs/**
    overwrite: true
  - ask: "*"
`);
  expect(read).toMatchObject({
    status: 'policy',
    policy: {
      rules: [
        {
          number: 1,
          line: 3,
          verb: 'deny',
          target: 'EXECUTE',
          command: { text: 'rm *' },
          path: null,
          guards: [],
        },
        {
          number: 2,
          line: 5,
          verb: 'allow',
          target: 'CREATE',
          path: { text: 'docs/**' },
          guards: ['overwrite'],
        },
        { number: 3, line: 8, verb: 'ask', target: '*', path: null, command: null, url: null },
      ],
    },
  });
});

test.each(['', 'rules:', 'rules: []', '{}'])('%j has no rules', async (text) => {
  expect(await parsePolicy(text)).toEqual({ status: 'policy', policy: { rules: [] } });
});

test.each([
  ['rules: {deny: EXECUTE}', 'rules is not a list'],
  ['rule: []', 'rule is unknown; did you mean rules?'],
  ['rules: [deny]', 'rules[1] is not a mapping'],
  ['rules: [~]', 'rules[1] is empty'],
  ['rules: [{command: x}]', 'rules[1] needs one of allow, ask and deny, and only one'],
  ['rules: [{allow: READ, deny: READ}]', 'rules[1] needs one of allow, ask and deny, and only one'],
  ['rules: [{deny: EXCUTE}]', 'rules[1].deny is "EXCUTE"; did you mean EXECUTE?'],
  ['rules: [{deny: execute}]', 'rules[1].deny is "execute"; did you mean EXECUTE?'],
  ['rules: [{deny: [READ]}]', 'rules[1].deny is a list; write CREATE, READ'],
  ['rules: [{deny: EXECUTE, comand: x}]', 'rules[1].comand is unknown; did you mean command?'],
  [
    'rules: [{allow: CHAT_WITH_USER}]',
    'rules[1].allow cannot be CHAT_WITH_USER: a rule cannot answer a question.',
  ],
  ['rules: [{deny: EXECUTE, path: a}]', 'rules[1].path does not apply to EXECUTE'],
  [
    'rules: [{deny: CREATE, command: a}]',
    'rules[1].command does not apply to CREATE; it is for EXECUTE or *.',
  ],
  ['rules: [{deny: EDIT, overwrite: true}]', 'rules[1].overwrite does not apply to EDIT'],
  ['rules: [{deny: MEMOS, path: a}]', 'rules[1].path does not apply to MEMOS'],
  ['rules: [{deny: CREATE, overwrite: false}]', 'rules[1].overwrite is false; write true, or leave it out.'],
  [
    'rules: [{deny: "*", path: a, command: b}]',
    'rules[1] has path and command; an action has only one of them.',
  ],
  ['rules: [{deny: READ, path: ""}]', 'rules[1].path is not a string'],
  ['rules: [{deny: READ, path: ../a}]', 'rules[1].path leads out of the project root'],
  ['rules: [{deny: READ, path: a/../b}]', 'rules[1].path contains ".."'],
  [
    'rules: [{deny: READ, path: docs/}]',
    'rules[1].path ends with a slash; write "docs/**" for everything in it.',
  ],
  ['rules: [{deny: READ, path: "*.{ts,js}"}]', 'rules[1].path contains "{"; only * and ** are special'],
  ['rules: [{deny: READ, path: "a?"}]', 'rules[1].path contains "?"'],
  ['rules: [{deny: READ, path: "!a"}]', 'rules[1].path contains "!"'],
  ['rules: [{deny: READ, path: "a**b"}]', 'rules[1].path contains ** next to other characters'],
  ['rules: [{deny: READ, url: example.com}]', 'rules[1].url is not a URL pattern'],
  ['rules: [{deny: READ, url: "https://example.com"}]', 'rules[1].url is not a URL pattern'],
  ['rules: [{deny: READ, url: "ftp://example.com/"}]', 'rules[1].url is not a URL pattern'],
  ['rules: [{deny: EXECUTE, command: ""}]', 'rules[1].command is not a text'],
  ['rules: [{allow: EXECUTE, command: "a; b"}]', 'rules[1].command is more than one simple command'],
  ['rules: [{allow: EXECUTE, command: "a $B"}]', 'rules[1].command is more than one simple command'],
  ['rules: [{allow: EXECUTE, command: "a [b]"}]', 'rules[1].command is more than one simple command'],
  ['rules: [{allow: EXECUTE, command: "*"}]', 'rules[1].command does not start with the name of a program'],
  [
    'rules: [{allow: EXECUTE, command: "*sh -c"}]',
    'rules[1].command does not start with the name of a program',
  ],
  [
    'rules: [{allow: EXECUTE, command: "A=1 b"}]',
    'rules[1].command does not start with the name of a program',
  ],
  ['rules: [{allow: EXECUTE, command: "git * push"}]', 'rules[1].command has * or ** before the last word'],
  ['rules: [', 'The file is not valid YAML'],
])('%s is refused', async (text, message) => {
  const read = await parsePolicy(text);
  if (read.status !== 'refused') throw new Error('It was taken.');
  expect(read.problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  expect(read.problems[0]).toMatchObject({ file: '.teddy/policy.yaml', line: 1 });
});

test('one rule that cannot be read takes the others with it', async () => {
  const read = await parsePolicy('rules:\n  - {allow: READ}\n  - {dney: EXECUTE}\n');
  expect(read).toMatchObject({ status: 'refused' });
  expect(read.status === 'refused' && read.problems.map(({ line, key }) => [line, key])).toEqual([
    [3, 'rules[2].dney'],
    [3, 'rules[2]'],
  ]);
});
