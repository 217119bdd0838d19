import type { JsonObject, JsonValue } from '../../json/values.js';
import { isJsonObject, jsonEquals } from '../../json/values.js';
import { foldText } from '../../text.js';
import { readContextMap } from '../context-map/forms.js';
import { canonicalUri } from '../context-map/reference.js';
import type { CheckedReport, ContextEntry, Reference, ReferenceStatus, ReportStatus } from '../types.js';

/** A report that was checked, under the name by which a reader knows it: that of its file. */
export interface MergeInput {
  name: string;
  checked: CheckedReport;
}

/** All that is known of many reports, by kind. `mergeReports` makes JSON of it, and `renderMerged` Markdown. */
export interface Gathered {
  /** Failed where one failed or is not compliant, else blocked where one is. */
  status: ReportStatus;
  reports: GatheredReport[];
  context: ContextPlace[];
  recommendations: SourcedText[];
  gaps: SourcedText[];
  blockers: SourcedText[];
  tokens: Sum;
  seconds: Sum;
  costUsd: Sum;
}

export interface GatheredReport {
  /** The names of the inputs that hold it, with a number after them where another has the same. */
  source: string;
  checked: CheckedReport;
  /** Also of a report that is not compliant, as far as it says so. */
  agent: string | null;
  taskId: string | null;
  /** A report that is not compliant has failed, whatever it says. */
  status: ReportStatus;
  /** What went wrong; null where nothing did. */
  error: string | null;
  tokens: Amount | null;
  seconds: Amount | null;
  costUsd: Amount | null;
}

/** Measured where it was, else the agent's own word. */
export interface Amount {
  value: number;
  from: 'measured' | 'claimed';
}

export interface Sum {
  /** Null if unknown, or too large to count. */
  value: number | null;
  /** How many reports each came from. */
  measured: number;
  claimed: number;
  unknown: number;
}

export function gatherReports(inputs: readonly MergeInput[]): Gathered {
  const once = joinSame(inputs);
  const sources = nameSources(once);
  const reports = once.map(({ checked }, i) => gatherReport(sources[i]!, checked));
  const has = (status: ReportStatus) => reports.some((report) => report.status === status);
  const texts = (key: 'recommendations' | 'identified_gaps' | 'blockers') => gatherTexts(reports, key);
  return {
    status: has('failed') ? 'failed' : has('blocked') ? 'blocked' : 'completed',
    reports,
    context: gatherContext(reports),
    recommendations: texts('recommendations'),
    gaps: texts('identified_gaps'),
    blockers: texts('blockers'),
    tokens: addUp(reports.map(({ tokens }) => tokens)),
    seconds: addUp(reports.map(({ seconds }) => seconds)),
    costUsd: addUp(reports.map(({ costUsd }) => costUsd)),
  };
}

/** A report that comes twice counts once, under both names. What could not be read is the same as nothing. */
function joinSame(inputs: readonly MergeInput[]): MergeInput[] {
  const groups: { names: Set<string>; checked: CheckedReport }[] = [];
  for (const { name, checked } of inputs) {
    const same = groups.find((group) => isSame(group.checked, checked));
    if (same) same.names.add(name);
    else groups.push({ names: new Set([name]), checked });
  }
  return groups.map(({ names, checked }) => ({ name: [...names].join(', '), checked }));
}

/** Two answers of the same words are two where each has its own cost, or was checked against other files. */
function isSame(a: CheckedReport, b: CheckedReport): boolean {
  const checkedWith = ({ measured, references }: CheckedReport) => JSON.stringify([measured, references]);
  return a.value !== null && jsonEquals(a.value, b.value) && checkedWith(a) === checkedWith(b);
}

function nameSources(inputs: readonly MergeInput[]): string[] {
  const counts = new Map<string, number>();
  const taken = new Set<string>();
  return inputs.map(({ name }) => {
    let count = (counts.get(name) ?? 0) + 1;
    while (taken.has(numbered(name, count))) count++;
    counts.set(name, count);
    taken.add(numbered(name, count));
    return numbered(name, count);
  });
}

function numbered(name: string, count: number): string {
  return count === 1 ? name : `${name} (${count})`;
}

function gatherReport(source: string, checked: CheckedReport): GatheredReport {
  const { report, value, issues, measured, claimed } = checked;
  const said = isJsonObject(value) ? ownObject(value, 'report_metadata') : {};
  const { inputTokens, outputTokens, costUsd, durationMs } = measured;
  const tokens = inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens;
  return {
    source,
    checked,
    agent: report?.report_metadata.agent_name ?? ownText(said, 'agent_name'),
    taskId: report?.report_metadata.task_id ?? ownText(said, 'task_id'),
    status: report?.report_metadata.status ?? 'failed',
    error: report
      ? (report.report_metadata.error_message ?? null)
      : (issues.find(({ severity }) => severity === 'error')?.message ?? 'It is not compliant.'),
    tokens: chooseAmount(tokens, claimed.tokens),
    seconds: chooseAmount(durationMs === null ? null : durationMs / 1000, claimed.seconds),
    costUsd: chooseAmount(costUsd, null),
  };
}

