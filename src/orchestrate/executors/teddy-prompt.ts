import type { Policy } from '../../config/types.js';
import { describeRule } from '../../review/policy.js';

/** Where the prompt of every executor begins to say what it has to print. */
const RESULT_HEADING = '\n## The result';

/** The assignment as a planner needs it: what it is to answer with, what it may do, and the task itself. */
export function renderTaskPrompt(prompt: string, policy: Policy): string {
  return `${HOW_TO_ANSWER}${describePolicy(policy)}\n---\n\n${withoutResult(prompt)}`;
}

const HOW_TO_ANSWER = `# How you work here

You do one task, which is described below. What you answer with is a plan.md and nothing else: teddy carries it out and
writes the result of the task. Where the task says that something is to be printed, leave that to teddy.

- Nobody sees the plan before it is carried out, and nobody answers: CHAT_WITH_USER and INVOKE are skipped, and a plan of
  which a part was skipped or failed has not done the task. Where you would ask, decide, and say so in the rationale.
- One plan does the whole task. No turn follows it, so memos and Active Context are not kept. A plan of nothing but READ
  and RESEARCH is carried out, too: you are shown what it found, and then asked for the plan that does the task.
- The first action that fails ends the plan.
- The task's own verification is run behind the plan. You need not EXECUTE it yourself.
`;

function describePolicy({ rules }: Policy): string {
  const lines = rules.map((rule) => `  - ${describeRule(rule)}`);
  return [
    '- Only what the policy allows is carried out, and all else is skipped. A deny goes first, then the first rule that matches:',
    ...lines,
    '  A rule that allows a command allows one simple command: nothing with ;, &, |, $, backticks, redirections or globs, and none with env or cwd.',
    '',
  ].join('\n');
}

/** What it has to print, is for executors that print. */
function withoutResult(prompt: string): string {
  const at = `\n${prompt}`.lastIndexOf(RESULT_HEADING);
  return at === -1 ? prompt : `${prompt.slice(0, at).trimEnd()}\n`;
}
