import { maskerFor, redactorFor } from '../../../config/redactor.js';
import type { InertConfig } from '../../../config/types.js';
import { diffHunks } from '../../../core/changeset/hunks.js';
import { addToGroup } from '../../../core/groups.js';
import { hasEffect, labelAction } from '../../../core/plan/actions.js';
import { readPlan } from '../../../core/plan/read.js';
import type { Action, Plan } from '../../../core/plan/types.js';
import { writeAction } from '../../../core/plan/write.js';
import { TIP_LIMITS } from '../../../core/report/markdown.js';
import { renderMirrored } from '../../../core/report/mirrored.js';
import type { ActionRecord } from '../../../core/report/record.js';
import { describeSubject } from '../../../core/report/subject.js';
import { environmentVariables } from '../../../node/terminal/terminal.js';
import {
  type ActionQuestion,
  type Answer,
  type ChangesetOverview,
  type FileQuestion,
  type Preview,
  proposedText,
  type RerunAnswer,
} from '../../../review/question.js';
import type { Risk } from '../../../review/risks.js';
import {
  type AskedQuestion,
  listAsked,
  type OpenRunQuestion,
  questionId,
  readAnswers,
  readAsked,
  readOverview,
} from '../../../review/run-questions.js';
import { readChangedTexts } from '../../../runs/diff/diff-run.js';
import { readLiveOutput } from '../../../runs/output.js';
import { readVerifiedPlan } from '../../../runs/plan-copy.js';
import { previewPlan } from '../../../runs/propose.js';
import { describeRefused } from '../../../sessions/ask-plan.js';
import { filesOfTask } from '../../../tasks/plans/tasks.js';
import { openCapture } from '../../../tasks/project.js';
import { openTree } from '../../../workspace/tree.js';
import type { Workspace } from '../../../workspace/workspace.js';
import type { ActionDetail, ActionView, QuestionRef, RunView, StateView } from '../api.js';
import { type RunState, readRunState } from './run-state.js';

/** What is shown of an action before it is opened. */
interface ActionFacts {
  lines: ActionView['lines'];
  risks: Risk[];
}

type EntryQuestion = ActionQuestion | FileQuestion;

/** What was asked about one action, last. */
interface AskedEntry extends ActionFacts {
  /** The number of the question. */
  number: number;
}

const MOST_REMEMBERED = 20;

/** Runs as the page shows them. What was asked does not change, so that it is read once. */
export class RunViews {
  readonly #workspace: Workspace;
  /** By run: what was asked about each action, and how many questions were read. */
  readonly #asked = new Map<string, { count: number; byAction: Map<number, AskedEntry> }>();
  /** By the hash of the question. */
  readonly #facts = new Map<string, ActionFacts>();
  /** By run that is over. */
  readonly #unasked = new Map<string, Map<number, ActionView['lines']>>();
  readonly #overviews = new Map<string, ChangesetOverview>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  view(id: string, config: InertConfig | undefined): RunView | undefined {
    const state = readRunState(this.#workspace, id);
    if (state === undefined) return undefined;
    const { run, item } = state;
    const plan = this.#readPlan(state);
    const mask = maskerFor(plan, environmentVariables());
    return {
      ...item,
      root: run.root,
      kind: run.kind,
      plan: plan && { title: mask(plan.title), rationale: mask(plan.rationale) },
      taskFiles: this.#taskFiles(state, config),
      issues: run.issues,
      notes: this.#overview(state)?.notes ?? [],
      feedback: run.refused ? mask(describeRefused(run.issues)) : null,
      stateChanges: viewState(state),
      actions: run.kind === 'changeset' ? this.#viewFiles(state) : this.#viewActions(plan, state),
      interrupted: run.interrupted,
      report: item.overall && renderMirrored({ ...run, overall: item.overall }, TIP_LIMITS),
    };
  }

