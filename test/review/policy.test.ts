import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolvePathIn } from '../../src/review/compose.js';
import { denialReviewer, policyReviewer } from '../../src/review/policy.js';
import type { Question } from '../../src/review/question.js';
import { makeFolder } from '../folder.js';
import { chat, create, edit, execute, invoke, policyOf, read } from './actions.js';

function ask(action: Parameters<typeof create>[0] | ReturnType<typeof create>): Question {
  if (typeof action === 'string') return { kind: 'state', section: 'Memos', changes: action, hash: 'h' };
  return {
    kind: 'action',
    number: 1,
    total: 1,
    action,
    modified: false,
    preview: { kind: 'none' },
    risks: [],
    hash: 'h',
  };
}

test('no rule, no answer', async () => {
  const { say } = await policyOf('');
  expect([say(create('a')), say('Memos'), say(execute('ls'))]).toEqual(['ask', 'ask', 'ask']);
});

test('a deny wins wherever it stands; else the first match decides', async () => {
  const { say } = await policyOf(`\
{allow: EXECUTE, command: "rm *"}
{ask: CREATE, path: "docs/secret/**"}
{allow: CREATE, path: "docs/**"}
{ask: "*"}
{allow: EDIT}
{deny: EXECUTE, command: "rm *"}`);
  expect(say(execute('rm x'))).toBe('deny');
  expect(say(create('docs/secret/a.md'))).toBe('ask');
  expect(say(create('docs/a.md'))).toBe('allow');
  expect(say(edit('docs/a.md'))).toBe('ask');
});

test('answers say who and why', async () => {
  const { policy } = await policyOf(
    '{allow: READ, path: "src/**"}\n{deny: EXECUTE, command: "rm *"}\n{deny: CREATE, overwrite: true}\n{deny: MEMOS}',
  );
  const reviewer = policyReviewer(policy);
  expect(reviewer.ask).toBeUndefined();
  expect(reviewer.resolve(ask(read('src/a.ts')))).toEqual({ decision: 'approve', by: 'policy', hash: 'h' });
  expect(reviewer.resolve(ask(read('a.ts')))).toBeUndefined();
  const reasons = [execute('sudo rm -r x'), create('a', true), '[+] x\n'].map((each) =>
    reviewer.resolve(ask(each)),
  );
  expect(reasons).toEqual([
    { decision: 'skip', by: 'policy', reason: 'Denied by policy: rule 2 (deny EXECUTE "rm *").' },
    { decision: 'skip', by: 'policy', reason: 'Denied by policy: rule 3 (deny CREATE overwrite).' },
    { decision: 'skip', by: 'policy', reason: 'Denied by policy: rule 4 (deny MEMOS).' },
  ]);
  const denials = denialReviewer(policy);
  expect(denials.resolve(ask(read('src/a.ts')))).toBeUndefined();
  expect(denials.resolve(ask(execute('rm x')))).toMatchObject({ decision: 'skip' });
});

test.each([
  ['docs/**', 'docs/a.md', true],
  ['docs/**', 'docs/a/b/c.md', true],
  ['/docs/**', 'docs/a.md', true],
  ['docs/*', 'docs/a.md', true],
  ['docs/*', 'docs/a/b.md', false],
  ['docs/**', 'docs/../src/a.ts', false],
  ['docs/**', './docs//a.md', true],
  ['docs/**', 'docsx/a.md', false],
  ['docs/**', 'Docs/a.md', false],
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'a/b/c.md', true],
  ['**/*.md', 'a/b/c.mdx', false],
  ['src/**/test/*.ts', 'src/test/a.ts', true],
  ['src/**/test/*.ts', 'src/a/test/test/b.ts', true],
  ['src/**/test/*.ts', 'src/a/b.ts', false],
  ['*', '.env', true],
  ['*', 'a/.env', false],
  ['a*c*e', 'abcde', true],
  ['a*c*e', 'abde', false],
  ['app/\\[id\\]/*', 'app/[id]/page.tsx', true],
  ['app/\\[id\\]/*', 'app/i/page.tsx', false],
  ['**', 'anything/at/all', true],
])('allow %j and %j: %j', async (glob, path, covered) => {
  const { say } = await policyOf(`{allow: CREATE, path: ${JSON.stringify(glob)}}`);
  expect(say(create(path))).toBe(covered ? 'allow' : 'ask');
});

test.each([
  ['secrets/**', 'secrets/a'],
  ['secrets/**', 'SECRETS/a'],
  ['secrets/**', 'docs/../secrets/a'],
  ['secrets/**', 'ｓecrets/a'],
  ['secrets/**', 'sec\u200drets/a'],
  ['secrets', 'secrets/a/b'],
  ['**/.env*', 'a/.env.local'],
  ['**/.env*', '.ENV'],
])('deny %j finds %j', async (glob, path) => {
  const { say } = await policyOf(`{deny: "*", path: ${JSON.stringify(glob)}}`);
  for (const subject of [
    create(path),
    edit(path),
    read(path),
    read(path, 'PRUNE'),
    invoke('README.md', path),
  ]) {
    expect(say(subject)).toBe('deny');
  }
  expect(say(create('src/a'))).toBe('ask');
});

