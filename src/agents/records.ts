import { REPORT_ISSUES } from '../core/agent-report/issue-codes.js';
import type { ReportIssue, Route, Verbosity } from '../core/agent-report/types.js';
import { readJson } from '../core/json/read.js';
import type { JsonObject, JsonValue } from '../core/json/values.js';
import { isJsonObject } from '../core/json/values.js';
import { UserError } from '../node/errors.js';
import { decodeText, MB } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import { sealOf } from '../node/user-folders.js';
import { type Change, describeUncommitted } from '../workspace/commit/change.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Baseline } from './git-facts.js';

/** What an agent was asked, as `teddy agent brief` keeps it. */
export interface BriefingRecord {
  task_id: string;
  agent: string;
  /** ISO 8601. */
  at: string;
  goal: string;
  verbosity: Verbosity;
  scope: string[];
  /** A mark of the manual by which the answer will be judged; see `markManual`. */
  manual: string;
  /** How the files were then; null without a git repository. */
  baseline: Baseline | null;
}

/** What was found out about an answer. */
export interface AnswerRecord {
  task_id: string;
  /** The agent that was asked, or that the report names. */
  agent: string;
  at: string;
  /** Of the answer as it came. */
  sha256: string;
  compliant: boolean;
  route: Route;
  /** Null where the report does not say, or is not compliant. */
  confidence: number | null;
  issues: ReportIssue[];
}

/** What a person said of an agent's work. */
export interface DecisionRecord {
  at: string;
  decision: 'accept' | 'reject';
  reason: string | null;
  /** The answer that it is about, by its hash. */
  answer: string;
}

/** All that is kept of one task id, each list in the order in which it came. */
export interface TaskRecords {
  taskId: string;
  /** From the root: the folder. */
  path: string;
  briefings: BriefingRecord[];
  answers: AnswerRecord[];
  decisions: DecisionRecord[];
  /** Whether there is a briefing that was changed, or that this user's teddy did not write. */
  strange: boolean;
}

const FOLDER = '.teddy/reports';
const LIMIT = 4 * MB;
const KINDS = { briefing: isBriefing, answer: isAnswer, decision: isDecision };
type Kind = keyof typeof KINDS;

/** Keeps a briefing: the record, and the text that the agent is given. Throws `UserError` where it cannot. */
export async function keepBriefing(
  workspace: Workspace,
  record: BriefingRecord,
  text: string,
): Promise<string> {
  return keep(workspace, record.task_id, 'briefing', record, { '.md': text });
}

/** Keeps an answer, with what was found out about it. The same text again only renews what was found out. */
export async function keepAnswer(
  workspace: Workspace,
  record: AnswerRecord,
  text: string,
  removal?: Change,
): Promise<string> {
  return keep(workspace, record.task_id, 'answer', record, { '.txt': text }, removal);
}

export async function keepDecision(
  workspace: Workspace,
  taskId: string,
  record: DecisionRecord,
): Promise<string> {
  return keep(workspace, taskId, 'decision', record, {});
}

/** What is kept of a task; undefined where nothing is. */
export function findRecords(workspace: Workspace, taskId: string): TaskRecords | undefined {
  return workspace.view((view) => {
    return readFolder(view, `${FOLDER}/${folderName(taskId)}`, taskId);
  });
}

/** Everything that is kept. */
export function listRecords(workspace: Workspace): TaskRecords[] {
  return workspace.view((view) =>
    view.list(FOLDER).flatMap((name) => readFolder(view, `${FOLDER}/${name}`) ?? []),
  );
}

