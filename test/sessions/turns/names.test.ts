import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSessionName, readTurnRef, turnFolder, turnName } from '../../../src/sessions/turns/turn.js';

describe('readSessionName', () => {
  test.each(['a', 'auth', 'Auth-2', '2fa', 'v1.2_x', 'a..b', 'x'.repeat(60)])('%s', (name) => {
    expect(readSessionName(name)).toEqual({ status: 'ok', name });
  });

  test.each([
    ['', 'letters, digits'],
    ['.', 'start with a letter or a digit'],
    ['..', 'start with a letter or a digit'],
    ['.hidden', 'start with a letter or a digit'],
    ['-x', 'start with a letter or a digit'],
    ['a b', 'letters, digits'],
    ['a/b', 'letters, digits'],
    ['a\\b', 'letters, digits'],
    ['a\n', 'letters, digits'],
    ['ä', 'letters, digits'],
    ['a.', 'ends in "."'],
    ['x'.repeat(61), 'longer than 60'],
  ])('%j is refused', (name, reason) => {
    expect(readSessionName(name)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining(reason),
    });
  });

  test('a refusal is one short line, whatever was written', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'aZ09._-/\\"\n\r\0 ä😀\u2028\ud800'), maxLength: 90 }),
        (text) => {
          const read = readSessionName(text);
          if (read.status === 'ok') expect(read.name).toMatch(/^[a-z0-9][\w.-]{0,59}$/i);
          else expect(read.reason).toMatch(/^"[^\n\r]*\.$/);
        },
      ),
    );
  });
});

describe('readTurnRef', () => {
  test.each([
    ['3', null, 3],
    ['03', null, 3],
    ['100', null, 100],
    ['auth/03', 'auth', 3],
    ['auth/3', 'auth', 3],
    ['03/04', '03', 4],
  ])('%s', (text, session, turn) => {
    expect(readTurnRef(text)).toEqual({ session, turn });
  });

  test.each([
    '',
    '0',
    '00',
    '-1',
    '1.5',
    '1e3',
    'auth',
    'auth/',
    '/3',
    'a/b/3',
    '../3',
    ' 3',
    '3 ',
    '9999999',
  ])('%j is none', (text) => expect(readTurnRef(text)).toBeUndefined());
});

test('turns have two digits at least', () => {
  expect([1, 9, 10, 99, 100].map(turnName)).toEqual(['01', '09', '10', '99', '100']);
  expect(turnFolder('auth', 3)).toBe('.teddy/sessions/auth/03');
});
