import type { JsonObject } from '../../json/values.js';
import type { ClientAnswer, ClientFailure, Measured } from '../types.js';
import type { RefusedPiece } from './pieces.js';

/** A command-line agent. Everything specific to a client is in its own file; `clients.ts` lists them. */
export interface ClientDefinition {
  /** The command that prints this output, as users type it. */
  command: string;
  /** How the client is started to work on a task. */
  executor: ExecutorProgram;
  /** Whether only this client can have printed that event. */
  isEvent(value: JsonObject): boolean;
  /** Whether this client may have printed that error; several clients share the shape. */
  isBareError?(value: JsonObject): boolean;
  openReader(): AnswerReader;
  /** What an event shows of the work, in words; null for events that show nothing new. */
  describeEvent(event: JsonObject): string | null;
  /** Matches standard error if the client is not set up and did not start. */
  refusal: RegExp;
  /** Our words for a failed start that the client does not describe, without a full stop; null if nothing is wrong. */
  describeRefusal?(end: ClientEnd): string | null;
  /** Matches standard error if the client ended before its work because another process of it was in the way. */
  busy?: RegExp;
  /** Classifies a failure by how the process ended, for clients that print errors on standard error only. */
  kindOfEnd?(end: ClientEnd): ClientFailure;
}

/**
 * The program has the client's name, reads its prompt from standard input, prints JSON, and edits and runs commands
 * without asking: the user agreed to that by starting it.
 */
interface ExecutorProgram {
  args: readonly string[];
  /** Where teddy confines it; `args` unless said. */
  confinedArgs?: readonly string[];
  /** Limits the cost of an attempt, if the client can. */
  budgetArgs?(usd: number): readonly string[];
  /** Makes it answer with an object of that schema, if the client can. */
  schemaArgs?(schema: AnswerSchema): readonly string[];
  /** Overrides for the environment; undefined removes a variable. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Rewrites the prompt for this client. Default: unchanged. */
  writePrompt?(prompt: string): string;
  /** Why this user cannot run it, as a sentence with a remedy; undefined if they can. */
  findUserRefusal?(
    environment: Readonly<Record<string, string | undefined>>,
    user: number | undefined,
  ): string | undefined;
}

/** A strict JSON Schema, and a file that contains it. */
export interface AnswerSchema {
  text: string;
  file: string;
}

/** How a client's process ended. */
export interface ClientEnd {
  stdout: string;
  stderr: string;
  /** Null if the process was killed. */
  exitCode: number | null;
}

/** Extracts the answer from a client's output, piece by piece. */
export interface AnswerReader {
  readonly taken: TakenAnswer;
  take(event: JsonObject): void;
  /** Called for an unreadable piece that is not the end of the output. */
  skip(piece: RefusedPiece): void;
  end(): void;
}

/** What the pieces of an output add up to. */
export interface TakenAnswer {
  /** The agent's last message; null if there is none. */
  text: string | null;
  measured: Measured;
  failure: Failure | null;
  /** The client reported the end of its work, successful or not. */
  ended: boolean;
  /** The client's own message in place of an answer; null if there is none. */
  instead: string | null;
  /** An unreadable piece that may have contained the answer. */
  doubt: RefusedPiece | null;
  /** The tools that the client refused to run for the agent, each time. */
  denied: string[];
}

/** A failure that the client reported itself. */
export interface Failure {
  /** Our words, to complete "claude failed: …". */
  reason: string;
  /** The client's words. */
  said: string | null;
  kind: ClientFailure;
}

/** Classifies the HTTP status of a model's answer. A missing model is not worth a retry. */
export function kindOfStatus(status: number | null): ClientFailure {
  if (status === 429 || status === 529) return 'limited';
  return status !== null && [401, 402, 403, 404].includes(status) ? 'unusable' : 'other';
}

const NOTHING_MEASURED: Readonly<Measured> = {
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  durationMs: null,
};

export function emptyAnswer(): TakenAnswer {
  return {
    text: null,
    measured: { ...NOTHING_MEASURED },
    failure: null,
    ended: false,
    instead: null,
    doubt: null,
    denied: [],
  };
}

export function refuseAnswer(...issues: ClientAnswer['issues']): ClientAnswer {
  return { text: null, measured: { ...NOTHING_MEASURED }, failed: null, issues };
}

/** The text; null if it is blank. */
export function withInk(text: string | null): string | null {
  return text !== null && /\S/.test(text) ? text : null;
}

/** Overwrites the known values with the newer ones that are known. */
export function updateMeasured(before: Measured, now: Partial<Measured>): Measured {
  return {
    inputTokens: now.inputTokens ?? before.inputTokens,
    outputTokens: now.outputTokens ?? before.outputTokens,
    costUsd: now.costUsd ?? before.costUsd,
    durationMs: now.durationMs ?? before.durationMs,
  };
}

const RESULT_FIELD =
  /^[ \t]*(?:\{[ \t]*)?["']?(?:task_name["']?[ \t]*:|status["']?[ \t]*:[ \t]*["']?(?:success|failure|blocked)\b)/m;

/** Whether a text contains something that only a task result has. It may still be invalid. */
export function containsResult(text: string): boolean {
  return RESULT_FIELD.test(text);
}
