import type { GitAbsent, GitFailed } from './command.js';

/** `reason` completes the sentence "git does not tell: …". */
export type GitRefusal = { status: 'no-repository' | 'failed'; reason: string };

export function refuse(result: GitFailed | GitAbsent): GitRefusal {
  if (result.status === 'absent') return { status: 'failed', reason: describeAbsent(result) };
  if (/not a git repository/i.test(result.stderr))
    return { status: 'no-repository', reason: 'this is no git repository' };
  const [line = ''] = result.stderr.trim().split('\n', 1);
  return {
    status: 'failed',
    reason: line.replace(/^(?:fatal|error): /, '').replace(/\.$/, '') || 'git failed',
  };
}

function describeAbsent({ unused }: GitAbsent): string {
  return unused === undefined
    ? 'git is not installed'
    : `${JSON.stringify(unused)} is inside the project and is not used, and there is no other git on PATH`;
}
