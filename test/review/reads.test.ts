import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../../src/config/policy-file.js';
import type { Policy } from '../../src/config/types.js';
import { isSecretFile } from '../../src/core/redact/secret-files.js';
import { readsReviewer } from '../../src/review/policy.js';
import type { ActionQuestion } from '../../src/review/question.js';

const FILES = new Set(['a.ts', '.env', 'keys/server.pem', 'src/b.ts']);

function ask(target: string, more: { kind?: 'file' | 'url'; type?: string; policy?: Policy } = {}) {
  const { kind = 'file', type = 'READ', policy = { rules: [] } } = more;
  const action = { type, line: 1, metadata: {}, resource: { kind, target }, description: null, lines: null };
  const resolve = (path: string) => (path === 'link.ts' ? '.env' : path);
  const question = { kind: 'action', number: 1, total: 1, action, hash: 'h' } as unknown as ActionQuestion;
  return readsReviewer(policy, FILES, { resolve }).resolve(question);
}

describe('review.reads: allow', () => {
  test('approves a READ of a project file, bound to what was asked', () => {
    expect(ask('a.ts')).toEqual({ decision: 'approve', by: 'policy', hash: 'h' });
  });

  test.each([
    ['a file that git ignores or that is not there', 'dist/a.js', {}],
    ['a file that is known to hold secrets', '.env', {}],
    ['a private key', 'keys/server.pem', {}],
    ['a link to a secret', 'link.ts', {}],
    ['a page', 'https://example.org/a.ts', { kind: 'url' as const }],
    ['another action', 'a.ts', { type: 'PRUNE' }],
  ])('leaves %s to the user', (_, target, more) => {
    expect(ask(target, more)).toBeUndefined();
  });

  test('a rule of the policy that asks takes precedence', async () => {
    const read = await parsePolicy('rules:\n  - {ask: READ, path: "src/**"}\n', 'policy.yaml');
    if (read.status !== 'policy') throw new Error('This is not a policy.');
    expect(ask('src/b.ts', { policy: read.policy })).toBeUndefined();
    expect(ask('a.ts', { policy: read.policy })).toBeDefined();
  });
});

test.each(['.env', 'app/.env.local', 'ID_RSA', 'x/server.key', '.npmrc', 'secrets.yaml', 'prod.tfvars'])(
  '%s is known to hold secrets',
  (path) => expect(isSecretFile(path)).toBe(true),
);

test.each(['.env.example', 'env.ts', 'src/key.ts', 'monkey.md', 'secrets/readme.md', 'keys.json'])(
  '%s is not',
  (path) => expect(isSecretFile(path)).toBe(false),
);
