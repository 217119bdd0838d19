import { describe, expect, test } from 'vitest';
import { findNoTestsMessage } from '../../../src/core/task-result/vacuous.js';

/** What a runner prints, and the line of it that says that nothing was tested. */
const NOTHING_RAN: [runner: string, output: string, said: string][] = [
  ['jest', 'No tests found, exiting with code 0\n', 'No tests found, exiting with code 0'],
  [
    'jest, all skipped',
    'Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\nSnapshots:   0 total\n',
    'Tests:       3 skipped, 3 total',
  ],
  ['jest, none in the files', 'Test Suites: 0 total\nTests:       0 total\n', 'Tests:       0 total'],
  [
    'vitest',
    ' RUN  v4.1.12 /x\n\nNo test files found, exiting with code 0\n',
    'No test files found, exiting with code 0',
  ],
  [
    'vitest, all skipped, in colour',
    ' \u001b[2m\u001b[90m↓\u001b[39m\u001b[22m s.test.ts \u001b[2m(\u001b[22m\u001b[2m2 tests\u001b[22m\u001b[2m | \u001b[22m\u001b[33m2 skipped\u001b[39m\u001b[2m)\u001b[22m\n\n\u001b[2m Test Files \u001b[22m \u001b[33m1 skipped\u001b[39m\u001b[90m (1)\u001b[39m\n\u001b[2m      Tests \u001b[22m \u001b[33m2 skipped\u001b[39m\u001b[90m (2)\u001b[39m\n',
    'Tests  2 skipped (2)',
  ],
  ['vitest, an empty file', ' Test Files  no tests\n      Tests  no tests\n', 'Test Files  no tests'],
  ['mocha', '\n\n  0 passing (1ms)\n\n', '0 passing (1ms)'],
  ['mocha, all pending', '  a\n    - b\n\n  0 passing (2ms)\n  1 pending\n', '0 passing (2ms)'],
  ['node --test', 'ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ skipped 0\n', 'ℹ tests 0'],
  ['node --test, TAP', 'TAP version 13\n1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n', '1..0'],
  [
    'node --test, all skipped',
    'TAP version 13\n# Subtest: a\nok 1 - a # SKIP\n  ---\n  duration_ms: 1.9\n  ...\n1..1\n# tests 1\n# pass 0\n# fail 0\n# skipped 1\n',
    '# pass 0',
  ],
  [
    'node --test, a suite of skipped ones',
    'ok 1 - suite\n1..1\n# tests 2\n# suites 1\n# pass 0\n# fail 0\n# skipped 2\n',
    '# pass 0',
  ],
  ['TAP', '1..0 # SKIP no tests here\n', '1..0 # SKIP no tests here'],
  ['prove', 'Files=0, Tests=0,  0 wallclock secs\nResult: NOTESTS\n', 'Files=0, Tests=0,  0 wallclock secs'],
  ['pytest', 'collected 0 items\n\n===== no tests ran in 0.01s =====\n', 'collected 0 items'],
  ['pytest -q', '\nno tests ran in 0.01s\n', 'no tests ran in 0.01s'],
  ['pytest, all skipped', 'ss        [100%]\n2 skipped in 1.51s\n', '2 skipped in 1.51s'],
  [
    'pytest, none selected',
    'collected 2 items / 2 deselected / 0 selected\n\n===== 2 deselected in 1.75s =====\n',
    '===== 2 deselected in 1.75s =====',
  ],
  ['unittest', `${'-'.repeat(70)}\nRan 0 tests in 0.000s\n\nOK\n`, 'Ran 0 tests in 0.000s'],
  ['unittest, 3.12', `${'-'.repeat(70)}\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n`, 'Ran 0 tests in 0.000s'],
  ['unittest, all skipped', 'ss\nRan 2 tests in 0.000s\n\nOK (skipped=2)\n', 'Ran 2 tests in 0.000s'],
  ['go test', '?   \texample.com/a\t[no test files]\n', '?   \texample.com/a\t[no test files]'],
  [
    'go test -run',
    'testing: warning: no tests to run\nPASS\nok  \texample.com/a\t0.002s [no tests to run]\n',
    'testing: warning: no tests to run',
  ],
  [
    'go test, cached',
    'ok  \texample.com/a\t(cached) [no tests to run]\n',
    'ok  \texample.com/a\t(cached) [no tests to run]',
  ],
  [
    'cargo test',
    'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests c\n\nrunning 0 tests\n',
    'test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
  ],
  [
    'cargo test, all ignored',
    'running 2 tests\ntest a ... ignored\ntest b ... ignored\n\ntest result: ok. 0 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out\n',
    'test result: ok. 0 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out',
  ],
  [
    'cargo nextest',
    '     Summary [   0.005s] 0 tests run: 0 passed, 3 skipped\n',
    'Summary [   0.005s] 0 tests run: 0 passed, 3 skipped',
  ],
  [
    'rspec',
    'No examples found.\n\nFinished in 0.0002 seconds\n0 examples, 0 failures\n',
    '0 examples, 0 failures',
  ],
  ['rspec, all pending', '3 examples, 0 failures, 3 pending\n', '3 examples, 0 failures, 3 pending'],
  [
    'minitest',
    '0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n',
    '0 runs, 0 assertions, 0 failures, 0 errors, 0 skips',
  ],
  ['phpunit', 'PHPUnit 11.1\n\nNo tests executed!\n', 'No tests executed!'],
  [
    'phpunit, all skipped',
    'OK, but some tests were skipped!\nTests: 3, Assertions: 0, Skipped: 3.\n',
    'Tests: 3, Assertions: 0, Skipped: 3.',
  ],
  [
    'dotnet test',
    'No test is available in /x/a.dll. Make sure that …\n',
    'No test is available in /x/a.dll. Make sure that …',
  ],
  [
    'dotnet test --filter',
    'No test matches the given testcase filter `A`\n',
    'No test matches the given testcase filter `A`',
  ],
  [
    'dotnet test, all skipped',
    'Skipped! - Failed:     0, Passed:     0, Skipped:     3, Total:     3\n',
    'Skipped! - Failed:     0, Passed:     0, Skipped:     3, Total:     3',
  ],
  [
    'maven',
    '[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n',
    '[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0',
  ],
  ['maven, none', '[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n', '[INFO] No tests to run.'],
  [
    'gradle',
    '> Task :compileTestJava NO-SOURCE\n> Task :testClasses UP-TO-DATE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n',
    '> Task :test NO-SOURCE',
  ],
  ['ctest', 'Test project /x\nNo tests were found!!!\n', 'No tests were found!!!'],
  [
    'ctest, nothing to go by',
    '*****\nNo test configuration file found!\n*****\n',
    'No test configuration file found!',
  ],
  ['bun', ' 0 pass\n 0 fail\nRan 0 tests across 1 files. [3.00ms]\n', '0 pass'],
  ['bun, all skipped', ' 0 pass\n 3 skip\n 0 fail\nRan 3 tests across 1 files. [3.00ms]\n', '0 pass'],
  [
    'deno',
    'running 0 tests from ./a.ts\n\nok | 0 passed | 0 failed (1ms)\n',
    'ok | 0 passed | 0 failed (1ms)',
  ],
  [
    'deno, all ignored',
    'running 3 tests from ./a.ts\n\nok | 0 passed | 0 failed | 3 ignored (1ms)\n',
    'ok | 0 passed | 0 failed | 3 ignored (1ms)',
  ],
  ['playwright', 'Running 0 tests using 0 workers\n', 'Running 0 tests using 0 workers'],
  ['playwright, all skipped', 'Running 3 tests using 1 worker\n\n  3 skipped\n', '3 skipped'],
  ['ExUnit', 'Finished in 0.01 seconds\n0 tests, 0 failures\n', '0 tests, 0 failures'],
  ['ExUnit, none', 'There are no tests to run\n', 'There are no tests to run'],
  [
    'ExUnit, all excluded',
    'All tests have been excluded.\n3 tests, 0 failures, 3 excluded\n',
    '3 tests, 0 failures, 3 excluded',
  ],
  [
    'gtest',
    '[==========] Running 0 tests from 0 test suites.\n[  PASSED  ] 0 tests.\n',
    '[  PASSED  ] 0 tests.',
  ],
  ['Jasmine', 'Incomplete: No specs found\n', 'Incomplete: No specs found'],
  ['behind a carriage return', 'Resolving\rNo tests found\r\n', 'No tests found'],
];

