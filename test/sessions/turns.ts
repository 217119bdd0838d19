import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TIP_LIMITS } from '../../src/core/report/markdown.js';
import { renderMirrored } from '../../src/core/report/mirrored.js';
import type { Run } from '../../src/core/report/record.js';
import { writeMeta } from '../../src/sessions/turns/meta.js';
import { type PlanAttempt, type TurnMeta, turnFolder } from '../../src/sessions/turns/turn.js';

export interface TurnFiles {
  'plan.md'?: string;
  'report.md'?: string;
  'input.md'?: string;
}

/** A turn as `meta.yaml` has it, made on the day of its number. */
export function metaOf(session: string, turn: number, more: Partial<TurnMeta> = {}): TurnMeta {
  return {
    session,
    turn,
    parent: turn === 1 ? null : turn - 1,
    agent: 'pathfinder',
    callers: [],
    handoff: null,
    madeAt: `2026-01-${String(turn).padStart(2, '0')}T10:00:00Z`,
    message: null,
    model: null,
    attempts: [],
    plannedAt: null,
    run: null,
    concluded: false,
    ...more,
  };
}

export function attemptOf(outcome: PlanAttempt['outcome'], more: Partial<PlanAttempt> = {}): PlanAttempt {
  const answer = outcome === 'passed' ? 'answer.md' : 'answer-1.md';
  const reason = outcome === 'passed' ? null : 'Not this one.';
  return { answer, outcome, reason, at: '2026-01-01T10:01:00Z', tokens: null, costUsd: null, ...more };
}

/** Writes a turn's folder by hand. Gives the turn's id. */
export function writeTurn(root: string, meta: TurnMeta, files: TurnFiles = {}): string {
  const folder = join(root, turnFolder(meta.session, meta.turn));
  mkdirSync(folder, { recursive: true });
  const all = {
    'system_prompt.md': 'You plan.\n',
    'turn.context': '',
    'meta.yaml': writeMeta(meta),
    ...files,
  };
  writeFileSync(join(folder, '../session.context'), '');
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return `${meta.session}/${String(meta.turn).padStart(2, '0')}`;
}

/** What a turn has of the run that carried it out. */
export function carriedOut({ id, overall, endedAt }: Run): Partial<TurnMeta> {
  return { plannedAt: endedAt, run: { id, overall, endedAt } };
}

export function filesOf(run: Run, plan: string): TurnFiles {
  return { 'input.md': 'Do it.\n', 'plan.md': plan, 'report.md': renderMirrored(run, TIP_LIMITS) };
}
