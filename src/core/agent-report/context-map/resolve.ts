import { addToGroup } from '../../groups.js';
import type { JsonObject, JsonPath } from '../../json/values.js';
import { findTexts } from '../../json/values.js';
import { splitLines } from '../../markdown/lines.js';
import { countUnits, quoteExcerpt, shorten } from '../../text.js';
import type { Stat, Tree } from '../../tree.js';
import { openIssueLog } from '../issue.js';
import type { ReportIssueCode } from '../issue-codes.js';
import type { ContextEntry, Reference, ReferencedLines, ReferenceStatus, ReportIssue } from '../types.js';
import { type FileReading, type ReferenceRead, readReference } from './reference.js';

// A report may have a million addresses, and a project large files; neither may decide how long a check takes.
const MOST_PATHS = 10_000;
const MOST_READ = 500_000_000;

type Target = Omit<Reference, 'text' | 'uri'>;

/** A target, or a file whose text must be read to find out. */
type PendingTarget = Target | { file: string; lines: ReferencedLines | null };

/** The target of each entry's address. Each file is read once; beyond the limits, an address is unverifiable. */
export function resolveReferences(entries: readonly ContextEntry[], tree: Tree): Reference[] {
  const pending = entries.map(targetFinder(tree));
  const targets: Target[] = [];
  const byFile = new Map<string, number[]>();
  pending.forEach((target, at) => {
    if ('status' in target) targets[at] = target;
    else addToGroup(byFile, target.file, at);
  });
  let unread = MOST_READ;
  for (const [file, positions] of byFile) {
    const read = unread > 0 ? readFile(tree, file) : tooLarge(file);
    if ('count' in read) unread -= read.characters;
    for (const at of positions) {
      const { lines } = pending[at]!;
      targets[at] = 'count' in read ? checkLines(file, lines, read.count) : { ...read, lines };
    }
  }
  return entries.map(({ text, uri }, at) => ({ text, uri, ...targets[at]! }));
}

/** Looks up each address, and each path, once. */
function targetFinder(tree: Tree): (entry: ContextEntry) => PendingTarget {
  const targets = new Map<string, PendingTarget>();
  const stats = new Map<string, Stat | undefined>();
  const stat = (path: string): Stat | undefined => {
    if (!stats.has(path)) stats.set(path, tree.stat(path));
    return stats.get(path);
  };
  return ({ uri }) => {
    if (uri === null) return makeTarget('none', null);
    const known = targets.get(uri);
    if (known) return known;
    const target = stats.size < MOST_PATHS ? findTarget(readReference(uri), stat) : tooMany();
    targets.set(uri, target);
    return target;
  };
}

function findTarget(read: ReferenceRead, stat: (path: string) => Stat | undefined): PendingTarget {
  if (read.status === 'invalid') return makeTarget('missing-file', `is not a path: it ${read.reason}`);
  if (read.status !== 'file') return makeTarget(read.status, read.reason);
  const reading = read.readings.find(({ anchor, path }) => anchor === null && stat(path));
  if (reading) return findPathTarget(reading, stat(reading.path)!);
  if (read.outside !== null) return makeTarget('outside', read.outside);
  const { path, anchor, lines } = read.readings[0];
  // Where the file is not there either, the anchor need not be checked.
  if (anchor !== null && stat(path)) return makeTarget('unverifiable', describeAnchor(path, anchor), path);
  const parent = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
  const isLost = parent !== '' && stat(parent)?.kind !== 'folder';
  const reason = `does not exist: there is no ${path}${isLost ? `, and no folder ${parent}` : ''}`;
  return { ...makeTarget('missing-file', reason, path), lines };
}

function findPathTarget({ path, lines }: FileReading, { kind }: Stat): PendingTarget {
  // What is neither file nor folder says in reading why not.
  if (kind === 'other') return { file: path, lines };
  if (lines === null) return makeTarget('ok', null, path);
  const missing = (reason: string): Target => ({ ...makeTarget('missing-lines', reason, path), lines });
  if (kind === 'folder') return missing(`points to lines, but ${path} is a folder`);
  if (lines.from === 0) return missing('points to line 0, but lines count from 1');
  if (lines.to < lines.from)
    return missing(`points to lines in the wrong order, ${lines.from} to ${lines.to}`);
  return { file: path, lines };
}

function describeAnchor(path: string, anchor: string): string {
  return `names ${JSON.stringify(shorten(anchor, 80))}, but only lines can be checked; ${path} exists`;
}

function readFile(tree: Tree, file: string): { count: number; characters: number } | Target {
  const read = tree.text(file);
  if (read.status === 'missing')
    return makeTarget('missing-file', `does not exist: there is no ${file}`, file);
  if (read.status === 'refused') {
    // A tree says by its words alone that a link leads out.
    if (read.reason.startsWith('leads out of')) return makeTarget('outside', read.reason, file);
    return makeTarget('unverifiable', `cannot be checked: ${file} ${read.reason}`, file);
  }
  return { count: splitLines(read.text).count, characters: read.text.length };
}

function checkLines(file: string, lines: ReferencedLines | null, count: number): Target {
  if (lines === null || lines.to <= count) return { ...makeTarget('ok', null, file), lines };
  return { ...makeTarget('missing-lines', describeEnd(file, lines, count), file), lines };
}

function describeEnd(file: string, { from, to }: ReferencedLines, count: number): string {
  const has = count === 0 ? 'is empty' : `has ${countUnits(count, 'line')}`;
  return from === to
    ? `points to line ${from}, but ${file} ${has}`
    : `points to lines ${from} to ${to}, but ${file} ${has}`;
}

function tooMany(): Target {
  return makeTarget('unverifiable', `was not checked: the map names more than ${MOST_PATHS} paths`);
}

function tooLarge(file: string): Target {
  return makeTarget('unverifiable', 'was not checked: the files of the map are too large in total', file);
}

function makeTarget(status: Reference['status'], reason: string | null, file: string | null = null): Target {
  return { status, file, lines: null, reason };
}

const CODES: Readonly<Partial<Record<ReferenceStatus, ReportIssueCode>>> = {
  'missing-file': 'reference-broken',
  'missing-lines': 'reference-broken',
  outside: 'reference-outside',
  unverifiable: 'reference-unverifiable',
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

function hintFor({ status }: Reference): string {
  switch (status) {
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
