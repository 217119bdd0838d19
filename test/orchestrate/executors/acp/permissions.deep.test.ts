import { expect, test } from 'vitest';
import { parsePolicy } from '../../../../src/config/policy-file.js';
import type { AgentDecisions } from '../../../../src/orchestrate/executors/types.js';
import { runAgentProgram } from './run-agent-program.js';

type Asked = Parameters<NonNullable<AgentDecisions['ask']>>[0];

async function policyOf(text: string): Promise<AgentDecisions['policy']> {
  const read = await parsePolicy(`rules:\n${text}`);
  if (read.status !== 'policy') throw new Error(JSON.stringify(read));
  return read.policy;
}

/** `answer`: the user's words; null if they refuse to answer, with a reason. */
async function decide(policy: string, answer: string | null | undefined, behaviour: string, asks: string) {
  const questions: Asked[] = [];
  const ask: AgentDecisions['ask'] = async (asked) => {
    questions.push(asked);
    return answer === undefined ? undefined : { text: answer, reason: answer === null ? 'Too risky.' : null };
  };
  const decisions = { policy: await policyOf(policy), hasUser: true, ask };
  const ran = await runAgentProgram(behaviour, { decisions, env: { ASKED: asks } });
  const outcomes = ran.notes.filter((note) => typeof note === 'object') as {
    outcome: { optionId?: string };
  }[];
  const prompts = ran.notes.filter((note) => typeof note === 'string');
  return { ...ran, questions, chosen: outcomes.map(({ outcome }) => outcome.optionId), prompts };
}

const NO_RULE = '  - {allow: READ}\n';

test.each([
  ['a rule allows it', '  - {allow: EXECUTE, command: "npm test"}\n', 'npm test', 'a'],
  ['a rule denies it', '  - {deny: EXECUTE, command: "npm *"}\n  - {allow: EXECUTE}\n', 'npm test', 'c'],
])('%s: no one is asked', async (_, policy, command, option) => {
  const { chosen, questions, end } = await decide(policy, 'allow', 'asks', command);
  expect({ chosen, asked: questions.length, status: end.status }).toEqual({
    chosen: [option],
    asked: 0,
    status: 'returned',
  });
});

test.each([
  ['no rule matches', NO_RULE, 'npm test'],
  ['it is more than one simple command', '  - {allow: EXECUTE}\n', 'npm test; rm -rf /'],
  ['a rule asks', '  - {ask: "*"}\n  - {allow: EXECUTE}\n', 'npm test'],
])('%s: the user is asked', async (_, policy, command) => {
  const { questions, chosen } = await decide(policy, 'Allow', 'asks', command);
  expect(chosen).toEqual(['a']);
  expect(questions).toMatchObject([
    {
      client: 'mine',
      options: ['Allow: Yes', 'Allow always: Yes, always', 'Refuse: No'],
    },
  ]);
  const [title, about, ...rest] = questions[0]!.question.split('\n');
  expect(title).toBe(`May it run a command: ${command}`);
  expect(about).toBe(`Task 03-01:2, attempt 1. The agent's words: Run ${command}`);
  expect(rest).toEqual(['', 'Command:', command]);
});

test.each([
  ['2', 'b'],
  ['allow always: yes, always', 'b'],
  ['y', 'a'],
  ['3', 'c'],
  ['no', 'c'],
])('the answer %j', async (answer, option) => {
  const { chosen, prompts } = await decide(NO_RULE, answer, 'asks', 'npm test');
  expect(chosen).toEqual([option]);
  expect(prompts).toEqual(['Do it.\n']);
});

test.each([
  ['other words', 'Use pnpm instead.', 'Use pnpm instead.'],
  ['a refusal with a reason', null, 'Too risky.'],
])('%s: it is refused, and the reason is the next prompt', async (_, answer, reason) => {
  const { chosen, prompts, end } = await decide(NO_RULE, answer, 'asks', 'npm test');
  expect(chosen).toEqual(['c']);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toContain(`- Run npm test: ${reason}\n`);
  expect(end).toMatchObject({ status: 'returned', remarks: [`Refused: Run npm test (${reason})`] });
});

test('a denial names its rule to the agent, and the tokens of both turns count', async () => {
  const policy = '  - {deny: EXECUTE, command: "npm *"}\n';
  const { prompts, end } = await decide(policy, 'allow', 'asks', 'npm publish');
  expect(prompts[1]).toContain('- Run npm publish: Denied by policy: rule 1 (deny EXECUTE "npm *").\n');
  expect(end.usage).toMatchObject({ inputTokens: 200, outputTokens: 40 });
});

test.each([
  ['src/new.txt', ['a'], 0],
  ['other/new.txt', ['c'], 1],
  ['../outside.txt', ['c'], 1],
  ['/etc/passwd', ['c'], 1],
  ['src/../../outside.txt', ['c'], 1],
  ['.git/hooks/pre-commit', ['c'], 0],
  ['.TEDDY/config.yaml', ['c'], 0],
])('writing %s', async (path, chosen, asked) => {
  const done = await decide('  - {allow: CREATE, path: "src/**"}\n', null, 'edits', path);
  expect({ chosen: done.chosen, asked: done.questions.length }).toEqual({ chosen, asked });
  if (asked > 0) expect(done.questions[0]!.question).toContain(`New file ${path}:\none\n`);
});

test('without anyone to ask it is refused', async () => {
  const decisions = { policy: { rules: [] }, hasUser: false };
  const { notes, end } = await runAgentProgram('asks', { decisions });
  expect(notes).toContainEqual({ outcome: { outcome: 'selected', optionId: 'c' } });
  const reason = 'The policy does not allow it, and there is no one to ask.';
  expect(end).toMatchObject({ status: 'returned', remarks: [`Refused: Run npm test (${reason})`] });
});

test('the time that the user takes does not count', async () => {
  const ask: AgentDecisions['ask'] = (_, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve({ text: 'allow', reason: null }), 6000);
      signal.addEventListener('abort', () => clearTimeout(timer));
    });
  const decisions = { policy: { rules: [] }, ask };
  const present = await runAgentProgram('asks', {
    decisions: { ...decisions, hasUser: true },
    timeoutMs: 5000,
  });
  expect(present.end).toMatchObject({ status: 'returned' });
  const absent = await runAgentProgram('asks', {
    decisions: { ...decisions, hasUser: false },
    timeoutMs: 5000,
  });
  expect(absent.end).toMatchObject({ status: 'timed-out' });
});

test('the fields of a form are asked one by one, again where an answer does not fit', async () => {
  const answers = ['2', 'many', '12', 'yes', 'x, 2'];
  const asked: Asked[] = [];
  const ask: AgentDecisions['ask'] = async (question) => {
    asked.push(question);
    return { text: answers[asked.length - 1]!, reason: null };
  };
  const { notes } = await runAgentProgram('has a form', {
    decisions: { policy: { rules: [] }, hasUser: true, ask },
  });
  const content = { color: 'blue', count: 12, sure: true, tags: ['x', 'y'] };
  expect(notes).toEqual([{ action: 'accept', content }]);
  expect(asked.map(({ options }) => options)).toEqual([['red', 'blue'], [], [], ['Yes', 'No'], ['x', 'y']]);
  expect(asked[2]!.question).toContain('"many" does not fit. Answer with a whole number.');
});

test('a form that the user does not answer is declined', async () => {
  const ask: AgentDecisions['ask'] = async () => ({ text: null, reason: null });
  const { notes } = await runAgentProgram('has a form', {
    decisions: { policy: { rules: [] }, hasUser: true, ask },
  });
  expect(notes).toEqual([{ action: 'decline' }]);
});