/** Something ran, or nothing speaks of tests at all. */
const SOMETHING_RAN: [what: string, output: string][] = [
  ['jest', 'Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n'],
  ['jest, two packages', 'No tests found, exiting with code 0\nTests:       1 skipped, 3 passed, 4 total\n'],
  ['vitest', ' Test Files  1 passed | 1 skipped (2)\n      Tests  3 passed | 2 skipped (5)\n'],
  ['mocha', '  10 passing (5ms)\n  0 failing\n'],
  ['node --test', 'ℹ tests 3\nℹ pass 2\nℹ fail 0\nℹ skipped 1\n'],
  ['node --test, TAP', 'ok 1 - says that no tests ran\n1..1\n# tests 1\n# pass 1\n# fail 0\n'],
  ['TAP', '1..1\nok 1 - no tests found is told\n'],
  ['pytest', 'collected 2 items\n\n===== 1 passed, 1 skipped in 0.01s =====\n'],
  ['pytest, only expected failures', '===== 1 xfailed in 0.01s =====\n'],
  ['unittest', 'Ran 3 tests in 0.001s\n\nOK (skipped=2)\n'],
  ['unittest, in two parts', 'Ran 0 tests in 0.000s\n\nOK\nRan 3 tests in 0.001s\n\nOK\n'],
  [
    'go test, mixed packages',
    '?   \ta\t[no test files]\nok  \tb\t0.002s\nok  \tc\t0.001s [no tests to run]\n',
  ],
  ['go test -v', '=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n?   \ta\t[no test files]\n'],
  [
    'go test -json',
    '{"Action":"output","Package":"a","Output":"?   \\ta\\t[no test files]\\n"}\n{"Action":"pass","Package":"b","Test":"TestB","Elapsed":0}\n',
  ],
  [
    'cargo test, several crates',
    'running 0 tests\n\ntest result: ok. 0 passed; 0 failed\n\nrunning 3 tests\ntest a ... ok\n\ntest result: ok. 3 passed; 0 failed\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed\n',
  ],
  ['cargo test, cut short', 'running 0 tests\n\nrunning 3 tests\n'],
  ['rspec', '3 examples, 0 failures, 1 pending\n'],
  ['minitest', '3 runs, 5 assertions, 0 failures, 0 errors, 0 skips\n'],
  ['phpunit', 'OK (3 tests, 5 assertions)\n'],
  ['phpunit, some skipped', 'Tests: 3, Assertions: 5, Skipped: 1.\nNo tests executed!\n'],
  [
    'dotnet test',
    'No test is available in /x/a.dll.\nPassed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3\n',
  ],
  [
    'maven',
    '[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n',
  ],
  ['gradle', '> Task :a:test NO-SOURCE\n> Task :b:test\n\nBUILD SUCCESSFUL in 1s\n'],
  ['gradle, nothing new', '> Task :a:test NO-SOURCE\n> Task :b:integrationTest UP-TO-DATE\n'],
  ['ctest', '100% tests passed, 0 tests failed out of 3\n'],
  ['bun', ' 3 pass\n 0 fail\nRan 3 tests across 1 files. [12.00ms]\n'],
  ['deno', 'running 0 tests from ./a.ts\nrunning 3 tests from ./b.ts\n\nok | 3 passed | 0 failed (5ms)\n'],
  ['playwright', 'Running 3 tests using 1 worker\n\n  1 skipped\n  2 passed (2.1s)\n'],
  ['ExUnit', '0 tests, 0 failures\n3 tests, 0 failures, 3 excluded\n5 tests, 0 failures, 1 skipped\n'],
  ['gtest', '[==========] Running 3 tests from 1 test suite.\n[  PASSED  ] 3 tests.\n'],
  ['a thousand', '1,000 passed, 0 failed\n'],
  ['a count that ends in 0', '100 tests\n'],
  ['no failures', '12 tests: 0 failed, 0 skipped\n'],
  ['0 tests failed', '0 tests failed\n'],
  ['a version', 'v2.0 tests are green\n'],
  ["a file's name", 'src/no-tests-found.ts 12 lines\nchecked no_tests_found.test.js\n'],
  ['a title', ' ✓ says when no tests found (2 ms)\n\nTests:       1 passed, 1 total\n'],
  ['an audit', 'found 0 vulnerabilities\n'],
  ['a compiler', 'Found 0 errors. Watching for file changes.\n'],
  ['a linter', '0 problems (0 errors, 0 warnings)\n'],
  ['nothing', ''],
];

