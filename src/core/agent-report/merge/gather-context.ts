import { foldText } from '../../shorten.js';
import { readContextMap } from '../context-map/read.js';
import { canonicalUri } from '../context-map/reference.js';
import type { CheckedReport, ContextEntry, Reference, ReferenceStatus } from '../types.js';
import { addSaid, type Said, type SaidTexts } from './said.js';

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
  texts: Said[];
}

/** Where two reports were checked at different times, what is worse stands. */
const FROM_BAD_TO_GOOD: readonly ReferenceStatus[] = [
  'missing-file',
  'outside',
  'missing-lines',
  'changed',
  'moved',
  'unverifiable',
  'ok',
  'none',
];

/**
 * The context maps as one: places in the order in which they first appear, each with every text that was said of it. Two
 * agents who say different things of one place are both heard, side by side. What is said of no place comes where it
 * first appears, each text on its own.
 */
export function gatherContext(reports: readonly Source[]): ContextPlace[] {
  const statuses = gatherStatuses(reports);
  const places = new Map<string, { uri: string | null; texts: SaidTexts }>();
  for (const { source, checked } of reports) {
    for (const { text, uri } of readMap(checked.report?.findings ?? {}) ?? []) {
      const canonical = uri === null ? null : canonicalUri(uri);
      // No address begins with a line feed.
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
