import type { Issue } from '../../core/issue.js';

/** The issue with every field of the interface: what is not known is null. */
export function issueJson({ code, severity, message, line, column, action, hint }: Issue) {
  return {
    code,
    severity,
    message,
    line: line ?? null,
    column: column ?? null,
    action: action ?? null,
    hint: hint ?? null,
  };
}
