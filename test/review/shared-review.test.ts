import { expect, test } from 'vitest';
import { RestApproval } from '../../src/review/compose.js';
import type { Answer, StateQuestion } from '../../src/review/question.js';
import type { GivenAnswer } from '../../src/review/run-questions.js';
import { shareReview } from '../../src/review/shared-review.js';
import type { RunFolder } from '../../src/workspace/runs/run-folder.js';
import { makeFolder } from '../folder.js';

const QUESTION: StateQuestion = { kind: 'state', section: 'Memos', changes: '+ a\n', hash: 'h1' };
const APPROVED: Answer = { decision: 'approve', by: 'person', hash: 'h1' };
const SKIPPED: Answer = { decision: 'skip', by: 'person', reason: null };

/** The folder of a run whose disk is full once the page has answered. */
function fullFolder(): RunFolder {
  let given: GivenAnswer | undefined;
  const files = {
    path: makeFolder(),
    add(name: string) {
      if (!name.includes('answer')) return true;
      given = { hash: 'h1', face: 'page', answer: SKIPPED };
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
    has: () => given !== undefined,
    read: () => given,
    remove() {},
    close() {},
  };
  return { openQuestions: () => files } as unknown as RunFolder;
}

test('on a full disk the answer that is there counts, and not the one that could not be written', async () => {
  const folder = fullFolder();
  const shown: string[] = [];
  const reviewer = shareReview({
    person: { resolve: () => undefined, ask: async () => APPROVED },
    rest: new RestApproval(),
    folder: () => folder,
    interrupt: new AbortController().signal,
    show: (line) => shown.push(line),
  });
  expect(await reviewer.ask!(QUESTION)).toEqual(SKIPPED);
  expect(shown).toEqual(['Skipped on the page.']);
});
