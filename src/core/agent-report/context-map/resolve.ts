import { addToGroup } from '../../groups.js';
import type { JsonObject, JsonPath } from '../../json/values.js';
import { findTexts } from '../../json/values.js';
import { quoteExcerpt, shorten } from '../../text.js';
import type { Stat, Tree } from '../../tree.js';
import { openIssueLog } from '../issue.js';
import type { ReportIssueCode } from '../issue-codes.js';
import type { ContextEntry, Reference, ReferencedLines, ReferenceStatus, ReportIssue } from '../types.js';
import {
  type Blocks,
  findPinned,
  openBlocks,
  type Pin,
  type PinSearch,
  pinLines,
  readPin,
  type SearchBudget,
  writePin,
} from './pins.js';
import { type FileReading, type ReferenceRead, readReference, writeLines } from './reference.js';

export interface ResolveOptions {
  /** Of a text, in hexadecimal. */
  hash: (text: string) => string;
  /** How the lines of a uri were at an earlier look: the `pin` of a reference then. */
  pins?: ReadonlyMap<string, string>;
}

// A report may have a million addresses, and a project large files; neither may decide how long a check takes.
const MOST_PATHS = 10_000;
const MOST_READ = 500_000_000;
const MOST_HASHED = 500_000_000;
const MOST_COMPARED = 100_000_000;

type Found = Omit<Reference, 'text' | 'uri'>;

/** What an address is before any file is opened: settled, or something that only the file's text says. */
type Aim = Found | { file: string; lines: ReferencedLines | null };

/**
 * What each entry's address points to, in the order of the entries. Each file is read once, and no two are held at a
 * time. A hash is that of the lines joined by `\n`. Where a pin says that the lines were others, they are looked for in
 * their file: found once, they moved. Beyond the limits an address is unverifiable, or its lines have no hash.
 */
export function resolveReferences(
  entries: readonly ContextEntry[],
  tree: Tree,
  { hash, pins = new Map() }: ResolveOptions,
): Reference[] {
  const aims = entries.map(rememberAims(tree));
  const found: Found[] = [];
  const byFile = new Map<string, number[]>();
  aims.forEach((aim, at) => {
    if ('status' in aim) {
      found[at] = aim;
      return;
    }
    addToGroup(byFile, aim.file, at);
  });
  const effort: SearchBudget = { blocks: MOST_COMPARED, characters: MOST_HASHED };
  let unread = MOST_READ;
  for (const [file, positions] of byFile) {
    const look = unread > 0 ? openFile(tree, file) : tooMuch(file);
    if (!('blocks' in look)) {
      for (const at of positions) found[at] = { ...look, lines: aims[at]!.lines };
      continue;
    }
    unread -= look.characters;
    const wanted = positions.map((at) => ({ lines: aims[at]!.lines, pin: pins.get(entries[at]!.uri!) }));
    const all = resolveFile(file, look.blocks, wanted, hash, effort);
    positions.forEach((at, index) => {
      found[at] = all[index]!;
    });
  }
  return entries.map(({ text, uri }, at) => ({ text, uri, ...found[at]! }));
}

/** Looks at each address, and at each path, once. */
function rememberAims(tree: Tree): (entry: ContextEntry) => Aim {
  const aims = new Map<string, Aim>();
  const stats = new Map<string, Stat | undefined>();
  const stat = (path: string): Stat | undefined => {
    if (!stats.has(path)) stats.set(path, tree.stat(path));
    return stats.get(path);
  };
  return ({ uri }) => {
    if (uri === null) return settle('none', null);
    const known = aims.get(uri);
    if (known) return known;
    const aim = stats.size < MOST_PATHS ? aimAt(readReference(uri), stat) : tooMany();
    aims.set(uri, aim);
    return aim;
  };
}

