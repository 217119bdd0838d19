import { maskerFor } from '../../config/redactor.js';
import { diffHunks } from '../../core/changeset/hunks.js';
import { labelAction } from '../../core/plan/actions.js';
import { readPlan } from '../../core/plan/read.js';
import type { Action, Plan } from '../../core/plan/types.js';
import { writeAction } from '../../core/plan/write.js';
import { TIP_LIMITS } from '../../core/report/markdown.js';
import { renderMirrored } from '../../core/report/mirrored.js';
import type { ActionRecord } from '../../core/report/record.js';
import { environmentVariables } from '../../node/terminal/terminal.js';
import type { ActionQuestion, Preview } from '../../review/question.js';
import type { Risk } from '../../review/risks.js';
import {
  type AskedQuestion,
  listAsked,
  type OpenRunQuestion,
  questionId,
  readAsked,
} from '../../review/run-questions.js';
import { readLiveOutput } from '../../runs/output.js';
import { readVerifiedPlan } from '../../runs/plan-copy.js';
import { previewPlan } from '../../runs/propose.js';
import { describeRefused } from '../../sessions/ask-plan.js';
import { openTree } from '../../workspace/tree.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { ActionDetail, ActionView, QuestionRef, RunView, StateView } from './api.js';
import { type RunState, readRunState } from './run-state.js';

/** What is shown of an action before it is opened. */
interface ActionFacts {
  lines: ActionView['lines'];
  risks: Risk[];
}

const MOST_REMEMBERED = 20;

/** Runs as the page shows them. What was asked does not change, so that it is read once. */
export class RunViews {
  readonly #workspace: Workspace;
  /** By run: the number of the last question about each action, and how many questions were read. */
  readonly #asked = new Map<string, { count: number; byAction: Map<number, number> }>();
  /** By the hash of the question. */
  readonly #facts = new Map<string, ActionFacts>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  view(id: string): RunView | undefined {
    const state = readRunState(this.#workspace, id);
    if (state === undefined) return undefined;
    const { run, item } = state;
    const plan = this.#readPlan(id);
    const mask = maskerFor(plan, environmentVariables());
    return {
      ...item,
      root: run.root,
      plan: plan && { title: mask(plan.title), rationale: mask(plan.rationale) },
      issues: run.issues,
      feedback: run.refused ? mask(describeRefused(run.issues)) : null,
      stateChanges: viewState(state),
      actions: this.#viewActions(id, plan, state),
      interrupted: run.interrupted,
      report: item.overall && renderMirrored({ ...run, overall: item.overall }, TIP_LIMITS),
    };
  }

