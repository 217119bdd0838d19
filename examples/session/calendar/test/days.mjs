import assert from 'node:assert/strict';
import { daysIn } from '../src/days.mjs';

assert.equal(daysIn(2023, 2), 28);
assert.equal(daysIn(2024, 2), 29);
assert.equal(daysIn(2024, 4), 30);
console.log('3 checks passed');
