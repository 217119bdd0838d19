import type { Action } from '../core/plan/types.js';
import type { ActionRecord, Decision, Done, Outcome } from '../core/report/record.js';

export function recordOf(action: Action, decision: Decision, outcome: Outcome): ActionRecord {
  return { type: action.type, line: action.line, metadata: action.metadata, decision, outcome };
}

export function success(summary: string): Done {
  return { status: 'success', summary };
}

/** What an action is about, in a few words for one line. Of several lines it says how many more there are. */
export function recordLabel(action: Action): string {
  switch (action.type) {
    case 'CREATE':
    case 'EDIT':
      return action.path;
    case 'READ':
    case 'PRUNE':
      return action.resource.target;
    case 'EXECUTE':
      return firstOf(linesOf(action.command), ['line', 'lines']);
    case 'RESEARCH':
      return firstOf(action.queries, ['query', 'queries']);
    case 'INVOKE':
      return action.agent;
    case 'CHAT_WITH_USER':
    case 'CONCLUDE':
      return firstOf(linesOf(action.message), ['line', 'lines']);
  }
}

function linesOf(text: string): string[] {
  return text.trim().split('\n');
}

function firstOf(items: readonly string[], [one, many]: readonly [string, string]): string {
  const more = items.length - 1;
  return more < 1 ? (items[0] ?? '') : `${items[0]} (${more} more ${more === 1 ? one : many})`;
}
