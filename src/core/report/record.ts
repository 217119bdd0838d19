import type { Issue } from '../issue.js';
import type { ActionType, Metadata } from '../plan/types.js';

/**
 * One run of a plan: decisions and outcomes, in the plan's own order. Built once, with secrets masked, and never changed.
 * Every report is a rendering of it; `run.json` is the record itself.
 */
export interface Run {
  /** `YYYYMMDD-HHMMSS-xxxx` */
  id: string;
  /** What it ran: a plan, an agent's changes to a copy of the project, or the user's changes to the tasks of a file. */
  kind: RunKind;
  /** As an absolute path, without links. */
  root: string;
  plan: RunPlan;
  /** ISO 8601, UTC, milliseconds. */
  startedAt: string;
  endedAt: string;
  /** Not the difference of the two: a clock may be set or stopped. */
  durationMs: number;
  environment: {
    /** `linux`, `darwin` */
    os: string;
    /** The root, as an absolute path. */
    cwd: string;
  };
  overall: Overall;
  /** The run that this one continues. What succeeded there has its decision and outcome from there, and did not run again. */
  continues?: string;
  /** The id of the task whose work it is, as TEDDY_TASK_ID had it. */
  task?: string;
  /** The plan was not run at all; `issues` says why. */
  refused: boolean;
  /** Why the run ended before its plan did: a sentence; null when it did not. */
  interrupted: string | null;
  /** Every issue of the plan, as it was found before the run. */
  issues: Issue[];
  stateChanges: StateChangeRecord[];
  actions: ActionRecord[];
}

type RunKind = 'plan' | 'changeset' | 'tasks';

/** What a changeset does to a file, as headings of its report have it. */
export type FileChangeType = 'CREATE' | 'EDIT' | 'DELETE' | 'RENAME';

export interface RunPlan {
  /** Null when the plan could not be read so far. */
  title: string | null;
  /** Relative to the root: the plan's own path, or that of its copy in the run's folder. */
  path: string;
}

export type Overall = 'Completed' | 'Partial' | 'Failed' | 'Skipped';

/**
 * - `person`: the user answered for this one.
 * - `rest`: the user approved all that was left.
 * - `yes`: `--yes`.
 * - `decisions`: a decisions file.
 * - `policy`: a rule of the project's policy.
 * - `teddy`: a rule of ours, such as the stop after a failure.
 */
export type Decider = 'person' | 'rest' | 'yes' | 'decisions' | 'policy' | 'teddy';

export type Decision =
  | { status: 'approved'; by: Decider; comments?: LineComment[] }
  /** `reason`: as it was given, several lines maybe; null when none was. */
  | { status: 'skipped'; by: Decider; reason: string | null; comments?: LineComment[] };

/** The user's remark for the agent, with a decision. */
export interface LineComment {
  /** 1-based, of the file after the change; null: on the whole action. */
  line: number | null;
  text: string;
}

export interface StateChangeRecord {
  section: 'Active Context' | 'Memos';
  /** The proposed lines, `[+] …` and `[-] …`, each with its `\n`. */
  changes: string;
  decision: Decision;
  /** Of an approved change: each line that could not be applied, and why, as a sentence. */
  notApplied: string[];
}

/** One action of a plan, or one file of a changeset. */
export interface ActionRecord {
  type: ActionType | FileChangeType;
  /** 1-based line of the action's heading in the plan as it came. */
  line: number;
  /** As written in the plan, in its order. */
  metadata: Metadata;
  decision: Decision;
  outcome: Outcome;
  /** A changeset's last entry: no agent proposed it, it verified what was kept. If it fails, nothing lands. */
  verification?: LandingCheck;
}

/** How what a changeset would make of the project was verified. */
export interface LandingCheck {
  command: string;
  /** What ran first in the fresh copy; null for nothing. */
  prepare: string | null;
  confined: boolean;
}

export type Outcome =
  /** Skipped; or approved, and the run ended before it started. */
  { status: 'not-run' } | Done;

export interface Done extends Facts {
  status: 'success' | 'failure';
  /** One sentence: "File 'src/main.py' created." */
  summary: string;
  /** CREATE: there was a file at its path. Only the summary shows it in a report. */
  replaced?: true;
}