function ownObject(object: JsonObject, key: string): JsonObject {
  const value: JsonValue = Object.hasOwn(object, key) ? object[key]! : null;
  return isJsonObject(value) ? value : {};
}

function ownText(object: JsonObject, key: string): string | null {
  const value = Object.hasOwn(object, key) ? object[key] : null;
  return typeof value === 'string' && /\S/.test(value) ? value : null;
}

function chooseAmount(measured: number | null, claimed: number | null): Amount | null {
  if (measured !== null) return { value: measured, from: 'measured' };
  return claimed === null ? null : { value: claimed, from: 'claimed' };
}

function addUp(amounts: readonly (Amount | null)[]): Sum {
  const known = amounts.filter((amount) => amount !== null);
  const sum = known.reduce((total, { value }) => total + value, 0);
  const measured = known.filter(({ from }) => from === 'measured').length;
  return {
    value: known.length === 0 || sum > Number.MAX_SAFE_INTEGER ? null : sum,
    measured,
    claimed: known.length - measured,
    unknown: amounts.length - known.length,
  };
}

/** Each text once, in the order in which it first appears; blank ones say nothing. */
function gatherTexts(
  reports: readonly GatheredReport[],
  key: 'recommendations' | 'identified_gaps' | 'blockers',
): SourcedText[] {
  const texts: SaidTexts = new Map();
  for (const { source, checked } of reports) {
    for (const text of checked.report?.[key] ?? []) {
      if (/\S/.test(text)) addSaid(texts, text, source);
    }
  }
  return [...texts.values()];
}

interface Source {
  source: string;
  checked: CheckedReport;
}

/** All that reports say of one place. */
export interface ContextPlace {
  /** Canonical; null for what is said of no place. */
  uri: string | null;
  /** Null where it was not checked. */
  status: ReferenceStatus | null;
  /** Why it does not hold or cannot be checked: completes the sentence "<uri> …". */
  reason: string | null;
  texts: SourcedText[];
}

/** If two reports were checked at different times, the worse status counts. */
const FROM_BAD_TO_GOOD: readonly ReferenceStatus[] = [
  'missing-file',
  'outside',
  'missing-lines',
  'unverifiable',
  'ok',
  'none',
];

/**
 * The context maps as one: places in the order in which they first appear, each with every text that was said of it. Two
 * agents who say different things of one place are both heard, side by side. What is said of no place comes where it
 * first appears, each text on its own.
 */
function gatherContext(reports: readonly Source[]): ContextPlace[] {
  const statuses = gatherStatuses(reports);
  const places = new Map<string, { uri: string | null; texts: SaidTexts }>();
  for (const { source, checked } of reports) {
    for (const { text, uri } of readMap(checked.report?.findings ?? {}) ?? []) {
      const canonical = uri === null ? null : canonicalUri(uri);
      // No address starts with a line feed.
      const key = canonical ?? `\n${foldText(text)}`;
      const place = places.get(key) ?? { uri: canonical, texts: new Map() };
      places.set(key, place);
      addSaid(place.texts, text, source);
    }
  }
  return [...places.values()].map(({ uri, texts }) => {
    const found = uri === null ? undefined : statuses.get(uri);
    return {
      uri,
      status: uri === null ? 'none' : (found?.status ?? null),
      reason: found?.reason ?? null,
      texts: [...texts.values()],
    };
  });
}

/** Null where the findings have none that can be read. */
export function readMap(findings: object): ContextEntry[] | null {
  return Object.hasOwn(findings, 'context_map')
    ? readContextMap((findings as { context_map: never }).context_map)
    : null;
}

function gatherStatuses(reports: readonly Source[]): Map<string, Reference> {
  const found = new Map<string, Reference>();
  for (const reference of reports.flatMap(({ checked }) => checked.references)) {
    if (reference.uri === null) continue;
    const key = canonicalUri(reference.uri);
    const known = found.get(key);
    if (!known || rankOf(reference) < rankOf(known)) found.set(key, reference);
  }
  return found;
}

function rankOf({ status }: Reference): number {
  return FROM_BAD_TO_GOOD.indexOf(status);
}

/** A text that is in one or more reports. */
export interface SourcedText {
  /** As it was written first. */
  text: string;
  /** Sources. */
  by: string[];
}

/** By what makes two texts the same: all but white space. */
type SaidTexts = Map<string, SourcedText>;

/** For sources that come one after the other: who said it last is the only one who could say it again. */
function addSaid(texts: SaidTexts, text: string, source: string): void {
  const folded = foldText(text);
  const known = texts.get(folded);
  if (!known) texts.set(folded, { text, by: [source] });
  else if (known.by.at(-1) !== source) known.by.push(source);
}
