import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../../src/node/errors.js';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { sha256 } from '../../../src/node/ids.js';
import { Sessions } from '../../../src/sessions/turns/sessions.js';
import type { PlanAttempt, Turn } from '../../../src/sessions/turns/turn.js';
import type { FullStart, KeptAnswer } from '../../../src/sessions/turns/turn-changes.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder, readTree } from '../../folder.js';
import { planOf, runOf } from './make.js';

const AT = '2026-01-26T10:30:45Z';
const LATER = '2026-01-26T11:00:00Z';
const START: FullStart = {
  agent: 'assistant',
  callers: [],
  handoff: null,
  context: 'a.ts\n',
  prompt: 'Be good.\n',
};
const RUN = runOf(planOf([]));
const REFUSED = { ...RUN, refused: true };

let root: string;
let sessions: Sessions;
beforeEach(async () => {
  // What a power cut would leave is tested elsewhere, and waiting for the disk takes most of the time.
  setFileSeam((call, perform) => (call.name === 'sync' ? undefined : perform(call.args)));
  root = makeFolder();
  sessions = new Sessions(new Workspace(root, root, 100));
});
afterEach(() => setFileSeam(undefined));

const at = (path: string) => join(root, '.teddy/sessions', path);
const put = (path: string, text: string) => writeFileSync(at(path), text);

/** The files of the sessions, without what is only the machine's. */
function files(): Record<string, string> {
  const all = Object.entries(readTree(join(root, '.teddy')));
  return Object.fromEntries(
    all.filter(([path]) => path === 'session' || (path.startsWith('sessions/') && !path.endsWith('/lock'))),
  );
}

const attempt = (outcome: PlanAttempt['outcome'], reason: string | null = null): KeptAnswer['attempt'] => ({
  outcome,
  reason,
  at: AT,
  tokens: { input: 10, output: 2, estimated: false },
  costUsd: 0.5,
});
const passed = (text: string): KeptAnswer => ({
  text,
  attempt: attempt('passed'),
  model: { provider: 'anthropic', name: 'm' },
  feedback: null,
  at: LATER,
  plan: `${text} (repaired)`,
});
const failed = (text: string | null, feedback: string | null = null): KeptAnswer => ({
  ...passed(''),
  text,
  plan: null,
  feedback,
  attempt: attempt('refused', 'It is no plan.'),
});

/** A turn with a plan that nobody has decided on. */
async function planned(name = 'auth'): Promise<Turn> {
  const made = await sessions.create(name, START, AT);
  const asked = await sessions.keepInput(made, { input: 'All.\n', message: 'Do it.' });
  return sessions.keepAnswer(asked, passed('# Plan\n'));
}

const conclusion = {
  run: RUN,
  reportText: '# Report\n',
  next: { ...START, agent: 'developer', context: 'b.ts\n', prompt: 'Be quick.\n' },
  concluded: false,
  at: LATER,
  alongside: [],
};

