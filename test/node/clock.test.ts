import { afterEach, describe, expect, test } from 'vitest';
import { checkClock, isoUtc, isoUtcMs, monotonicMs, now } from '../../src/node/clock.js';

const before = process.env.TEDDY_NOW;
afterEach(() => {
  if (before === undefined) delete process.env.TEDDY_NOW;
  else process.env.TEDDY_NOW = before;
});

describe('now', () => {
  test.each([
    ['2026-01-26T10:30:45Z', '2026-01-26T10:30:45.000Z'],
    ['2026-01-26T10:30:45.678Z', '2026-01-26T10:30:45.678Z'],
    ['2026-01-26T10:30:45.678912Z', '2026-01-26T10:30:45.678Z'],
    ['2026-01-26T10:30Z', '2026-01-26T10:30:00.000Z'],
    ['2026-01-26T12:30:45+02:00', '2026-01-26T10:30:45.000Z'],
    ['2026-01-26T23:30:45-02:30', '2026-01-27T02:00:45.000Z'],
    ['2026-01-26T10:30:45', '2026-01-26T10:30:45.000Z'],
    ['2026-01-26', '2026-01-26T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('TEDDY_NOW=%s', (set, expected) => {
    process.env.TEDDY_NOW = set;
    expect(checkClock()).toEqual({ status: 'ready' });
    expect(isoUtcMs(now())).toBe(expected);
  });

  test.each([
    ...[
      'now',
      '1769423445',
      '2026',
      '2026-1-2',
      '2026-02-30',
      '2025-02-29T00:00:00Z',
      '2026-13-01',
      '2026-00-10',
    ],
    ...[
      '2026-01-26T25:00:00Z',
      '2026-01-26T10:60:00Z',
      '2026-01-26 10:30:45',
      '2026-01-26T10Z',
      '2026-01-26T',
    ],
    ...[
      ' 2026-01-26',
      '2026-01-26T10:30:45Z ',
      '2026-01-26T10:30:45z',
      '2026-01-26T10:30:45+2',
      '2026-01-26Z',
    ],
  ])('TEDDY_NOW=%s is refused at the start', (set) => {
    process.env.TEDDY_NOW = set;
    expect(checkClock()).toEqual({
      status: 'refused',
      reason: `TEDDY_NOW is "${set}", which is not a time like 2026-01-26T10:30:45Z.`,
    });
    expect(now).toThrow('TEDDY_NOW');
  });

  test('unset or empty, it is the time', () => {
    for (const set of [undefined, '']) {
      if (set === undefined) delete process.env.TEDDY_NOW;
      else process.env.TEDDY_NOW = set;
      expect(checkClock()).toEqual({ status: 'ready' });
      const start = Date.now();
      expect(now().getTime()).toBeGreaterThanOrEqual(start);
    }
  });
});

test('times are written in UTC', () => {
  const date = new Date('2026-01-26T10:30:45.678Z');
  expect([isoUtc(date), isoUtcMs(date)]).toEqual(['2026-01-26T10:30:45Z', '2026-01-26T10:30:45.678Z']);
});

test('monotonicMs goes on while TEDDY_NOW stands still', () => {
  process.env.TEDDY_NOW = '2026-01-26';
  const start = monotonicMs();
  while (monotonicMs() === start);
  expect(monotonicMs()).toBeGreaterThan(start);
});
