import { fenceFor } from '../../markdown/fence.js';
import type { Action, ActionType } from '../types.js';
import { writeAction } from '../write.js';
import { ACTION_EXAMPLES } from './examples.js';

/** The text of the example plan, made into one that breaks a rule. */
export type Breach = (plan: string) => string;

export function swap(text: string, other: string): Breach {
  return (plan) => plan.replace(text, () => other);
}

/** Takes out all from the first `from` to where `upTo` begins. */
export function cut(from: string, upTo: string): Breach {
  return (plan) => {
    const start = plan.indexOf(from);
    return plan.slice(0, start) + plan.slice(plan.indexOf(upTo, start + from.length));
  };
}

/** Takes out the first line that begins so. */
export function cutLine(start: string): Breach {
  return (plan) => {
    const at = plan.indexOf(`\n${start}`);
    return plan.slice(0, at) + plan.slice(plan.indexOf('\n', at + 1));
  };
}

/** Puts this text in the place of all actions. */
export function acts(text: string): Breach {
  return (plan) => `${plan.slice(0, plan.indexOf('## Action Plan'))}## Action Plan\n\n${text}\n`;
}

/** Puts one action in the place of all: its example, with something changed. */
export function changed<T extends ActionType>(
  type: T,
  change: Partial<Extract<Action, { type: T }>>,
): Breach {
  return (plan) => acts(writeAction({ ...ACTION_EXAMPLES[type], ...change }))(plan);
}

export function block(content: string): string {
  const fence = fenceFor(content);
  return `${fence}\n${content}\n${fence}`;
}
