import { POLICY_GUARDS, type Policy, type PolicyGuard, type PolicyRule } from '../config/types.js';
import { matchComponents, type PathGlob, type UrlGlob } from '../core/glob.js';
import { readRootPath } from '../core/path.js';
import { hasEffect, resourcesOf } from '../core/plan/actions.js';
import type { Action } from '../core/plan/types.js';
import { isSecretFile } from '../core/redact/secret-files.js';
import { coversCommand } from './allow-command.js';
import { findsCommand } from './deny-command.js';
import type { Answer, FileQuestion, Question, Reviewer, StateQuestion } from './question.js';

export type Subject = Action | StateQuestion['section'];

/** `rule` is the one that decided; null where none matched. */
export interface Ruling {
  verdict: 'allow' | 'ask' | 'deny';
  rule: PolicyRule | null;
}

export interface PolicyFacts {
  /** Where a path really leads, links resolved, relative to the root; undefined where it leads nowhere inside it. */
  resolve?(path: string): string | undefined;
}

/**
 * What the policy says to an action or a state change: a matching deny wins, else the first rule that matches, else
 * ask. It depends on nothing but its arguments, so it can be asked beforehand.
 */
export function decideByPolicy(policy: Policy, subject: Subject, facts: PolicyFacts = {}): Ruling {
  const matches = (rule: PolicyRule) => matchesRule(rule, subject, facts);
  const denies = policy.rules.find((rule) => rule.verb === 'deny' && matches(rule));
  const rule = denies ?? policy.rules.find((each) => each.verb !== 'deny' && matches(each)) ?? null;
  return { verdict: rule?.verb ?? 'ask', rule };
}

/** Answers what a rule allows or denies; `ask` is left to the next reviewer. */
export function policyReviewer(policy: Policy, facts: PolicyFacts = {}): Reviewer {
  return { resolve: (question) => answerByPolicy(policy, question, facts) };
}

/** Answers only what is denied: no other approval overrides it. */
export function denialReviewer(policy: Policy, facts: PolicyFacts = {}): Reviewer {
  return {
    resolve(question) {
      const answer = answerByPolicy(policy, question, facts);
      return answer?.decision === 'skip' ? answer : undefined;
    },
  };
}

function answerByPolicy(policy: Policy, question: Question, facts: PolicyFacts): Answer | undefined {
  if (question.kind === 'file') return denyFile(policy, question, facts);
  const subject = question.kind === 'action' ? question.action : question.section;
  const { verdict, rule } = decideByPolicy(policy, subject, facts);
  if (verdict === 'allow') return { decision: 'approve', by: 'policy', hash: question.hash };
  if (verdict === 'ask' || rule === null) return undefined;
  return { decision: 'skip', by: 'policy', reason: `Denied by policy: ${describeRule(rule)}.` };
}

/** No rule allows an agent's changes; what a plan may not create or edit, they do not either. */
function denyFile(
  policy: Policy,
  { type, path, from }: FileQuestion,
  facts: PolicyFacts,
): Answer | undefined {
  const base = { line: 0, metadata: {}, description: null };
  const actions: Action[] =
    type === 'CREATE'
      ? [{ ...base, type: 'CREATE', path, content: '', overwrite: false }]
      : [path, ...(from === undefined ? [] : [from])].map((each) => ({
          ...base,
          type: 'EDIT' as const,
          path: each,
          edits: [],
        }));
  for (const action of actions) {
    const { verdict, rule } = decideByPolicy(policy, action, facts);
    if (verdict === 'deny' && rule !== null)
      return { decision: 'skip', by: 'policy', reason: `Denied by policy: ${describeRule(rule)}.` };
  }
  return undefined;
}

/** `rule 2 (deny EXECUTE "rm *")` */
export function describeRule({
  owner,
  number,
  verb,
  target,
  path,
  command,
  url,
  guards,
}: PolicyRule): string {
  const glob = path ?? command ?? url;
  const place = owner === 'user' ? " of the user's policy" : '';
  return `rule ${number}${place} (${[verb, target, ...(glob ? [`"${glob.text}"`] : []), ...guards].join(' ')})`;
}

function matchesRule(rule: PolicyRule, subject: Subject, facts: PolicyFacts): boolean {
  const narrow = rule.verb === 'allow';
  if (typeof subject === 'string') return matchesState(rule, subject);
  if (rule.target !== '*' && rule.target !== subject.type) return false;
  // Only the user has the answer.
  if (narrow && hasEffect(subject, 'asks')) return false;
  const carried = guardsOf(subject);
  if (narrow && carried.some((guard) => !rule.guards.includes(guard))) return false;
  if (!narrow && !rule.guards.every((guard) => carried.includes(guard))) return false;
  return narrow ? isCovered(rule, subject, facts) : isFound(rule, subject, facts);
}

/** "*" in an allow means actions; in all else it means whatever is asked about. */
function matchesState({ verb, target, path, command, url, guards }: PolicyRule, section: string): boolean {
  if (path || command || url || guards.length > 0) return false;
  return target === (section === 'Memos' ? 'MEMOS' : 'CONTEXT') || (target === '*' && verb !== 'allow');
}

