import { redactorFor } from '../config/redactor.js';
import { missingFields, renderBriefing } from '../core/agent-report/manual/briefing.js';
import { type Manual, VERBOSITIES, type Verbosity } from '../core/agent-report/types.js';
import { readPathGlob } from '../core/glob.js';
import { isoUtc } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import type { Workspace } from '../workspace/workspace.js';
import { markManual, requireManual } from './agent-files.js';
import { readContextText, renderContext, resolveContextMap } from './context-map.js';
import { readBaseline } from './git-facts.js';
import { keepBriefing } from './records.js';

export interface BriefOptions {
  workspace: Workspace;
  agent: string;
  taskId: string;
  goal: string;
  verbosity: Verbosity;
  scope: readonly string[];
  fields: Readonly<Record<string, string>>;
  contextMap: { name: string; text: string } | null;
  environment: Readonly<Record<string, string | undefined>>;
  now: Date;
  /** Receives the briefing before the state of the files is recorded. */
  onText(text: string): void;
}

export interface Briefing {
  /** Path of the record, from the root. */
  path: string;
  notes: string[];
}

/** Writes an agent's briefing, and records it with the current state of the files. Throws `UserError`. */
export async function briefAgent(options: BriefOptions): Promise<Briefing> {
  const { workspace, goal, scope, fields, now } = options;
  const manual = requireManual(workspace, options.agent);
  const verbosity = requireLevel(manual, options.verbosity);
  requireInk('--task-id', options.taskId);
  requireInk('--goal', goal);
  requireFields(manual, fields);
  requireGlobs(scope);
  const redactor = redactorFor(null, options.environment);
  // The id becomes a folder name, and the agent repeats it.
  const taskId = redactor.mask(options.taskId);
  const { context, notes } = describeContext(options, (text) => redactor.mask(text));
  const assignment = { taskId, goal, verbosity, scope, fields, context };
  const text = redactor.mask(renderBriefing(manual, assignment));
  options.onText(text);
  const record = {
    task_id: taskId,
    agent: manual.name,
    at: isoUtc(now),
    goal: redactor.mask(goal),
    verbosity,
    scope: [...scope],
    manual: markManual(manual),
    // Not masked: these are file hashes, and some look like secrets.
    baseline: await readBaseline(workspace.root),
  };
  return { path: await keepBriefing(workspace, record, text), notes };
}

function describeContext(
  { workspace, contextMap }: BriefOptions,
  mask: (text: string) => string,
): { context: string | null; notes: string[] } {
  if (!contextMap) return { context: null, notes: [] };
  const { entries, note } = readContextText(contextMap.name, contextMap.text);
  const references = resolveContextMap(workspace, entries);
  const broken = references.filter(({ reason, status }) => reason !== null && status !== 'unverifiable');
  return {
    context: renderContext(workspace, references, mask),
    notes: [
      ...broken.map(({ uri, reason }) => mask(`${contextMap.name}: ${uri} ${reason}.`)),
      ...(note === null ? [] : [note]),
    ],
  };
}

export function requireVerbosity(word: string): Verbosity {
  const level = VERBOSITIES.find((each) => each === word);
  if (level) return level;
  throw new UserError(`--verbosity ${JSON.stringify(word)} must be one of ${VERBOSITIES.join(', ')}.`);
}

export function requireLevel(manual: Manual, level: Verbosity): Verbosity {
  if (manual.levels.some((offered) => offered.level === level)) return level;
  const offered = manual.levels.map((each) => each.level).join(', ');
  throw new UserError(`The manual of ${manual.name} does not offer level ${level}; use ${offered}.`);
}

function requireInk(option: string, value: string): void {
  if (!/\S/.test(value)) throw new UserError(`${option} is empty.`);
}

function requireFields(manual: Manual, fields: Readonly<Record<string, string>>): void {
  const own = manual.briefing.filter(({ name }) => name !== 'goal');
  for (const name of Object.keys(fields)) {
    if (own.some((field) => field.name === name)) continue;
    const known = own.length === 0 ? 'none' : own.map((field) => field.name).join(', ');
    throw new UserError(
      `--field ${name}: the briefing of ${manual.name} has no such field. Its fields: ${known}.`,
    );
  }
  const missing = missingFields(manual, { goal: '-', fields });
  const field = own.find(({ name }) => missing.includes(name));
  if (!field) return;
  const about = field.about === '' ? '' : ` (${field.about.replace(/\.$/, '')})`;
  throw new UserError(`${manual.name} needs --field ${field.name}="…"${about}.`);
}

function requireGlobs(scope: readonly string[]): void {
  for (const glob of scope) {
    const read = readPathGlob(glob);
    if (read.status === 'refused') throw new UserError(`--scope ${JSON.stringify(glob)} ${read.reason}.`);
  }
}
