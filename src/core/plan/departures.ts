import type { Fence } from '../markdown/blocks.js';
import { isBlank, type Lines, lineText } from '../markdown/lines.js';
import { findSentinel } from '../redact/sentinel.js';
import { shorten } from '../text.js';
import { type PlanIssueLog, planIssue, planLine } from './issues.js';
import type { PlanIssue } from './types.js';

// The ways in which any part of a plan can depart from the grammar.

export function unreadablePlan(): PlanIssue {
  return planIssue('plan-unreadable', 'This is not a plan: it has none of the headings of a plan.', {
    line: 1,
    hint: 'A plan has a "# Title", "## Rationale" with one block, and "## Action Plan" with actions such as "### `CREATE`".',
  });
}

export function cutOffIssue(line: number) {
  const message = 'The answer was cut off: it ends inside this block.';
  return { ...planIssue('answer-cut-off', message), line, hint: 'Ask for the rest.' };
}

/** Whether the text ends inside a block: what is missing is not known, so nothing may close it. */
export function isCutOff(fence: Fence, lines: Lines): boolean {
  if (fence.closed) return false;
  for (let line = fence.end; line < lines.count; line++) if (!isBlank(lines, line)) return false;
  return true;
}

export function reportUnclosed(fence: Fence, lines: Lines, log: PlanIssueLog, remedy = ''): void {
  if (fence.closed) return;
  if (isCutOff(fence, lines)) {
    const { code, message, line, hint } = cutOffIssue(planLine(fence.at));
    log.add(code, message, { line, hint: hint + remedy });
    return;
  }
  log.add('fence-unclosed', 'This block is never closed.', {
    line: planLine(fence.at),
    hint: `Close it with ${fence.mark.char.repeat(fence.mark.length)} on a line of its own.`,
  });
}

export function reportUnexpected(fence: Fence, where: string, log: PlanIssueLog): void {
  log.add('block-unexpected', `No fenced block is expected ${where}.`, {
    line: planLine(fence.at),
    hint: 'If it belongs to the content of the block before it, give that block a fence longer than any inside it.',
  });
}

/** More than one block where the grammar takes one: the others are either left over or content of the first. */
export function reportSecondBlock(first: Fence, others: readonly Fence[], log: PlanIssueLog): void {
  const end = others.at(-1)!.end;
  log.add(
    'fence-ambiguous',
    `The fences can be read in two ways: either the block opened at line ${planLine(first.at)} ends at line ${first.end} and another one follows at line ${planLine(others[0]!.at)}, or it continues to line ${end}.`,
    { line: planLine(first.at), hint: ONE_BLOCK },
  );
}

export const LONGER_FENCE =
  'Give every block a fence that is longer than any run of backticks inside it, for example ```` around a text that contains ```.';
const ONE_BLOCK = `Write one block. ${LONGER_FENCE}`;

export function reportStray(lines: Lines, line: number, log: PlanIssueLog, where = ''): void {
  const start = shorten(lineText(lines, line).trim(), 60);
  log.add('text-stray', `Ignored text${where}: "${start}"`, { line: planLine(line) });
}

/** A text that would be written; its first line is line `first` of the plan. */
export function reportMasked(text: string, first: number, log: PlanIssueLog): void {
  const found = findSentinel(text);
  if (!found) return;
  log.add(
    'content-masked',
    `${found.sentinel} would be written into the file; it stands for a secret that was not shown.`,
    {
      line: first + found.line - 1,
      hint: 'Use EDIT on the lines around it, and leave its own line unchanged.',
    },
  );
}