/** What the plan sets for itself: guards have the names of the fields. */
function guardsOf(action: Action): PolicyGuard[] {
  const fields = action as Partial<Record<PolicyGuard, unknown>>;
  return POLICY_GUARDS.filter((guard) => Boolean(fields[guard]));
}

/** For an allow: all that the action touches, and only that which it surely touches. */
function isCovered({ path, command, url }: PolicyRule, action: Action, facts: PolicyFacts): boolean {
  if (action.type === 'EXECUTE') return !path && !url && coversCommand(command, action);
  if (command) return false;
  const resources = resourcesOf(action);
  if (path || url) {
    if (resources.length === 0) return false;
    return resources.every(({ kind, target }) =>
      kind === 'file' ? path && coversPath(path, target, facts) : url && coversUrl(url, target),
    );
  }
  return true;
}

/** For a deny and an ask: anything of it will do. */
function isFound({ path, command, url }: PolicyRule, action: Action, facts: PolicyFacts): boolean {
  if (command) return action.type === 'EXECUTE' && findsCommand(command.text, action);
  if (!path && !url) return true;
  return resourcesOf(action).some(({ kind, target }) =>
    kind === 'file' ? path && findsPath(path, target, facts) : url && findsUrl(url, target),
  );
}

function coversPath({ components }: PathGlob, written: string, { resolve }: PolicyFacts): boolean {
  const path = plainPath(written);
  if (path === undefined || !matchComponents(components, path.split('/'))) return false;
  if (!resolve) return true;
  const real = resolve(path);
  return real !== undefined && matchComponents(components, real.split('/'));
}

/** In any letter case, as a case-insensitive file system would find it; and everything below. */
function findsPath({ components }: PathGlob, written: string, { resolve }: PolicyFacts): boolean {
  const path = plainPath(written) ?? written;
  const folded = components.map((each) => (each === '**' ? each : each.map(foldName)));
  return [path, resolve?.(path)].some(
    (each) => each !== undefined && matchComponents([...folded, '**'], each.split('/').map(foldName)),
  );
}

function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
}

function plainPath(written: string): string | undefined {
  const read = readRootPath(written);
  return read.status === 'ok' ? read.path : undefined;
}

/** For an allow: the address as it will be opened, without a name or password in it. */
function coversUrl(glob: UrlGlob, target: string): boolean {
  // Where two readers of an address could disagree about its host.
  if (/[\s\\\p{C}]/u.test(target)) return false;
  const url = readUrl(target);
  if (url?.username !== '' || url.password !== '') return false;
  return matchesPlace(glob, url) && matchComponents(glob.rest, restOf(url).split('/'));
}

/** For a deny and an ask: also another port, a path that is written with escapes, and everything below. */
function findsUrl(glob: UrlGlob, target: string): boolean {
  const url = readUrl(target);
  // A text that is not a URL might mean the one that is denied.
  if (!url) return true;
  const open: UrlGlob = glob.port === '' ? { ...glob, port: '*' } : glob;
  if (!matchesPlace(open, url)) return false;
  const rest = restOf(url);
  const below = [...(isRootPage(glob) ? [] : glob.rest), '**'] as const;
  return [rest, unescapeRest(rest)].some((each) => matchComponents(below, each.split('/')));
}

function isRootPage({ rest: [first, ...others] }: UrlGlob): boolean {
  return others.length === 0 && first !== '**' && first?.join('*') === '';
}

function matchesPlace({ scheme, host, port }: UrlGlob, url: URL): boolean {
  if (scheme !== '*' && `${scheme}:` !== url.protocol) return false;
  if (port !== '*' && port !== url.port) return false;
  return matchComponents(host, url.hostname.replace(/\.$/, '').split('.'));
}

function readUrl(target: string): URL | undefined {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  return new URL(target);
}

/** Path and query, without the first slash; the part after `#` is not sent. */
function restOf({ pathname, search }: URL): string {
  return `${pathname.slice(1)}${search}`;
}

function unescapeRest(rest: string): string {
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}

/**
 * The user's `review.reads: allow`: approves READs of project files that are not known to hold secrets. `files` are those
 * that git does not ignore; it may grow during a run. A rule of the policy that matches the READ takes precedence.
 */
export function readsReviewer(policy: Policy, files: ReadonlySet<string>, facts: PolicyFacts): Reviewer {
  return {
    resolve(question) {
      if (question.kind !== 'action' || !isAllowedRead(question.action, files, facts)) return undefined;
      if (decideByPolicy(policy, question.action, facts).rule !== null) return undefined;
      return { decision: 'approve', by: 'policy', hash: question.hash };
    },
  };
}

/** The name in the plan and the file that it leads to must both be harmless. */
function isAllowedRead(action: Action, files: ReadonlySet<string>, { resolve }: PolicyFacts): boolean {
  if (action.type !== 'READ' || action.resource.kind !== 'file') return false;
  const { target } = action.resource;
  const real = resolve ? resolve(target) : target;
  return real !== undefined && files.has(real) && !isSecretFile(target) && !isSecretFile(real);
}
