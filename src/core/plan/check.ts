import { Overlay, type Tree } from '../tree.js';
import { hasEffect, resourcesOf, simulateAction } from './actions.js';
import { FileTexts } from './edit/match.js';
import { PLAN_ISSUES, type PlanIssueCode, planIssue } from './issues.js';
import { readPlan } from './read.js';
import type { Shown } from './simulate.js';
import type { Action, Plan, PlanIssue, Resource } from './types.js';

/** What a plan is checked against besides the tree. */
export interface PlanFacts {
  /** The memos as they are now. Left out: memos are not checked. */
  memos?: readonly string[] | undefined;
  /** Within a session: which agents can take over. Null: the plan is not part of a session. Left out: not checked. */
  session?: SessionFacts | null | undefined;
  /** Why no RESEARCH can be done, as a sentence, maybe with lines below it. Left out: it can. */
  researchRefusal?: string | undefined;
  /** The numbers of actions that do not run, because they succeeded in an earlier run. */
  done?: ReadonlySet<number> | undefined;
  /** How a file's text may be shown in a hint. Left out: as it is. */
  show?: Shown;
}

export interface SessionFacts {
  /** Why an agent cannot be handed over to, as a sentence; undefined if it can. */
  refuseAgent(name: string): string | undefined;
  /** The agent that called this one, to which CONCLUDE returns; null: none did. */
  caller: string | null;
}

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
  /** What succeeded in the run that is continued, by number and section: it is not checked again. */
  continued?:
    | { actions: ReadonlyMap<number, unknown>; stateChanges: ReadonlyMap<string, unknown> }
    | undefined;
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
  const checked = plan === null || options.syntaxOnly ? [] : await checkWith(plan, options);
  const issues = [...found, ...checked]
    .map((issue) => (options.strict ? tighten(issue) : issue))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  return { ok: issues.every((issue) => issue.severity !== 'error'), plan, issues };
}

