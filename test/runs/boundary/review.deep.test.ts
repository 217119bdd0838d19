// What is approved is what is done, or nothing is: whoever or whatever changes things in between.
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../../../src/config/policy-file.js';
import type { Action } from '../../../src/core/plan/types.js';
import { renderContract } from '../../../src/core/report/contract.js';
import { renderMirrored } from '../../../src/core/report/mirrored.js';
import { chooseReviewer, resolvePathIn, yesReviewer } from '../../../src/review/compose.js';
import type { Answer, Question, Reviewer } from '../../../src/review/question.js';
import { makeFolder } from '../../folder.js';
import { executeHere } from './execute-here.js';
import { chat, create, edit, execute, planOf, prune, read } from './plan.js';

/** Someone who can be asked, and answers the n-th question with the n-th answer; yes after the last. */
function personWho(...answers: ((question: Question) => Answer | undefined)[]) {
  const asked: Question[] = [];
  const reviewer: Reviewer = {
    resolve: () => undefined,
    async ask(question) {
      const answer = answers[asked.length]?.(question);
      asked.push(question);
      return answer ?? yes(question);
    },
  };
  return { reviewer, asked };
}

const yes = ({ hash }: Question): Answer => ({ decision: 'approve', by: 'person', hash });
const replaceWith = (action: Action) => (): Answer => ({ decision: 'replace', action });

describe('another program is there between the question and the answer', () => {
  const cases: { name: string; action: Action; meddle: (root: string) => void; left: string | null }[] = [
    {
      name: 'and changes the file that is edited',
      action: edit('a.txt', ['one', 'ONE']),
      meddle: (root) => writeFileSync(join(root, 'a.txt'), 'one\ntwo\nthree\n'),
      left: 'one\ntwo\nthree\n',
    },
    {
      name: 'and makes the file that is created',
      action: create('a2.txt', 'mine\n'),
      meddle: (root) => writeFileSync(join(root, 'a2.txt'), 'theirs\n'),
      left: 'theirs\n',
    },
    {
      name: 'and changes the file that is replaced',
      action: create('a.txt', 'mine\n', true),
      meddle: (root) => writeFileSync(join(root, 'a.txt'), 'theirs\n'),
      left: 'theirs\n',
    },
    {
      name: 'and removes the file that is edited',
      action: edit('a.txt', ['one', 'ONE']),
      meddle: (root) => rmSync(join(root, 'a.txt')),
      left: null,
    },
    {
      name: 'and puts a link to outside in its place',
      action: edit('a.txt', ['one', 'ONE']),
      meddle: (root) => {
        rmSync(join(root, 'a.txt'));
        symlinkSync('/etc/hostname', join(root, 'a.txt'));
      },
      left: readFileSync('/etc/hostname', 'utf8'),
    },
  ];

  test.each(cases)('$name', async ({ action, meddle, left }) => {
    const root = makeFolder({ 'a.txt': 'one\ntwo\n' });
    const { reviewer } = personWho((question) => {
      meddle(root);
      return yes(question);
    });
    const { run } = await executeHere(root, planOf([action, create('later.txt', 'x\n')]), { reviewer });
    const path = 'path' in action ? action.path : '';
    expect(existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null).toBe(left);
    expect(run.actions[0]).toMatchObject({
      decision: { status: 'approved', by: 'person' },
      outcome: {
        status: 'failure',
        summary: expect.stringMatching(/has changed since review|leads out of the root/),
      },
    });
    expect(run.overall).toBe('Partial');
  });

  test('nothing of a stretch is written when one file of it was changed', async () => {
    const root = makeFolder({ 'a.txt': 'one\n1\n', 'b.txt': 'two\n2\n' });
    const meddling: Reviewer = {
      resolve(question) {
        // Action 1 waits for its commit by then.
        const isNow =
          question.kind === 'action' && question.number === 2 && question.preview.kind === 'write';
        if (isNow) writeFileSync(join(root, 'a.txt'), 'theirs\n');
        return yesReviewer().resolve(question);
      },
    };
    const { run } = await executeHere(
      root,
      planOf([edit('a.txt', ['one', 'ONE']), edit('b.txt', ['two', 'TWO'])]),
      {
        reviewer: meddling,
      },
    );
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('theirs\n');
    expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('two\n2\n');
    expect(run.actions.map(({ outcome }) => outcome.status)).toEqual(['failure', 'failure']);
    expect(run.actions[0]!.outcome).toMatchObject({
      summary: expect.stringContaining('a.txt has changed since review'),
    });
    expect(run.actions[1]!.outcome).toMatchObject({
      summary: expect.stringContaining('Nothing was written'),
    });
  });
});

