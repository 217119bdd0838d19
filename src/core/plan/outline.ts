// Reads the title and the actions of a plan while it is still being written, to show how far it is. It understands whole
// lines of the format and nothing else; what the plan really says is for the parser.
import { ACTIONS } from './actions.js';
import { readActionName } from './grammar.js';
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
const LINK = /^\[[^\]]*\]\(\/?([^)]+)\)/;

export class PlanOutline {
  title: string | null = null;
  readonly actions: OutlinedAction[] = [];
  #rest = '';
  #fence: string | null = null;
  #isThinking = false;

  /** Takes the next piece of the text; true where the outline is longer by now. */
  push(text: string): boolean {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    return lines.map((line) => this.#read(line.trimEnd())).includes(true);
  }

  #read(line: string): boolean {
    if (this.title === null && line.startsWith('<think>')) this.#isThinking = true;
    if (this.#isThinking) {
      this.#isThinking = !line.includes('</think>');
      return false;
    }
    const fence = FENCE.exec(line);
    if (this.#fence !== null) {
      if (fence && fence[1]!.startsWith(this.#fence) && fence[2] === '') this.#fence = null;
      return false;
    }
    if (fence) {
      // A plan that is fenced as a whole.
      if (this.title !== null || !/^(?:markdown|md)?$/i.test(fence[2]!)) this.#fence = fence[1]!;
      return false;
    }
    const heading = HEADING.exec(line);
    return heading ? this.#readHeading(heading[1]!.length, heading[2]!) : this.#readMetadata(line);
  }

  #readHeading(level: number, text: string): boolean {
    if (this.title === null && level === 1) {
      this.title = text;
      return true;
    }
    const name = level === 1 ? undefined : readActionName(text);
    if (!name) return false;
    this.actions.push({ type: name.type, label: null });
    return true;
  }

  #readMetadata(line: string): boolean {
    const last = this.actions.at(-1);
    const item = /^\s*[-*+]\s+(.*)$/.exec(line)?.[1];
    if (item === undefined || last === undefined || last.label !== null) return false;
    const read = readMetadataLabel(item);
    const subject = SUBJECTS.find((label) =>
      (ACTIONS[last.type].labels as readonly string[]).includes(label),
    );
    if (!read || !subject || knownLabel(read.label, [subject]) === undefined) return false;
    const value = item.slice(read.valueAt).trim();
    last.label = LINK.exec(value)?.[1] ?? value;
    return true;
  }
}
