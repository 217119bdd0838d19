import { PLAN_ISSUES, type Plan, type PlanIssue } from '../formats/plan/index.js';
import type { Decision, Run, TipLimits } from '../formats/report/index.js';
import type { Tree } from '../formats/tree.js';
import { isoUtcMs, monotonicMs, newRunId, now, systemName, Unusable } from '../platform/index.js';
import { findUnsettled, type Unsettled } from '../review/index.js';
import {
  type Interrupts,
  notReached,
  type Reviewer,
  type RunListener,
  type RunSettings,
  runPlan,
} from '../run/index.js';
import { projectState, readMemos } from '../session/index.js';
import type { RunFolder, Workspace } from '../workspace/index.js';
import { redactorFor } from './redactor.js';
import { closeRun, draftRun, PLAN_COPY } from './run-record.js';
import { validatePlan } from './validate-plan.js';

export interface ExecuteOptions {
  workspace: Workspace;
  tree: Tree;
  /** The plan's own path, relative to the root; null when it has none there: then its copy stands for it. */
  path: string | null;
  reviewer: Reviewer;
  settings: RunSettings;
  /** Go on after failures, and in spite of predictions, although nobody is asked. */
  keepGoing: boolean;
  tip: TipLimits;
  /** How many runs are kept. */
  keep: number;
  environment: Readonly<Record<string, string | undefined>>;
  interrupts: Interrupts;
  emit: RunListener;
  /** Told where the run's folder is, before anything else happens in it. */
  onFolder?: (folder: RunFolder) => void;
}

export async function executePlan(text: string, options: ExecuteOptions): Promise<Run> {
  const { tree, workspace } = options;
  const { plan, issues } = await validatePlan(text, {
    tree,
    memos: () => readMemos(tree),
    show: async (read) => {
      const redactor = redactorFor(read, options.environment);
      return (shown) => redactor.mask(shown);
    },
  });
  const reviewer = plan === null ? options.reviewer : whoeverIsNeeded(options.reviewer, plan);
  const refused = plan === null || isRefused(issues, reviewer, options);
  if (!refused && reviewer.ask === undefined) requireSettled(reviewer, plan);
  const started = monotonicMs();
  const redactor = redactorFor(plan, options.environment);
  const begun = now();
  const environment = { os: systemName(), cwd: workspace.root };
  const draftAs = (id: string) => {
    const path = options.path ?? `.teddy/runs/${id}/${PLAN_COPY}`;
    const facts = { id, startedAt: isoUtcMs(begun), environment, path };
    const draft = draftRun(facts, plan, issues, refused ? REFUSED : notReached);
    return redactor.maskAll({ ...draft, refused });
  };
  const { folder, draft } = beginRun(workspace, begun, text, draftAs);
  try {
    options.onFolder?.(folder);
    const end = () => ({ endedAt: isoUtcMs(now()), durationMs: Math.round(monotonicMs() - started) });
    if (refused) return closeRun(folder, { ...draft, ...end() }, options.tip);

    options.emit({
      kind: 'run-started',
      id: folder.id,
      title: draft.plan.title ?? '',
      total: draft.actions.length,
    });
    const result = await runPlan({
      plan,
      issues,
      reviewer,
      hands: {
        root: workspace.root,
        outputs: folder.makeFolder('output'),
        settings: options.settings,
        environment: options.environment,
        redactor,
      },
      tree,
      workspace,
      folder,
      state: projectState(workspace, tree, folder.id),
      interrupts: options.interrupts,
      keepGoing: options.keepGoing,
      emit: options.emit,
    });
    const run = closeRun(folder, { ...draft, ...end(), ...result }, options.tip);
    options.emit({ kind: 'run-ended', run });
    return run;
  } finally {
    folder.close();
    await workspace.pruneRuns(options.keep);
  }
}

const REFUSED: Decision = { status: 'skipped', by: 'teddy', reason: 'Not run: the plan was refused.' };

/** Whether a plan is not even begun: it cannot be carried out as written, or would fail and nobody can say to go on. */
function isRefused(issues: readonly PlanIssue[], reviewer: Reviewer, { keepGoing }: ExecuteOptions): boolean {
  const errors = issues.filter((issue) => issue.severity === 'error');
  if (errors.some((issue) => PLAN_ISSUES[issue.code].kind !== 'prediction')) return true;
  return errors.length > 0 && reviewer.ask === undefined && !keepGoing;
}

/** A person who will be asked nothing sees nothing: a plan that is settled beforehand is run as if nobody were there. */
function whoeverIsNeeded(reviewer: Reviewer, plan: Plan): Reviewer {
  const alone: Reviewer = { settle: (question) => reviewer.settle(question) };
  const isNeeded =
    findUnsettled(alone, plan).length > 0 || plan.actions.some(({ type }) => type === 'CHAT_WITH_USER');
  return isNeeded ? reviewer : alone;
}

function requireSettled(reviewer: Reviewer, plan: Plan): void {
  const open = findUnsettled(reviewer, plan);
  if (open.length === 0) return;
  const about =
    open.slice(0, 3).map(nameOf).join(', ') + (open.length > 3 ? ` and ${open.length - 3} more` : '');
  throw new Unusable(
    `Nobody can be asked about ${about}: there is no terminal, and nothing else settles it. ` +
      'Say --yes, run teddy in a terminal, or decide beforehand in a file (--decisions; see teddy execute --help).',
  );
}

function nameOf(open: Unsettled): string {
  return open.kind === 'state' ? open.section : `action ${open.number} (${open.type})`;
}

type Draft = Omit<Run, 'overall'>;

/** The plan is on disk, and what is known of the run, before anything happens. */
function beginRun(workspace: Workspace, begun: Date, text: string, draftAs: (id: string) => Draft) {
  for (let tries = 0; tries < 20; tries++) {
    const draft = draftAs(newRunId(begun, workspace.runs().at(-1)));
    const note = { kind: 'begun', at: draft.startedAt, run: draft };
    const folder = workspace.beginRun(draft.id, { files: { [PLAN_COPY]: text }, note });
    if (folder) return { folder, draft };
  }
  throw new Unusable('No free name for this run could be found; try again.');
}
