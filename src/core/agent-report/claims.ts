import { addToGroup } from '../groups.js';
import type { JsonObject, JsonPath, JsonValue } from '../json/values.js';
import { isJsonObject } from '../json/values.js';
import { isProtected, readRootPath } from '../path.js';
import { quoteExcerpt } from '../text.js';
import { type IssueLog, openIssueLog } from './issue.js';
import type { FileChange, ReportIssue } from './types.js';

/** A file that an agent says it changed. */
export interface Claim {
  /** As written. */
  path: string;
  /** Null if the report does not say. */
  change: FileChange['change'] | null;
  /** Its position in the report. */
  at: JsonPath;
}

const LIST: JsonPath = ['findings', 'changed_files'];
const CHANGES: readonly JsonValue[] = ['created', 'modified', 'deleted'] satisfies FileChange['change'][];

/**
 * Reads `changed_files`: `{path, change}`, or bare paths if the manual defines them. Null if there is no such list:
 * then nothing is claimed or denied.
 */
export function readClaims(findings: JsonObject): Claim[] | null {
  const list = Object.hasOwn(findings, 'changed_files') ? findings.changed_files! : null;
  if (!Array.isArray(list)) return null;
  return list.flatMap((entry, index): Claim[] => {
    const at = [...LIST, index];
    if (typeof entry === 'string') return [{ path: entry, change: null, at }];
    if (!isJsonObject(entry) || typeof entry.path !== 'string') return [];
    const change = Object.hasOwn(entry, 'change') ? entry.change! : null;
    return [{ path: entry.path, change: isChange(change) ? change : null, at }];
  });
}

/**
 * Compares an agent's claims with git, and both with the scope. A git path that ends in `/` is a nested repository and
 * covers everything in it.
 */
export function compareClaims(
  claims: readonly Claim[],
  facts: readonly FileChange[],
  inScope: ((path: string) => boolean) | null,
): ReportIssue[] {
  const log = openIssueLog();
  const seen = new Map(
    facts.filter(({ path }) => !isMachinery(path)).map((fact) => [keyOf(fact.path), fact]),
  );
  const claimed = groupClaims(claims, log);
  const covered = new Set<FileChange>();
  for (const [path, group] of claimed) {
    const fact = seen.get(path) ?? folderFact(seen, path);
    if (fact) covered.add(fact);
    compareOne(group, fact, log);
    checkScope(group[0]!.name, group[0]!.at, inScope, log);
  }
  for (const [path, fact] of seen) {
    if (!covered.has(fact)) {
      const message = `git shows that ${quoteExcerpt(fact.path)} was ${fact.change}, but the report does not list it.`;
      log.add('change-unclaimed', LIST, message, 'List every file that was created, modified or deleted.');
    }
    if (!claimed.has(path)) checkScope(path, LIST, inScope, log);
  }
  return log.list();
}

interface NamedClaim extends Claim {
  /** From the root. */
  name: string;
}

/** Groups claims by path; a file moved there and back has two. An impossible path is an issue. */
function groupClaims(claims: readonly Claim[], log: IssueLog): Map<string, NamedClaim[]> {
  const groups = new Map<string, NamedClaim[]>();
  for (const claim of claims) {
    const read = readRootPath(claim.path);
    const reason = read.status === 'ok' ? refuse(read.path) : read.reason;
    if (read.status !== 'ok' || reason !== null) {
      const hint = 'Write the path of a file from the project root, such as src/a.ts.';
      log.add('claim-invalid', placeOf(claim, 'path'), `${quoteExcerpt(claim.path)} ${reason}.`, hint);
      continue;
    }
    const named = { ...claim, name: read.path };
    addToGroup(groups, keyOf(read.path), named);
  }
  return groups;
}

function refuse(path: string): string | null {
  if (path === '.') return 'is the project root, not a file';
  return isProtected(path) ? 'is in a folder that agents must not change' : null;
}

/** A path is fine if any of its claims holds. */
function compareOne(group: readonly NamedClaim[], fact: FileChange | undefined, log: IssueLog): void {
  const claim = group[0]!;
  if (!fact) {
    const message = `The report says that ${quoteExcerpt(claim.name)} was ${claim.change ?? 'changed'}, but git shows no change.`;
    const hint = 'List only files whose content changed. Files that git ignores do not count.';
    log.add('claim-unchanged', placeOf(claim, 'path'), message, hint);
    return;
  }
  if (isFolder(fact) || group.some(({ change }) => change === null || change === fact.change)) return;
  const message = `The report says that ${quoteExcerpt(claim.name)} was ${claim.change}, but git shows that it was ${fact.change}.`;
  log.add('claim-kind', placeOf(claim, 'change'), message, `Write ${quoteExcerpt(fact.change)}.`);
}

/** The changed nested repository that contains the path. */
function folderFact(facts: ReadonlyMap<string, FileChange>, path: string): FileChange | undefined {
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const fact = facts.get(path.slice(0, slash));
    if (fact && isFolder(fact)) return fact;
  }
  return undefined;
}

function checkScope(
  path: string,
  at: JsonPath,
  inScope: ((path: string) => boolean) | null,
  log: IssueLog,
): void {
  if (!inScope || inScope(path)) return;
  const hint = 'Restore it, or explain under recommendations why it must change.';
  log.add('change-out-of-scope', at, `${quoteExcerpt(path)} is outside the scope of the briefing.`, hint);
}

/** The wrong part of an entry; a bare path has no parts. */
function placeOf({ at, change }: Claim, part: 'path' | 'change'): JsonPath {
  return change === null ? at : [...at, part];
}

function isFolder({ path }: FileChange): boolean {
  return path.endsWith('/');
}

/** Some file systems store one name in two Unicode forms. */
function keyOf(path: string): string {
  return (path.endsWith('/') ? path.slice(0, -1) : path).normalize('NFC');
}

function isChange(value: JsonValue): value is FileChange['change'] {
  return CHANGES.includes(value);
}

/** Files in protected trees are not an agent's work, except for the user's own teddy configuration. */
export function isMachinery(path: string): boolean {
  return isProtected(path) && !/^\.teddy\/(?:agents\/.|(?:config|policy)\.yaml$)/i.test(path);
}
