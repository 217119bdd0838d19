import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectText, createMasker, withoutThought } from '../../../src/sessions/model/answer-text.js';

const KEY = 'abaab-1';
const MASK = '[masked:00000000]';

function collect(pieces: readonly string[], key: string | null = KEY) {
  const heard: string[] = [];
  const answer = collectText(createMasker(key), (text) => heard.push(text));
  for (const piece of pieces) answer.push(piece);
  answer.end();
  return { text: answer.text, bytes: answer.bytes, heard };
}

describe('the key', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', '-', '1', KEY, 'x', '🐻'), { maxLength: 40 });

  test('is taken out alike, however the text is cut', () => {
    fc.assert(
      fc.property(letters, (pieces) => {
        const { text, heard, bytes } = collect(pieces);
        expect(text).toBe(pieces.join('').replaceAll(KEY, MASK));
        expect(heard.join('')).toBe(text);
        expect(heard).not.toContain('');
        expect(bytes).toBe(new TextEncoder().encode(text).length);
      }),
    );
  });

  test('has no part in an answer that ends inside it', () => {
    const long = 'sk-0123456789';
    expect(collect(['It is ', long.slice(0, 11)], long).text).toBe(`It is ${MASK}`);
    expect(collect(['It is sk-'], long).text).toBe('It is sk-');
  });

  test.each([
    null,
    'x',
    'none',
    'EMPTY',
    'ollama',
    'lm-studio',
    'not-needed',
    'sk-no-key-required',
    'no_key',
  ])('%j is no secret', (key) => {
    expect(createMasker(key).mask(`a ${key} b`)).toBe(`a ${key} b`);
  });

  test.each(['my-secret', 'hunter22', '$&-$1-key'])('%j is one', (key) => {
    expect(createMasker(key).mask(`a ${key} b ${key}`)).toBe(`a ${MASK} b ${MASK}`);
  });
});

test.each([
  ['<think>hm</think>\n\n# Plan\n', '# Plan\n'],
  ['\n <think>\n# No plan\n</think># Plan\n', '# Plan\n'],
  ['<think></think># A </think> b <think>', '# A </think> b <think>'],
  ['<think>never ends', '<think>never ends'],
  ['<think>hm</think>\n\n', ''],
  ['<thin', '<thin'],
  ['<thing> is text', '<thing> is text'],
  ['# Plan\n<think>quoted</think>\n', '# Plan\n<think>quoted</think>\n'],
  [' \n# Plan', ' \n# Plan'],
  ['', ''],
])('%j without its reasoning is %j', (came, text) => {
  expect(withoutThought(came)).toBe(text);
});
