import { readPathGlob, readUrlGlob } from '../core/glob.js';
import { ACTION_TYPES, ACTIONS, hasEffect } from '../core/plan/actions.js';
import type { Taken } from '../core/taken.js';
import { nearestWord } from '../core/text.js';
import { readCommandGlob } from './command.js';
import {
  type KeyPath,
  listOf,
  openDocument,
  type Problems,
  readDocumentList,
  readMapping,
  show,
} from './document.js';
import {
  type ConfigProblem,
  POLICY_FILE,
  POLICY_GUARDS,
  type Policy,
  type PolicyRule,
  type PolicyTarget,
} from './types.js';

const POLICY_TARGETS: readonly PolicyTarget[] = [...ACTION_TYPES, 'MEMOS', 'CONTEXT', '*'];
const VERBS = ['allow', 'ask', 'deny'] as const;
const GLOBS = ['path', 'command', 'url'] as const;
const KEYS = [...VERBS, ...GLOBS, ...POLICY_GUARDS];

export type PolicyRead =
  | { status: 'policy'; policy: Policy }
  | { status: 'refused'; problems: ConfigProblem[] };

/** A policy with one rule that cannot be read is refused as a whole: a rule left out could be a deny. Never throws. */
export async function parsePolicy(
  text: string,
  file = POLICY_FILE,
  owner: PolicyRule['owner'] = 'project',
): Promise<PolicyRead> {
  const opened = await openDocument(file, text);
  if (opened.status === 'refused') return opened;
  const { value, problems, lineOf } = opened;
  const mapping = readMapping(value, [], problems);
  for (const key of Object.keys(mapping)) {
    if (key !== 'rules' && !problems.full) problems.addUnknown([key], ['rules']);
  }
  const rules = readDocumentList(mapping.rules, ['rules'], problems).flatMap((written, index) => {
    const rule = problems.full ? undefined : readRule(written, index, problems);
    return rule ? { owner, ...rule, line: lineOf(['rules', index]) } : [];
  });
  return problems.list.length > 0
    ? { status: 'refused', problems: problems.list }
    : { status: 'policy', policy: { rules } };
}

function readRule(
  written: unknown,
  index: number,
  problems: Problems,
): Omit<PolicyRule, 'owner' | 'line'> | undefined {
  const path: KeyPath = ['rules', index];
  const before = problems.list.length;
  if (written === null) problems.add(path, 'is empty');
  const rule = readMapping(written, path, problems);
  if (problems.list.length > before) return undefined;
  const known = KEYS as readonly string[];
  for (const key of Object.keys(rule)) {
    if (!known.includes(key)) problems.addUnknown([...path, key], known);
  }
  const verbs = VERBS.filter((verb) => verb in rule);
  const [verb] = verbs;
  if (verb === undefined || verbs.length > 1) {
    problems.add(path, 'needs one of allow, ask and deny, and only one');
    return undefined;
  }
  const target = readTarget(rule[verb], [...path, verb], verb, problems);
  if (target === undefined) return undefined;
  refuseStrayKeys(rule, target, path, problems);
  const take = <T>(key: string, read: (value: unknown) => Taken<T>): T | null => {
    if (!(key in rule)) return null;
    const taken = read(rule[key]);
    if (taken.status === 'ok') return taken.value;
    problems.add([...path, key], taken.reason);
    return null;
  };
  return {
    number: index + 1,
    verb,
    target,
    path: take('path', readPathGlob),
    command: take('command', (value) => readCommandGlob(value, verb)),
    url: take('url', readUrlGlob),
    guards: POLICY_GUARDS.filter((guard) => take(guard, readTrue) === true),
  };
}

function readTrue(value: unknown): Taken<true> {
  return value === true
    ? { status: 'ok', value }
    : { status: 'refused', reason: `is ${show(value)}; write true, or leave it out` };
}

function readTarget(
  value: unknown,
  path: KeyPath,
  verb: PolicyRule['verb'],
  problems: Problems,
): PolicyTarget | undefined {
  const target = POLICY_TARGETS.find((each) => each === value);
  if (target === undefined) {
    const near = typeof value === 'string' ? nearestWord(value, POLICY_TARGETS) : undefined;
    if (near === undefined) problems.add(path, `is ${show(value)}; write ${listOf(POLICY_TARGETS)}`);
    else problems.add(path, `is ${show(value)}; did you mean ${near}`, '?');
  } else if (
    ACTION_TYPES.some((type) => type === target && hasEffect({ type }, 'asks')) &&
    verb === 'allow'
  ) {
    problems.add(path, `cannot be ${target}: a rule cannot answer a question`);
    return undefined;
  }
  return target;
}

function refuseStrayKeys(
  rule: Record<string, unknown>,
  target: PolicyTarget,
  path: KeyPath,
  problems: Problems,
): void {
  for (const key of [...GLOBS, ...POLICY_GUARDS]) {
    const types = ACTION_TYPES.filter((type) => ACTIONS[type].ruleKeys.includes(key));
    const targets: PolicyTarget[] = [...types, '*'];
    if (key in rule && !targets.includes(target)) {
      problems.add([...path, key], `does not apply to ${target}; it is for ${listOf(targets)}`);
    }
  }
  const globs = GLOBS.filter((key) => key in rule);
  if (globs.length > 1) problems.add(path, `has ${globs.join(' and ')}; an action has only one of them`);
}
