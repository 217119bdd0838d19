import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countLines, countWords } from '../src/count.js';

test('words are what stands between spaces', () => {
  assert.equal(countWords('one two three'), 3);
});

test('lines are what stands between newlines', () => {
  assert.equal(countLines('one\ntwo'), 2);
});