describe('a session', () => {
  test('begins with its first turn, and is the current one', async () => {
    const turn = await sessions.create('auth', START, AT);
    expect(files()).toEqual({
      session: 'auth\n',
      'sessions/auth/session.context': expect.stringMatching(/^# .+\n$/),
      'sessions/auth/01/system_prompt.md': 'Be good.\n',
      'sessions/auth/01/turn.context': 'a.ts\n',
      'sessions/auth/01/meta.yaml': expect.stringMatching(/^id: auth\/01\nparent: null\nagent: assistant\n/),
    });
    expect(turn).toMatchObject({ stage: 'made', folder: '.teddy/sessions/auth/01', input: null });
    expect(sessions.readTurn('auth', 1)).toEqual(turn);
    expect(sessions.lastTurn('auth')).toEqual(turn);
    expect([sessions.names(), sessions.turns('auth'), sessions.current()]).toEqual([['auth'], [1], 'auth']);
  });

  test('where there is none, all is empty, and nothing is made by looking', () => {
    expect([sessions.names(), sessions.current(), sessions.globalContext()]).toEqual([[], undefined, '']);
    expect(() => sessions.lastTurn('auth')).toThrow(
      'There is no session here yet. Start one with teddy chat, or teddy new NAME.',
    );
    expect(existsSync(join(root, '.teddy'))).toBe(false);
  });

  test('one of another name is told which there are', async () => {
    await sessions.create('auth', START, AT);
    for (const look of [
      () => sessions.turns('nope'),
      () => sessions.readTurn('nope', 1),
      () => sessions.lastTurn('../auth'),
      () => sessions.sessionContext('nope'),
      () => sessions.page('nope', 'https://a.b'),
      () => sessions.isLive('nope'),
      () => sessions.hold('nope'),
    ])
      expect(look).toThrow(/^There is no session ".+"\. There are: auth\. teddy new NAME starts another\.$/);
    await expect(sessions.useSession('nope')).rejects.toThrow('There is no session "nope"');
    await expect(sessions.keepPage('nope', 'https://a.b', '')).rejects.toThrow('There is no session "nope"');
    expect(() => sessions.readTurn('auth', 2)).toThrow(new UserError('There is no turn auth/02.'));
  });

  test('is not begun twice, nor under a name that some disks take for it', async () => {
    await sessions.create('auth', START, AT);
    const before = files();
    await expect(sessions.create('auth', START, AT)).rejects.toThrow('Session auth exists already');
    await expect(sessions.create('Auth', START, AT)).rejects.toThrow(
      'Session auth exists already. Choose a name that differs in more than upper and lower case.',
    );
    await expect(sessions.create('../x', START, AT)).rejects.toThrow('is not a name for a session');
    expect(files()).toEqual(before);
  });

  test('is begun where only the leavings of one are, and keeps a context that somebody wrote', async () => {
    mkdirSync(at('auth/02'), { recursive: true });
    put('auth/lock', '');
    put('auth/02/answer.part', 'left');
    put('auth/session.context', 'docs\n');
    expect(sessions.names()).toEqual([]);
    await sessions.create('auth', START, AT);
    expect(sessions.turns('auth')).toEqual([1]);
    expect(sessions.sessionContext('auth')).toBe('docs\n');
  });

  test('the current one is the one last used, else the one whose last turn was made last', async () => {
    await sessions.create('old', START, '2026-01-01T00:00:00Z');
    await sessions.create('new', START, '2026-01-03T00:00:00Z');
    await sessions.create('mid', START, '2026-01-02T00:00:00Z');
    expect(sessions.current()).toBe('mid');
    await sessions.useSession('old');
    expect(sessions.current()).toBe('old');
    for (const text of ['gone\n', '', '../auth\n', 'x'.repeat(5000)]) {
      writeFileSync(join(root, '.teddy/session'), text);
      expect(sessions.current()).toBe('new');
    }
    rmSync(join(root, '.teddy/session'));
    expect(sessions.current()).toBe('new');
    mkdirSync(join(root, '.teddy/session'));
    expect(sessions.current()).toBe('new');
    put('new/01/meta.yaml', 'broken');
    expect(sessions.current()).toBe('mid');
  });

  test('a look at one opens no other, nor its earlier turns', async () => {
    const countCalls = () => {
      let calls = 0;
      setFileSeam((call, perform) => {
        if (call.name === 'open') calls++;
        return perform(call.args);
      });
      sessions.lastTurn('auth');
      return calls;
    };
    await sessions.create('auth', START, AT);
    const alone = countCalls();
    for (const name of ['b', 'c', 'd']) await sessions.create(name, START, AT);
    renameSync(at('auth/01'), at('auth/03'));
    put('auth/03/meta.yaml', readFileSync(at('auth/03/meta.yaml'), 'utf8').replace('auth/01', 'auth/03'));
    for (const turn of ['01', '02']) {
      mkdirSync(at(`auth/${turn}`));
      put(`auth/${turn}/meta.yaml`, '');
    }
    expect(countCalls()).toBe(alone);
  });

  test('may be given another name by hand', async () => {
    const turn = await planned();
    renameSync(at('auth'), at('login'));
    const moved = sessions.lastTurn('login');
    expect(moved).toMatchObject({ folder: '.teddy/sessions/login/01', meta: { session: 'login' } });
    await sessions.conclude(moved, conclusion);
    expect(sessions.turns('login')).toEqual([1, 2]);
    await expect(sessions.keepInput(turn, { input: '', message: null })).rejects.toThrow(UserError);
  });
});

describe('a turn on its way', () => {
  test('asked: its input and the message', async () => {
    const made = await sessions.create('auth', START, AT);
    const asked = await sessions.keepInput(made, { input: 'All.\n', message: 'Do it.' });
    expect(asked).toMatchObject({ stage: 'asked', input: 'All.\n', meta: { message: 'Do it.' } });
    expect(sessions.lastTurn('auth')).toEqual(asked);
    const again = await sessions.keepInput(asked, { input: 'Less.\n', message: null });
    expect(sessions.lastTurn('auth')).toEqual(again);
    expect(files()['sessions/auth/01/input.md']).toBe('Less.\n');
  });

  test('asked of another planner: the prompt goes with it', async () => {
    const made = await sessions.create('auth', START, AT);
    const agent = { name: 'debugger', prompt: 'Look.\n' };
    const asked = await sessions.keepInput(made, { input: 'All.\n', message: null, agent });
    expect(asked).toMatchObject({ prompt: 'Look.\n', meta: { agent: 'debugger' } });
    expect(sessions.lastTurn('auth')).toEqual(asked);
  });

  test('planned: the answer as it came, and its plan', async () => {
    const turn = await planned();
    expect(files()).toMatchObject({
      'sessions/auth/01/answer.md': '# Plan\n',
      'sessions/auth/01/plan.md': '# Plan\n (repaired)',
    });
    expect(turn).toMatchObject({
      stage: 'planned',
      meta: {
        model: { provider: 'anthropic', name: 'm' },
        plannedAt: LATER,
        attempts: [{ answer: 'answer.md', outcome: 'passed', tokens: { input: 10 }, costUsd: 0.5 }],
      },
    });
    expect(sessions.lastTurn('auth')).toEqual(turn);
  });

  test('answers that did not pass have numbers, and what was said of them', async () => {
    let turn = await sessions.create('auth', START, AT);
    turn = await sessions.keepAnswer(turn, failed('no', 'Try again.'));
    turn = await sessions.keepAnswer(turn, failed(null));
    turn = await sessions.keepAnswer(turn, failed('half'));
    turn = await sessions.keepAnswer(turn, failed(null, 'You said nothing.'));
    turn = await sessions.keepAnswer(turn, failed('no more', 'And again.'));
    expect(turn.stage).toBe('made');
    expect(turn.meta.attempts.map(({ answer }) => answer)).toEqual([
      'answer-1.md',
      null,
      'answer-2.md',
      null,
      'answer-4.md',
    ]);
    expect(files()).toMatchObject({
      'sessions/auth/01/answer-1.md': 'no',
      'sessions/auth/01/feedback-1.md': 'Try again.',
      'sessions/auth/01/answer-2.md': 'half',
      'sessions/auth/01/feedback-3.md': 'You said nothing.',
      'sessions/auth/01/answer-4.md': 'no more',
      'sessions/auth/01/feedback-4.md': 'And again.',
    });
    expect(Object.keys(files()).filter((path) => /answer|feedback/.test(path))).toHaveLength(6);
    expect(sessions.lastTurn('auth')).toEqual(turn);
  });

  test('another plan replaces one that was not carried out; nothing is lost of it', async () => {
    const first = await planned();
    const second = await sessions.keepAnswer(first, passed('# Better\n'));
    expect(files()).toMatchObject({
      'sessions/auth/01/answer.md': '# Better\n',
      'sessions/auth/01/plan.md': '# Better\n (repaired)',
      'sessions/auth/01/answer-1.md': '# Plan\n',
    });
    expect(second.meta.attempts).toMatchObject([
      { answer: 'answer-1.md', outcome: 'replaced', reason: expect.stringMatching(/\.$/), costUsd: 0.5 },
      { answer: 'answer.md', outcome: 'passed', reason: null },
    ]);
    expect(sessions.lastTurn('auth')).toEqual(second);
  });

  test('the same answer once more is one more attempt', async () => {
    const second = await sessions.keepAnswer(await planned(), passed('# Plan\n'));
    expect(files()['sessions/auth/01/answer-1.md']).toBe('# Plan\n');
    expect(sessions.lastTurn('auth')).toEqual(second);
  });

  test('an answer that does not pass leaves the plan that is there', async () => {
    const turn = await sessions.keepAnswer(await planned(), failed('no', 'Again.'));
    expect(turn).toMatchObject({ stage: 'planned', answer: '# Plan\n', meta: { plannedAt: LATER } });
    expect(sessions.lastTurn('auth')).toEqual(turn);
  });

  test('a plan that somebody put there by hand is kept, too', async () => {
    await sessions.create('auth', START, AT);
    put('auth/01/plan.md', '# By hand\n');
    const turn = await sessions.keepAnswer(sessions.lastTurn('auth'), passed('# Plan\n'));
    expect(files()['sessions/auth/01/answer-1.md']).toBe('# By hand\n');
    expect(turn.meta.attempts).toMatchObject([
      { answer: 'answer-1.md', outcome: 'replaced', tokens: null, costUsd: null },
      { answer: 'answer.md' },
    ]);
  });

  test('texts are kept to the letter', async () => {
    const text = '\ufeff# Plan\r\n\0 ä😀\t';
    const made = await sessions.create('auth', { ...START, context: '', prompt: text }, AT);
    await sessions.keepAnswer(made, passed(text));
    expect(sessions.lastTurn('auth')).toMatchObject({ prompt: text, context: '', answer: text });
  });

  test('concluded: the report, the next turn and the files of the run in one commit', async () => {
    const turn = await planned();
    await sessions.create('other', START, AT);
    const record = {
      path: '.teddy/runs/x/run.json',
      before: null,
      after: new Uint8Array([123, 125]),
      mode: 0o600,
    };
    await sessions.conclude(turn, { ...conclusion, concluded: true, alongside: [record] });
    const [done, next] = [sessions.readTurn('auth', 1), sessions.readTurn('auth', 2)];
    expect(done).toMatchObject({
      stage: 'done',
      report: '# Report\n',
      plan: turn.plan,
      meta: { run: { id: RUN.id, overall: 'Completed', endedAt: RUN.endedAt }, concluded: true },
    });
    expect(next).toMatchObject({
      stage: 'made',
      context: 'b.ts\n',
      prompt: 'Be quick.\n',
      meta: { turn: 2, parent: 1, agent: 'developer', madeAt: LATER, concluded: false, attempts: [] },
    });
    expect(readFileSync(join(root, '.teddy/runs/x/run.json'), 'utf8')).toBe('{}');
    expect(sessions.current()).toBe('auth');
  });

  test('after the 99th comes the 100th', async () => {
    await planned();
    renameSync(at('auth/01'), at('auth/99'));
    put('auth/99/meta.yaml', readFileSync(at('auth/99/meta.yaml'), 'utf8').replace('auth/01', 'auth/99'));
    await sessions.conclude(sessions.lastTurn('auth'), conclusion);
    expect(sessions.turns('auth')).toEqual([99, 100]);
    expect(sessions.lastTurn('auth').folder).toBe('.teddy/sessions/auth/100');
  });

  test('a turn with a report is read-only', async () => {
    const turn = await planned();
    await sessions.conclude(turn, conclusion);
    const before = files();
    for (const each of [turn, sessions.readTurn('auth', 1)])
      for (const change of [
        () => sessions.keepInput(each, { input: '', message: null }),
        () => sessions.keepAnswer(each, passed('x')),
        () => sessions.conclude(each, conclusion),
        () => sessions.reopen(each, { run: REFUSED, at: AT, reason: 'No.', feedback: '', alongside: [] }),
      ])
        await expect(change()).rejects.toThrow(
          new UserError('Turn auth/01 has its report and is read-only.'),
        );
    expect(files()).toEqual(before);
  });

  test('a refused run opens its turn again', async () => {
    const turn = await planned();
    const record = { path: '.teddy/runs/x/run.json', before: null, after: new Uint8Array(), mode: 0o600 };
    const reason = 'The title is missing.';
    const feedback = 'Mend it.\n';
    await sessions.reopen(turn, { run: REFUSED, at: LATER, reason, feedback, alongside: [record] });
    const open = sessions.lastTurn('auth');
    expect(open).toMatchObject({
      stage: 'asked',
      answer: null,
      plan: null,
      meta: { plannedAt: null, run: null, message: 'Do it.' },
    });
    expect(open.meta.attempts).toMatchObject([{ answer: 'answer-1.md', outcome: 'refused', reason }]);
    expect(files()['sessions/auth/01/answer-1.md']).toBe('# Plan\n');
    expect(files()['sessions/auth/01/feedback-1.md']).toBe(feedback);
    // It was not the plan that the answer comes to: what somebody made of it is what was refused.
    expect(sessions.refusedAnswer(open)).toEqual({ text: '# Plan\n (repaired)', feedback });
    expect(existsSync(join(root, '.teddy/runs/x/run.json'))).toBe(true);
    const again = await sessions.keepAnswer(open, passed('# Mended\n'));
    expect(again.meta.attempts.map(({ answer }) => answer)).toEqual(['answer-1.md', 'answer.md']);
  });
});

describe('another program', () => {
  test('that changed the turn since it was read is found out', async () => {
    const made = await sessions.create('auth', START, AT);
    await sessions.keepInput(made, { input: 'theirs', message: 'theirs' });
    const before = files();
    await expect(sessions.keepInput(made, { input: 'mine', message: 'mine' })).rejects.toThrow(
      new UserError('Turn auth/01 was changed by another program; nothing was written.'),
    );
    rmSync(at('auth/01/meta.yaml'));
    await expect(sessions.keepAnswer(made, passed('x'))).rejects.toThrow('was changed by another program');
    expect(files()).toEqual(
      Object.fromEntries(Object.entries(before).filter(([path]) => !path.endsWith('meta.yaml'))),
    );
  });

  test('that wrote remarks into meta.yaml changed nothing of the turn', async () => {
    const made = await sessions.create('auth', START, AT);
    put('auth/01/meta.yaml', `# mine\nmood: good\n${readFileSync(at('auth/01/meta.yaml'), 'utf8')}`);
    const asked = await sessions.keepInput(made, { input: 'All.\n', message: null });
    expect(sessions.lastTurn('auth')).toEqual(asked);
  });

  test('that put a file where one is to be made is named, and its file stays', async () => {
    const turn = await planned();
    mkdirSync(at('auth/02'));
    put('auth/02/turn.context', 'theirs');
    const before = files();
    await expect(sessions.conclude(turn, conclusion)).rejects.toThrow(
      'Nothing was written, because files have changed: .teddy/sessions/auth/02/turn.context is there already. Try again.',
    );
    put('auth/01/plan.md', 'edited');
    await expect(sessions.keepAnswer(turn, passed('x'))).rejects.toThrow(
      '.teddy/sessions/auth/01/plan.md was changed by another program',
    );
    expect(files()).toEqual({ ...before, 'sessions/auth/01/plan.md': 'edited' });
  });

  test('that was there right after is named', async () => {
    const made = await sessions.create('auth', START, AT);
    setFileSeam((call, perform) => {
      const result = perform(call.args);
      if (call.name === 'unlink' && String(call.args[0]).endsWith('.new')) put('auth/01/input.md', 'theirs');
      return result;
    });
    await expect(sessions.keepInput(made, { input: 'mine', message: null })).rejects.toThrow(
      '.teddy/sessions/auth/01/input.md was changed by another program right after teddy had written it',
    );
  });

  test('that holds the lock of the project is said to', async () => {
    const turn = await planned();
    const lock = new Workspace(root).hold('.teddy/lock')!;
    await expect(sessions.conclude(turn, conclusion)).rejects.toThrow('another teddy has held the lock');
    lock.release();
    await sessions.conclude(turn, conclusion);
  });
});

describe('files of a stranger', () => {
  test('one broken turn hides no other', async () => {
    await sessions.conclude(await planned(), conclusion);
    put('auth/01/meta.yaml', 'id: [');
    expect(sessions.turns('auth')).toEqual([1, 2]);
    expect(() => sessions.readTurn('auth', 1)).toThrow(
      /^\.teddy\/sessions\/auth\/01\/meta\.yaml is not valid YAML: .+\.$/,
    );
    expect(sessions.lastTurn('auth').meta.turn).toBe(2);
    for (const name of ['meta.yaml', 'system_prompt.md']) {
      const text = readFileSync(at(`auth/02/${name}`));
      rmSync(at(`auth/02/${name}`));
      expect(() => sessions.lastTurn('auth')).toThrow(`.teddy/sessions/auth/02/${name} is missing.`);
      writeFileSync(at(`auth/02/${name}`), text);
    }
    rmSync(at('auth/02/turn.context'));
    expect(sessions.lastTurn('auth').context).toBe('');
  });

  test('a turn that says it is another one is refused', async () => {
    await planned();
    renameSync(at('auth/01'), at('auth/07'));
    expect(() => sessions.lastTurn('auth')).toThrow('belongs to another turn (auth/01).');
  });

  test.each([
    'system_prompt.md',
    'turn.context',
    'meta.yaml',
    'input.md',
    'answer.md',
    'plan.md',
    'report.md',
  ])('a link, a folder or other bytes in the place of %s', async (name) => {
    await planned();
    const file = at(`auth/01/${name}`);
    const outside = join(makeFolder({ secret: 'their secret' }), 'secret');
    writeFileSync(join(root, 'inside.md'), 'mine');
    for (const target of [outside, join(root, 'inside.md'), '../../../../inside.md', 'answer.md-nowhere']) {
      rmSync(file, { force: true });
      symlinkSync(target, file);
      expect(() => sessions.lastTurn('auth'), target).toThrow(/^\.teddy\/sessions\/auth\/01\/.+ leads .+\.$/);
    }
    rmSync(file);
    mkdirSync(file);
    expect(() => sessions.lastTurn('auth')).toThrow(`/${name} is a folder.`);
    rmSync(file, { recursive: true });
    writeFileSync(file, new Uint8Array([0xff, 0xfe, 0]));
    expect(() => sessions.lastTurn('auth')).toThrow(`/${name} is not UTF-8 text.`);
  });

  test('folders behind links are no sessions and no turns', async () => {
    await planned();
    symlinkSync(at('auth'), at('linked'));
    symlinkSync(at('auth/01'), at('auth/02'));
    writeFileSync(at('file'), '');
    writeFileSync(at('auth/03'), '');
    for (const name of ['1', '004', '0', 'x1', '05']) mkdirSync(at(`auth/${name}`));
    for (const name of ['1', '004', '0', 'x1']) put(`auth/${name}/meta.yaml`, '');
    mkdirSync(at('.hidden/01'), { recursive: true });
    put('.hidden/01/meta.yaml', '');
    expect([sessions.names(), sessions.turns('auth')]).toEqual([['auth'], [1]]);
  });

  test('nothing is written through a link', async () => {
    const turn = await planned();
    const outside = makeFolder({ 'x.md': 'theirs' });
    rmSync(at('auth/01'), { recursive: true });
    symlinkSync(outside, at('auth/01'));
    await expect(sessions.keepAnswer(turn, passed('x'))).rejects.toThrow(UserError);
    expect(() => sessions.openDraft(turn)).toThrow(UserError);
    symlinkSync(outside, at('other'));
    await expect(sessions.create('other', START, AT)).rejects.toThrow(UserError);
    expect(readTree(outside)).toEqual({ 'x.md': 'theirs' });
  });

  test('what could not be read again is not written', async () => {
    const made = await sessions.create('auth', START, AT);
    const before = files();
    const long = 'x'.repeat(9 * 1024 * 1024);
    await expect(sessions.keepInput(made, { input: 'All.', message: long })).rejects.toThrow(
      'The record of turn auth/01 would be larger than can be read again.',
    );
    expect(files()).toEqual(before);
    put('auth/01/meta.yaml', long);
    expect(() => sessions.lastTurn('auth')).toThrow(/meta\.yaml is larger than \d+ bytes\.$/);
  });
});

describe('pages', () => {
  const url = 'https://example.com/a?b#c';

  test('are kept as they were read, by their address', async () => {
    await sessions.create('auth', START, AT);
    expect(sessions.page('auth', url)).toBeUndefined();
    await sessions.keepPage('auth', url, '# Page\n');
    expect(files()[`sessions/auth/pages/${sha256(url).slice(0, 16)}.md`]).toBe('# Page\n');
    await sessions.keepPage('auth', url, '# Newer\n');
    await sessions.keepPage('auth', url, '# Newer\n');
    expect(sessions.page('auth', url)).toBe('# Newer\n');
    expect(sessions.page('auth', `${url}d`)).toBeUndefined();
    expect(sessions.turns('auth')).toEqual([1]);
  });

  test('a link in the place of one is refused', async () => {
    await sessions.create('auth', START, AT);
    mkdirSync(at('auth/pages'));
    symlinkSync('/etc/hostname', at(`auth/pages/${sha256(url).slice(0, 16)}.md`));
    expect(() => sessions.page('auth', url)).toThrow(/leads out of the root/);
    await expect(sessions.keepPage('auth', url, 'x')).rejects.toThrow(/leads out of the root/);
  });
});

describe('contexts', () => {
  test('are the texts of their files', async () => {
    await sessions.create('auth', START, AT);
    put('auth/session.context', 'docs\n');
    writeFileSync(join(root, '.teddy/global.context'), 'README.md\n');
    expect([sessions.sessionContext('auth'), sessions.globalContext()]).toEqual(['docs\n', 'README.md\n']);
    rmSync(at('auth/session.context'));
    expect(sessions.sessionContext('auth')).toBe('');
    symlinkSync('/etc/hostname', at('auth/session.context'));
    expect(() => sessions.sessionContext('auth')).toThrow(/session\.context leads out of the root/);
  });
});

describe('who works in a session', () => {
  test('keeps every other from it, until it lets go', async () => {
    await sessions.create('auth', START, AT);
    await sessions.create('other', START, AT);
    const others = new Sessions(new Workspace(root));
    expect(others.isLive('auth')).toBe(false);
    expect(existsSync(at('auth/lock'))).toBe(false);
    const held = sessions.hold('auth');
    expect([sessions.isLive('auth'), others.isLive('auth'), others.isLive('other')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(() => others.hold('auth')).toThrow(
      new UserError('Another teddy is working in session auth. Try again when it has finished.'),
    );
    held.release();
    expect(others.isLive('auth')).toBe(false);
    others.hold('auth').release();
  });

  test('a link in the place of the lock is refused', async () => {
    await sessions.create('auth', START, AT);
    symlinkSync(join(root, 'elsewhere'), at('auth/lock'));
    expect(() => sessions.hold('auth')).toThrow('.teddy/sessions/auth/lock cannot be used (ELOOP).');
    expect(existsSync(join(root, 'elsewhere'))).toBe(false);
    expect(sessions.isLive('auth')).toBe(false);
  });
});

describe('a draft', () => {
  test('has all that came, and goes when the answer is kept', async () => {
    const made = await sessions.create('auth', START, AT);
    expect(sessions.leftDraft(made)).toBeUndefined();
    const draft = sessions.openDraft(made);
    expect(sessions.leftDraft(made)).toBe('');
    for (const piece of ['# Pl', 'an ', '\ud83d', '\ude00', ' and ', '\ud83d']) draft.write(piece);
    expect(sessions.leftDraft(made)).toBe('# Plan 😀 and ');
    draft.close();
    expect(sessions.leftDraft(made)).toBe('# Plan 😀 and \ufffd');
    draft.write('nothing');
    draft.close();
    const turn = await sessions.keepAnswer(made, failed('# Plan 😀 and'));
    expect(sessions.leftDraft(turn)).toBeUndefined();
    expect(existsSync(at('auth/01/answer.part'))).toBe(false);
  });

  test('goes on behind what a process left that died', async () => {
    const made = await sessions.create('auth', START, AT);
    writeFileSync(at('auth/01/answer.part'), Buffer.from([0xf0, 0x9f, 0x98]));
    expect(sessions.leftDraft(made)).toBe('\ufffd');
    const draft = sessions.openDraft(made);
    draft.write('more');
    draft.close();
    expect(sessions.leftDraft(made)).toBe('\ufffdmore');
  });

  test('is not written into what a stranger put there', async () => {
    const made = await sessions.create('auth', START, AT);
    writeFileSync(join(root, 'theirs'), 'theirs');
    linkSync(join(root, 'theirs'), at('auth/01/answer.part'));
    expect(() => sessions.openDraft(made)).toThrow('has other names');
    rmSync(at('auth/01/answer.part'));
    symlinkSync(join(root, 'theirs'), at('auth/01/answer.part'));
    expect(() => sessions.openDraft(made)).toThrow('answer.part cannot be used (ELOOP).');
    expect(() => sessions.leftDraft(made)).toThrow(/answer\.part leads through a link/);
    expect(readFileSync(join(root, 'theirs'), 'utf8')).toBe('theirs');
  });
});
