import { writePath } from '../../json/path.js';
import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import type { AgentReport, Manual } from '../types.js';
import { list } from '../wording.js';
import { type CutRule, type Part, type Parts, type TextPart, takeApart } from './parts.js';
import { type Shortened, shorten } from './shorten.js';

/** Texts get no shorter than this share of the room as long as a list can be cut. */
const SHARE_OF_A_TEXT = 1 / 16;
/** No text gets shorter than this, its note aside. */
const SHORTEST_TEXT = 24;
/** More phrases are counted, not told. */
const MOST_TOLD = 100;

export type Summary =
  | { status: 'fitted'; report: AgentReport; leftOut: string[] }
  /** `size` is what it has when all that can go is gone. */
  | { status: 'too-long'; size: number };

/**
 * A report at the level `summary` without fenced blocks and within the budget. First the longest texts are shortened,
 * then the longest lists are cut, and what room is left goes to the texts again. One entry of `identified_gaps` tells
 * what is gone.
 */
export function fitSummary(report: AgentReport, manual: Manual): Summary {
  const parts = takeApart(report, manual);
  const all: Share = { units: Number.POSITIVE_INFINITY, entries: parts.lists * parts.longest };
  if (!hasNotes(parts.report) && fits(parts, all, manual.summaryBudget))
    return { status: 'fitted', ...write(parts, all) };

  const sizeOfEntry = measureEntry(report);
  const room = manual.summaryBudget - sizeOfEntry;
  const share = fits(parts, all, room) ? all : chooseShare(parts, all, room);
  if (share !== null) return { status: 'fitted', ...write(parts, share) };
  return { status: 'too-long', size: sizeOf(parts, { units: SHORTEST_TEXT, entries: 0 }) + sizeOfEntry };
}

/** How much is kept. */
interface Share {
  /** Of each text. */
  units: number;
  /** Of all lists together: each gets its first entry before any gets its second, and so on. */
  entries: number;
}

/** Lists are cut before texts get too short to say anything. */
function chooseShare(parts: Parts, all: Share, room: number): Share | null {
  const fitsWith = (units: number, entries: number) => fits(parts, { units, entries }, room);
  let least = Math.max(SHORTEST_TEXT, Math.floor(room * SHARE_OF_A_TEXT));
  while (!fitsWith(least, 0)) {
    if (least === SHORTEST_TEXT) return null;
    least = Math.max(SHORTEST_TEXT, Math.floor(least / 2));
  }
  const entries = findMost(0, all.entries, (count) => fitsWith(least, count));
  return { units: findMost(least, room, (units) => fitsWith(units, entries)), entries };
}

