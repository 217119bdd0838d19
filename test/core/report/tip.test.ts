import { describe, expect, test } from 'vitest';
import { renderContract } from '../../../src/core/report/contract.js';
import { renderMirrored } from '../../../src/core/report/mirrored.js';
import { parseReport } from '../../../src/core/report/parse.js';
import type { Run } from '../../../src/core/report/record.js';
import { approved, runWith } from './sample-run.js';

const END =
  '\n\n---\n\n> **Tip:** This execution report is large. Before proceeding, summarize the key outcomes, errors, and any new file contents into your rationale. After you have processed all necessary information, ask the user to delete the message containing this report to preserve context.\n';

const OFF = { lines: 0, characters: 0 };

describe.each([
  ['mirrored', renderMirrored],
  ['contract', renderContract],
] as const)('the tip of a %s report', (_, render) => {
  test('comes with the line after the 80th', () => {
    const spare = 80 - linesOf(render(withOutput('x\n')));
    const most = render(withOutput('x\n'.repeat(spare + 1)));
    expect(linesOf(most)).toBe(80);
    expect(most).not.toContain('> **Tip:**');
    expect(render(withOutput('x\n'.repeat(spare + 2)))).toMatch(endsWith(END));
  });

  test('comes with the character after the 4000th, and a pair of surrogates is one', () => {
    const spare = 4000 - [...render(withOutput('\n'))].length;
    const most = render(withOutput(`${'🟢'.repeat(spare)}\n`));
    expect([...most].length).toBe(4000);
    expect(most).not.toContain('> **Tip:**');
    expect(render(withOutput(`${'🟢'.repeat(spare + 1)}\n`))).toMatch(endsWith(END));
  });

  test('each limit can be off', () => {
    const long = withOutput('x\n'.repeat(5000));
    expect(render(long, OFF)).not.toContain('> **Tip:**');
    expect(render(long, { lines: 80, characters: 0 })).toBe(render(long, OFF).slice(0, -1) + END);
    expect(render(long, { lines: 0, characters: 4000 })).toMatch(endsWith(END));
  });

  test('is not a part of the output, though that may hold one', () => {
    const run = withOutput(`x\n\`\`\`\`${END}`);
    expect(parseReport(render(run, OFF))).toMatchObject({ tip: false });
    expect(parseReport(render(run, { lines: 1, characters: 0 }))).toMatchObject({ tip: true });
  });
});

function withOutput(text: string): Run {
  return runWith({
    actions: [approved('READ', {}, { status: 'success', summary: 'Read.', output: { text } })],
  });
}

function linesOf(report: string): number {
  return report.split('\n').length - 1;
}

function endsWith(end: string): RegExp {
  return new RegExp(`${end.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}
