// Reads the title and the actions of a plan while it is still being written, to show how far it is. It understands whole
// lines of the format and nothing else; what the plan really says is for the parser.
import { readLink } from '../markdown/inline.js';
import { ACTIONS } from './actions.js';
import { readActionName, readEditLabel } from './grammar.js';
import { knownLabel, readMetadataLabel } from './metadata.js';
import type { ActionType } from './types.js';

interface OutlinedAction {
  type: ActionType;
  /** Its path, resource, agent or description; null until that has been read. */
  label: string | null;
}

/** What an action is about, the first that its type has. */
const SUBJECTS = ['File Path', 'Resource', 'Agent', 'Description'] as const;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w-]*)/;
const HEADING = /^ {0,3}(#{1,6})[ \t]*(\S.*)$/;

export class PlanOutline {
  title: string | null = null;
  readonly actions: OutlinedAction[] = [];
  #rest = '';
  #fence: string | null = null;
  #isThinking = false;

  /** Takes the next piece of the text. */
  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#read(line.trimEnd());
  }

  #read(line: string): void {
    if (this.title === null && line.startsWith('<think>')) this.#isThinking = true;
    if (this.#isThinking) {
      this.#isThinking = !line.includes('</think>');
      return;
    }
    const fence = FENCE.exec(line);
    if (this.#fence !== null) {
      if (fence && fence[1]!.startsWith(this.#fence) && fence[2] === '') this.#fence = null;
      return;
    }
    if (fence) {
      // A plan that is fenced as a whole.
      if (this.title !== null || !/^(?:markdown|md)?$/i.test(fence[2]!)) this.#fence = fence[1]!;
      return;
    }
    const heading = HEADING.exec(line);
    if (heading) this.#readHeading(heading[1]!.length, heading[2]!);
    else this.#readMetadata(line);
  }

  #readHeading(level: number, text: string): void {
    if (this.title === null && level === 1) {
      this.title = text;
      return;
    }
    const isNoAction = level === 1 || readEditLabel(text) !== undefined;
    const name = isNoAction ? undefined : readActionName(text);
    if (name) this.actions.push({ type: name.type, label: null });
  }

  #readMetadata(line: string): void {
    const last = this.actions.at(-1);
    const item = /^\s*[-*+]\s+(.*)$/.exec(line)?.[1];
    if (item === undefined || last === undefined || last.label !== null) return;
    const read = readMetadataLabel(item);
    const subject = SUBJECTS.find((label) =>
      (ACTIONS[last.type].labels as readonly string[]).includes(label),
    );
    if (!read || !subject || knownLabel(read.label, [subject]) === undefined) return;
    const value = item.slice(read.valueAt).trim();
    last.label = readLink(value)?.destination.replace(/^\//, '') ?? value;
  }
}