/** The largest whole number that fits, where the least one is known to. */
function findMost(least: number, most: number, isGood: (value: number) => boolean): number {
  let good = least;
  let bad = most + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isGood(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

function fits(parts: Parts, share: Share, room: number): boolean {
  return spend(parts.report, room, { parts, share }) >= 0;
}

function sizeOf(parts: Parts, share: Share): number {
  return Number.MAX_SAFE_INTEGER - spend(parts.report, Number.MAX_SAFE_INTEGER, { parts, share });
}

interface Keep {
  parts: Parts;
  share: Share;
}

/** What is left of the room; it is not looked further once that is less than nothing. */
function spend(part: Part, room: number, keep: Keep): number {
  if (part.kind === 'fixed') return room - part.size;
  if (part.kind === 'text') return room - sizeOfText(part, keep);
  let left = room - '[]'.length;
  let isFirst = true;
  const add = (size: number, inner: Part) => {
    left = spend(inner, left - size - (isFirst ? 0 : ','.length), keep);
    isFirst = false;
  };
  const most = countKept(part.cut, keep);
  if (part.kind === 'list') {
    for (let index = 0; index < part.entries.length && index < most && left >= 0; index++)
      add(0, part.entries[index]!);
    return left;
  }
  let entries = 0;
  for (const { size, part: inner, isEntry } of part.members) {
    if (left < 0) break;
    if (!isEntry || entries++ < most) add(size, inner);
  }
  return left;
}

function sizeOfText(part: TextPart, keep: Keep): number {
  const short = shortenPart(part, keep);
  return short ? JSON.stringify(short.text).length : part.size;
}

function shortenPart({ text, characters, least }: TextPart, { share }: Keep): Shortened | null {
  return least === null ? null : shorten(text, characters, Math.max(least, share.units));
}

function countKept(cut: CutRule | null, { parts, share }: Keep): number {
  if (cut === null) return Number.POSITIVE_INFINITY;
  const rounds = Math.floor(share.entries / parts.lists);
  return Math.max(cut.least, rounds + (cut.rank < share.entries % parts.lists ? 1 : 0));
}

/** What is gone. */
interface Loss {
  blocks: number;
  lines: number;
  characters: number;
  entries: number;
  phrases: string[];
}

/** As many digits as numbers of a report of any size that is read can have. */
const MANY = 99_999_999;
const WORST_LOSS: Loss = { blocks: MANY, lines: MANY, characters: MANY, entries: MANY, phrases: [] };

function write(parts: Parts, share: Share): { report: AgentReport; leftOut: string[] } {
  const loss: Loss = { blocks: 0, lines: 0, characters: 0, entries: 0, phrases: [] };
  const report = writePart(parts.report, [], { parts, share }, loss) as unknown as AgentReport;
  const { identified_gaps: gaps = [] } = report;
  if (loss.phrases.length > 0) report.identified_gaps = [...gaps, describeLoss(loss)];
  return { report, leftOut: tell(loss.phrases) };
}

function writePart(part: Part, path: JsonPath, keep: Keep, loss: Loss): JsonValue {
  if (part.kind === 'fixed') return part.value;
  if (part.kind === 'text') return writeText(part, path, keep, loss);
  const most = countKept(part.cut, keep);
  const gone = part.cut ? part.cut.entries - Math.min(most, part.cut.entries) : 0;
  if (gone > 0) {
    loss.entries += gone;
    loss.phrases.push(`${count(gone, 'entry', 'entries')} of ${writePath(path)}`);
  }
  if (part.kind === 'list')
    return part.entries.slice(0, most).map((entry, index) => writePart(entry, [...path, index], keep, loss));
  let entries = 0;
  const kept = part.members.filter(({ isEntry }) => !isEntry || entries++ < most);
  return Object.fromEntries(
    kept.map(({ key, part: inner }) => [key, writePart(inner, [...path, key], keep, loss)]),
  ) satisfies JsonObject;
}

function writeText(part: TextPart, path: JsonPath, keep: Keep, loss: Loss): string {
  if (part.blocks > 0) {
    loss.blocks += part.blocks;
    loss.lines += part.lines;
    loss.phrases.push(`${countBlocks(part)} in ${writePath(path)}`);
  }
  const short = shortenPart(part, keep);
  if (short === null) return part.text;
  loss.characters += short.left;
  loss.phrases.push(`${short.left} characters of ${writePath(path)}`);
  return short.text;
}

function hasNotes(part: Part): boolean {
  if (part.kind === 'text') return part.blocks > 0;
  if (part.kind === 'list') return part.entries.some(hasNotes);
  return part.kind === 'object' && part.members.some((member) => hasNotes(member.part));
}

function describeLoss({ blocks, lines, characters, entries }: Loss): string {
  const said = [
    blocks > 0 ? countBlocks({ blocks, lines }) : [],
    characters > 0 ? `${characters} characters of texts` : [],
    entries > 0 ? `${count(entries, 'entry', 'entries')} of lists` : [],
  ];
  return `Left out of this summary: ${list(said.flat())}.`;
}

/** The most that the entry on what is gone adds to the JSON of the report. */
function measureEntry({ identified_gaps: gaps }: AgentReport): number {
  const around = gaps ? ',' : ',"identified_gaps":[]';
  return around.length + JSON.stringify(describeLoss(WORST_LOSS)).length;
}

function countBlocks({ blocks, lines }: { blocks: number; lines: number }): string {
  return `${count(blocks, 'fenced block', 'fenced blocks')} (${count(lines, 'line', 'lines')})`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function tell(phrases: readonly string[]): string[] {
  if (phrases.length <= MOST_TOLD) return [...phrases];
  return [...phrases.slice(0, MOST_TOLD), `${phrases.length - MOST_TOLD} more places`];
}