test('a link counts as what it leads to, too', async () => {
  const root = realpathSync(makeFolder({ 'src/a.ts': '', 'docs/a.md': '' }));
  symlinkSync('../src', join(root, 'docs/code'));
  symlinkSync('/', join(root, 'docs/out'));
  mkdirSync(join(root, 'secrets'));
  symlinkSync('secrets', join(root, 'plain'));
  const facts = { resolve: resolvePathIn(root) };
  const { say } = await policyOf('{deny: CREATE, path: "secrets/**"}\n{allow: CREATE, path: "docs/**"}');
  expect(say(create('docs/new/b.md'), facts)).toBe('allow');
  expect(say(create('docs/code/b.ts'), facts)).toBe('ask');
  expect(say(create('docs/out/tmp/b'), facts)).toBe('ask');
  expect(say(create('plain/key'), facts)).toBe('deny');
});

test('guards: vetoed, or named', async () => {
  const { say } = await policyOf(`\
{deny: EXECUTE, allowFailure: true}
{ask: EXECUTE, timeout: true}
{allow: CREATE, path: "tmp/**", overwrite: true}
{allow: CREATE}
{allow: EXECUTE, command: "npm test", timeout: true}`);
  expect(say(execute('npm test', { allowFailure: true }))).toBe('deny');
  expect(say(execute('npm test', { timeout: 9 }))).toBe('ask');
  expect(say(execute('npm test'))).toBe('allow');
  expect(say(create('tmp/a', true))).toBe('allow');
  expect(say(create('a', true))).toBe('ask');
  expect(say(create('a'))).toBe('allow');
});

test.each([
  ['https://example.com/**', 'https://example.com/', true],
  ['https://example.com/**', 'https://example.com/a/b?c=d', true],
  ['https://example.com/**', 'https://EXAMPLE.com:443/a', true],
  ['https://example.com/**', 'http://example.com/a', false],
  ['https://example.com/**', 'https://example.com:8443/a', false],
  ['https://example.com/**', 'https://example.com.evil.example/a', false],
  ['https://example.com/**', 'https://example.com@evil.example/a', false],
  ['https://example.com/**', 'https://me@example.com/a', false],
  ['https://example.com/**', 'https://evil.example/https://example.com/a', false],
  ['https://example.com/**', 'https://example.com\\@evil.example/', false],
  ['https://example.com/docs/*', 'https://example.com/docs/a', true],
  ['https://example.com/docs/*', 'https://example.com/docs/../a', false],
  ['https://example.com/docs/*', 'https://example.com/docs/%2e%2e/a', false],
  ['https://example.com/docs/*', 'https://example.com/docs/a/b', false],
  ['https://*.example.com/**', 'https://docs.example.com/a', true],
  ['https://*.example.com/**', 'https://a.b.example.com/a', false],
  ['https://**.example.com/**', 'https://a.b.example.com/a', true],
  ['https://*.example.com/**', 'https://evil.example/.example.com/a', false],
  ['**', 'http://anything.example/', true],
  ['**', 'README.md', false],
])('allow %j and %j: %j', async (glob, url, covered) => {
  const { say } = await policyOf(`{allow: READ, url: ${JSON.stringify(glob)}}`);
  expect(say(read(url))).toBe(covered ? 'allow' : 'ask');
});

test.each([
  'http://evil.example/a',
  'https://evil.example:8443/b',
  'https://me:pw@evil.example/',
  'https://EVIL.example./a',
  'https://evil.example\\a',
])('deny *://evil.example/ finds %j', async (url) => {
  const { say } = await policyOf('{deny: "*", url: "*://evil.example/"}');
  expect(say(read(url))).toBe('deny');
  expect(say(read('https://good.example/evil.example'))).toBe('ask');
});

test('a handover is allowed only with all that it hands over', async () => {
  const { say } = await policyOf('{allow: INVOKE, path: "docs/**"}');
  expect(say(invoke('docs/a', 'docs/b'))).toBe('allow');
  expect(say(invoke('docs/a', 'src/b'))).toBe('ask');
  expect(say(invoke('docs/a', 'https://example.com/'))).toBe('ask');
  expect(say(invoke())).toBe('ask');
});

test('state changes are ruled by their own names; "*" allows actions alone', async () => {
  const all = await policyOf('{allow: "*"}');
  expect([all.say('Memos'), all.say('Active Context'), all.say(create('a'))]).toEqual([
    'ask',
    'ask',
    'allow',
  ]);
  const none = await policyOf('{deny: "*"}');
  expect([none.say('Memos'), none.say('Active Context'), none.say(chat())]).toEqual(['deny', 'deny', 'deny']);
  const own = await policyOf('{allow: MEMOS}\n{deny: CONTEXT}\n{deny: "*", path: "**"}');
  expect([own.say('Memos'), own.say('Active Context')]).toEqual(['allow', 'deny']);
});

test('nobody but a person answers a question', async () => {
  const { say } = await policyOf('{allow: "*"}');
  expect(say(chat())).toBe('ask');
});
