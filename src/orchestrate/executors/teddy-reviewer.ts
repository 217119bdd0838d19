import type { Policy } from '../../config/types.js';
import { composeReviewers } from '../../review/compose.js';
import { decideByPolicy, denialReviewer, describeRule, policyReviewer } from '../../review/policy.js';
import type { Answer, Question, Reviewer } from '../../review/question.js';
import { resolvePathIn } from '../../review/resolve-path.js';

/** The policy alone: what it leaves open is skipped. A CHAT_WITH_USER is left to teddy's own rule. */
export function reviewUnattended(policy: Policy, root: string): Reviewer {
  const facts = { resolve: resolvePathIn(root) };
  return composeReviewers(
    denialReviewer(policy, facts),
    { settle: settleWithoutSession },
    policyReviewer(policy, facts),
    { settle: (question) => refuseOpen(policy, question, facts) },
  );
}

/** What means nothing where no turn follows: it is not the policy's to allow. */
function settleWithoutSession(question: Question): Answer | undefined {
  if (question.kind === 'state')
    return skip(
      `Not applied: no turn follows an attempt at a task, so its ${question.section} are not kept.`,
    );
  switch (question.action.type) {
    case 'INVOKE':
      return skip(
        'Not run: there is nobody to hand over to in an attempt at a task. Do all of it in one plan.',
      );
    case 'CONCLUDE':
      return { decision: 'approve', by: 'teddy', hash: question.hash };
    default:
      return undefined;
  }
}

function refuseOpen(
  policy: Policy,
  question: Question,
  facts: { resolve(path: string): string | undefined },
): Answer | undefined {
  const subject = question.kind === 'action' ? question.action : question.section;
  if (typeof subject !== 'string' && subject.type === 'CHAT_WITH_USER') return undefined;
  const { rule } = decideByPolicy(policy, subject, facts);
  const why = rule === null ? 'no rule of it matches' : describeRule(rule);
  return {
    decision: 'skip',
    by: 'policy',
    reason: `The policy does not allow this, and nobody is asked: ${why}.`,
  };
}

function skip(reason: string): Answer {
  return { decision: 'skip', by: 'teddy', reason };
}