/** Details of an action's outcome; each is present only if it applies. */
export interface Facts {
  /** EXECUTE: standard output. READ: the content. RESEARCH: the results, as JSON. */
  output?: Captured;
  /** EXECUTE: standard error. All others: what went wrong. */
  error?: Captured;
  /** CHAT_WITH_USER: the answer, as it was typed; no newline is needed at its end. */
  reply?: string;
  exitCode?: number;
  /** EXECUTE that did not end by itself: "timed out after 10m", "by signal SIGSEGV", "by Ctrl-C". */
  ended?: string;
  expectedOutcome?: ExpectedOutcome;
  /** The user changed the action before it ran: the action as it ran, in the plan's format, `\n` at its end. */
  ranAs?: string;
  /** EDIT and CREATE: the user kept only some of the changes. */
  kept?: KeptChanges;
  /** EXECUTE: how many times the command ran, where that was more than once. The other facts are those of the last time. */
  attempts?: number;
  /** EDIT: how FIND was found, where that was not exactly. */
  matched?: string;
  /** It was not run again: it succeeded in this run, which was continued. */
  doneIn?: string;
  /** EXECUTE: what it changed in files that git does not ignore; undo reverts it. Absent if nothing is known. */
  changed?: ChangedPath[];
  /** EXECUTE: what it changed and undo leaves as it is. */
  unrestorable?: UnrestorableFile[];
  /** EXECUTE: where it moved HEAD, branches or the stash of git. */
  moved?: MovedRef[];
  /** CREATE: why nothing had to be written. */
  unchanged?: string;
  /** The run's process ended while the action was under way: what is known of its effects. */
  interrupted?: string;
  /** Other notes, one sentence each. */
  notes?: string[];
}

/** What became of one file. */
export interface ChangedPath {
  /** From the root. */
  path: string;
  change: 'created' | 'edited' | 'deleted';
}

/** `reason` completes the sentence "<path> …". */
export interface UnrestorableFile {
  path: string;
  reason: string;
}

export interface MovedRef {
  /** `HEAD`, `main`, `stash`. */
  name: string;
  /** A commit, or for HEAD a branch; null where there was none. */
  from: string | null;
  to: string | null;
  /** The command that moves it back. */
  revert: string;
}

export interface KeptChanges {
  /** How many hunks were written. */
  count: number;
  dropped: DroppedHunk[];
}

export interface DroppedHunk {
  /** As in `core/changeset/hunks.ts`. */
  id: string;
  /** Its rows as a diff, `\n` at the end. */
  change: string;
  reason: string | null;
}

/** Text for a reader. Where it is not all, `text` says so in its middle, and `whole` says where all of it is. */
export interface Captured {
  /** Exactly. A text of teddy's own ends in a newline, too: a report remarks on one that does not. */
  text: string;
  /** Info string for its fence: one word. */
  language?: string;
  whole?: {
    /** Relative to the root; null when it could not be kept. */
    file: string | null;
    bytes: number;
    lines: number;
  };
}

/** Texts that the Expected Outcome quotes, looked for in the output. */
export interface ExpectedOutcome {
  met: boolean;
  /** The texts that were not found. */
  missing: string[];
}

interface Counted {
  refused: boolean;
  stateChanges: readonly StateChangeRecord[];
  actions: readonly ActionRecord[];
}

/** The overall status. A state change counts like an action; one that was not wholly applied is a failure. */
export function overallOf({ refused, stateChanges, actions }: Counted): Overall {
  const decided = [...actions, ...stateChanges];
  const changed = stateChanges.filter(
    ({ decision, notApplied }) => decision.status === 'approved' && notApplied.length === 0,
  );
  const succeeded = countActions(actions).succeeded + changed.length;
  if (refused) return 'Failed';
  if (decided.every(({ decision }) => decision.status === 'skipped')) return 'Skipped';
  if (succeeded === 0) return 'Failed';
  return succeeded < decided.length ? 'Partial' : 'Completed';
}

export interface ActionCounts {
  total: number;
  approved: number;
  skipped: number;
  succeeded: number;
  failed: number;
}

type Decided = { decision: { status: string }; outcome: { status: string } };

export function countActions(actions: readonly Decided[]): ActionCounts {
  const approved = actions.filter(({ decision }) => decision.status === 'approved').length;
  const ended = (status: string) => actions.filter(({ outcome }) => outcome.status === status).length;
  return {
    total: actions.length,
    approved,
    skipped: actions.length - approved,
    succeeded: ended('success'),
    failed: ended('failure'),
  };
}
