import type { TurnMeta } from './types.js';

/**
 * What a person says in a turn, all in all. What somebody has answered stands, and more is said to it; what nobody has
 * heard gives way. What is only said again, for another try, is not said twice.
 */
export function joinMessages(
  { message, attempts }: Pick<TurnMeta, 'message' | 'attempts'>,
  said: string | null,
): string | null {
  if (message === null || said === null) return said ?? message;
  if (!attempts.some(({ answer }) => answer !== null)) return said;
  const isRepeated = message === said || message.endsWith(`\n\n${said}`);
  return isRepeated ? message : `${message.trimEnd()}\n\n${said}`;
}
