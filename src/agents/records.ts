import { REPORT_ISSUES } from '../core/agent-report/issue-codes.js';
import type { Measured, ReportIssue, Route, Verbosity } from '../core/agent-report/types.js';
import { readJson } from '../core/json/read.js';
import type { JsonObject, JsonValue } from '../core/json/values.js';
import { isJsonObject } from '../core/json/values.js';
import { UserError } from '../node/errors.js';
import { decodeText, MB } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import { isSealOf, sealOf } from '../node/user-folders.js';
import { type Change, describeUncommitted } from '../workspace/commit/change.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Baseline } from './git-facts.js';

/** What an agent was asked, as `teddy agent brief` saves it. */
export interface BriefingRecord {
  task_id: string;
  agent: string;
  /** ISO 8601. */
  at: string;
  goal: string;
  verbosity: Verbosity;
  scope: string[];
  /** Hash of the manual by which the answer will be judged; see `markManual`. */
  manual: string;
  /** The state of the files at that time; null without a git repository. */
  baseline: Baseline | null;
}

/** The result of checking an answer. */
export interface AnswerRecord {
  task_id: string;
  /** The agent that was briefed, or else the one that the report names. */
  agent: string;
  at: string;
  /** Hash of the answer as received. */
  sha256: string;
  compliant: boolean;
  route: Route;
  /** Null if the report does not state it or is not compliant. */
  confidence: number | null;
  /** Missing in records of older versions. */
  measured?: Measured;
  issues: ReportIssue[];
}

/** The user's decision about an agent's work. */
export interface DecisionRecord {
  at: string;
  decision: 'accept' | 'reject';
  reason: string | null;
  /** Hash of the answer that it is about. */
  answer: string;
}

/** All records of one task id, each list in chronological order. */
export interface TaskRecords {
  taskId: string;
  /** Path of the folder, from the root. */
  path: string;
  briefings: BriefingRecord[];
  answers: AnswerRecord[];
  decisions: DecisionRecord[];
  /** Whether a briefing was changed, or was not written by this user's teddy. */
  strange: boolean;
}

const FOLDER = '.teddy/reports';
const LIMIT = 4 * MB;
const KINDS = { briefing: isBriefing, answer: isAnswer, decision: isDecision };
type Kind = keyof typeof KINDS;

/** Saves a briefing: the record, and the text that the agent gets. Throws `UserError` if it cannot. */
export async function keepBriefing(
  workspace: Workspace,
  record: BriefingRecord,
  text: string,
): Promise<string> {
  return keep(workspace, record.task_id, 'briefing', record, { '.md': text });
}

/** Saves an answer with its check result. Saving the same text again only updates the result. */
export async function keepAnswer(
  workspace: Workspace,
  record: AnswerRecord,
  text: string,
  removal?: Change,
): Promise<string> {
  return keep(workspace, record.task_id, 'answer', record, { '.txt': text }, { removal });
}

export async function keepDecision(
  workspace: Workspace,
  taskId: string,
  record: DecisionRecord,
): Promise<string> {
  return keep(workspace, taskId, 'decision', record, {});
}

/** Saves a decision unless there is one on the same answer; false where there is. */
export async function keepFirstDecision(
  workspace: Workspace,
  taskId: string,
  record: DecisionRecord,
): Promise<boolean> {
  let isFirst = false;
  const isWanted = (view: View, folder: string) => {
    const decisions = readAll(view, folder, 'decision') as DecisionRecord[];
    isFirst = decisions.every(({ answer }) => answer !== record.answer);
    return isFirst;
  };
  await keep(workspace, taskId, 'decision', record, {}, { isWanted });
  return isFirst;
}

/** The records of a task; undefined if there are none. */
export function findRecords(workspace: Workspace, taskId: string): TaskRecords | undefined {
  return workspace.view((view) => {
    return readFolder(view, `${FOLDER}/${folderName(taskId)}`, taskId);
  });
}

export function listRecords(workspace: Workspace): TaskRecords[] {
  return workspace.view((view) =>
    view.list(FOLDER).flatMap((name) => readFolder(view, `${FOLDER}/${name}`) ?? []),
  );
}

/** Readable, and unique to the task id: `sprint-1-1f0c9a3b`. */
function folderName(taskId: string): string {
  const readable = taskId
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${readable === '' ? 'unnamed' : readable}-${sha256(taskId).slice(0, 8)}`;
}

interface Keeping {
  /** Removed in the same commit. */
  removal?: Change | undefined;
  /** False: nothing is saved. */
  isWanted?(view: View, folder: string): boolean;
}

/** Saves `answer-2.json` and its files in one commit. Returns the path of the record. */
async function keep(
  workspace: Workspace,
  taskId: string,
  kind: Kind,
  record: object,
  texts: Readonly<Record<string, string>>,
  { removal, isWanted }: Keeping = {},
): Promise<string> {
  const folder = `${FOLDER}/${folderName(taskId)}`;
  const result = await workspace.update((view) => {
    const { number, at } = placeOf(view, folder, kind, record);
    const path = `${folder}/${kind}-${number}`;
    if (isWanted?.(view, folder) === false) return { changes: [], value: `${path}.json` };
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

/** The next free number; an answer that was saved before keeps its number and its time. */
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
  // Counts from our own records: a foreign file with a huge number would leave none.
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

/** Only a record of the same answer may be overwritten; otherwise the file must not exist. */
function writing(view: View, path: string, text: string, over: boolean): Change {
  const read = over ? view.read(path, Number.MAX_SAFE_INTEGER) : undefined;
  const after = new TextEncoder().encode(text);
  return { path, before: read?.status === 'bytes' ? sha256(read.bytes) : null, after, mode: 0o600 };
}

/** Reads the records of the given task, or else of the task that the last record names. */
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

/** Undefined for records that this user's teddy did not write: a cloned repository may contain such files. */
function readRecord(view: View, path: string): JsonObject | undefined {
  const read = view.read(`${path}.json`, LIMIT);
  const text = read.status === 'bytes' ? decodeText(read.bytes) : undefined;
  const json = text?.status === 'text' ? readJson(text.text) : undefined;
  if (json?.status !== 'value' || !isJsonObject(json.value)) return undefined;
  const { seal: sealed, ...record } = json.value;
  return isSealOf(bodyOf(path, record), sealed) ? record : undefined;
}

/** Adds a seal that only this user's teddy can make, bound to the path. */
function seal<T extends object>(path: string, record: T): T & { seal: string } {
  return { ...record, seal: sealOf(bodyOf(path, record)) };
}

function bodyOf(path: string, record: object): string {
  return `${path}\n${JSON.stringify(record)}`;
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

function isAnswer(record: JsonObject): boolean {
  const { task_id, agent, at, compliant, route, confidence, measured = {}, issues } = record;
  return (
    [task_id, agent, at, route].every(isText) &&
    typeof compliant === 'boolean' &&
    (confidence === null || typeof confidence === 'number') &&
    isJsonObject(measured) &&
    Object.values(measured).every((each) => each === null || typeof each === 'number') &&
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