describe('no test ran', () => {
  test.each(NOTHING_RAN)('%s', (_, output, said) => {
    expect(findNoTestsMessage(output)).toBe(said);
  });

  test.each(NOTHING_RAN)('%s, and then something did', (_, output) => {
    expect(findNoTestsMessage(`${output}\nTests:       3 passed, 3 total\n`)).toBeNull();
  });
});

describe('something ran, or nobody knows', () => {
  test.each(SOMETHING_RAN)('%s', (_, output) => {
    expect(findNoTestsMessage(output)).toBeNull();
  });
});

describe('a long output', () => {
  const filler = 'compiling something of no interest\n'.repeat(20_000);

  test('is looked at where it begins and where it ends', () => {
    expect(findNoTestsMessage(`${filler}no tests to run\n`)).toBe('no tests to run');
    expect(findNoTestsMessage(`no tests to run\n${filler}`)).toBe('no tests to run');
    expect(findNoTestsMessage(`no tests to run\n${filler}3 passed\n`)).toBeNull();
  });

  test('of one line is read in time that grows with it', () => {
    for (const part of [
      'no tests ',
      '0 ',
      '1 skipped, ',
      ' ok a 1.1',
      '\u001b[',
      '> Task :a:',
      'Tests: 1 skipped ',
    ]) {
      expect(findNoTestsMessage(part.repeat(2_000_000 / part.length))).toBeNull();
    }
  });
});
