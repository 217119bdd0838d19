import { parsePolicy } from '../../src/config/policy-file.js';
import type { Action, ExecuteAction } from '../../src/core/plan/types.js';
import { decideByPolicy, type PolicyFacts, type Subject } from '../../src/review/policy.js';

/** A command as it stands in a plan's block. */
export function execute(command: string, more: Partial<ExecuteAction> = {}): ExecuteAction {
  return {
    type: 'EXECUTE',
    line: 1,
    metadata: {},
    description: null,
    expectedOutcome: null,
    cwd: null,
    env: {},
    command: `${command}\n`,
    timeout: null,
    allowFailure: false,
    ...more,
  };
}

const base = { line: 1, metadata: {}, description: null };

export function create(path: string, overwrite = false): Action {
  return { ...base, type: 'CREATE', path, content: 'x\n', overwrite };
}

export function edit(path: string): Action {
  return { ...base, type: 'EDIT', path, edits: [] };
}

export function read(target: string, type: 'READ' | 'PRUNE' = 'READ'): Action {
  const kind = /^https?:/.test(target) ? ('url' as const) : ('file' as const);
  const resource = { kind, target };
  return type === 'READ' ? { ...base, type, resource, lines: null } : { ...base, type, resource };
}

export function chat(): Action {
  return { line: 1, metadata: {}, type: 'CHAT_WITH_USER', message: 'Agreed?' };
}

export function invoke(...targets: string[]): Action {
  const handoffResources = targets.map((target) => ({
    kind: /^https?:/.test(target) ? ('url' as const) : ('file' as const),
    target,
  }));
  return { line: 1, metadata: {}, type: 'INVOKE', agent: 'Tester', handoffResources, message: 'Go.' };
}

/** What these rules, in YAML, say to each subject. */
export async function policyOf(rules: string) {
  const read = await parsePolicy(`rules:\n${rules.replace(/^(?=\S)/gm, '  - ')}`);
  if (read.status === 'refused') throw new Error(JSON.stringify(read.problems));
  const { policy } = read;
  const say = (subject: Subject, facts?: PolicyFacts) => decideByPolicy(policy, subject, facts).verdict;
  return { policy, say };
}
