/** The text of one `*.context` file. */
export interface ContextSource {
  /** `global.context`, `session.context`, `turn.context` */
  name: string;
  text: string;
}

/** A file or page that a line of a `*.context` file adds. */
export interface ContextResource {
  kind: 'file' | 'url';
  /** Relative to the root, or a URL. */
  target: string;
  /** The context file that adds it, such as `turn.context`. */
  from: string;
}

/** A resource whose text is in the input. */
export interface Included extends ContextResource {
  tokens: number;
}

/** A resource that a context line asks for but the input does not include. */
export interface LeftOut {
  /** The path, URL or line. */
  target: string;
  from: string;
  /** Completes the sentence "<target> …". */
  reason: string;
  /** An estimate; null if unknown. */
  tokens: number | null;
}

/** All content of a turn's input except the system prompt. */
export interface InputFacts {
  /** Null outside sessions; then there is no turn either. */
  session: { name: string; turn: number; agent: string } | null;
  /** The caller and its request; null unless another agent waits for this one. */
  task: { from: string; message: string } | null;
  /** The message of a called agent that has returned to this one; null if there is none. */
  handoff: { from: string; message: string } | null;
  /** When the turn was created, ISO 8601. */
  date: string;
  /** `linux`, `darwin` */
  system: string;
  /** The name of the root folder. */
  project: string;
  memos: readonly string[];
  /** The user's message; null if empty. */
  message: string | null;
  /** The user's previous message, used if there is no new one. */
  earlier: { turn: number; text: string } | null;
  /** The agent's last rationale: the only state that it carries over. */
  rationale: { turn: number; text: string } | null;
  /** The report of the previous turn; null if there is none. */
  report: {
    turn: number;
    text: string;
    /** Set if the turn was undone: the files that undo left as they were. */
    undone: { left: readonly string[] } | null;
  } | null;
}

export interface AssembledInput {
  /** The text of `input.md`. */
  text: string;
  tokens: number;
  /** 0 means no limit. */
  budget: number;
  resources: Included[];
  leftOut: LeftOut[];
  /** How much of the file tree is shown. */
  tree: { files: number; shown: 'all' | 'folders'; tokens: number };
}
