import assert from 'node:assert/strict';
import { postage } from '../src/postage.mjs';

assert.equal(postage('DE', 1), 499);
assert.equal(postage('FR', 2.5), 1799);
assert.equal(postage('JP', 30), 22899);
assert.throws(() => postage('DE', 31), RangeError);
console.log('4 checks passed');
