import { expect, test } from 'vitest';
import { MemoryTree } from '../../src/core/tree.js';
import { readMemos } from '../../src/runs/turn-state.js';

const read = (text: string) => readMemos(new MemoryTree({ '.teddy/memos.yaml': text }));

test.each([
  ['', []],
  ['# only a comment\n', []],
  ['- one\n- two # why\n', ['one', 'two']],
  ['- yes\n- 42\n- 2026-01-02\n- "null"\n- ~\n', ['yes', '42', '2026-01-02', 'null', '~']],
  ['\ufeff- one\r\n- two\r\n', ['one', 'two']],
  ['- |\n  two\n  lines\n', ['two\nlines\n']],
])('%j holds %j', async (text, memos) => {
  expect(await read(text)).toEqual(memos);
});

test('no file, no memos', async () => {
  expect(await readMemos(new MemoryTree())).toEqual([]);
});

test.each([
  ['memo: one\n', '.teddy/memos.yaml is not a list of strings.'],
  ['just text\n', '.teddy/memos.yaml is not a list of strings.'],
  ['- one\n- two: 2\n', '.teddy/memos.yaml is not a list of strings: item 2 is not text.'],
  ['- &a [x]\n- *a\n', '.teddy/memos.yaml is not a list of strings: item 1 is not text.'],
])('%j is refused', async (text, sentence) => {
  await expect(read(text)).rejects.toThrow(sentence);
});

test('bad YAML is refused in one sentence with its place', async () => {
  await expect(read('- "one\n- two\n')).rejects.toThrow(
    /^\.teddy\/memos\.yaml is not valid YAML: .+ at line 3, column 1\.$/,
  );
});

test('aliases that unfold without end are refused at once', async () => {
  const levels = Array.from({ length: 30 }, (_, n) => `- &a${n + 1} [*a${n}, *a${n}, *a${n}, *a${n}]`);
  await expect(read(`- &a0 [x]\n${levels.join('\n')}\n`)).rejects.toThrow('is not a list of strings');
});

test('a folder in its place is refused', async () => {
  const tree = new MemoryTree({ '.teddy/memos.yaml/x': '' });
  await expect(readMemos(tree)).rejects.toThrow('.teddy/memos.yaml is a folder.');
});
