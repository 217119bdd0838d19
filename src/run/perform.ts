import type { Action } from '../formats/plan/index.js';
import type { Done } from '../formats/report/index.js';
import type { Tree } from '../formats/tree.js';
import type { ProcessMark } from '../platform/index.js';
import { runCommand } from './execute/index.js';
import { failure } from './failure.js';
import type { Hands } from './hands.js';
import { readFile } from './read-file.js';
import { readUrl } from './read-url/index.js';
import { success } from './records.js';
import { research } from './research/index.js';

interface Means {
  number: number;
  /** The user's answer, for CHAT_WITH_USER. */
  reply: string | undefined;
  tree: Tree;
  hands: Hands;
  /** Told of the command's process before the command begins. */
  onProcess(mark: ProcessMark): void;
}

/** Carries out an approved action that writes no file. Never throws. */
export async function perform(action: Action, means: Means): Promise<Done> {
  try {
    return await doAction(action, means);
  } catch (error) {
    return failure(`Something went wrong in teddy itself: ${error instanceof Error ? error.message : error}`);
  }
}

function doAction(action: Action, { number, reply, tree, hands, onProcess }: Means): Done | Promise<Done> {
  switch (action.type) {
    case 'READ':
      return action.resource.kind === 'url'
        ? readUrl(action.resource.target, number, hands)
        : readFile(action, number, tree, hands);
    case 'EXECUTE':
      return runCommand(action, number, hands, onProcess);
    case 'RESEARCH':
      return research(action, hands);
    case 'CHAT_WITH_USER':
      return { ...success('The user replied.'), reply: reply ?? '' };
    case 'PRUNE':
      return success(`'${action.resource.target}' is taken out of the next turn's context.`);
    case 'INVOKE':
      return success(`Handed over to ${action.agent}.`);
    case 'CONCLUDE':
      return success('Concluded.');
    case 'CREATE':
    case 'EDIT':
      throw new Error(`${action.type} is done by its commit`);
  }
}
