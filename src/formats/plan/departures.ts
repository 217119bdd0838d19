import type { Fence } from '../markdown/index.js';
import { findSentinel } from '../redact/index.js';
import { planIssue } from './issue-codes.js';
import { type IssueLog, planLine } from './issue-log.js';
import type { PlanIssue } from './types.js';

// The ways in which any part of a plan can depart from the grammar.

export function unreadablePlan(): PlanIssue {
  return planIssue('plan-unreadable', 'This is not a plan: it has none of the headings that a plan has.', {
    line: 1,
    hint: 'A plan has a "# Title", "## Rationale" with one block, and "## Action Plan" with actions such as "### `CREATE`".',
  });
}

export function reportUnclosed(fence: Fence, log: IssueLog): void {
  if (fence.closed) return;
  log.add('fence-unclosed', 'This block is never closed.', {
    line: planLine(fence.at),
    hint: `Close it with ${fence.mark.char.repeat(fence.mark.length)} on a line of its own.`,
  });
}

export function reportUnexpected(fence: Fence, where: string, log: IssueLog): void {
  log.add('block-unexpected', `No fenced block is expected ${where}.`, {
    line: planLine(fence.at),
    hint: 'If it belongs to the content of the block before it, give that block a fence longer than any inside it.',
  });
}

export function reportStray(line: number, log: IssueLog): void {
  log.add('text-stray', 'This text is not part of the plan and has no effect.', { line: planLine(line) });
}

/** A text to be written, whose first line stands in line `first` of the plan. */
export function reportMasked(text: string, first: number, log: IssueLog): void {
  const found = findSentinel(text);
  if (!found) return;
  log.add(
    'content-masked',
    `${found.sentinel} would be written into the file, where it stands for a secret.`,
    {
      line: first + found.line - 1,
      hint: 'You were not shown the secret itself. Use EDIT on the lines around it, and leave its own line alone.',
    },
  );
}
