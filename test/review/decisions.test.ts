import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/core/plan/types.js';
import { chooseReviewer, composeReviewers, findUnresolved, yesReviewer } from '../../src/review/compose.js';
import { decideByFile, decisionsReviewer, parseDecisions } from '../../src/review/decisions.js';
import type { Answer, Question, Reviewer } from '../../src/review/question.js';
import { chat, create, execute, policyOf } from './actions.js';

const plan: Plan = {
  title: 'T',
  metadata: {},
  rationale: '',
  activeContext: [],
  memos: [{ op: '+', text: 'x', comment: null, line: 1 }],
  actions: [create('docs/a.md'), execute('npm test'), chat(), execute('rm x')],
};

const memos: Question = { kind: 'state', section: 'Memos', changes: '[+] x\n', hash: 'm' };

function question(number: number): Question {
  return {
    kind: 'action',
    number,
    total: plan.actions.length,
    action: plan.actions[number - 1]!,
    modified: false,
    preview: { kind: 'none' },
    risks: [],
    hash: `h${number}`,
  };
}

async function decisionsOf(text: string) {
  const read = await parseDecisions(text, plan);
  if (read.status === 'refused') throw new Error(JSON.stringify(read.problems));
  return read.decisions;
}

const WHOLE = `\
default: approve
decisions:
  - {action: 2, decision: skip, reason: "Not now.\\nLater."}
  - {section: Memos, decision: skip}
replies:
  - {action: 3, text: "Yes, do."}
`;

describe('a decisions file', () => {
  test('settles what it names, and the rest by its default', async () => {
    const reviewer = decisionsReviewer(await decisionsOf(WHOLE));
    expect(reviewer.resolve(question(1))).toEqual({ decision: 'approve', by: 'decisions', hash: 'h1' });
    expect(reviewer.resolve(question(2))).toEqual({
      decision: 'skip',
      by: 'decisions',
      reason: 'Not now.\nLater.',
    });
    expect(reviewer.resolve(question(3))).toEqual({
      decision: 'approve',
      by: 'decisions',
      hash: 'h3',
      reply: 'Yes, do.',
    });
    expect(reviewer.resolve(memos)).toEqual({ decision: 'skip', by: 'decisions', reason: null });
  });

  test('without a default it says nothing to the rest', async () => {
    const decisions = await decisionsOf('decisions: [{action: 2, decision: approve}]');
    expect(decideByFile(decisions, 2)).toEqual({ decision: 'approve', reason: null });
    expect(decideByFile(decisions, 1)).toBeUndefined();
    expect(decideByFile(decisions, 'Memos')).toBeUndefined();
  });

  test('an answer is a yes to its question', async () => {
    const decisions = await decisionsOf('default: skip\nreplies: [{action: 3, text: Yes}]');
    expect(decideByFile(decisions, 3)?.decision).toBe('approve');
  });

  test('an empty file decides nothing', async () => {
    expect(decideByFile(await decisionsOf(''), 1)).toBeUndefined();
  });

  test.each([
    ['default: maybe', 1, 'default must be approve or skip.'],
    ['defualt: skip', 1, 'defualt is unknown; did you mean default?'],
    ['- a', 1, 'The file is not a mapping; write "key: value" lines.'],
    ['decisions: {action: 1}', 1, 'decisions is not a list; start each item with "- ".'],
    [
      'decisions:\n  - {action: 5, decision: skip}',
      2,
      'decisions[1].action is 5, and the plan has actions 1 to 4.',
    ],
    [
      'decisions:\n  - {action: 0, decision: skip}',
      2,
      'decisions[1].action is 0, and the plan has actions 1 to 4.',
    ],
    [
      'decisions:\n  - {action: one, decision: skip}',
      2,
      'decisions[1].action must be the number of an action.',
    ],
    ['decisions:\n  - {action: 1}', 2, 'decisions[1].decision must be approve or skip.'],
    ['decisions:\n  - {decision: skip}', 2, 'decisions[1] needs either an action or a section.'],
    ['decisions:\n  - skip', 2, 'decisions[1] is not a mapping; write "key: value" lines.'],
    ['decisions:\n  -', 2, 'decisions[1] is empty.'],
    [
      'decisions:\n  - {section: Active Context, decision: skip}',
      2,
      'decisions[1].section is Active Context, in which the plan changes nothing.',
    ],
    [
      'decisions:\n  - {section: Notes, decision: skip}',
      2,
      'decisions[1].section must be Memos or Active Context.',
    ],
    [
      'decisions:\n  - {action: 1, decision: skip}\n  - {action: 1, decision: approve}',
      3,
      'decisions[2] decides on action 1 a second time.',
    ],
    [
      'decisions:\n  - action: 1\n    decision: approve\n    reason: fine',
      4,
      'decisions[1].reason is only for skip; this decision is approve.',
    ],
    [
      'decisions:\n  - {action: 1, decision: skip, why: x}',
      2,
      'decisions[1].why is unknown; known here: action, section, decision, reason.',
    ],
    [
      'replies:\n  - {action: 1, text: x}',
      2,
      'replies[1].action is 1, which is CREATE; only CHAT_WITH_USER takes an answer.',
    ],
    ['replies:\n  - {action: 3, text: 5}', 2, 'replies[1].text must be a text; put it in quotes.'],
    [
      'replies:\n  - {action: 3, text: x}\n  - {action: 3, text: y}',
      3,
      'replies[2] answers action 3 a second time.',
    ],
    [
      'decisions:\n  - {action: 3, decision: skip}\nreplies:\n  - {action: 3, text: x}',
      3,
      'replies has an answer to action 3, which decisions skips.',
    ],
    ['a: [', 1, null],
  ])('%j is refused', async (text, line, message) => {
    const read = await parseDecisions(text, plan, 'd.yaml');
    expect(read).toMatchObject({ status: 'refused', problems: [{ file: 'd.yaml', line }] });
    if (read.status === 'refused' && message !== null) expect(read.problems[0]!.message).toBe(message);
  });
});