describe('an answer to another question', () => {
  const actions: Action[] = [
    create('new.txt', 'x\n'),
    edit('a.txt', ['one', 'ONE']),
    execute('touch ran'),
    read('a.txt'),
    prune('a.txt'),
    chat('Well?'),
  ];

  test.each(actions)('does nothing: $type', async (action) => {
    const root = makeFolder({ 'a.txt': 'one\ntwo\n' });
    const { reviewer } = personWho(() => ({
      decision: 'approve',
      by: 'person',
      hash: '0'.repeat(64),
      reply: 'Yes.',
    }));
    const { run } = await executeHere(root, planOf([action]), { reviewer });
    expect(run.actions[0]!.outcome).toMatchObject({
      status: 'failure',
      summary: 'It has changed since review. Nothing was done.',
    });
    expect(existsSync(join(root, 'new.txt'))).toBe(false);
    expect(existsSync(join(root, 'ran'))).toBe(false);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(existsSync(join(root, '.teddy/turn.context'))).toBe(false);
  });

  test('changes no state, and is not told as the person’s no', async () => {
    const root = makeFolder();
    const wrong = (): Answer => ({ decision: 'approve', by: 'person', hash: 'x' });
    const { reviewer } = personWho(wrong, wrong);
    const around = { memos: ['+ A fact.'], context: ['+ a.txt'] };
    const { run } = await executeHere(root, planOf([chat('Well?')], around), { reviewer });
    expect(existsSync(join(root, '.teddy/memos.yaml'))).toBe(false);
    expect(existsSync(join(root, '.teddy/turn.context'))).toBe(false);
    for (const { decision, notApplied } of run.stateChanges) {
      const told = decision.status === 'approved' ? notApplied.join() : `${decision.by} ${decision.reason}`;
      expect(told).toContain('changed since review');
    }
  });
});

