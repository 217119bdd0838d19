import assert from 'node:assert/strict';
import { slug } from '../src/slug.mjs';

const short = slug('A title that is much too long for a URL');
assert.ok(short.length <= 20, `${short.length} characters, at most 20 are allowed`);
assert.equal(short, 'a-title-that-is-much');
console.log('2 checks passed');
