import { describe, expect, test } from 'vitest';
import { DEFAULTS, parseConfig } from '../../src/config/config-file.js';
import { parsePolicy } from '../../src/config/policy-file.js';
import { PROVIDERS } from '../../src/config/providers.js';
import { EXECUTOR, listKeys, SETTINGS } from '../../src/config/schema.js';
import { decideByPolicy, type Subject } from '../../src/review/policy.js';
import { chat, create, edit, execute, read } from '../review/actions.js';
import { readExamples, readPage } from './page.js';

// What is behind the opening fence of an example says how it is tested:
//
//   yaml              a policy
//   text              what the policy before it decides: "TYPE argument [guard] → verdict"
//   yaml config       a config that can be used
//   yaml refused: …   a config with this problem
const PAGE = 'docs/setup.md';
const examples = readExamples(PAGE);

describe('policy.yaml', () => {
  const verdicts = examples.flatMap(({ language, text, line }, at) => {
    const policy = examples.slice(0, at).findLast((each) => each.language === 'yaml' && each.note === '');
    if (language !== 'text') return [];
    return text
      .trimEnd()
      .split('\n')
      .map((row, index) => ({ row, line: line + 1 + index, policy: policy!.text }));
  });

  test.each(verdicts)('line $line: $row', async ({ row, policy }) => {
    const parsed = await parsePolicy(policy);
    if (parsed.status === 'refused') throw new Error(JSON.stringify(parsed.problems));
    const [, subject, verdict] = /^(.*?) +→ (allow|ask|deny)$/.exec(row)!;
    expect(decideByPolicy(parsed.policy, readSubject(subject!)).verdict).toBe(verdict);
  });

  test('every policy is followed by its decisions, and no example is left untested', () => {
    const kinds = examples.map(({ language, note }) => `${language} ${note.split(' ')[0]}`.trim());
    expect(kinds.filter((kind) => !['yaml', 'text', 'yaml config', 'yaml refused:'].includes(kind))).toEqual(
      [],
    );
    for (const [at, kind] of kinds.entries()) if (kind === 'yaml') expect(kinds[at + 1]).toBe('text');
    expect(verdicts.length).toBeGreaterThan(20);
  });
});

describe('config.yaml', () => {
  const configs = examples.filter(({ note }) => /^(?:config|refused: .*)$/.test(note));

  test.each(configs)('the example at line $line', async ({ note, text }) => {
    const parsed = await parseConfig(text);
    const shown =
      parsed.status === 'config'
        ? 'config'
        : parsed.problems.map(({ file, line, message }) => `refused: ${file}:${line}: ${message}`).join('\n');
    expect(shown).toBe(note);
  });

  test('names the patterns by which plans are found', () => {
    const shown = DEFAULTS.plans.glob.map((glob) => `\`${glob}\``);
    expect(readPage(PAGE).replaceAll('\n', ' ')).toContain(
      `The three patterns for task files are ${shown.slice(0, 2).join(', ')} and ${shown[2]}.`,
    );
  });

  test('lists every provider, with its key variable', () => {
    for (const [name, { keyEnv }] of Object.entries(PROVIDERS))
      expect(readPage(PAGE)).toContain(`| \`${name}\` | ${keyEnv === null ? 'none' : `\`${keyEnv}\``}`);
  });

  test('lists every key, with the default that it has', () => {
    const rows = [...readPage(PAGE).matchAll(/^\| `(\w+\.[\w.]+|landing)` \| (.*?) ?\| /gm)];
    const executor = listKeys(EXECUTOR).map((key) => `executors.NAME.${key}`);
    expect(rows.map((row) => row[1])).toEqual([...listKeys(SETTINGS), ...executor]);
    const exampleOnly =
      /^(?:research|model|executors)\.|^verify\.prepare$|^landing$|^capture\.state$|^plans\.glob$|^orchestrate\.(?:executor|time|taskBudget|budget|setup)$/;
    for (const [, key, shown] of rows) {
      if (exampleOnly.test(key!)) continue;
      const [group, ...names] = key!.split('.');
      const setting = names.reduce<unknown>(
        (each, name) => (each as Record<string, unknown>)[name],
        SETTINGS[group as keyof typeof SETTINGS],
      );
      const { written } = setting as { written: unknown };
      expect(shown).toBe(`\`${Array.isArray(written) ? JSON.stringify(written) : written}\``);
    }
  });
});

function readSubject(row: string): Subject {
  const [, type, argument = '', guard] = /^(\w+) ?(.*?)(?: \[(\w+)\])?$/.exec(row)!;
  switch (type) {
    case 'MEMOS':
      return 'Memos';
    case 'CONTEXT':
      return 'Active Context';
    case 'CHAT_WITH_USER':
      return chat();
    case 'CREATE':
      return create(argument, guard === 'overwrite');
    case 'EDIT':
      return edit(argument);
    case 'READ':
      return read(argument);
    case 'EXECUTE':
      return execute(argument, {
        allowFailure: guard === 'allowFailure',
        timeout: guard === 'timeout' ? 5 : null,
      });
    default:
      throw new Error(`${row} is not known.`);
  }
}
