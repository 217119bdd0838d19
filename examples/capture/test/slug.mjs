import assert from 'node:assert/strict';
import { slug } from '../src/slug.mjs';

assert.equal(slug('Hello, World!'), 'hello-world');
assert.equal(slug('  Two  spaces '), 'two-spaces');
assert.equal(slug('100 %'), '100');
console.log('3 checks passed');