function aimAt(read: ReferenceRead, stat: (path: string) => Stat | undefined): Aim {
  if (read.status === 'invalid') return settle('missing-file', `is not a path: it ${read.reason}`);
  if (read.status !== 'file') return settle(read.status, read.reason);
  const reading = read.readings.find(({ anchor, path }) => anchor === null && stat(path));
  if (reading) return aimAtPath(reading, stat(reading.path)!);
  if (read.outside !== null) return settle('outside', read.outside);
  const { path, anchor, lines } = read.readings[0];
  // Where the file is not there either, the anchor need not be checked.
  if (anchor !== null && stat(path)) return settle('unverifiable', describeAnchor(path, anchor), path);
  const parent = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
  const isLost = parent !== '' && stat(parent)?.kind !== 'folder';
  const reason = `does not exist: there is no ${path}${isLost ? `, and no folder ${parent}` : ''}`;
  return { ...settle('missing-file', reason, path), lines };
}

function aimAtPath({ path, lines }: FileReading, { kind }: Stat): Aim {
  // What is neither file nor folder says in reading why not.
  if (kind === 'other') return { file: path, lines };
  if (lines === null) return settle('ok', null, path);
  const missing = (reason: string): Found => ({ ...settle('missing-lines', reason, path), lines });
  if (kind === 'folder') return missing(`points to lines, but ${path} is a folder`);
  if (lines.from === 0) return missing('points to line 0, but lines count from 1');
  if (lines.to < lines.from)
    return missing(`points to lines in the wrong order, ${lines.from} to ${lines.to}`);
  return { file: path, lines };
}

function describeAnchor(path: string, anchor: string): string {
  return `names ${JSON.stringify(shorten(anchor, 80))}, but only lines can be checked; ${path} exists`;
}

function openFile(tree: Tree, file: string): { blocks: Blocks; characters: number } | Found {
  const read = tree.text(file);
  if (read.status === 'missing') return settle('missing-file', `does not exist: there is no ${file}`, file);
  if (read.status === 'refused') {
    // A tree says by its words alone that a link leads out.
    if (read.reason.startsWith('leads out of')) return settle('outside', read.reason, file);
    return settle('unverifiable', `cannot be checked: ${file} ${read.reason}`, file);
  }
  return { blocks: openBlocks(read.text), characters: read.text.length };
}

/** Some lines of a file, all of it where there are none, and how they were. */
interface Wanted {
  lines: ReferencedLines | null;
  pin: string | undefined;
}

/** The same lines with the same pin are looked at once, and all that must be searched for in one pass for each length. */
function resolveFile(
  file: string,
  blocks: Blocks,
  wanted: readonly Wanted[],
  hash: (text: string) => string,
  effort: SearchBudget,
): Found[] {
  const known = new Map<string, Found>();
  const astray = new Map<number, { found: Found; pin: Pin }[]>();
  const all = wanted.map(({ lines, pin: pinned }) => {
    if (lines === null) return settle('ok', null, file);
    const key = `${writeLines(lines)} ${pinned ?? ''}`;
    const before = known.get(key);
    if (before) return before;
    const found = resolveLines(file, lines, blocks, hash, effort);
    known.set(key, found);
    const pin = readPin(pinned);
    // Whatever was too much to hash is not compared either.
    if (!pin || found.hash === pin.hash || (found.status === 'ok' && found.hash === null)) return found;
    addToGroup(astray, lines.to - lines.from + 1, { found, pin });
    return found;
  });
  for (const [length, lost] of astray) {
    const pins = lost.map(({ pin }) => pin);
    findPinned(blocks, pins, length, hash, effort).forEach((search, at) => {
      Object.assign(lost[at]!.found, judgeSearch(file, lost[at]!.found, search, length));
    });
  }
  return all;
}

function resolveLines(
  file: string,
  lines: ReferencedLines,
  blocks: Blocks,
  hash: (text: string) => string,
  effort: SearchBudget,
): Found {
  if (lines.to > blocks.count)
    return { ...settle('missing-lines', describeEnd(file, lines, blocks.count), file), lines };
  const own = pinLines(blocks, lines.from - 1, lines.to - lines.from + 1, hash, effort);
  return { ...settle('ok', null, file), lines, ...(own && { hash: own.hash, pin: writePin(own) }) };
}

