import { checkPlan, type SessionFacts } from '../core/plan/check.js';
import { PLAN_ISSUES } from '../core/plan/issues.js';
import { readPlan } from '../core/plan/read.js';
import type { Shown } from '../core/plan/simulate.js';
import type { Plan, PlanIssue } from '../core/plan/types.js';
import type { Tree } from '../core/tree.js';
import type { Continuation } from './run-record.js';

interface ValidateOptions {
  /** Decides what paths mean, also where the plan is not checked against it. */
  tree: Tree;
  /** Asked only when the plan changes memos. */
  memos: () => Promise<readonly string[]>;
  /** Null where the plan is not part of a session; undefined where that is not known. */
  session?: SessionFacts | null | undefined;
  /** Asked only when the plan has a RESEARCH: why none can be done, as a sentence. Left out: not checked. */
  refuseResearch?: () => Promise<string | undefined>;
  /** How a file's text may be shown in a hint; asked only when there is one that shows any. */
  show: (plan: Plan) => Shown;
  /** The run that is continued: what succeeded in it is not checked again. */
  continued?: Continuation | undefined;
  /** Read the plan, but do not check it against the tree. */
  syntaxOnly?: boolean;
  /** Tolerances count as errors; predictions keep their severity. */
  strict?: boolean;
}

export interface Validation {
  ok: boolean;
  plan: Plan | null;
  /** In the order of the plan's lines; what concerns no line comes first. */
  issues: PlanIssue[];
}

export async function validatePlan(text: string, options: ValidateOptions): Promise<Validation> {
  const { plan, issues: found } = readPlan(text, options.tree);
  const checked = plan === null || options.syntaxOnly ? [] : await check(plan, options);
  const issues = [...found, ...checked]
    .map((issue) => (options.strict ? tighten(issue) : issue))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  return { ok: issues.every((issue) => issue.severity !== 'error'), plan, issues };
}

async function check(
  plan: Plan,
  { tree, memos, session, refuseResearch, show, continued }: ValidateOptions,
): Promise<PlanIssue[]> {
  const hasResearch = plan.actions.some(({ type }) => type === 'RESEARCH');
  const researchRefusal = hasResearch ? await refuseResearch?.() : undefined;
  let shown: Shown | undefined;
  return checkPlan(plan, tree, {
    memos: plan.memos.length > 0 && !continued?.stateChanges.has('Memos') ? await memos() : undefined,
    done: continued && new Set(continued.actions.keys()),
    session,
    researchRefusal,
    // Only where FIND is missing does a hint show lines of a file.
    show(text) {
      shown ??= show(plan);
      return shown(text);
    },
  });
}

function tighten(issue: PlanIssue): PlanIssue {
  const isTolerance = issue.severity === 'warning' && PLAN_ISSUES[issue.code].kind === 'format';
  return isTolerance ? { ...issue, severity: 'error' } : issue;
}
