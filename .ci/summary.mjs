// The tests that failed, by name, and a plain closing line, from the test runner's own results. A test file that could
// not be loaded, or whose process died, has no failed test in it and counts as one.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [, , folder] = process.argv;
let passed = 0;
const failed = [];
for (const name of readdirSync(folder)) {
  const { numPassedTests, testResults } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  passed += numPassedTests;
  for (const { name: path, status, message, assertionResults } of testResults) {
    const file = relative('.', path);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of tests)
      failed.push(`${file}: ${fullName.trim()}\n${failureMessages.join('\n')}`);
    // A skipped test is 'skipped' or 'todo'; one that was never run stays 'pending'.
    const isUnfinished = assertionResults.some((test) => test.status === 'pending');
    if (tests.length === 0 && (status === 'failed' || isUnfinished))
      failed.push(`${file}: not all of its tests were run\n${message}`);
  }
}
for (const each of failed) console.log(`failed: ${each.split('\n').slice(0, 8).join('\n').slice(0, 1000)}\n`);
console.log(`${passed} passed, ${failed.length} failed`);