/** Readable, and another one for every task id: `sprint-1-1f0c9a3b`. */
function folderName(taskId: string): string {
  const readable = taskId
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${readable === '' ? 'unnamed' : readable}-${sha256(taskId).slice(0, 8)}`;
}

/** `answer-2.json` and what belongs to it, as one commit. Gives the path of the record. */
async function keep(
  workspace: Workspace,
  taskId: string,
  kind: Kind,
  record: object,
  texts: Readonly<Record<string, string>>,
  removal?: Change,
): Promise<string> {
  const folder = `${FOLDER}/${folderName(taskId)}`;
  const result = await workspace.update((view) => {
    const { number, at } = placeOf(view, folder, kind, record);
    const path = `${folder}/${kind}-${number}`;
    const json = `${JSON.stringify(seal(path, { ...record, ...at }), null, 2)}\n`;
    if (json.length > LIMIT / 4) throw new UserError(`${path}.json would be too large to read again.`);
    const files: [string, string][] = [
      [`${path}.json`, json],
      ...Object.entries(texts).map(([ending, text]): [string, string] => [`${path}${ending}`, text]),
    ];
    const changes = files.map(([file, text]) => writing(view, file, text, at !== undefined));
    return { changes: removal ? [...changes, removal] : changes, value: `${path}.json` };
  });
  if (result.status === 'committed') return result.value;
  throw new UserError(`${folder} cannot be written: ${describeUncommitted(result)}.`);
}

/** The next number; for an answer that was kept before its own, with the time at which it first came. */
function placeOf(
  view: View,
  folder: string,
  kind: Kind,
  record: object,
): { number: number; at?: { at: JsonValue } } {
  const numbers = numbersOf(view, folder, kind);
  for (const number of 'sha256' in record ? numbers : []) {
    const before = readRecord(view, `${folder}/${kind}-${number}`);
    if (before?.sha256 === (record as { sha256: string }).sha256)
      return { number, at: { at: before.at ?? null } };
  }
  // By our own alone: a stranger's number would soon leave none.
  const own = numbers.filter((number) => readRecord(view, `${folder}/${kind}-${number}`));
  let number = (own.at(-1) ?? 0) + 1;
  while (numbers.includes(number)) number++;
  return { number };
}

function numbersOf(view: View, folder: string, kind: Kind): number[] {
  return view
    .list(folder)
    .flatMap((name) => {
      const number = name.startsWith(`${kind}-`)
        ? /^(\d{1,9})\.json$/.exec(name.slice(kind.length + 1))
        : null;
      return number ? [Number(number[1])] : [];
    })
    .sort((a, b) => a - b);
}

/** Only what was found to be the same answer is written over; else nothing may be there. */
function writing(view: View, path: string, text: string, over: boolean): Change {
  const read = over ? view.read(path, Number.MAX_SAFE_INTEGER) : undefined;
  const after = new TextEncoder().encode(text);
  return { path, before: read?.status === 'bytes' ? sha256(read.bytes) : null, after, mode: 0o600 };
}

/** Of the task that is named, else of the one that its last record names. */
function readFolder(view: View, folder: string, named?: string): TaskRecords | undefined {
  const briefings = readAll(view, folder, 'briefing') as BriefingRecord[];
  const answers = readAll(view, folder, 'answer') as AnswerRecord[];
  const decisions = readAll(view, folder, 'decision') as DecisionRecord[];
  const taskId = named ?? briefings.at(-1)?.task_id ?? answers.at(-1)?.task_id;
  const isItsOwn = (record: { task_id: string }) => record.task_id === taskId;
  const strange = numbersOf(view, folder, 'briefing').length > briefings.length;
  if (taskId === undefined || (![...briefings, ...answers].some(isItsOwn) && !strange)) return undefined;
  return {
    taskId,
    path: folder,
    briefings: briefings.filter(isItsOwn),
    answers: answers.filter(isItsOwn),
    decisions,
    strange,
  };
}

function readAll(view: View, folder: string, kind: Kind): unknown[] {
  return numbersOf(view, folder, kind).flatMap((number) => {
    const record = readRecord(view, `${folder}/${kind}-${number}`);
    return record && KINDS[kind](record) ? [record] : [];
  });
}

/** Undefined for what this user's teddy did not write there: a cloned repository may bring such files. */
function readRecord(view: View, path: string): JsonObject | undefined {
  const read = view.read(`${path}.json`, LIMIT);
  const text = read.status === 'bytes' ? decodeText(read.bytes) : undefined;
  const json = text?.status === 'text' ? readJson(text.text) : undefined;
  if (json?.status !== 'value' || !isJsonObject(json.value)) return undefined;
  const { seal: sealed, ...record } = json.value;
  return sealed === seal(path, record).seal ? record : undefined;
}

/** With what only this user's teddy can put under a record in this place. */
function seal<T extends object>(path: string, record: T): T & { seal: string } {
  return { ...record, seal: sealOf(`${path}\n${JSON.stringify(record)}`) };
}

function isBriefing(record: JsonObject): boolean {
  const { task_id, agent, at, goal, verbosity, scope, manual, baseline } = record;
  return (
    [task_id, agent, at, goal, verbosity, manual].every(isText) &&
    Array.isArray(scope) &&
    scope.every(isText) &&
    (baseline === null || (isJsonObject(baseline) && isText(baseline.commit) && isJsonObject(baseline.files)))
  );
}

function isAnswer({ task_id, agent, at, compliant, route, confidence, issues }: JsonObject): boolean {
  return (
    [task_id, agent, at, route].every(isText) &&
    typeof compliant === 'boolean' &&
    (confidence === null || typeof confidence === 'number') &&
    Array.isArray(issues) &&
    issues.every(isIssue)
  );
}

function isIssue(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { code, severity, path, message } = value;
  return (
    typeof code === 'string' &&
    Object.hasOwn(REPORT_ISSUES, code) &&
    [severity, path, message].every((each) => isText(each))
  );
}

function isDecision({ at, decision, answer }: JsonObject): boolean {
  return isText(at) && isText(answer) && (decision === 'accept' || decision === 'reject');
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string';
}