  detail(id: string, number: number): ActionDetail | undefined {
    const state = readRunState(this.#workspace, id);
    if (state?.run.actions[number - 1] === undefined) return undefined;
    const plan = this.#readPlan(id);
    const question = this.#questionAbout(id, number, plan, state) ?? null;
    const action = question?.action ?? plan?.actions[number - 1];
    const asked = state.open?.asked;
    // What is edited is what would run, with its secrets.
    const mask =
      question !== null && question === asked
        ? (text: string) => text
        : maskerFor(plan, environmentVariables());
    const rerun = asked?.kind === 'rerun' && asked.number === number ? asked : null;
    return {
      number,
      source: action ? mask(`${writeAction(action)}\n`) : '',
      question,
      open: isAbout(state.open, number) ? viewOpen(state.open!) : null,
      rerun,
      record: state.records.get(number) ?? null,
      output: state.running === number ? readLiveOutput(this.#workspace, id, number) : null,
    };
  }

  /** Only what the run received is shown: null where the copy was changed. */
  #readPlan(id: string): Plan | null {
    const text = readVerifiedPlan(this.#workspace, id);
    return text === undefined ? null : readPlan(text, openTree(this.#workspace.root)).plan;
  }

  #viewActions(id: string, plan: Plan | null, state: RunState): ActionView[] {
    const asked = this.#readAsked(id);
    const planned = this.#planned(plan, state);
    return state.run.actions.map((record, at): ActionView => {
      const number = at + 1;
      const question = planned.get(number);
      const facts = question ? this.#factsOf(question) : this.#askedFacts(id, asked.get(number));
      return {
        number,
        type: record.type,
        label: this.#label(record, plan?.actions[at], plan),
        ...facts,
        status: statusOf(number, state, question?.preview),
        question: isAbout(state.open, number) ? questionId(state.open!) : null,
      };
    });
  }

  /** Without the plan, as far as the record has it. */
  #label({ metadata }: ActionRecord, action: Action | undefined, plan: Plan | null): string {
    if (action === undefined) return metadata.Description ?? Object.values(metadata)[0] ?? '';
    return maskerFor(plan, environmentVariables())(labelAction(action));
  }

  /** The actions that a run has not come to, as they would be asked now. */
  #planned(plan: Plan | null, { item, records, running }: RunState): Map<number, ActionQuestion> {
    if (item.overall !== null || plan === null) return new Map();
    const mask = maskerFor(plan, environmentVariables());
    const isDone = (number: number) => records.has(number) || number === running;
    const questions = previewPlan(plan, openTree(this.#workspace.root), this.#workspace, mask, isDone);
    return new Map(questions.flatMap((each) => (each.kind === 'action' ? [[each.number, each]] : [])));
  }

  #readAsked(id: string): Map<number, number> {
    const known = this.#asked.get(id) ?? { count: 0, byAction: new Map<number, number>() };
    for (const [number, asked] of listAsked(this.#workspace, id, known.count)) {
      known.count = number;
      if (asked.asked.kind !== 'action') continue;
      known.byAction.set(asked.asked.number, number);
      this.#factsOf(asked.asked);
    }
    this.#asked.delete(id);
    this.#asked.set(id, known);
    for (const old of this.#asked.keys()) if (this.#asked.size > MOST_REMEMBERED) this.#asked.delete(old);
    return known.byAction;
  }

  #askedFacts(id: string, number: number | undefined): ActionFacts {
    const asked = number === undefined ? undefined : readAsked(this.#workspace, id, number);
    return asked?.asked.kind === 'action' ? this.#factsOf(asked.asked) : { lines: null, risks: [] };
  }

  #factsOf({ hash, preview, risks }: ActionQuestion): ActionFacts {
    const known = this.#facts.get(hash);
    if (known) return known;
    const facts = { lines: countLines(preview), risks };
    this.#facts.set(hash, facts);
    return facts;
  }

  #questionAbout(id: string, number: number, plan: Plan | null, state: RunState): ActionQuestion | undefined {
    const open = state.open?.asked;
    if (open?.kind === 'action' && open.number === number) return open;
    const asked = this.#readAsked(id).get(number);
    const question: AskedQuestion | undefined =
      asked === undefined ? undefined : readAsked(this.#workspace, id, asked);
    if (question?.asked.kind === 'action') return question.asked;
    return this.#planned(plan, state).get(number);
  }
}

function viewState({ run, open, stateChanges }: RunState): StateView[] {
  return run.stateChanges.map(({ section, changes }) => ({
    section,
    changes,
    open: open?.asked.kind === 'state' && open.asked.section === section ? viewOpen(open) : null,
    record: stateChanges.find((record) => record.section === section) ?? null,
  }));
}

function viewOpen(open: OpenRunQuestion): QuestionRef {
  return { id: questionId(open), hash: open.hash };
}

function isAbout(open: RunState['open'], number: number): boolean {
  return open !== undefined && open.asked.kind !== 'state' && open.asked.number === number;
}

function statusOf(
  number: number,
  { records, running, open }: RunState,
  preview: Preview | undefined,
): ActionView['status'] {
  if (isAbout(open, number)) return 'asked';
  if (running === number) return 'running';
  const record = records.get(number);
  if (record) return endOf(record);
  return preview?.kind === 'will-fail' ? 'will-fail' : 'planned';
}

function endOf({ decision, outcome }: ActionRecord): ActionView['status'] {
  if (outcome.status !== 'not-run') return outcome.status;
  return decision.by === 'teddy' ? 'not-run' : 'skipped';
}

function countLines(preview: Preview): ActionView['lines'] {
  if (preview.kind !== 'write') return null;
  const lines = { added: 0, removed: 0 };
  for (const { before, after } of diffHunks(preview.before ?? '', preview.after, preview.path)) {
    lines.added += after.count;
    lines.removed += before.count;
  }
  return lines;
}