  #taskFiles({ run: { task } }: RunState, config: InertConfig | undefined): string[] | null {
    if (task === undefined || config === undefined) return null;
    return filesOfTask(openCapture(this.#workspace, config), task);
  }

  detail(id: string, number: number): ActionDetail | undefined {
    const state = readRunState(this.#workspace, id);
    if (state?.run.actions[number - 1] === undefined) return undefined;
    const plan = this.#readPlan(state);
    const question = this.#questionAbout(number, plan, state) ?? null;
    const action = question?.kind === 'action' ? question.action : plan?.actions[number - 1];
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
      ...(question === null ? this.#readUnasked(state, plan, number) : { action: null, changed: null }),
      open: isAbout(state.open, number) ? viewOpen(state.open!) : null,
      rerun,
      record: state.records.get(number) ?? null,
      output: state.running === number ? readLiveOutput(this.#workspace, id, number) : null,
    };
  }

  #readUnasked(
    { item }: RunState,
    plan: Plan | null,
    number: number,
  ): Pick<ActionDetail, 'action' | 'changed'> {
    const action = plan?.actions[number - 1];
    if (action === undefined) return { action: null, changed: null };
    const environment = environmentVariables();
    const path = item.overall !== null && 'path' in action ? action.path : undefined;
    const texts = readChangedTexts(this.#workspace, item.id, environment, (each) => each === path);
    const [changed = null] = path === undefined ? [] : texts;
    return { action: redactorFor(plan, environment).maskAll(action), changed };
  }

  /** Only what the run received is shown: null where the copy was changed, and where it ran no plan. */
  #readPlan({ run, item }: RunState): Plan | null {
    const text = run.kind === 'plan' ? readVerifiedPlan(this.#workspace, item.id) : undefined;
    return text === undefined ? null : readPlan(text, openTree(this.#workspace.root)).plan;
  }

  /** The lines of a file that one action alone wrote, by that action's number, where nobody was asked about it. */
  #linesOfUnasked(plan: Plan | null, { run, item }: RunState): Map<number, ActionView['lines']> {
    const known = this.#unasked.get(item.id);
    if (known || plan === null || item.overall === null) return known ?? new Map();
    const asked = this.#readAsked(item.id);
    const writers = new Map<string, number[]>();
    for (const [at, action] of plan.actions.entries())
      if (hasEffect(action, 'writes') && 'path' in action && run.actions[at]?.outcome.status === 'success')
        addToGroup(writers, action.path, at + 1);
    const isUnasked = (path: string) => {
      const [number, ...more] = writers.get(path) ?? [];
      return number !== undefined && more.length === 0 && !asked.has(number);
    };
    const texts = readChangedTexts(this.#workspace, item.id, environmentVariables(), isUnasked);
    const lines = new Map([...texts].map((text) => [writers.get(text.path)![0]!, countRows(text)]));
    remember(this.#unasked, item.id, lines);
    return lines;
  }

  #viewActions(plan: Plan | null, state: RunState): ActionView[] {
    const asked = this.#readAsked(state.item.id);
    const unasked = this.#linesOfUnasked(plan, state);
    const planned = this.#planned(plan, state);
    return state.run.actions.map((record, at): ActionView => {
      const number = at + 1;
      const question = planned.get(number);
      const { lines, risks } = question ? this.#factsOf(question) : (asked.get(number) ?? NO_FACTS);
      return {
        number,
        type: record.type,
        label: this.#label(record, plan?.actions[at], plan),
        lines: lines ?? unasked.get(number) ?? null,
        risks,
        status: statusOf(number, state, question?.preview),
        question: isAbout(state.open, number) ? questionId(state.open!) : null,
      };
    });
  }

  /** The files that an agent changed. They land together: until then, a decision is only an answer. */
  #viewFiles(state: RunState): ActionView[] {
    const { run, item, open } = state;
    const asked = this.#readAsked(item.id);
    const files = this.#overview(state)?.files ?? [];
    const numbers = item.overall === null ? [...asked.values()].map(({ number }) => number) : [];
    const answers = readAnswers(this.#workspace, item.id, numbers);
    return run.actions.map((record, at): ActionView => {
      const number = at + 1;
      const last = asked.get(number);
      const file = files[at];
      const { lines, risks } = last ?? (file ? this.#factsOf(file) : NO_FACTS);
      return {
        number,
        type: record.type,
        label: describeSubject(record),
        lines,
        risks,
        status: fileStatus(number, state, {
          isListed: file !== undefined || files.length === 0,
          isStarted: asked.size > 0,
          answer: last && answers.get(last.number),
        }),
        question: isAbout(open, number) ? questionId(open!) : null,
      };
    });
  }

  /** Without the plan, as far as the record has it. */
  #label(record: ActionRecord, action: Action | undefined, plan: Plan | null): string {
    if (action === undefined) return describeSubject(record);
    return maskerFor(plan, environmentVariables())(labelAction(action));
  }

  /** The actions that a run has not come to, as they would be asked now. */
  #planned(plan: Plan | null, { item, records, running }: RunState): Map<number, ActionQuestion> {
    if (item.overall !== null || plan === null) return new Map();
    const mask = maskerFor(plan, environmentVariables());
    const isDone = (number: number) => records.has(number) || number === running;
    const questions = previewPlan(plan, this.#workspace, {
      tree: openTree(this.#workspace.root),
      show: mask,
      isDone,
    });
    return new Map(questions.flatMap((each) => (each.kind === 'action' ? [[each.number, each]] : [])));
  }

  /** Of a review of an agent's changes: all files as they were listed before the first question. */
  #overview({ run, item }: RunState): ChangesetOverview | undefined {
    const known = this.#overviews.get(item.id);
    if (known || run.kind !== 'changeset') return known;
    const overview = readOverview(this.#workspace, item.id);
    if (overview) remember(this.#overviews, item.id, overview);
    return overview;
  }

  #readAsked(id: string): Map<number, AskedEntry> {
    const known = this.#asked.get(id) ?? { count: 0, byAction: new Map<number, AskedEntry>() };
    for (const [number, { asked }] of listAsked(this.#workspace, id, known.count)) {
      known.count = number;
      if (asked.kind === 'action' || asked.kind === 'file')
        known.byAction.set(asked.number, { number, ...this.#factsOf(asked) });
    }
    remember(this.#asked, id, known);
    return known.byAction;
  }

  #factsOf(question: EntryQuestion): ActionFacts {
    const known = this.#facts.get(question.hash);
    if (known) return known;
    const facts = { lines: countLines(question), risks: question.risks };
    this.#facts.set(question.hash, facts);
    return facts;
  }

  #questionAbout(number: number, plan: Plan | null, state: RunState): EntryQuestion | undefined {
    const open = state.open?.asked;
    if (isEntry(open) && open.number === number) return open;
    const last = this.#readAsked(state.item.id).get(number);
    const asked = last && readAsked(this.#workspace, state.item.id, last.number)?.asked;
    if (isEntry(asked)) return asked;
    return this.#planned(plan, state).get(number) ?? this.#overview(state)?.files[number - 1];
  }
}

const NO_FACTS: ActionFacts = { lines: null, risks: [] };

/** The ones used last. */
function remember<T>(all: Map<string, T>, key: string, value: T): void {
  all.delete(key);
  all.set(key, value);
  for (const old of all.keys()) if (all.size > MOST_REMEMBERED) all.delete(old);
}

function isEntry(asked: AskedQuestion['asked'] | undefined): asked is EntryQuestion {
  return asked?.kind === 'action' || asked?.kind === 'file';
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

interface FileFacts {
  /** False for a file that cannot land. */
  isListed: boolean;
  /** A question was asked. */
  isStarted: boolean;
  answer: Answer | RerunAnswer | undefined;
}

function fileStatus(
  number: number,
  { records, open }: RunState,
  { isListed, isStarted, answer }: FileFacts,
): ActionView['status'] {
  if (isAbout(open, number)) return 'asked';
  const record = records.get(number);
  if (record) return endOf(record);
  if (!isListed) return 'not-run';
  if (answer?.decision === 'approve') return 'approved';
  if (answer?.decision === 'skip') return 'skipped';
  const asked = open?.asked;
  const isAhead = asked?.kind === 'file' && number > asked.number;
  return isAhead || !isStarted ? 'planned' : 'decided';
}

function endOf({ decision, outcome }: ActionRecord): ActionView['status'] {
  if (outcome.status !== 'not-run') return outcome.status;
  return decision.by === 'teddy' ? 'not-run' : 'skipped';
}

function countLines(question: EntryQuestion): ActionView['lines'] {
  const text = proposedText(question);
  return text === undefined ? null : countRows(text);
}

function countRows(text: { path: string; before: string | null; after: string }) {
  const lines = { added: 0, removed: 0 };
  for (const { before, after } of diffHunks(text.before ?? '', text.after, text.path)) {
    lines.added += after.count;
    lines.removed += before.count;
  }
  return lines;
}
