import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readState, updateState } from '../../../src/core/state/state.js';
import {
  anyFacts,
  diffLines,
  holdsInOrder,
  linesOf,
  mayChange,
  STATES,
  WRITTEN_FIELDS,
  withFacts,
} from './states.js';

const SOAK = process.env.TEDDY_SOAK === '1';
const RUNS = { numRuns: SOAK ? 20_000 : 100 };

/** Blocks that a person puts anywhere; `%` becomes a number, so that no two lines are the same. */
const BLOCKS = [
  ['Human words %.'],
  ['', 'A paragraph %', 'of two human lines %.', ''],
  ['', '- a human item %', '  with more of it %', '- another %', ''],
  ['1. counted by hand %', '2. and on %'],
  ['', '| Human % | Table |', '| --- | --- |', '| row % | y |', ''],
  ['Row % | without | outer pipes'],
  ['', '```', 'Human code %', '```', ''],
  ['~~~text', 'Human % in tildes'],
  ['```'],
  ['', '<!-- human comment % -->', ''],
  ['<!-- human %', '', 'comment % -->'],
  ['words % <!-- with a comment %', 'in two lines -->'],
  ['', '### A human heading %', ''],
  ['', '    human code by indent %', ''],
  ['> a human quotation %'],
  ['Note %: a label of our own', 'that goes on %'],
  ['**Human caption %:**'],
  ['stray ` tick %'],
  ['---'],
  ['  deep human line %'],
];

const splices = fc.array(fc.record({ at: fc.nat(), block: fc.constantFrom(...BLOCKS) }), {
  minLength: 1,
  maxLength: 6,
});

const spliced = fc
  .record({
    state: fc.constantFrom(...STATES),
    splices,
    eol: fc.constantFrom('\n', '\r\n'),
    open: fc.boolean(),
  })
  .map(({ state, splices, eol, open }) => {
    const lines = linesOf(state.text.trimEnd());
    let number = 0;
    const at = (splice: { at: number }) => splice.at % (lines.length + 1);
    const all: string[] = [];
    const human: string[] = [];
    for (let line = 0; line <= lines.length; line++) {
      for (const { block } of splices.filter((splice) => at(splice) === line)) {
        const written = block.map((each) => each.replaceAll('%', () => `h${number++}`));
        all.push(...written);
        human.push(...written.filter((each) => each !== ''));
      }
      if (line < lines.length) all.push(lines[line]!);
    }
    return { text: all.join(eol) + (open ? '' : eol), human };
  });

test('human lines survive in their order, wherever they stand', () => {
  fc.assert(
    fc.property(spliced, anyFacts, ({ text, human }, facts) => {
      expect(holdsInOrder(linesOf(updateState(text, facts).text), human)).toBe(true);
    }),
    RUNS,
  );
});

test('all lines but fields, rows and placeholders survive, too', () => {
  fc.assert(
    fc.property(spliced, ({ text }) => {
      const { gone } = diffLines(linesOf(text), linesOf(updateState(text, withFacts()).text));
      expect(gone.filter((line) => line !== '' && !mayChange(line))).toEqual([]);
    }),
    { numRuns: RUNS.numRuns / 2 },
  );
});

test('the same facts change nothing a second time, and no facts change nothing at all', () => {
  fc.assert(
    fc.property(spliced, anyFacts, ({ text }, facts) => {
      const once = updateState(text, facts).text;
      expect(updateState(once, facts).text).toBe(once);
      expect(updateState(text, {})).toEqual({ text, issues: [] });
    }),
    RUNS,
  );
});

test('trap 30: what an update says it wrote is there to be read', () => {
  fc.assert(
    fc.property(spliced, ({ text }) => {
      const fields = readState(updateState(text, withFacts()).text);
      expect(fields).toMatchObject({
        phase: expect.stringMatching(/^3 of 8/),
        ...WRITTEN_FIELDS,
      });
      expect(fields.blockers).toContain('- 03-01:2 (2026-01-26): the key is missing');
      expect(fields.byPhase).toContainEqual(
        expect.objectContaining({ plans: '5/5', total: '2h 10m', average: '26m' }),
      );
    }),
    RUNS,
  );
});

test('a blocker that comes and goes takes nothing with it, and the file does not grow by it', () => {
  const add = { change: 'add', taskId: '77-01:4', date: '2026-01-26', text: 'no power' } as const;
  const comeAndGo = (text: string) => {
    const added = updateState(text, { blockers: add }).text;
    expect(added).toContain('77-01:4');
    const removed = updateState(added, { blockers: { change: 'remove', taskId: add.taskId } });
    if (removed.issues.length === 0) expect(removed.text).not.toContain('77-01:4');
    return removed.text;
  };
  fc.assert(
    fc.property(spliced, ({ text, human }) => {
      const once = comeAndGo(text);
      expect(holdsInOrder(linesOf(once), human)).toBe(true);
      // A blank line may come to stand between people's texts, and a placeholder beside them may go.
      const often = comeAndGo(comeAndGo(once));
      expect(comeAndGo(often)).toBe(often);
    }),
    RUNS,
  );
});
