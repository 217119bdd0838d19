import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BUILT_IN } from '../../../../src/agents/built-in.js';
import { parseManual, readAgentHead } from '../../../../src/core/agent-report/manual/parse.js';

const NUM_RUNS = process.env.TEDDY_SOAK ? 20_000 : 200;

const PIECES = [
  '---\n',
  'kind: subagent\n',
  'kind: planner\n',
  'purpose: ',
  'briefing:\n',
  '  - goal\n',
  'verbosity: [',
  '"x-verbosity": ',
  '```json\n',
  '```\n',
  '~~~\n',
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '"report_metadata"',
  '"findings"',
  '"type": "object"',
  '"$ref": "#"',
  '"properties": {',
  '"context_map": ',
  '__proto__',
  'toString',
  '\r\n',
  '\n',
  '\t',
  '\0',
  '\uFEFF',
  '\ud800',
  '&a ',
  '*a',
  '!!js ',
  '<!--',
  '-->',
  '# ',
  '- ',
  '> ',
  '1e999',
  'null',
];

/** Cuts, doubles and insertions in a manual that is right. */
const mutated = fc
  .tuple(
    fc.constantFrom(...BUILT_IN.values()),
    fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(60), fc.constantFrom('', ...PIECES)), { maxLength: 6 }),
  )
  .map(([text, edits]) =>
    edits.reduce((now, [place, length, piece]) => {
      const at = place % (now.length + 1);
      return now.slice(0, at) + piece + now.slice(at + length);
    }, text),
  );
const made = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(''));

test('whatever the text: a manual or an error, each with a line that is there', () => {
  fc.assert(
    fc.property(fc.oneof(mutated, made, fc.string({ unit: 'binary' })), (text) => {
      const { manual, issues } = parseManual('reviewer', text);
      expect(manual === null).toBe(issues.some(({ severity }) => severity === 'error'));
      const lines = text.split('\n').length;
      for (const { message, line = 1 } of issues) {
        expect(message).toMatch(/\.$|\)$/);
        expect(Number.isInteger(line) && line >= 1 && line <= lines).toBe(true);
      }
      const { kind } = readAgentHead(text);
      if (kind !== 'subagent') expect(manual).toBeNull();
    }),
    { numRuns: NUM_RUNS },
  );
});
