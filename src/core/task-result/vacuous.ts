// What test runners print when nothing was tested. A command that passes then proves nothing.

/** Of a long output the beginning and the end: runners sum up at its end. */
const HALF = 256 * 1024;
const LONGEST_LINE = 500;
const LONGEST_SAID = 200;

const ANSI = /\u001b(?:\[[0-9;:?]{0,40}[A-Za-z]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)?)/g;

/** A number that is not the end of another, nor part of a word or a version. */
const NUMBER = String.raw`(?<![\w.,=/-])[1-9][\d,]{0,12}`;
const ZERO = String.raw`(?<![\w.,=/-])(?:0|zero)`;
const TESTS = '(?:tests?|specs?|examples?|scenarios?|doctests?)';

/** Some test ran. */
const RAN = [
  // `3 passed`, `3 tests passed`, `12 passing (5ms)`, ` 3 pass`, `1 failed | 2 passed`, `1 flaky`
  new RegExp(
    `${NUMBER} (?:${TESTS} )?(?:passed|passing|pass|failed|failing|fail|flaky|xfailed|xpassed)\\b`,
    'i',
  ),
  // node --test, tape: `# pass 3`, `ℹ fail 1`
  /(?:#|ℹ) {1,4}(?:pass|fail) {1,4}[1-9]/,
  // go: a package whose tests ran, a test, and the same with -json
  /(?:^|\s)ok\s{1,9}\S{1,300}\s{1,9}(?:\(cached\)|[\d.]{1,12}s)(?!.{0,200}\[no tests? )/,
  /--- (?:PASS|FAIL):/,
  /"Action":"(?:pass|fail)".{0,400}"Test":"/,
  // `test_a (t.T) ... ok`
  /\.\.\. (?:ok|FAIL|FAILED|ERROR)\b/,
  // dotnet: `Failed: 0, Passed: 3`; sbt: `Passed: Total 3`
  /\b(?:Passed|Failed):\s{1,9}(?:Total )?[1-9]/,
  // gtest, ctest, Swift, Dart, Erlang, karma, gotestsum
  /\[ {2}PASSED {2}\] [1-9]/,
  /\bfailed out of [1-9]/,
  /\b(?:Executed|Test run with|DONE) [1-9]\d{0,8} (?:tests?\b|of )/,
  /\+[1-9]\d{0,8}(?: ~\d{1,9})?(?: -\d{1,9})?: (?:All|Some) tests/,
  /\bAll [1-9]\d{0,8} tests? passed/i,
  /\b[1-9]\d{0,8} assertions? in [1-9]/,
  // Gradle: a test task that was run, or is up to date
  /> Task :(?:\S{1,200}:)?(?:test|\w{0,80}Test)(?: (?:UP-TO-DATE|FROM-CACHE|FAILED))?\s*$/,
  /\bTests=[1-9]/,
];

/** A summary with the number of tests and of skipped ones. */
const SUMS = [
  // JUnit, Maven: `Tests run: 3, Failures: 0, Errors: 0, Skipped: 1`
  { all: /\bTests run: {1,9}(\d{1,9})/, out: /\bSkipped: {1,9}(\d{1,9})/g },
  // PHPUnit: `Tests: 3, Assertions: 5, Skipped: 1.`
  { all: /\bTests: (\d{1,9}), Assertions:/, out: /\b(?:Skipped|Incomplete): (\d{1,9})/g },
  // ExUnit, RSpec, Jasmine, minitest, JUnit: `3 tests, 0 failures, 1 excluded`, `OK (3 tests, 5 assertions)`
  {
    all: /(?<![\w.,=/-])(\d{1,9}) (?:tests?|examples?|specs?|scenarios?|runs)(?: \([^)]{0,80}\))?, \d/,
    out: /\b(\d{1,9}) (?:excluded|skipped|skips|pending|pendings|omissions|todo|undefined|invalid)\b/g,
  },
] as const;

/** No test ran, although some were found or started. */
const NONE_RAN = [
  new RegExp(`${ZERO} (?:${TESTS} )?(?:passed|passing|pass)\\b`, 'i'),
  /(?:#|ℹ) {1,4}(?:tests|pass) {1,4}0\b/,
  /\bPassed:\s{1,9}0\b/,
  /\[ {2}PASSED {2}\] 0 tests/,
  /^\s{0,40}1\.\.0(?:\s|$)/,
  // jest, vitest: `Tests: 3 skipped, 3 total`, `Tests  3 skipped (3)`
  /\bTests:?\s{1,20}(?:\d{1,9} (?:skipped|todo|pending|disabled)[,|\s]{1,5}){1,4}(?:\d{1,9} total|\(\d{1,9}\))/,
  // pytest: `== 3 skipped, 1 warning in 0.02s ==`
  /(?:^|=\s)\s{0,9}(?:\d{1,9} (?:skipped|deselected|warnings?)(?:, )?){1,4} in \d/,
  // Playwright, bun
  /^\s{0,9}[1-9]\d{0,8} skip(?:ped)?\s*$/,
];

/** There were no tests, at least in one of several parts. */
const NONE_THERE = [
  /\b(?:no|zero) (?:matching )?(?:tests?|specs?|examples?|scenarios?)(?: (?:files?|cases?|modules?|suites?|methods?|classes|configuration file))? (?:to run|found|collected|ran|run|executed|were|was|is available|match(?:e[ds])?|have been|exist|selected|specified|discovered)\b/i,
  /\bno test files?\b/i,
  new RegExp(
    `${ZERO} (?:${TESTS}|runs)\\b(?! (?:failed|failing|failures?|skipped|errors?|errored|pending|todo|ignored|broken|flaky|remaining|left))`,
    'i',
  ),
  /\bcollected 0 items\b/i,
  /\bexecuted 0 of\b/i,
  /\bTests?(?: run)?:\s{1,20}0\b/,
  /\bTotal tests: {1,9}0\b/i,
  /\bTests=0\b/,
  // vitest: `Tests  no tests`
  /\bno tests[.!]?\s*$/i,
  /\bNOTESTS\b/,
  /\bcouldn.t find any files to test\b/i,
  /\ball tests (?:have been|were|are) (?:excluded|skipped|filtered out)\b/i,
  /> Task :(?:\S{1,200}:)?(?:test|\w{0,80}Test) NO-SOURCE\b/,
];

/** Tests were found or started; irrelevant if another line says how many passed. */
const BEGUN = [
  new RegExp(
    `${NUMBER} ${TESTS}\\b(?! (?:files?|suites?|skipped|ignored|pending|excluded|deselected|filtered))`,
    'i',
  ),
  /^\s{0,80}(?:not )?ok \d{1,9}\b(?!.{0,400}# (?:SKIP|TODO))/i,
];

/** Every such line contains one of these, so most outputs need none of the patterns above. */
const MAY_SAY_SO =
  /0|\bno|zero|skip|todo|pending|disabled|deselected|warning|excluded|filtered|incomplete|omission|undefined|invalid|find any/i;

/**
 * The line that says that no test ran, in the output of a command or a summary of it; null if nothing
 * says so, or where something did run, be it one part of many.
 */
export function findNoTestsMessage(output: string): string | null {
  if (!MAY_SAY_SO.test(output)) return null;
  const lines = readLines(output);
  const sums = [...lines.map((line) => readSum(line)), readUnittest(lines)];
  if (sums.includes('some') || lines.some((line) => matches(RAN, line))) return null;
  const none = lines.find((line, at) => sums[at] === 'none' || matches(NONE_RAN, line));
  if (none !== undefined) return say(none);
  const absent = lines.find((line) => matches(NONE_THERE, line) || UNITTEST.test(line));
  if (absent === undefined) return null;
  const begun = sums.at(-1) === undefined && lines.some((line) => matches(BEGUN, line));
  return begun ? null : say(absent);
}

type Sum = 'some' | 'none' | undefined;

function readSum(line: string): Sum {
  for (const { all, out } of SUMS) {
    const found = all.exec(line);
    if (!found) continue;
    const left = [...line.matchAll(out)].reduce((sum, [, count]) => sum + Number(count), 0);
    return Number(found[1]) > left ? 'some' : 'none';
  }
  return undefined;
}

/** Python's unittest prints the number of skipped tests two lines below. */
const UNITTEST = /\bRan (\d{1,9}) tests? in /;
const SKIPPED = /\bskipped=(\d{1,9})/;

function readUnittest(lines: readonly string[]): Sum {
  const sum = (of: RegExp) => lines.reduce((all, line) => all + Number(of.exec(line)?.[1] ?? 0), 0);
  if (!lines.some((line) => UNITTEST.test(line))) return undefined;
  return sum(UNITTEST) > sum(SKIPPED) ? 'some' : 'none';
}

function matches(patterns: readonly RegExp[], line: string): boolean {
  return patterns.some((pattern) => pattern.test(line));
}

function readLines(output: string): string[] {
  const text = output.length > 2 * HALF ? `${output.slice(0, HALF)}\n${output.slice(-HALF)}` : output;
  return text
    .replace(ANSI, '')
    .split(/[\r\n]/)
    .map((line) => line.slice(0, LONGEST_LINE))
    .filter((line) => line.trim() !== '');
}

function say(line: string): string {
  return line.trim().slice(0, LONGEST_SAID);
}
