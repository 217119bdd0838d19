import type { Command } from 'commander';
import { Unusable } from '../platform/unusable.js';

export type Faces = typeof import('./task-faces.js');

/** How a command comes to what it does, which is loaded when it is called, and what becomes of its exit code. */
export interface Way {
  load(): Promise<Faces>;
  submit: Faces['submit'];
  end(exitCode: number): void;
}

export const EVERYWHERE = `
For every command: --root, --json, --no-color, --trust; see teddy --help.`;

export const PLAN = 'the path of a PLAN.md, or its id: 03-01';

/** A word that stands before others and does nothing by itself. */
export function addGroup(program: Command, name: string, words: readonly string[]): Command {
  return program
    .command(name)
    .usage(`<${words.join('|')}> [options]`)
    .helpCommand(false)
    .argument('[command]')
    .allowExcessArguments()
    .action((word: string | undefined) => {
      const said = word === undefined ? `${name} needs one more word` : `unknown command '${name} ${word}'`;
      throw new Unusable(`${said}: ${listWords(words)}; see teddy ${name} --help.`, { isUsage: true });
    });
}

function listWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
