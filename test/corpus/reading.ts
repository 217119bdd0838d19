import type { Action, Plan } from '../../src/core/plan/types.js';

/** What a reader found in a plan, reduced to what repair can get wrong. */
export interface Reading {
  /** Without the newline at its end. */
  rationale: string;
  /** `[+] text` or `[-] text`. */
  memos: string[];
  actions: Deed[];
}

export interface Deed {
  type: string;
  /** The path, resource or agent that the action names; empty where it names none. */
  target: string;
  /** The texts of its blocks in order (FIND and REPLACE alternate), or its message. */
  texts: string[];
}

export function readingOf(plan: Plan): Reading {
  return {
    rationale: dropNewline(plan.rationale),
    memos: plan.memos.map(({ op, text }) => `[${op}] ${text}`),
    actions: plan.actions.map(deedOf),
  };
}

function deedOf(action: Action): Deed {
  const { type } = action;
  switch (type) {
    case 'CREATE':
      return { type, target: action.path, texts: [action.content] };
    case 'READ':
    case 'PRUNE':
      return { type, target: action.resource.target, texts: [] };
    case 'EDIT':
      return {
        type,
        target: action.path,
        texts: action.edits.flatMap(({ find, replace }) => [find, replace]),
      };
    case 'EXECUTE':
      return { type, target: '', texts: [action.command] };
    case 'RESEARCH':
      return { type, target: '', texts: action.queries.map(dropNewline) };
    case 'CHAT_WITH_USER':
    case 'CONCLUDE':
      return { type, target: '', texts: [action.message.trim()] };
    case 'INVOKE':
      return { type, target: action.agent, texts: [action.message.trim()] };
  }
}

export const dropNewline = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text);

/** The first place where two readings part, in words; null when they are the same. */
export function difference(truth: Reading, found: Reading): string | null {
  if (truth.rationale !== found.rationale) return `rationale: ${parting(truth.rationale, found.rationale)}`;
  const memos = parting(truth.memos.join('\n'), found.memos.join('\n'));
  if (memos !== null) return `memos: ${memos}`;
  const types = ({ actions }: Reading) => actions.map(({ type }) => type).join(' ');
  if (types(truth) !== types(found)) return `actions: expected ${types(truth)}; found ${types(found)}`;
  for (const [i, wanted] of truth.actions.entries()) {
    const deed = found.actions[i]!;
    const where = `action ${i + 1} (${wanted.type})`;
    if (wanted.target !== deed.target) return `${where}: expected ${wanted.target}; found ${deed.target}`;
    if (wanted.texts.length !== deed.texts.length)
      return `${where}: expected ${wanted.texts.length} texts; found ${deed.texts.length}`;
    for (const [k, text] of wanted.texts.entries()) {
      const place = parting(text, deed.texts[k]!);
      if (place !== null) return `${where}, text ${k + 1}: ${place}`;
    }
  }
  return null;
}

function parting(wanted: string, found: string): string | null {
  if (wanted === found) return null;
  const a = wanted.split('\n');
  const b = found.split('\n');
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  const show = (lines: string[]) => (i < lines.length ? JSON.stringify(lines[i]!.slice(0, 60)) : 'its end');
  return `line ${i + 1} of ${a.length}: expected ${show(a)}; found ${show(b)} of ${b.length}`;
}
