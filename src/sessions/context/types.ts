/** A `*.context` file that takes part. */
export interface ContextSource {
  /** `global.context`, `session.context`, `turn.context` */
  name: string;
  text: string;
}

/** What one line of a `*.context` file brings. */
export interface ContextResource {
  kind: 'file' | 'url';
  /** Relative to the root, or a URL. */
  target: string;
  /** The file that brought it, such as `turn.context`. */
  from: string;
}

/** A resource whose text is in the input. */
export interface Included extends ContextResource {
  tokens: number;
}

/** What is not in the input although a line asks for it. */
export interface LeftOut {
  /** The path, URL or line. */
  target: string;
  from: string;
  /** Completes the sentence "<target> …". */
  reason: string;
  /** About how many it would have had; null where that says nothing. */
  tokens: number | null;
}

/** All that a model is told in one turn, but its system prompt. */
export interface InputFacts {
  /** Null where there is no session: then there is no turn either. */
  session: { name: string; turn: number; agent: string } | null;
  /** What the agent was called for, and by whom; null where nobody waits for it. */
  task: { from: string; message: string } | null;
  /** What an agent that was called said when it returned to this one; null for nothing. */
  handoff: { from: string; message: string } | null;
  /** ISO 8601: when the turn was made. */
  date: string;
  /** `linux`, `darwin` */
  system: string;
  /** The name of the root folder. */
  project: string;
  memos: readonly string[];
  /** What the person says; null for nothing. */
  message: string | null;
  /** What they said last before, where they say nothing now. */
  earlier: { turn: number; text: string } | null;
  /** Why the agent did what it did last: its state, which nothing else carries over. */
  rationale: { turn: number; text: string } | null;
  /** The report of the turn before; null where there is none. */
  report: {
    turn: number;
    text: string;
    /** Where its changes were taken back: the files that were left. */
    undone: { left: readonly string[] } | null;
  } | null;
}

export interface AssembledInput {
  /** The text of `input.md`. */
  text: string;
  /** Of the whole text. */
  tokens: number;
  /** 0 is no limit. */
  budget: number;
  resources: Included[];
  leftOut: LeftOut[];
  /** How much of the project's tree is shown. */
  tree: { files: number; shown: 'all' | 'folders'; tokens: number };
}
