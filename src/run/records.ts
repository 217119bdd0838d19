import type { Action } from '../formats/plan/index.js';
import type { ActionRecord, Decision, Done, Outcome } from '../formats/report/index.js';

export function recordOf(action: Action, decision: Decision, outcome: Outcome): ActionRecord {
  return { type: action.type, line: action.line, metadata: action.metadata, decision, outcome };
}

export function success(summary: string): Done {
  return { status: 'success', summary };
}

/** What an action is about, in a few words for one line. */
export function labelOf(action: Action): string {
  switch (action.type) {
    case 'CREATE':
    case 'EDIT':
      return action.path;
    case 'READ':
    case 'PRUNE':
      return action.resource.target;
    case 'EXECUTE':
      return firstLine(action.command);
    case 'RESEARCH':
      return action.queries.map(firstLine).join(' · ');
    case 'INVOKE':
      return action.agent;
    case 'CHAT_WITH_USER':
    case 'CONCLUDE':
      return firstLine(action.message);
  }
}

function firstLine(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n');
  return rest.length > 0 ? `${first} …` : first;
}
