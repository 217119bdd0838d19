import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { quoteExcerpt } from '../../shorten.js';
import { openIssueLog } from '../issue.js';
import type { ReportIssueCode } from '../issue-codes.js';
import type { ContextEntry, Reference, ReferenceStatus, ReportIssue } from '../types.js';
import { writeLines } from './reference.js';

const CODES: Readonly<Partial<Record<ReferenceStatus, ReportIssueCode>>> = {
  'missing-file': 'reference-broken',
  'missing-lines': 'reference-broken',
  outside: 'reference-outside',
  unverifiable: 'reference-unverifiable',
  moved: 'reference-stale',
  changed: 'reference-stale',
};

/** One issue for each reference that does not hold or cannot be checked. Each reference has its entry at the same place, and `base` is where their paths begin. */
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
        : 'Look at the file again.';
    case 'changed':
      return 'Look at the file again, and say what stands there now.';
    case 'missing-lines':
      return 'Point to lines that are there, counted from 1: repo://path:n or repo://path:n-m.';
    case 'unverifiable':
      return 'What can be checked is repo://path, repo://path:n and repo://path:n-m.';
    default:
      return 'Write a path from the project root, such as repo://src/a.ts, or null where there is no place to point to.';
  }
}

const MOST = 10_000;

/**
 * The addresses that findings hold beside their context map, such as the evidence of an answer: every text that is
 * nothing but a `repo://…`. Their paths begin at the findings.
 */
export function findAddresses(findings: JsonObject): ContextEntry[] {
  const found: ContextEntry[] = [];
  const look = (value: JsonValue, path: JsonPath): void => {
    if (found.length >= MOST) return;
    if (typeof value === 'string') {
      if (/^repo:\/\/\S+$/i.test(value)) found.push({ text: '', uri: value, path });
    } else if (Array.isArray(value)) {
      for (const [at, each] of value.entries()) look(each, [...path, at]);
    } else if (isJsonObject(value)) {
      for (const [key, each] of Object.entries(value)) look(each, [...path, key]);
    }
  };
  const { context_map: _, ...others } = findings;
  look(others, []);
  return found;
}
