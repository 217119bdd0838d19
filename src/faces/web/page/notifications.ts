import { effect, signal } from '@preact/signals';
import { shorten } from '../../../core/text.js';
import type { InboxQuestion } from '../api.js';
import { asPlainLine } from './parts/words.js';
import { inbox } from './store.js';

/** Whether the browser may show notifications; null where it cannot. */
export const permission = signal<NotificationPermission | null>(
  typeof Notification === 'undefined' ? null : Notification.permission,
);

export async function askPermission(): Promise<void> {
  permission.value = await Notification.requestPermission();
}

/** The title counts the open questions; a new one is a notification while the page is not in front. */
export function announceQuestions(): void {
  let known: Set<string> | null = null;
  effect(() => {
    const questions = inbox.value?.questions;
    if (questions === undefined) return;
    document.title = questions.length === 0 ? 'teddy' : `(${questions.length}) teddy`;
    const isNew = (question: InboxQuestion) => known !== null && !known.has(question.id);
    const added = questions.filter(isNew);
    known = new Set(questions.map(({ id }) => id));
    if (added.length > 0 && document.hidden) notify(added);
  });
}

function notify([first, ...more]: InboxQuestion[]): void {
  if (permission.peek() !== 'granted') return;
  const title = more.length === 0 ? 'A question is waiting' : `${more.length + 1} questions are waiting`;
  const note = new Notification(title, {
    body: describeQuestion(first!),
    tag: 'teddy',
    icon: '/icon.svg',
  });
  note.addEventListener('click', () => window.focus());
}

const LONGEST_LINE = 120;

/** The desktop shows it as it is. */
export function describeQuestion({ title, subject }: Pick<InboxQuestion, 'title' | 'subject'>): string {
  return [title, subject].map((line) => shorten(asPlainLine(line), LONGEST_LINE)).join('\n');
}
