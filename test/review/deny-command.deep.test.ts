import { expect, test } from 'vitest';
import { execute, policyOf } from './actions.js';

test('the longest command that is looked through is looked through in good time', async () => {
  const { say } = await policyOf(
    `{deny: EXECUTE, command: "a ${'* b '.repeat(200)}c"}\n{deny: EXECUTE, command: "${'*a'.repeat(300)}!"}\n{deny: EXECUTE, command: "${'a | '.repeat(20)}c"}`,
  );
  for (const unit of [
    'a b ',
    '$a',
    "$'",
    `\${a`,
    '\\x',
    '> ',
    'a=b ',
    '`',
    '((',
    '{',
    '[',
    '-a ',
    'a\n',
    'a|',
  ]) {
    const command = unit.repeat(Math.floor(99_000 / unit.length));
    expect(say(execute(command))).toMatch(/ask|deny/);
  }
});
