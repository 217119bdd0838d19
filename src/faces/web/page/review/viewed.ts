import { signal } from '@preact/signals';

// Marks of the user's own: which actions they have looked at, by run. They decide nothing.

const KEY = 'teddy-viewed';

const viewed = signal<ReadonlySet<string>>(new Set(readMarks()));

function readMarks(): string[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as string[];
  } catch {
    return [];
  }
}

export function isViewed(run: string, number: number): boolean {
  return viewed.value.has(`${run}/${number}`);
}

export function toggleViewed(run: string, number: number): void {
  const marks = new Set(viewed.peek());
  const mark = `${run}/${number}`;
  if (!marks.delete(mark)) marks.add(mark);
  viewed.value = marks;
  sessionStorage.setItem(KEY, JSON.stringify([...marks]));
}
