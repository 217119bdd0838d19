import type { Run } from './record.js';

/**
 * The record in a `run.json`; undefined for any other text. Anyone may have written it, so everything that
 * others rely on is looked at.
 */
export function readRun(text: string): Run | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRun(value) ? withRoot(value as Omit<Run, 'root' | 'kind'>) : undefined;
  } catch {
    return undefined;
  }
}

/** A record of an older version is that of a plan, and may have its root only as the folder of its commands. */
function withRoot(run: Omit<Run, 'root' | 'kind'> & { root?: unknown; kind?: unknown }): Run {
  const { id, kind, root, ...rest } = run;
  return {
    id,
    kind: kind === 'changeset' || kind === 'tasks' ? kind : 'plan',
    root: typeof root === 'string' ? root : run.environment.cwd,
    ...rest,
  };
}

type Fields = Record<string, unknown>;

function isRun(value: unknown): value is Fields {
  if (!isObject(value)) return false;
  const { plan, environment, stateChanges, actions, issues } = value;
  return (
    hasTexts(value, ['id', 'startedAt', 'endedAt', 'overall']) &&
    OVERALL.has(value.overall) &&
    Number.isFinite(Date.parse(String(value.startedAt))) &&
    typeof value.durationMs === 'number' &&
    typeof value.refused === 'boolean' &&
    isTextOrNull(value.interrupted) &&
    [value.continues, value.task].every((each) => each === undefined || typeof each === 'string') &&
    isObject(plan) &&
    isTextOrNull(plan.title) &&
    hasTexts(plan, ['path']) &&
    isObject(environment) &&
    hasTexts(environment, ['os', 'cwd']) &&
    isListOf(issues, (issue) => hasTexts(issue, ['code', 'severity', 'message'])) &&
    isListOf(stateChanges, isStateChange) &&
    isListOf(actions, isAction)
  );
}

const OVERALL = new Set<unknown>(['Completed', 'Partial', 'Failed', 'Skipped']);

function isStateChange(change: Fields): boolean {
  const { notApplied } = change;
  return (
    hasTexts(change, ['section', 'changes']) &&
    isDecision(change.decision) &&
    Array.isArray(notApplied) &&
    notApplied.every((each) => typeof each === 'string')
  );
}

function isAction(action: Fields): boolean {
  const { metadata, outcome } = action;
  return (
    hasTexts(action, ['type']) &&
    typeof action.line === 'number' &&
    isObject(metadata) &&
    Object.values(metadata).every((each) => typeof each === 'string') &&
    isDecision(action.decision) &&
    isObject(outcome) &&
    isOutcome(outcome) &&
    (action.verification === undefined || isLandingCheck(action.verification))
  );
}

function isLandingCheck(value: unknown): boolean {
  if (!isObject(value) || !hasTexts(value, ['command'])) return false;
  return isTextOrNull(value.prepare) && typeof value.confined === 'boolean';
}

function isDecision(value: unknown): boolean {
  if (!isObject(value) || !hasTexts(value, ['by'])) return false;
  if (value.comments !== undefined && !isListOf(value.comments, isComment)) return false;
  return value.status === 'approved' || (value.status === 'skipped' && isTextOrNull(value.reason));
}

function isComment(comment: Fields): boolean {
  return hasTexts(comment, ['text']) && (comment.line === null || typeof comment.line === 'number');
}

function isOutcome(outcome: Fields): boolean {
  if (outcome.status === 'not-run') return true;
  const { output, error, expectedOutcome, notes } = outcome;
  const isCaptured = (value: unknown) =>
    value === undefined || (isObject(value) && hasTexts(value, ['text']));
  return (
    (outcome.status === 'success' || outcome.status === 'failure') &&
    hasTexts(outcome, ['summary']) &&
    isCaptured(output) &&
    isCaptured(error) &&
    (expectedOutcome === undefined ||
      (isObject(expectedOutcome) && Array.isArray(expectedOutcome.missing))) &&
    (notes === undefined || Array.isArray(notes))
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, check: (item: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && check(item));
}

function hasTexts(value: Fields, keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === 'string');
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}
