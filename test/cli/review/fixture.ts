// A program for tests: asks the questions of a file at its controlling terminal, and writes the answers to another.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProgress } from '../../../src/faces/cli/review/progress.js';
import { openTerminalReview } from '../../../src/faces/cli/review/terminal-review.js';
import { RestApproval } from '../../../src/review/compose.js';
import type { ActionQuestion, Answer, Overview, Question } from '../../../src/review/question.js';
import type { RunEvent } from '../../../src/runs/events.js';
import { openTree } from '../../../src/workspace/tree.js';

export type Step = { ask: Question } | { event: RunEvent } | { pauseMs: number };

export interface Script {
  overview?: Overview;
  steps: Step[];
  color?: boolean;
  keepGoing?: boolean;
  /** For runs that ask nobody. */
  progress?: boolean;
}

/** What is shown as the root; not the folder, whose name differs from run to run. */
const ROOT = '/srv/shop';

async function main(folder: string): Promise<number> {
  const script = JSON.parse(readFileSync(join(folder, 'script.json'), 'utf8')) as Script;
  const { color = true, keepGoing = false } = script;
  writeFileSync(join(folder, 'pid'), String(process.pid));
  if (script.progress) {
    const listen = createProgress({ color });
    for (const step of script.steps) if ('event' in step) listen(step.event);
    return 0;
  }
  const draftFolder = () => {
    const drafts = join(folder, 'drafts');
    if (!existsSync(drafts)) mkdirSync(drafts);
    return drafts;
  };
  const rest = new RestApproval();
  const review = openTerminalReview({
    root: ROOT,
    color,
    keepGoing,
    tree: openTree(folder),
    draftFolder,
    rest,
    allowReads: async () => {
      writeFileSync(join(folder, 'allowed'), '');
      return '/home/me/config.yaml';
    },
  });
  if (review === undefined) {
    writeFileSync(join(folder, 'no-terminal'), '');
    return 2;
  }
  const { reviewer, listen } = review;
  if (script.overview) {
    rest.begin(script.overview);
    reviewer.begin?.(script.overview);
  }
  const note = (answer: Answer | { decision: 'settled'; answer: Answer }) =>
    appendFileSync(join(folder, 'answers'), `${JSON.stringify(answer)}\n`);
  for (const step of script.steps) {
    if ('event' in step) listen(step.event);
    else if ('pauseMs' in step) await new Promise((resolve) => setTimeout(resolve, step.pauseMs));
    else {
      let question = step.ask;
      for (;;) {
        const settled = reviewer.resolve(question) ?? rest.resolve(question);
        const answer = settled ?? (await reviewer.ask!(question));
        note(settled ? { decision: 'settled', answer: settled } : answer);
        if (answer.decision !== 'replace') break;
        question = { ...(question as ActionQuestion), action: answer.action, modified: true, hash: 'edited' };
      }
    }
  }
  review.close();
  return review.interrupted() ? 130 : 0;
}

main(process.argv[2]!).then((code) => {
  // Nothing may be left that keeps the process alive.
  process.exitCode = code;
});
