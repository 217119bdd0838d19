import { describe, expect, test } from 'vitest';
import { guessClient } from '../../../../src/core/agent-report/clients/clients.js';
import { readClientOutput } from '../../../../src/core/agent-report/clients/read-client.js';
import { REPORT_ISSUES } from '../../../../src/core/agent-report/issue-codes.js';
import { CLIENTS } from '../../../../src/core/agent-report/types.js';
import { readFixtures } from './fixtures.js';

const fixtures = readFixtures();

describe.each(fixtures)('$name', ({ client, output, expected }) => {
  test('is read as expected', () => {
    const { text, measured, issues } = readClientOutput(client, output);
    if (expected.report !== undefined) expect(JSON.parse(text ?? '')).toEqual(expected.report);
    else expect(text).toBe(expected.text);
    expect(measured).toEqual(expected.measured);
    expect(issues.map(({ code }) => code)).toEqual(expected.issues);
    for (const [at, { code, severity, path, message }] of issues.entries()) {
      expect(message).toContain(expected.says?.[at]);
      expect(severity).toBe(REPORT_ISSUES[code].severity);
      expect(path).toBe('$');
    }
  });

  test('is not taken for the output of another client', () => {
    for (const other of CLIENTS.filter((other) => other !== client && other !== 'text')) {
      const { text, issues } = readClientOutput(other, output);
      const foreign = expected.issues[0] === 'client-unreadable';
      if (foreign || output.trim() === '') continue;
      expect(text).toBeNull();
      expect(issues.map(({ code }) => code)).toEqual(['client-unreadable']);
    }
  });
});

test('every client has many shapes', () => {
  const counts = CLIENTS.map((client) => fixtures.filter((fixture) => fixture.client === client).length);
  expect(counts[0]).toBeGreaterThanOrEqual(12);
  expect(counts[1]).toBeGreaterThanOrEqual(6);
  expect(counts[2]).toBeGreaterThanOrEqual(5);
  expect(counts[3]).toBeGreaterThanOrEqual(8);
  expect(counts[4]).toBeGreaterThanOrEqual(3);
});

test('a report is of no client', () => {
  for (const { expected } of fixtures) {
    if (expected.report !== undefined) expect(guessClient(expected.report)).toBeNull();
  }
});
