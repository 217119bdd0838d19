import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Entry = { link?: boolean; integrity?: string; resolved?: string };

test('every entry of the lock has a hash, and none says where it came from', () => {
  const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, Entry> };
  const entries = Object.entries(packages).filter(([folder, { link }]) => folder !== '' && !link);
  expect(entries.length).toBeGreaterThan(100);
  const unhashed = entries.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  expect(unhashed.map(([folder]) => folder)).toEqual([]);
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  expect(text).not.toMatch(
    /https?:\/\/(?!github\.com|opencollective\.com|[\w.-]+\/(?:sponsors|funding))\S*\.tgz/,
  );
});
