import { expect, test } from 'vitest';
import { OutputLines } from '../../src/faces/web/page/output.js';

function linesOf(...parts: [text: string, stream: 'stdout' | 'stderr'][]): string[] {
  const output = new OutputLines();
  for (const [text, stream] of parts) output.append(text, stream);
  return output.lines.map((line) => `${line.stream === 'stdout' ? 1 : 2}:${line.text}`);
}

test('lines arrive in parts', () => {
  expect(linesOf(['a', 'stdout'], ['b\n\nc', 'stdout'], ['\n', 'stdout'])).toEqual(['1:ab', '1:', '1:c']);
});

test('a line of the other stream starts after the last one, without an empty line between them', () => {
  expect(linesOf(['a\n', 'stdout'], ['b\n', 'stderr'], ['c\n', 'stdout'])).toEqual(['1:a', '2:b', '1:c']);
  expect(linesOf(['a', 'stdout'], ['b', 'stderr'], ['c\n', 'stdout'])).toEqual(['1:a', '2:b', '1:c']);
});