async function checkWith(
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

/**
 * Predicts which actions would fail: action N is checked on the tree as it would be if actions 1 to
 * N-1 had succeeded. After an EXECUTE the tree is unknown, and what depends on it is only a warning.
 */
export function checkPlan(plan: Plan, tree: Tree, facts: PlanFacts = {}): PlanIssue[] {
  const check = new Check(tree, facts.show);
  if (facts.memos) checkMemos(plan, facts.memos, check);
  for (const [i, action] of plan.actions.entries()) if (!facts.done?.has(i + 1)) check.action(action, i + 1);
  checkContext(plan, check);
  if (facts.researchRefusal !== undefined) checkResearch(plan, facts.researchRefusal, check);
  if (facts.session !== undefined) checkHandover(plan, facts.session, check);
  return check.issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

class Check {
  readonly issues: PlanIssue[] = [];
  private readonly overlay: Overlay;
  private readonly files = new FileTexts();
  private executed = false;
  /** Files whose content is known although a command ran, and those that an edit left in doubt. */
  private readonly known = new Set<string>();
  private readonly doubtful = new Set<string>();
  private number = 0;

  constructor(
    tree: Tree,
    private readonly show?: Shown,
  ) {
    this.overlay = new Overlay(tree);
  }

  action(action: Action, number: number): void {
    this.number = number;
    if ('handoffResources' in action)
      for (const resource of action.handoffResources) this.mention(resource, 'handed off', action.line);
    // A path that could not be read has been reported.
    else if (resourcesOf(action).every(({ target }) => target !== '')) this.simulate(action);
    if (!hasEffect(action, 'runs')) return;
    if ('cwd' in action && action.cwd !== null) this.folder(action.cwd, action.line);
    this.executed = true;
    this.known.clear();
  }

  /** A path that is only named: the context and hand-offs work without it. */
  mention(resource: Resource, how: string, line: number, action = this.number): void {
    if (resource.kind === 'url' || this.overlay.stat(resource.target)) return;
    this.issues.push(
      planIssue('resource-missing', `${resource.target} is ${how} but does not exist.`, {
        line,
        ...(action > 0 ? { action } : {}),
      }),
    );
  }

  /** Once an edit of a file has failed, what the next ones find in it is uncertain, until it is written as a whole. */
  private simulate(action: Action): void {
    const result = simulateAction(action, this.overlay, this.show, this.files);
    if (result?.status !== 'written' && result?.status !== 'will-fail') return;
    const { path, after } = result;
    let isDoubtful = this.doubtful.has(path) && !('content' in action);
    for (const { code, message, line, hint } of result.status === 'will-fail' ? result.problems : []) {
      // The parser has reported it.
      if (code !== 'find-empty') this.predict(code, path, message, line, hint);
      if (!code.startsWith('find-')) continue;
      isDoubtful = true;
      this.doubtful.add(path);
    }
    if (after === null) return;
    this.overlay.write(path, after);
    this.known.add(path);
    if (!isDoubtful) this.doubtful.delete(path);
  }

  private folder(path: string, line: number): void {
    const there = path === '.' ? 'folder' : this.overlay.stat(path)?.kind;
    if (there === 'folder') return;
    const problem = there === undefined ? 'does not exist' : 'is not a folder';
    this.predict('cwd-missing', path, `The working directory ${path} ${problem}.`, line);
  }

  private predict(code: PlanIssueCode, path: string, message: string, line: number, hint?: string): void {
    const unsure = (this.executed && !this.known.has(path)) || this.doubtful.has(path);
    const issue = planIssue(code, message, { line, action: this.number, ...(hint ? { hint } : {}) });
    if (unsure) issue.severity = 'warning';
    this.issues.push(issue);
  }
}

function checkMemos(plan: Plan, memos: readonly string[], check: Check): void {
  const held = new Set(memos.map((memo) => memo.trim()));
  for (const { op, text, line } of plan.memos) {
    if (op === '+' && held.has(text)) {
      check.issues.push(planIssue('memo-exists', `The memo "${text}" already exists.`, { line }));
    } else if (op === '-' && !held.has(text)) {
      check.issues.push(
        planIssue('memo-missing', `The memo "${text}" does not exist.`, {
          line,
          hint: 'Repeat the memo word for word.',
        }),
      );
    }
    if (op === '+') held.add(text);
    else held.delete(text);
  }
}

function checkContext(plan: Plan, check: Check): void {
  for (const { op, path, line } of plan.activeContext) {
    if (op === '+' && !/^https?:\/\//i.test(path)) {
      check.mention({ kind: 'file', target: path }, 'added to the context', line, 0);
    }
  }
}

function checkResearch(plan: Plan, refusal: string, check: Check): void {
  const [message, ...hint] = refusal.split('\n');
  const where = hint.length > 0 ? { hint: hint.join('\n').trim() } : {};
  for (const [index, { type, line }] of plan.actions.entries()) {
    if (type !== 'RESEARCH') continue;
    check.issues.push(planIssue('research-unavailable', message!, { line, action: index + 1, ...where }));
  }
}

/** Only the last action can hand over. */
function checkHandover(plan: Plan, session: SessionFacts | null, check: Check): void {
  const last = plan.actions.at(-1);
  const place = { line: last?.line ?? 1, action: plan.actions.length };
  if (session === null) {
    if (!last || !hasEffect(last, 'hands-over')) return;
    const message = `This ${last.type} will not run: the plan is not part of a session.`;
    check.issues.push(planIssue('session-missing', message, place));
    return;
  }
  const { refuseAgent, caller } = session;
  if (last?.type === 'INVOKE' && last.agent !== '') {
    const refusal = refuseAgent(last.agent);
    if (refusal !== undefined) check.issues.push(planIssue('agent-unknown', refusal, place));
  }
  if (last?.type === 'CONCLUDE' && caller === null) {
    const message = 'No agent called this one, so this CONCLUDE ends the line of work.';
    const hint = 'To say something to the user, write CHAT_WITH_USER.';
    check.issues.push(planIssue('caller-missing', message, { ...place, hint }));
  }
}

/** Whether an issue refuses a plan unconditionally. The user may accept predictions, and a CREATE that was cut off. */
export function isStructural({ severity, code, action }: PlanIssue, plan: Plan | null): boolean {
  if (severity !== 'error' || PLAN_ISSUES[code].kind === 'prediction') return false;
  const about = action === undefined ? undefined : plan?.actions[action - 1];
  return !(code === 'answer-cut-off' && about?.type === 'CREATE' && about.cutOff);
}
