import { expect, test } from 'vitest';
import { describeQuestion } from '../../src/faces/web/page/notifications.js';

test('a notification shows hidden characters by name, one line each, and not without end', () => {
  const body = describeQuestion({ title: 'Safe\u202Eevil\nSecond', subject: `EDIT ${'x'.repeat(500)}` });
  const [title, subject, ...more] = body.split('\n');
  expect(title).toBe('Safe<U+202E>evil Second');
  expect(subject).toBe(`EDIT ${'x'.repeat(114)}…`);
  expect(more).toEqual([]);
});
