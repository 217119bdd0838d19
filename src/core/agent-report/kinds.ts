import type { JsonPath, JsonValue } from '../json/types.js';
import { isJsonObject } from '../json/values.js';
import { quoteExcerpt } from '../shorten.js';
import { type Field, hasInk, KINDS } from './fields.js';
import type { IssueLog } from './issue.js';
import type { ReportIssueCode } from './issue-codes.js';
import { STATUSES, VERBOSITIES } from './types.js';
import { describeValue, namePlace } from './wording.js';

/** Words that are met instead of a status or a level. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  ...{ complete: 'completed', done: 'completed', success: 'completed', succeeded: 'completed' },
  ...{ successful: 'completed', finished: 'completed', ok: 'completed' },
  ...{ waiting: 'blocked', needs_input: 'blocked', pending: 'blocked' },
  ...{ failure: 'failed', fail: 'failed', error: 'failed', errored: 'failed' },
  ...{ brief: 'summary', short: 'summary', minimal: 'summary', low: 'summary' },
  ...{
    detail: 'detailed',
    normal: 'detailed',
    standard: 'detailed',
    medium: 'detailed',
    default: 'detailed',
  },
  ...{ full: 'comprehensive', verbose: 'comprehensive', exhaustive: 'comprehensive', high: 'comprehensive' },
};

/** Whether a value is what its field may hold; if not, the log says what it is instead. */
export function judgeKind(
  field: Field,
  value: JsonValue,
  path: JsonPath,
  log: IssueLog,
  forgiveBlanks: boolean,
): boolean {
  const { key, kind, fill } = field;
  const { says } = KINDS[kind];
  const refuse = (code: ReportIssueCode, is: string, hint = `Write "${key}": ${fill}.`) => {
    log.add(code, path, `${namePlace(path)} is ${is}; it must be ${says}.`, hint);
    return false;
  };
  const refuseType = (hint?: string) => refuse('field-type', describeValue(value), hint);
  switch (kind) {
    case 'ink': {
      if (typeof value === 'string') return hasInk(value) || refuse('field-empty', 'blank');
      const isPlain = typeof value === 'number' || typeof value === 'boolean';
      return refuseType(isPlain ? `Put it in quotes: "${key}": "${value}".` : undefined);
    }
    case 'status':
    case 'level': {
      if (typeof value !== 'string') return refuseType();
      const known: readonly string[] = kind === 'status' ? STATUSES : VERBOSITIES;
      if (known.includes(value)) return true;
      const meant = known.find((word) => word === guessWord(value));
      const code = kind === 'status' ? 'status-unknown' : 'verbosity-unknown';
      return refuse(code, quoteExcerpt(value), meant && `Write "${key}": "${meant}", if that is meant.`);
    }
    case 'confidence': {
      if (!isNumber(value)) return refuseType(unquoteNumber(key, value));
      if (value >= 0 && value <= 1) return true;
      const isPercent = value >= 2 && value <= 100;
      const hint = isPercent ? `Write "${key}": ${value / 100}, if percent are meant.` : undefined;
      return refuse('confidence-range', String(value), hint);
    }
    case 'count': {
      if (value === null) return true;
      if (!isNumber(value)) return refuseType(unquoteNumber(key, value));
      if (Number.isInteger(value) && value >= 0) return true;
      const hint =
        value > 0 ? `Write "${key}": ${Math.round(value)}.` : `Write "${key}": null, if it is not known.`;
      return refuse('number-range', String(value), hint);
    }
    case 'text':
      return value === null || typeof value === 'string' || refuseType();
    case 'object':
      return isJsonObject(value) || refuseType();
    case 'texts':
      return Array.isArray(value)
        ? judgeEntries(value, path, log, forgiveBlanks)
        : refuseType(listHint(key, value));
  }
}

function judgeEntries(
  entries: readonly JsonValue[],
  path: JsonPath,
  log: IssueLog,
  forgiveBlanks: boolean,
): boolean {
  let good = true;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index]!;
    if (typeof entry === 'string') {
      if (forgiveBlanks || hasInk(entry) || log.skips('entry-blank')) continue;
      const at = [...path, index];
      log.add('entry-blank', at, `${namePlace(at)} is a blank text.`, 'Leave it out.');
    } else {
      good = false;
      if (log.skips('field-type')) continue;
      const at = [...path, index];
      const hint = 'Write one text for each entry, and what belongs to it into that text, as Markdown.';
      log.add('field-type', at, `${namePlace(at)} is ${describeValue(entry)}; it must be a text.`, hint);
    }
  }
  return good;
}

/** As JSON Schema counts numbers. */
function isNumber(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function unquoteNumber(key: string, value: JsonValue): string | undefined {
  const isPlain = typeof value === 'string' && /^\d{1,15}(\.\d{1,15})?$/.test(value);
  return isPlain ? `Write it without quotes: "${key}": ${Number(value)}.` : undefined;
}

function listHint(key: string, value: JsonValue): string | undefined {
  if (value === null || value === '') return `Write "${key}": [], or leave it out.`;
  return typeof value === 'string' ? `Put it into a list: "${key}": ["…"].` : undefined;
}

function guessWord(written: string): string {
  const word = written.length > 40 ? '' : written.trim().toLowerCase();
  return Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word]! : word;
}
