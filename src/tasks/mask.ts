import type { Issue } from '../core/issue.js';
import type { TaskResult, Verdict } from '../core/task-result/types.js';

type Mask = (text: string) => string;

/** Issues and checks quote the result; and so what is said of it may hold what it holds. */
export function maskVerdict(verdict: Verdict, mask: Mask): Verdict {
  return {
    ...verdict,
    issues: verdict.issues.map((issue) => maskIssue(issue, mask)),
    checks: verdict.checks.map((check) => ({ ...check, said: mask(check.said) })),
    result: verdict.result && maskResult(verdict.result, mask),
  };
}

export function maskIssue<T extends Issue & { field?: string }>(issue: T, mask: Mask): T {
  const { message, hint, field } = issue;
  return {
    ...issue,
    message: mask(message),
    ...(hint !== undefined && { hint: mask(hint) }),
    ...(field !== undefined && { field: mask(field) }),
  };
}

export function maskResult(result: TaskResult, mask: Mask): TaskResult {
  const optional = (text: string | null) => (text === null ? null : mask(text));
  return {
    ...result,
    taskName: mask(result.taskName),
    filesModified: result.filesModified.map(mask),
    verification: {
      command: optional(result.verification.command),
      exitCode: result.verification.exitCode,
      outputSummary: optional(result.verification.outputSummary),
    },
    evidence: mask(result.evidence),
    error: optional(result.error),
    metadata: { ...result.metadata, executorId: optional(result.metadata.executorId) },
  };
}
