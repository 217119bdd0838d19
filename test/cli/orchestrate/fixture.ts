// A program for tests: shows the events of a file at its terminal, asks, and writes the answers to another file.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOrchestrateFace } from '../../../src/faces/cli/board/face.js';
import type { OrchestrateEvent, TaskQuestion } from '../../../src/orchestrate/events.js';

export type Step =
  | { event: OrchestrateEvent }
  /** Answers to all of these are waited for; one is taken back once there is a file called `withdraw`. */
  | {
      ask: TaskQuestion[];
      withdraws?: string;
      meanwhile?: OrchestrateEvent[];
      /** Asked once there is a file called `next`. */
      next?: TaskQuestion;
      /** What is left for later is asked again once the person wants that. */
      recalls?: boolean;
    }
  /** Goes on once there is a file of this name. */
  | { until: string };

export interface Script {
  steps: Step[];
  json?: boolean;
}

/** What is shown as the root; not the folder, whose name differs from run to run. */
const ROOT = '/srv/shop';

async function main(folder: string): Promise<number> {
  const { steps, json = false } = JSON.parse(readFileSync(join(folder, 'script.json'), 'utf8')) as Script;
  const note = (name: string, text: string) => appendFileSync(join(folder, name), `${text}\n`);
  let interrupted = false;
  const stop = new AbortController();
  const face = createOrchestrateFace({
    root: ROOT,
    json,
    color: true,
    interrupt: () => {
      interrupted = true;
      stop.abort();
    },
    views: () => undefined,
    draftFolder: () => folder,
  });
  writeFileSync(join(folder, 'can-ask'), String(face.person !== undefined));
  for (const step of steps) {
    if (interrupted) break;
    if ('event' in step) face.listen(step.event);
    else if ('until' in step) await waitFor(join(folder, step.until), stop.signal);
    else {
      if (step.meanwhile)
        void waitFor(join(folder, 'meanwhile'), stop.signal).then(() => step.meanwhile!.forEach(face.listen));
      const ask = async (question: TaskQuestion) => {
        const withdrawn = new AbortController();
        if (step.withdraws === question.id)
          void waitFor(join(folder, 'withdraw'), stop.signal).then(() => withdrawn.abort());
        for (;;) {
          const answer = await face.person?.ask(question, withdrawn.signal);
          note('answers', `${question.id} ${JSON.stringify(answer ?? null)}`);
          if (answer !== undefined || !step.recalls) return;
          if (!(await face.person?.recall?.(question, withdrawn.signal))) return;
        }
      };
      const { next } = step;
      await Promise.all([
        ...step.ask.map(ask),
        ...(next ? [waitFor(join(folder, 'next'), stop.signal).then(() => ask(next))] : []),
      ]);
    }
  }
  face.close();
  return interrupted ? 130 : 0;
}

async function waitFor(path: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(path) && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 20));
}

main(process.argv[2]!).then((code) => {
  // Nothing may be left that keeps the process alive.
  process.exitCode = code;
});
