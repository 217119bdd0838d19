import { afterEach, describe, expect, test, vi } from 'vitest';
import { newRunId, randomId, sha256 } from '../../src/node/ids.js';

describe('newRunId', () => {
  afterEach(() => vi.unstubAllEnvs());

  const date = new Date('2026-01-06T23:05:09.999Z');

  test('is the time in UTC and four characters', () => {
    expect(newRunId(date)).toMatch(/^20260106-230509-[0-9a-z]{4}$/);
    expect(newRunId(date, ['20260105-230509-zzzz'])).toMatch(/^20260106-230509-[0-9a-z]{4}$/);
  });

  test('sorts behind those of the same second', () => {
    const ids = [newRunId(date)];
    for (let i = 0; i < 200; i++) ids.push(newRunId(date, [...ids, '20260106-230510-0000']));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(newRunId(date, ['20260106-230509-zzzz'])).toMatch(/^20260106-230509-[0-9a-z]{4}$/);
  });

  test('is not to be guessed while the clock runs', () => {
    expect(new Set(Array.from({ length: 50 }, () => newRunId(date))).size).toBeGreaterThan(1);
  });

  test.each([
    [[], '0000'],
    [['20260106-230508-0007'], '0000'],
    [['20260106-230509-0000'], '0001'],
    [['20260106-230509-0000', '20260106-230509-000z'], '0010'],
    [['20260106-230509-0000', '20260107-000000-0000'], '0001'],
  ])('is counted when the clock is set: behind %j comes %s', (others, suffix) => {
    vi.stubEnv('TEDDY_NOW', '2026-01-06T23:05:09Z');
    expect(newRunId(date, others)).toBe(`20260106-230509-${suffix}`);
  });

  test('finds a name when all above are taken, the clock being set', () => {
    vi.stubEnv('TEDDY_NOW', '2026-01-06T23:05:09Z');
    expect(newRunId(date, ['20260106-230509-zzzz'])).toMatch(/^20260106-230509-[0-9a-z]{4}$/);
  });
});

describe('randomId', () => {
  test('has the length asked for, and every character', () => {
    expect(randomId(0)).toBe('');
    const long = randomId(4000);
    expect(long).toMatch(/^[0-9a-z]{4000}$/);
    expect(new Set(long).size).toBe(36);
  });

  test('does not repeat', () => {
    expect(new Set(Array.from({ length: 1000 }, () => randomId(12))).size).toBe(1000);
  });
});

describe('sha256', () => {
  test.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('of %j', (text, expected) => {
    expect(sha256(text)).toBe(expected);
    expect(sha256(new TextEncoder().encode(text))).toBe(expected);
  });

  test('text is hashed as UTF-8', () => {
    expect(sha256('grüße')).toBe(sha256(Buffer.from('grüße', 'utf8')));
  });
});
