// Reviewers without a screen: the project's policy, a decisions file, yes to all, and their order. A question enters,
// an answer leaves, or nothing where a person has to be asked. What they say depends on the plan and their rules alone.

export {
  chooseReviewer,
  composeReviewers,
  findUnsettled,
  type Reviewing,
  type Unsettled,
  yesReviewer,
} from './compose.js';
export {
  type Decisions,
  type DecisionsRead,
  decideByFile,
  decisionsReviewer,
  type NamedDecision,
  parseDecisions,
} from './decisions.js';
export {
  decideByPolicy,
  denialReviewer,
  describeRule,
  type PolicyFacts,
  policyReviewer,
  type Ruling,
  type Subject,
} from './policy.js';
export { resolvePathIn } from './resolve-path.js';
