import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeMentions } from '../../../src/core/agent-report/clients/claude.js';
import { CLIENT_DEFINITIONS } from '../../../src/core/agent-report/clients/clients.js';
import { createPresetExecutor } from '../../../src/orchestrate/executors/command.js';
import { assignmentIn, openTestSite } from './site.js';

/** What claude took for a file in every version that was tried, and a little more. */
const MENTION = /(?:^|[\s"'`([{<,;:=|>*#/\\-])@[^\s@]/m;

test.each([
  ['See @.env for it.', 'See @ .env for it.'],
  ['@/etc/passwd', '@ /etc/passwd'],
  ['(@src/a.ts) "@b" `@c`', '(@ src/a.ts) "@ b" `@ c`'],
  ['x@/etc/passwd and y@~/.ssh/id_rsa and z@../k', 'x@ /etc/passwd and y@ ~/.ssh/id_rsa and z@ ../k'],
  ['@@/etc/passwd', '@@ /etc/passwd'],
  ['@"a b/.env"', '@ "a b/.env"'],
  ['import x from "@scope/pkg";\n@Injectable()', 'import x from "@ scope/pkg";\n@ Injectable()'],
])('%j is no mention any more', (prompt, expected) => {
  const written = removeMentions(prompt);
  expect(written.endsWith(`\n\n${expected}`)).toBe(true);
  expect(written).not.toMatch(MENTION);
  expect(written).toContain('leave out that space');
});

test.each(['ada@example.org, git@host:x', '@@ -1,2 +1,3 @@', 'a @ b', 'nothing'])(
  '%j stays as it is',
  (text) => expect(removeMentions(text)).toBe(text),
);

test.each(['claude', 'codex'] as const)('%s gets its prompt so', async (preset) => {
  const { folder, site } = openTestSite({ [preset]: '#!/bin/sh\ncat > prompt\n' });
  const prompt = 'Look at @.env\n';
  await createPresetExecutor(preset, preset).run(assignmentIn(folder, { prompt }), site);
  const got = readFileSync(join(folder, 'prompt'), 'utf8');
  expect(got).toBe(preset === 'claude' ? removeMentions(prompt) : prompt);
});

test('only claude as root is refused, unless it is confined', () => {
  const refuse = CLIENT_DEFINITIONS.claude.executor.findUserRefusal!;
  expect(refuse({}, 0)).toContain('IS_SANDBOX=1');
  expect(refuse({ IS_SANDBOX: '1' }, 0)).toBeUndefined();
  expect(refuse({}, 1000)).toBeUndefined();
  expect(refuse({}, undefined)).toBeUndefined();
  expect(CLIENT_DEFINITIONS.codex.executor.findUserRefusal).toBeUndefined();
});