describe('together', () => {
  const person: Reviewer = {
    resolve: () => undefined,
    ask: async (): Promise<Answer> => ({ decision: 'quit', reason: null }),
  };

  test('the first who settles has settled; the first who can be asked is asked', async () => {
    const begun: string[] = [];
    const silent: Reviewer = { begin: () => begun.push('silent'), resolve: () => undefined };
    const both = composeReviewers(silent, yesReviewer(), person);
    both.begin?.({ plan, issues: [], previews: [] });
    expect(begun).toEqual(['silent']);
    expect(both.resolve(question(3))).toEqual({ decision: 'approve', by: 'yes', hash: 'h3' });
    expect(await both.ask!(question(1))).toEqual({ decision: 'quit', reason: null });
    expect(composeReviewers(silent).ask).toBeUndefined();
    expect(composeReviewers(silent).resolve(question(1))).toBeUndefined();
  });

  test('a deny, then the file, then an allow, then --yes', async () => {
    const { policy } = await policyOf(
      '{deny: EXECUTE, command: "rm *"}\n{allow: CREATE, path: "docs/**"}\n{ask: "*"}',
    );
    const decisions = await decisionsOf(
      'decisions: [{action: 1, decision: skip}, {action: 4, decision: approve}]',
    );
    const by = (reviewer: Reviewer) =>
      [1, 2, 4].map((number) => {
        const answer = reviewer.resolve(question(number));
        return answer && 'by' in answer ? `${answer.decision} by ${answer.by}` : undefined;
      });
    expect(by(chooseReviewer({ policy }))).toEqual(['approve by policy', undefined, 'skip by policy']);
    expect(by(chooseReviewer({ policy, yes: true }))).toEqual([
      'approve by policy',
      'approve by yes',
      'skip by policy',
    ]);
    expect(by(chooseReviewer({ policy, decisions, yes: true, person }))).toEqual([
      'skip by decisions',
      'approve by yes',
      'skip by policy',
    ]);
  });

  test('what nobody settles is known beforehand', async () => {
    const { policy } = await policyOf('{deny: EXECUTE, command: "rm *"}\n{allow: CREATE}');
    expect(findUnresolved(chooseReviewer({ policy }), plan)).toEqual([
      { kind: 'state', section: 'Memos' },
      { kind: 'action', number: 2, type: 'EXECUTE' },
    ]);
    expect(findUnresolved(chooseReviewer({ policy, yes: true }), plan)).toEqual([]);
    expect(findUnresolved(chooseReviewer({ policy, person }), plan)).toEqual([]);
  });
});
