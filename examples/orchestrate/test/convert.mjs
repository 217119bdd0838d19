import assert from 'node:assert/strict';
import { toFahrenheit } from '../src/convert.mjs';

assert.equal(toFahrenheit(0), 32);
assert.equal(toFahrenheit(100), 212);
assert.equal(toFahrenheit(-40), -40);
console.log('3 checks passed');