describe('an action that a person changed', () => {
  test('is asked about again, and told as it ran', async () => {
    const root = makeFolder({ 'a.txt': 'one\ntwo\n' });
    const { reviewer, asked } = personWho(
      replaceWith(edit('a.txt', ['two', 'TWO'])),
      replaceWith(edit('a.txt', ['two', 'zwei'])),
    );
    const { run } = await executeHere(root, planOf([edit('a.txt', ['one', 'ONE'])]), { reviewer });
    expect(asked.map((question) => question.kind === 'action' && question.modified)).toEqual([
      false,
      true,
      true,
    ]);
    expect(new Set(asked.map(({ hash }) => hash)).size).toBe(3);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\nzwei\n');
    expect(run.actions[0]!.outcome).toMatchObject({
      status: 'success',
      ranAs: expect.stringContaining('zwei'),
    });
    expect(readFileSync(join(root, `.teddy/runs/${run.id}/report.md`), 'utf8')).toContain('zwei');
  });

  test('is never approved by who answers unseen, and a hash of the first question is worth nothing', async () => {
    const root = makeFolder();
    let first = '';
    const { reviewer, asked } = personWho(
      (question) => {
        first = question.hash;
        return replaceWith(execute('touch changed'))();
      },
      () => ({ decision: 'approve', by: 'person', hash: first }),
    );
    // A policy that would allow the changed command.
    const settle = (question: Question) =>
      question.kind === 'action' && question.modified
        ? ({ decision: 'approve', by: 'policy', hash: question.hash } as const)
        : undefined;
    const { run } = await executeHere(root, planOf([execute('touch planned')]), {
      reviewer: { ...reviewer, resolve: settle },
    });
    expect(asked).toHaveLength(2);
    expect(existsSync(join(root, 'planned')) || existsSync(join(root, 'changed'))).toBe(false);
    expect(run.actions[0]!.outcome).toMatchObject({
      status: 'failure',
      ranAs: expect.stringContaining('touch changed'),
    });
  });

  test('is denied by the policy as what it has become', async () => {
    const root = makeFolder({ 'a.txt': 'one\n' });
    const parsed = await parsePolicy('rules: [{deny: EXECUTE, command: "rm *"}, {ask: "*"}]\n');
    if (parsed.status !== 'policy') throw new Error('the policy is not one');
    const { reviewer: person, asked } = personWho(replaceWith(execute('rm -rf a.txt')));
    const reviewer = chooseReviewer({ policy: parsed.policy, person, resolve: resolvePathIn(root) });
    const { run } = await executeHere(root, planOf([execute('true')]), { reviewer });
    expect(asked).toHaveLength(1);
    expect(existsSync(join(root, 'a.txt'))).toBe(true);
    expect(run.actions[0]).toMatchObject({
      decision: { status: 'skipped', by: 'policy' },
      outcome: { status: 'not-run' },
    });
  });

  test.each([
    ['out of the root', create('../out.txt', 'x\n')],
    ['into .git', create('.git/hooks/pre-commit', 'x\n')],
    ['into .teddy', create('.teddy/policy.yaml', 'rules: []\n')],
    ['through a link', create('link/out.txt', 'x\n')],
  ])('leads nowhere %s', async (_name, action) => {
    const root = makeFolder({ '.git/HEAD': 'ref\n' });
    const outside = makeFolder();
    symlinkSync(outside, join(root, 'link'));
    const { reviewer, asked } = personWho(replaceWith(action));
    const { run } = await executeHere(root, planOf([create('a.txt', 'x\n')]), { reviewer });
    expect(asked[1]).toMatchObject({ preview: { kind: 'will-fail' } });
    expect(run.actions[0]!.outcome.status).toBe('failure');
    expect(existsSync(join(outside, 'out.txt'))).toBe(false);
    expect(existsSync(join(root, '.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(join(root, '.teddy/policy.yaml'))).toBe(false);
  });

  test('does not write a mask over a secret', async () => {
    const root = makeFolder({ 'a.txt': 'token = x\nb\n' });
    const { reviewer } = personWho(replaceWith(edit('a.txt', ['b', 'other = [masked:0a1b2c3d]'])));
    const { run } = await executeHere(root, planOf([edit('a.txt', ['b', 'c'])]), { reviewer });
    expect(run.actions[0]!.outcome.status).toBe('failure');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('token = x\nb\n');
  });
});

describe('what a file has become earlier in the plan', () => {
  test('is what a READ by another name shows', async () => {
    const root = makeFolder({ 'docs/a.txt': 'old\nx\n' });
    symlinkSync('docs', join(root, 'by-link'));
    const actions = [
      edit('docs/a.txt', ['old', 'new']),
      read('by-link/a.txt'),
      create('by-link/b.txt', 'b\nc\n'),
    ];
    const more = [read('docs/b.txt'), edit('docs/b.txt', ['b', 'B']), read('by-link/b.txt', 1, 1)];
    const { run } = await executeHere(root, planOf([...actions, ...more]));
    const shown = run.actions.map(({ outcome }) =>
      outcome.status === 'success' ? outcome.output?.text : outcome,
    );
    expect(shown).toEqual([undefined, 'new\nx\n', undefined, 'b\nc\n', undefined, 'B\n']);
  });

  test('is what the next FIND is looked for in, and what commands see', async () => {
    const root = makeFolder({ 'a.txt': 'one\n\n' });
    const actions = [
      edit('a.txt', ['one', 'two']),
      edit('a.txt', ['two', 'three']),
      execute('cat a.txt; echo four > a.txt; echo rest >> a.txt'),
      edit('a.txt', ['four', 'five']),
      read('a.txt'),
    ];
    const { run } = await executeHere(root, planOf(actions));
    expect(run.overall).toBe('Completed');
    expect(run.actions[2]!.outcome).toMatchObject({ output: { text: 'three\n\n' } });
    expect(run.actions[4]!.outcome).toMatchObject({ output: { text: 'five\nrest\n' } });
  });
});

describe('an action that a person changed, in what is told', () => {
  test('its own secrets are masked, and its own words are shown', async () => {
    const root = makeFolder();
    const secret = ['Sommer', '2031', 'Regen'].join('-');
    const changed = execute('echo "$MY_API_TOKEN"', { env: { MY_API_TOKEN: secret } });
    const { reviewer } = personWho(replaceWith(changed));
    const { run, events } = await executeHere(root, planOf([execute('true')]), { reviewer });
    expect(run.actions[0]!.outcome).toMatchObject({
      status: 'success',
      ranAs: expect.stringContaining('MY_API_TOKEN'),
    });
    expect(JSON.stringify([run, events])).not.toContain(secret);
    const labels = events.flatMap((event) => (event.kind === 'action-ended' ? [event.label] : []));
    expect(labels).toEqual(['echo "$MY_API_TOKEN"']);
  });

  test('a write that fails after all still says what was to be written', async () => {
    const root = makeFolder({ 'a.txt': 'one\n' });
    const { reviewer } = personWho(replaceWith(edit('a.txt', ['one', 'two'])), (question) => {
      writeFileSync(join(root, 'a.txt'), 'one, changed\n');
      return yes(question);
    });
    const { run } = await executeHere(root, planOf([edit('a.txt', ['one', 'ONE'])]), { reviewer });
    expect(run.actions[0]!.outcome).toMatchObject({
      status: 'failure',
      ranAs: expect.stringContaining('two'),
    });
  });
});

describe('after a failure', () => {
  const plan = planOf([execute('false'), create('a.txt', 'a\n'), create('b.txt', 'b\n')]);

  test('a yes to the rest that was given before counts no more', async () => {
    let rest = false;
    const reviewer: Reviewer = {
      resolve: ({ hash }) => (rest ? { decision: 'approve', by: 'rest', hash } : undefined),
      async ask({ hash }) {
        rest = true;
        return { decision: 'approve', by: 'rest', hash };
      },
    };
    const { run } = await executeHere(makeFolder(), plan, { reviewer });
    expect(run.actions.map(({ outcome }) => outcome.status)).toEqual(['failure', 'not-run', 'not-run']);
  });

  test('one that is given in sight of it does', async () => {
    let rest = false;
    const reviewer: Reviewer = {
      resolve: ({ hash }) => (rest ? { decision: 'approve', by: 'rest', hash } : undefined),
      async ask(question) {
        rest = question.kind === 'action' && question.number > 1;
        return { decision: 'approve', by: rest ? 'rest' : 'person', hash: question.hash };
      },
    };
    const { run } = await executeHere(makeFolder(), plan, { reviewer });
    expect(run.actions.map(({ outcome }) => outcome.status)).toEqual(['failure', 'success', 'success']);
  });
});

test('PRUNE takes out what a folder in the context brings', async () => {
  const root = makeFolder({ 'src/a.ts': 'a\n', '.teddy/turn.context': 'src\n' });
  const { run } = await executeHere(root, planOf([prune('src/a.ts')]));
  expect(run.overall).toBe('Completed');
  expect(readFileSync(join(root, '.teddy/turn.context'), 'utf8')).toBe('src\n!src/a.ts\n');
});

async function policyOf(text: string) {
  const parsed = await parsePolicy(text);
  if (parsed.status !== 'policy') throw new Error(JSON.stringify(parsed));
  return parsed.policy;
}

describe('a plan that was cut off', () => {
  const started = planOf([execute('ls'), create('a.md', 'one\ntwo\n')]).trimEnd();
  const cut = started.slice(0, started.lastIndexOf('two') + 2);
  const isPresent = (root: string) => existsSync(join(root, 'a.md'));

  test('is cut off in this test', () => {
    expect(cut.endsWith('\none\ntw')).toBe(true);
  });

  test.each([false, true])('--yes refuses it, also with --keep-going: %s', async (keepGoing) => {
    const root = makeFolder({});
    const { run, events } = await executeHere(root, cut, { keepGoing });
    expect(run.refused).toBe(true);
    expect(run.issues.map(({ code }) => code)).toContain('answer-cut-off');
    expect(events.some(({ kind }) => kind === 'action-started')).toBe(false);
    expect(isPresent(root)).toBe(false);
  });

  test('no policy and no decisions approve it, but they may skip it', async () => {
    const root = makeFolder({});
    const policy = await policyOf('rules: [{allow: CREATE, path: "**"}, {allow: EXECUTE, command: "ls"}]\n');
    const decisions = { default: 'approve', named: new Map(), replies: new Map() } as const;
    const reviewer = chooseReviewer({ policy, decisions, resolve: resolvePathIn(root) });
    expect((await executeHere(root, cut, { reviewer })).run.refused).toBe(true);
    expect(isPresent(root)).toBe(false);
  });

  test('a person is asked about it, and accepts what came', async () => {
    const root = makeFolder({});
    const person = personWho();
    const policy = await policyOf('rules: [{allow: EXECUTE, command: "ls"}, {allow: CREATE, path: "**"}]\n');
    const reviewer = chooseReviewer({
      policy,
      yes: true,
      person: person.reviewer,
      resolve: resolvePathIn(root),
    });
    const { run } = await executeHere(root, cut, { reviewer });
    expect(run.overall).toBe('Completed');
    expect(person.asked).toHaveLength(1);
    expect(person.asked[0]).toMatchObject({ risks: [{ kind: 'cut-off' }], action: { cutOff: true } });
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('one\ntw\n');
  });

  test('of a command nothing runs, whoever is there', async () => {
    const text = planOf([create('a.md', 'a\n'), execute('echo one two')]).trimEnd();
    const root = makeFolder({});
    const person = personWho();
    const half = text.slice(0, text.lastIndexOf('two') + 2);
    const { run } = await executeHere(root, half, { reviewer: person.reviewer });
    expect(run.refused).toBe(true);
    expect(person.asked).toEqual([]);
    expect(isPresent(root)).toBe(false);
  });
});

test('what was repaired is told when the run begins, and in both reports', async () => {
  const text = planOf([create('a.md', 'a\n'), execute('ls')]).replace(/\na\n`+\n/, '\na````\n');
  const { run, events } = await executeHere(makeFolder({}), text);
  expect(run.overall).toBe('Completed');
  const [begun] = events;
  expect(begun).toMatchObject({ kind: 'run-started', repairs: [{ code: 'fence-repaired' }] });
  for (const report of [renderMirrored(run), renderContract(run)]) {
    expect(report).toContain('## Repairs');
    expect(report).toContain('the closing fence was at the end of the line');
  }
});
