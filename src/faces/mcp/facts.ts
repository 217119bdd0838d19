import type { Issue } from '../../core/issue.js';

/** Without the fields that it does not have. */
export function toFacts({ code, severity, message, line, action, hint }: Issue) {
  return {
    code,
    severity,
    message,
    ...(line !== undefined && { line }),
    ...(action !== undefined && { action }),
    ...(hint !== undefined && { hint }),
  };
}

/** What the agent shows the user: no link, and nothing that approves. */
export function waitingFor(id: string): string {
  return `This waits for the user, who decides with \`${reviewOf(id).command}\` or on the page.`;
}

export function reviewOf(id: string): { command: string } {
  return { command: `teddy inbox ${id}` };
}

export function describeReason(reason: string | null): string {
  return reason === null ? 'No reason given.' : `Reason: ${reason}`;
}
