import { expect, test } from 'vitest';
import { writeMacProfile } from '../../src/confine/mac-profile.js';

// As text alone: the profile has not been tried on a Mac.

const CONFINEMENT = {
  writable: ['/copy'],
  home: '/Users/ada',
  agent: 'claude',
  hide: ['/Users/ada/x'],
  network: false,
};

test('a profile for macOS denies first, and its later rules win', () => {
  const profile = writeMacProfile(CONFINEMENT);
  const places = [
    ...['(deny default)', '(subpath "/Users/ada")', '(subpath "/copy")', '(subpath "/Users/ada/.claude")'],
    ...['(deny file-write*\n  (subpath "/Users/ada/.claude/settings.json")', '(subpath "/Users/ada/.ssh")'],
    ...['(subpath "/Users/ada/.codex")', '(subpath "/Users/ada/x")', '(deny network*)'],
  ].map((text) => profile.indexOf(text));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(writeMacProfile({ ...CONFINEMENT, network: true })).toContain('(allow network*)');
});

test('a name cannot add a rule, and parentheses are balanced', () => {
  const name = '/a") (allow default) ("\\';
  const profile = writeMacProfile({ ...CONFINEMENT, hide: [name] });
  expect(profile).toContain(String.raw`(subpath "/a\") (allow default) (\"\\")`);
  const code = profile.replace(/"(?:[^"\\]|\\.)*"/g, '');
  expect(code).not.toContain('allow default');
  expect(code.split('(').length).toBe(code.split(')').length);
});
