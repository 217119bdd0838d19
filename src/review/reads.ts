import type { Policy } from '../config/types.js';
import type { Action } from '../core/plan/types.js';
import { isSecretFile } from '../core/redact/secret-files.js';
import { decideByPolicy, type PolicyFacts } from './policy.js';
import type { Reviewer } from './question.js';

/**
 * The user's `review.reads: allow`: approves READs of project files that are not known to hold secrets. `files` are those
 * that git does not ignore; it may grow during a run. A rule of the policy that matches the READ takes precedence.
 */
export function readsReviewer(policy: Policy, files: ReadonlySet<string>, facts: PolicyFacts): Reviewer {
  return {
    resolve(question) {
      if (question.kind !== 'action' || !isAllowedRead(question.action, files, facts)) return undefined;
      if (decideByPolicy(policy, question.action, facts).rule !== null) return undefined;
      return { decision: 'approve', by: 'policy', hash: question.hash };
    },
  };
}

/** The name in the plan and the file that it leads to must both be harmless. */
function isAllowedRead(action: Action, files: ReadonlySet<string>, { resolve }: PolicyFacts): boolean {
  if (action.type !== 'READ' || action.resource.kind !== 'file') return false;
  const { target } = action.resource;
  const real = resolve ? resolve(target) : target;
  return real !== undefined && files.has(real) && !isSecretFile(target) && !isSecretFile(real);
}
