// A program for tests: shows the events of a file at its terminal, asks, and writes the answers to another file.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOrchestrateFace } from '../../../src/cli/orchestrate/face.js';
import type { OrchestrateEvent, Question } from '../../../src/orchestrate/index.js';

export type Step =
  | { event: OrchestrateEvent }
  /** Answers to all of these are waited for; one is taken back once there is a file called `withdraw`. */
  | { ask: Question[]; withdraws?: string; meanwhile?: OrchestrateEvent[] }
  /** Goes on once there is a file of this name. */
  | { until: string };

export interface Script {
  steps: Step[];
  json?: boolean;
}

async function main(folder: string): Promise<number> {
  const { steps, json = false } = JSON.parse(readFileSync(join(folder, 'script.json'), 'utf8')) as Script;
  const note = (name: string, text: string) => appendFileSync(join(folder, name), `${text}\n`);
  let interrupted = false;
  const stop = new AbortController();
  const face = createOrchestrateFace({
    json,
    color: true,
    interrupt: () => {
      interrupted = true;
      stop.abort();
    },
    draftFolder: () => folder,
  });
  writeFileSync(join(folder, 'can-ask'), String(face.ask !== undefined));
  for (const step of steps) {
    if (interrupted) break;
    if ('event' in step) face.listen(step.event);
    else if ('until' in step) await waitFor(join(folder, step.until), stop.signal);
    else {
      if (step.meanwhile)
        void waitFor(join(folder, 'meanwhile'), stop.signal).then(() => step.meanwhile!.forEach(face.listen));
      await Promise.all(
        step.ask.map(async (question) => {
          const withdrawn = new AbortController();
          if (step.withdraws === question.id)
            void waitFor(join(folder, 'withdraw'), stop.signal).then(() => withdrawn.abort());
          const answer = await face.ask?.(question, withdrawn.signal);
          note('answers', `${question.id} ${JSON.stringify(answer ?? null)}`);
        }),
      );
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
