import { join } from 'node:path';
import { watchFolder } from '../node/watch.js';
import { REQUESTS } from '../workspace/runs/runs.js';
import type { Workspace } from '../workspace/workspace.js';
import {
  type AgentRequest,
  endRequest,
  findRequest,
  keepRequest,
  noteOn,
  readEnd,
  readNote,
  releaseKey,
} from './agent-requests.js';

// Questions that agents ask the user through a protocol.

export type UserQuestion = Extract<AgentRequest, { kind: 'question' }>;

/** `text` is null where the user does not want to answer. */
export interface UserAnswer {
  text: string | null;
  reason: string | null;
}

/** The same question is asked once until the agent has its answer; after that it is a new one. */
export function askUser(
  workspace: Workspace,
  asked: Pick<UserQuestion, 'client' | 'question' | 'options'>,
): UserQuestion {
  const key = JSON.stringify([asked.question, asked.options]);
  const known = findRequest(workspace, 'question', key);
  if (known && readNote(workspace, known.id, 'delivered')) releaseKey(workspace, known);
  return keepRequest(workspace, key, { kind: 'question', ...asked }) as UserQuestion;
}

/** Undefined while it is open. */
export function readUserAnswer(workspace: Workspace, { id }: UserQuestion): UserAnswer | undefined {
  return readEnd<UserAnswer>(workspace, id);
}

export function noteDelivered(workspace: Workspace, { id }: UserQuestion): void {
  noteOn(workspace, id, 'delivered', {});
}

/** False where another face was first. */
export function answerUserQuestion(workspace: Workspace, { id }: UserQuestion, answer: UserAnswer): boolean {
  return endRequest(workspace, id, answer);
}

const WITHDRAWN: UserAnswer = { text: null, reason: 'The agent has ended and does not need the answer.' };

/** Asks, and waits for the answer. If `signal` aborts, the question is withdrawn, and this resolves to undefined. */
export async function askAndWait(
  workspace: Workspace,
  facts: Parameters<typeof askUser>[1],
  signal: AbortSignal,
): Promise<UserAnswer | undefined> {
  if (signal.aborted) return undefined;
  const asked = askUser(workspace, facts);
  const answer = await new Promise<UserAnswer | undefined>((resolve, reject) => {
    const look = () => {
      try {
        const found = readUserAnswer(workspace, asked);
        if (found || signal.aborted) settle(() => resolve(found));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const endWatch = watchFolder(join(workspace.root, '.teddy', REQUESTS), look);
    const settle = (end: () => void) => {
      endWatch();
      signal.removeEventListener('abort', look);
      end();
    };
    signal.addEventListener('abort', look);
    look();
  });
  if (answer === undefined) answerUserQuestion(workspace, asked, WITHDRAWN);
  noteDelivered(workspace, asked);
  return answer;
}