/** What it means that lines are not where they were. */
function judgeSearch(file: string, { status }: Found, search: PinSearch, length: number): Partial<Found> {
  if (typeof search === 'number') {
    const now = { from: search + 1, to: search + length };
    return {
      status: 'moved',
      now,
      reason: `has moved: these lines are now at ${file}:${writeLines(now)}`,
    };
  }
  return status === 'ok' ? { status: 'changed', reason: describeChange(file, search) } : {};
}

function describeEnd(file: string, { from, to }: ReferencedLines, count: number): string {
  const has = count === 0 ? 'is empty' : `has ${count} ${count === 1 ? 'line' : 'lines'}`;
  return from === to
    ? `points to line ${from}, but ${file} ${has}`
    : `points to lines ${from} to ${to}, but ${file} ${has}`;
}

function describeChange(file: string, search: Exclude<PinSearch, number>): string {
  const changed = 'points to lines that have changed since they were first seen';
  switch (search) {
    case 'many':
      return `${changed}; the original lines occur more than once in ${file}`;
    case 'unsure':
      return `${changed}; the search for them in ${file} was stopped because it takes too long`;
    case 'none':
      return `${changed}; the original lines are no longer in ${file}`;
  }
}

function tooMany(): Found {
  return settle('unverifiable', `was not checked: the map names more than ${MOST_PATHS} paths`);
}

function tooMuch(file: string): Found {
  return settle('unverifiable', 'was not checked: the files of the map are too large in total', file);
}

function settle(status: Reference['status'], reason: string | null, file: string | null = null): Found {
  return { status, file, lines: null, now: null, hash: null, reason };
}

const CODES: Readonly<Partial<Record<ReferenceStatus, ReportIssueCode>>> = {
  'missing-file': 'reference-broken',
  'missing-lines': 'reference-broken',
  outside: 'reference-outside',
  unverifiable: 'reference-unverifiable',
  moved: 'reference-stale',
  changed: 'reference-stale',
};

/** One issue for each reference that does not hold or cannot be checked. Each reference has its entry at the same place, and `base` is where their paths start. */
export function referenceIssues(
  references: readonly Reference[],
  entries: readonly ContextEntry[],
  base: JsonPath = ['findings', 'context_map'],
): ReportIssue[] {
  const log = openIssueLog();
  references.forEach((reference, at) => {
    const code = CODES[reference.status];
    if (code === undefined || reference.uri === null) return;
    const message = `The reference ${quoteExcerpt(reference.uri)} ${reference.reason ?? 'does not hold'}.`;
    log.add(code, [...base, ...(entries[at]?.path ?? [])], message, hintFor(reference));
  });
  return log.list();
}

function hintFor({ status, file, now }: Reference): string {
  switch (status) {
    case 'moved':
      return now && file !== null
        ? `Write ${quoteExcerpt(`repo://${file}:${writeLines(now)}`)}.`
        : 'Read the file again.';
    case 'changed':
      return 'Read the file again, and report what is there now.';
    case 'missing-lines':
      return 'Point to existing lines, counted from 1: repo://path:n or repo://path:n-m.';
    case 'unverifiable':
      return 'Only repo://path, repo://path:n and repo://path:n-m can be checked.';
    default:
      return 'Write a path from the project root, such as repo://src/a.ts, or null if there is no place to point to.';
  }
}

const MOST_ADDRESSES = 10_000;

/**
 * The addresses that findings hold beside their context map, such as the evidence of an answer: every text that is
 * nothing but a `repo://…`. Their paths start at the findings.
 */
export function findAddresses(findings: JsonObject): ContextEntry[] {
  const { context_map: _, ...others } = findings;
  const found: ContextEntry[] = [];
  for (const { text, path } of findTexts(others, (each) => /^repo:\/\/\S+$/i.test(each))) {
    if (found.push({ text: '', uri: text, path }) === MOST_ADDRESSES) break;
  }
  return found;
}
