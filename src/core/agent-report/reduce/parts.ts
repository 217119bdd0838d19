import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { CONTEXT_MAP_SCHEMA } from '../context-map/schema.js';
import { hasInk } from '../fields.js';
import { findingsAt } from '../levels.js';
import type { AgentReport, Manual } from '../types.js';
import { leaveOutFences } from './fenced-blocks.js';
import { openPlaces, type Place } from './places.js';
import { countCharacters, unitsFor } from './shorten.js';

/** A report, or a part of it, by what may be left out of it. Texts are without fenced blocks already. */
export type Part = FixedPart | TextPart | ListPart | ObjectPart;

interface FixedPart {
  kind: 'fixed';
  value: JsonValue;
  /** Characters of its JSON; so everywhere here. */
  size: number;
}

export interface TextPart {
  kind: 'text';
  text: string;
  size: number;
  /** Units that are kept at the least; null where all are. */
  least: number | null;
  characters: number;
  /** Lines and blocks that are gone. */
  lines: number;
  blocks: number;
}

interface ListPart {
  kind: 'list';
  entries: Part[];
  cut: CutRule | null;
}

interface ObjectPart {
  kind: 'object';
  members: Member[];
  cut: CutRule | null;
}

interface Member {
  key: string;
  /** Of the key with its colon. */
  size: number;
  part: Part;
  /** Whether it is one of any number, as an entry of a list is. */
  isEntry: boolean;
}

/** How entries at the end of a list may go. */
export interface CutRule {
  /** How many entries there are, and must be. */
  entries: number;
  least: number;
  /** Its place among all that can be cut, in the order of the report. */
  rank: number;
}

export interface Parts {
  report: ObjectPart;
  /** How many lists can be cut. */
  lists: number;
  /** Entries of the longest of them. */
  longest: number;
}

/** One word up to this length is a name or a path, and of no use in half. */
const LONGEST_NAME = 300;

const TEXTS: JsonObject = { type: 'array', items: { type: 'string' } };

/** What of a report at the level `summary` may be left out, by the contract and by the manual. */
export function takeApart(report: AgentReport, manual: Manual): Parts {
  const root = findingsAt(manual, 'summary');
  const placeOf = openPlaces(root);
  let lists = 0;
  let longest = 0;

  const makeRule = (entries: number, least: number): CutRule | null => {
    if (entries <= least) return null;
    longest = Math.max(longest, entries);
    return { entries, least, rank: lists++ };
  };

  const take = (value: JsonValue, place: Place, isRow = false): Part => {
    if (typeof value === 'string') return takeText(value, place);
    if (Array.isArray(value)) return takeList(value, place, isRow);
    return isJsonObject(value) ? takeObject(value, (key) => place.ofObject().at(key), place) : fix(value);
  };

  /** A list in a list is a row of it: it goes or stays as a whole. */
  const takeList = (value: JsonValue[], place: Place, isRow: boolean): Part => {
    const rules = place.ofList();
    if (rules.isFixed) return fix(value);
    const cut = rules.isOpen && !isRow ? makeRule(value.length, rules.least) : null;
    return { kind: 'list', entries: value.map((entry, index) => take(entry, rules.at(index), true)), cut };
  };

  const takeObject = (value: JsonObject, placeAt: (key: string) => Place, place: Place): Part => {
    const rules = place.ofObject();
    if (rules.isFixed) return fix(value);
    const keys = Object.keys(value);
    const entries = keys.filter(rules.isEntry).length;
    const others = keys.length - entries;
    const cut = rules.isOpen ? makeRule(entries, Math.max(0, rules.least - others)) : null;
    const members = keys.map((key) => makeMember(key, take(value[key]!, placeAt(key)), rules.isEntry(key)));
    return { kind: 'object', members, cut };
  };

  const takeFindings = (): Part => {
    const place = placeOf([root]);
    const rules = place.ofObject();
    const placeAt = (key: string) =>
      key === 'context_map' ? placeOf([...rules.at(key).schemas, CONTEXT_MAP_SCHEMA]) : rules.at(key);
    return takeObject(report.findings, placeAt, place);
  };

  const parts: Record<string, () => Part> = {
    report_metadata: () => takeMetadata(report.report_metadata as unknown as JsonObject),
    findings: takeFindings,
    recommendations: () => take(report.recommendations ?? [], placeOf([TEXTS])),
    identified_gaps: () => take(report.identified_gaps ?? [], placeOf([TEXTS])),
    blockers: () => take(report.blockers ?? [], placeOf([{ ...TEXTS, minItems: neededBlockers(report) }])),
  };
  const members = Object.entries(report as unknown as JsonObject).map(([key, value]) =>
    makeMember(key, Object.hasOwn(parts, key) ? parts[key]!() : take(value, placeOf([])), false),
  );
  return { report: { kind: 'object', members, cut: null }, lists, longest };
}

function fix(value: JsonValue): FixedPart {
  return { kind: 'fixed', value, size: JSON.stringify(value).length };
}

function makeMember(key: string, part: Part, isEntry: boolean): Member {
  return { key, size: JSON.stringify(key).length + 1, part, isEntry };
}

function takeText(value: string, place: Place): Part {
  const { isFixed, isFree, minLength } = place.ofText();
  if (isFixed) return fix(value);
  const part = unfence(value);
  return isFree && !isName(part.text) ? { ...part, least: unitsFor(minLength) } : part;
}

function unfence(value: string): TextPart {
  const unfenced = leaveOutFences(value);
  const size = JSON.stringify(unfenced.text).length;
  return { kind: 'text', ...unfenced, size, least: null, characters: countCharacters(unfenced.text) };
}

/** Whether a text is one word, such as a path or an address. */
function isName(text: string): boolean {
  const word = text.trim();
  if (word === '' || text.length > word.length + 2 || /\s/.test(word)) return false;
  return word.length <= LONGEST_NAME || /^[a-z][a-z\d+.-]{0,20}:/i.test(word);
}

/** Nothing of it is cut, and who reports on what stays as it is in any case. */
function takeMetadata(metadata: JsonObject): ObjectPart {
  const members = Object.entries(metadata).map(([key, value]) => {
    const isId = key === 'agent_name' || key === 'task_id';
    return makeMember(key, isId ? fix(value) : takeWhole(value), false);
  });
  return { kind: 'object', members, cut: null };
}

/** All of it but fenced blocks. */
function takeWhole(value: JsonValue): Part {
  if (typeof value === 'string') return unfence(value);
  if (Array.isArray(value)) return { kind: 'list', entries: value.map(takeWhole), cut: null };
  if (!isJsonObject(value)) return fix(value);
  const members = Object.entries(value).map(([key, inner]) => makeMember(key, takeWhole(inner), false));
  return { kind: 'object', members, cut: null };
}

/** A blocked report says by what: one blocker that is not blank, and those before it. */
function neededBlockers({ report_metadata: { status }, blockers = [] }: AgentReport): number {
  return status === 'blocked' ? blockers.findIndex(hasInk) + 1 : 0;
}
