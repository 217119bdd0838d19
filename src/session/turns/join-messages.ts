/**
 * All that a person said in one turn: who asks for another plan says more, and takes nothing back. What is only said
 * again, for another try, is not said twice.
 */
export function joinMessages(before: string | null, said: string | null): string | null {
  if (before === null || said === null) return said ?? before;
  const isRepeated = before === said || before.endsWith(`\n\n${said}`);
  return isRepeated ? before : `${before.trimEnd()}\n\n${said}`;
}
