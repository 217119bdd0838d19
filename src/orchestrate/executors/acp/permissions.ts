import { isAbsolute, relative } from 'node:path';
import type { Policy } from '../../../config/types.js';
import type { PermissionOption, PermissionRequest, ToolCall } from '../../../core/acp/messages.js';
import { isProtected } from '../../../core/path.js';
import type { Action } from '../../../core/plan/types.js';
import { shortenCounted } from '../../../core/text.js';
import { resolvePathIn } from '../../../review/compose.js';
import { decideByPolicy, describeRule } from '../../../review/policy.js';

// What the policy says to something that an agent asks for, and how the user is asked about it.

export type PermissionRuling =
  | { verdict: 'allow' | 'ask' }
  /** `reason` is a whole sentence. */
  | { verdict: 'deny'; reason: string };

/**
 * The policy's rules for plans, applied to what the call says that it does. It is allowed only if the rules allow all of it;
 * what cannot be expressed as actions of a plan is left to the user.
 */
export function ruleOnCall(policy: Policy, call: ToolCall, cwd: string): PermissionRuling {
  const { actions, isWhole } = readActions(call, cwd);
  const own = actions.find((action) => writesTo(action));
  if (own !== undefined) return { verdict: 'deny', reason: `Nothing may write to ${writesTo(own)}.` };
  const facts = { resolve: resolvePathIn(cwd) };
  const rulings = actions.map((action) => decideByPolicy(policy, action, facts));
  const denied = rulings.find(({ verdict }) => verdict === 'deny');
  if (denied) return { verdict: 'deny', reason: `Denied by policy: ${describeRule(denied.rule!)}.` };
  const isAllowed = isWhole && actions.length > 0 && rulings.every(({ verdict }) => verdict === 'allow');
  return { verdict: isAllowed ? 'allow' : 'ask' };
}

function writesTo(action: Action): string | undefined {
  const writes = action.type === 'EDIT' || action.type === 'CREATE';
  return writes && isProtected(action.path) ? action.path : undefined;
}

const BASE = { line: 0, metadata: {}, description: null };

/** `isWhole`: the call does nothing else, as far as it says. */
function readActions(call: ToolCall, cwd: string): { actions: Action[]; isWhole: boolean } {
  const files = call.files.map(({ path, isNew }) => ({ path: pathFrom(cwd, path), isNew }));
  const edits = (isNew: boolean, path: string): Action =>
    isNew
      ? { ...BASE, type: 'CREATE', path, content: '', overwrite: false }
      : { ...BASE, type: 'EDIT', path, edits: [] };
  switch (call.kind) {
    case 'execute':
      // Without its exact words, a deny can still find the command in the title.
      return { actions: [executeOf(call, cwd)], isWhole: call.command !== null };
    case 'edit':
      return { actions: files.map(({ path, isNew }) => edits(isNew, path)), isWhole: true };
    case 'delete':
    case 'move':
      return { actions: files.map(({ path }) => edits(false, path)), isWhole: false };
    case 'read':
      return { actions: files.map(({ path }) => readOf('file', path)), isWhole: true };
    case 'fetch':
      return { actions: call.url === null ? [] : [readOf('url', call.url)], isWhole: true };
    case 'search':
    case 'other':
      return { actions: [], isWhole: false };
  }
}

function executeOf({ command, title, cwd: named }: ToolCall, cwd: string): Action {
  const isElsewhere = named !== null && named !== cwd;
  return {
    ...BASE,
    type: 'EXECUTE',
    command: command ?? title,
    cwd: isElsewhere ? named : null,
    env: {},
    expectedOutcome: null,
    timeout: null,
    allowFailure: false,
  };
}

function readOf(kind: 'file' | 'url', target: string): Action {
  return { ...BASE, type: 'READ', resource: { kind, target }, lines: null };
}

/** From the root of the work; a path outside stays as it is, and no rule allows it. */
function pathFrom(cwd: string, path: string): string {
  return isAbsolute(path) ? relative(cwd, path) : path;
}

const VERBS: Readonly<Record<ToolCall['kind'], string>> = {
  read: 'read a file',
  edit: 'change a file',
  delete: 'delete a file',
  move: 'move a file',
  search: 'search',
  execute: 'run a command',
  fetch: 'fetch an address',
  other: 'use a tool',
};

const LONGEST_TITLE = 200;
const LONGEST_COMMAND = 4000;
const LONGEST_CHANGE = 2000;
const MOST_CHANGES = 10;

/** The first line is the title. Everything that is cut says by how much. */
export function describeCall(call: ToolCall, about: string): string {
  const { kind, title, command, cwd, files, url, changes } = call;
  const shown = changes.slice(0, MOST_CHANGES);
  const left = changes.length - shown.length;
  return [
    `May it ${VERBS[kind]}: ${shortenCounted(firstLine(command ?? title), LONGEST_TITLE)}`,
    `${about}. The agent's words: ${shortenCounted(firstLine(title), LONGEST_TITLE)}`,
    ...(command === null ? [] : ['', 'Command:', shortenCounted(command, LONGEST_COMMAND)]),
    ...(cwd === null ? [] : [`In the folder ${cwd}`]),
    ...(url === null ? [] : ['', `Address: ${url}`]),
    ...(files.length === 0 ? [] : ['', `Files: ${files.map(({ path }) => path).join(', ')}`]),
    ...shown.flatMap(describeChange),
    ...(left > 0 ? ['', `and ${left} more changes`] : []),
  ].join('\n');
}

function describeChange({ path, before, after }: ToolCall['changes'][number]): string[] {
  const added = shortenCounted(after, LONGEST_CHANGE);
  if (before === null) return ['', `New file ${path}:`, added];
  return ['', `In ${path}, this:`, shortenCounted(before, LONGEST_CHANGE), 'becomes:', added];
}

function firstLine(text: string): string {
  return text.trim().split(/[\r\n]/, 1)[0]!;
}

/** What an option does is in our words: its name is the agent's. */
export function labelOption({ name, allows, always }: PermissionOption): string {
  return `${allows ? 'Allow' : 'Refuse'}${always ? ' always' : ''}: ${firstLine(name)}`;
}

/** The user's words as one of the options; otherwise they are the reason why it is refused. */
export function readChoice(
  words: string,
  { options }: PermissionRequest,
): { option: PermissionOption | null; reason: string | null } {
  const said = words.trim();
  const exact = options.find((option) => labelOption(option).toLowerCase() === said.toLowerCase());
  const numbered = /^\d{1,2}$/.test(said) ? options[Number(said) - 1] : undefined;
  const option = exact ?? numbered ?? (/^(?:allow|yes|y)[.!]?$/i.test(said) ? allowing(options) : undefined);
  if (option) return { option, reason: null };
  return { option: refusing(options), reason: /^(?:refuse|no|n)[.!]?$/i.test(said) ? null : said };
}

/** Once, if the agent offers that. */
export function allowing(options: readonly PermissionOption[]): PermissionOption | null {
  return onceFirst(options.filter(({ allows }) => allows));
}

export function refusing(options: readonly PermissionOption[]): PermissionOption | null {
  return onceFirst(options.filter(({ allows }) => !allows));
}

function onceFirst(options: readonly PermissionOption[]): PermissionOption | null {
  return options.find(({ always }) => !always) ?? options[0] ?? null;
}
