import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderContract } from '../../../src/core/report/contract.js';
import { renderMirrored } from '../../../src/core/report/mirrored.js';
import { parseReport } from '../../../src/core/report/parse.js';
import type { ParsedReport } from '../../../src/core/report/parsed-report.js';
import { anyRun, hostileText } from './arbitrary-run.js';
import { runWith } from './sample-run.js';

const report = fc
  .tuple(anyRun, fc.constantFrom(renderMirrored, renderContract))
  .map(([run, render]) => render(run, { lines: 20, characters: 0 }));

/** A sound report or a refusal in a sentence with a line; anything thrown fails the test by itself. */
function expectSound(parsed: ParsedReport): void {
  if (parsed.status === 'refused') expect(parsed.reason).toMatch(/^Line \d+: .*\.$/s);
  else expect(Array.isArray(parsed.actions)).toBe(true);
}

describe('parseReport takes any text', () => {
  test('bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((all) => new TextDecoder('latin1').decode(all));
    fc.assert(fc.property(fc.oneof(bytes, hostileText), (text) => expectSound(parseReport(text))));
    fc.assert(
      fc.property(fc.constantFrom('# Execution Report', '# Execution Report: '), hostileText, (start, text) =>
        expectSound(parseReport(`${start}${text}`)),
      ),
      { numRuns: 500 },
    );
  });

  test('reports cut off anywhere', () => {
    fc.assert(
      fc.property(report, fc.nat(), (text, at) => expectSound(parseReport(text.slice(0, at % text.length)))),
      { numRuns: 1000 },
    );
  });

  test('reports with lines taken out, doubled, exchanged or put in', () => {
    const change = fc.tuple(fc.nat(3), fc.nat(), fc.nat(), hostileText);
    fc.assert(
      fc.property(report, fc.array(change, { minLength: 1, maxLength: 4 }), (text, changes) => {
        const lines = text.split('\n');
        for (const [kind, a, b, line] of changes) {
          const [at, other] = [a % lines.length, b % lines.length];
          if (kind === 0 && lines.length > 1) lines.splice(at, 1);
          else if (kind === 1) lines.splice(other, 0, lines[at]!);
          else if (kind === 2) [lines[at], lines[other]] = [lines[other]!, lines[at]!];
          else lines.splice(at, 0, line);
        }
        expectSound(parseReport(lines.join('\n')));
      }),
      { numRuns: 1500 },
    );
  });
});

describe('what is not a report is refused', () => {
  const mirrored = renderMirrored(runWith());
  const contract = renderContract(runWith());

  test.each([
    ['nothing', '', 'Line 1: a report starts with "# Execution Report".'],
    ['a plan', '# A plan\n', 'Line 1: a report starts with "# Execution Report".'],
    [
      'a longer word',
      '# Execution Reports\n',
      'Line 1: expected "# Execution Report", found "# Execution Reports".',
    ],
    ['text behind it', `${mirrored}\nBye.\n`, 'Line 9: "Bye." is not part of a report.'],
    [
      'a log that is missing',
      mirrored.replace('## Action Log\n', ''),
      'Line 6: expected "## Action Log", found the end.',
    ],
    [
      'a word of no status',
      mirrored.replace('Completed', 'Done'),
      'Line 2: Overall Status is "Done"; it must be one of Completed, Partial, Failed, Skipped.',
    ],
    ['an unknown action', `${mirrored}\n### \`DANCE\`\n`, 'Line 8: "`DANCE`" is not an action.'],
    ['an action out of turn', `${contract}\n### Action 2: edit\n`, 'Line 19: expected "### Action 1: …".'],
    [
      'a block that never ends',
      `${mirrored}\n### \`READ\`\n- **Status:** Approved ✅\n- **Execution:** Success 🟢\n\n#### Execution Details\n**Output:**\n\`\`\`\`\nx\n`,
      'Line 15: this block is never closed.',
    ],
  ])('%s', (_, text, reason) => {
    expect(parseReport(text)).toEqual({ status: 'refused', reason });
  });
});

test('line endings and a mark that a clipboard adds are no obstacle', () => {
  for (const text of [renderMirrored(runWith()), renderContract(runWith())]) {
    const parsed = parseReport(text);
    expect(parsed.status).not.toBe('refused');
    expect(parseReport(`\ufeff${text.replaceAll('\n', '\r\n')}`)).toEqual(parsed);
    expect(parseReport(text.trimEnd())).toEqual(parsed);
  }
});

describe('hostile text of 10 MB is read in time that grows with its length', () => {
  const SIZE = 10_000_000;
  const head = renderMirrored(runWith());
  const action = '\n### `EXECUTE`\n- **Status:** Approved ✅\n- **Execution:** Success 🟢\n';

  test.each([
    ['newlines', '\n'],
    ['items', '- **a:** b\n'],
    ['notes', '- **Note:** x\n'],
    ['open items', '- **'],
    ['indented lines', '  x\n'],
    ['items with blank lines', '- **Note:** x\n\n'],
    ['fences', '```\n'],
    ['fences of other lengths', '`````\n````\n'],
    ['ticks', '`'],
    ['actions', action],
    ['details', '\n#### Execution Details\n**Exit Code:** 1\n'],
    ['links', '[](['],
    ['rules', '---\n\n'],
  ])('%s', (_, piece) => {
    const filler = piece.repeat(Math.ceil(SIZE / piece.length));
    for (const start of [`${head}${action}`, `${head}${action}- **Note:** `, renderContract(runWith())])
      expectSound(parseReport(start + filler));
  });
});
