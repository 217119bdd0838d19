import type { JsonObject } from '../../json/values.js';
import type { ClientAnswer, ClientFailure, Measured } from '../types.js';
import type { RefusedPiece } from './pieces.js';

/** A command-line agent: all that teddy knows of one is in its file, and `clients.ts` lists them. */
export interface ClientDefinition {
  /** What prints the output that is read here, as people type it. */
  command: string;
  /** How it is started to work on a task. */
  executor: ExecutorProgram;
  /** Whether only this client can have printed that event. */
  isEvent(value: JsonObject): boolean;
  /** Whether it may have printed that; several clients print errors of this shape. */
  isBareError?(value: JsonObject): boolean;
  openReader(): AnswerReader;
  /** What it says on standard error where it does not start: it is not set up for this. */
  refusal: RegExp;
  /** The same where the client has no sentence for it, in our words, without a full stop; null where nothing is wrong. */
  describeRefusal?(end: ClientEnd): string | null;
  /** Of a client that prints its errors on standard error only: what its end says of them. */
  kindOfEnd?(end: ClientEnd): ClientFailure;
}

/**
 * The program has the client's name, takes its prompt from standard input, prints JSON, and does not ask: it edits and runs
 * commands by itself, which the user agreed to by starting it.
 */
interface ExecutorProgram {
  args: readonly string[];
  /** Over the environment that there is; undefined takes a variable away. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The prompt as it must get it; as it is where nothing is said. */
  writePrompt?(prompt: string): string;
  /** Why it cannot be used as this user, as a sentence and what to do; undefined where it can. */
  findUserRefusal?(
    environment: Readonly<Record<string, string | undefined>>,
    user: number | undefined,
  ): string | undefined;
}

/** How a client's process ended. */
export interface ClientEnd {
  stdout: string;
  stderr: string;
  /** Null where it did not end by itself. */
  exitCode: number | null;
}

/** Takes the answer out of what a client printed, piece by piece. */
export interface AnswerReader {
  readonly taken: TakenAnswer;
  take(event: JsonObject): void;
  /** For a piece that cannot be read and is not the output's end. */
  skip(piece: RefusedPiece): void;
  end(): void;
}

/** What the pieces of an output say, taken together. */
export interface TakenAnswer {
  /** The agent's last words; null where there are none. */
  text: string | null;
  measured: Measured;
  failure: Failure | null;
  /** The client said that it is done, one way or the other. */
  ended: boolean;
  /** The client's words where an answer should be; null where it said nothing. */
  instead: string | null;
  /** A piece that cannot be read, where the answer may have been. */
  doubt: RefusedPiece | null;
}

/** That the client failed, by its own word. */
export interface Failure {
  /** In our words: completes "claude failed: …". */
  reason: string;
  /** In its words. */
  said: string | null;
  kind: ClientFailure;
}

/** By the status of a model's HTTP answer. Where the model is not there, no further request will find it. */
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
  };
}

export function refuseAnswer(...issues: ClientAnswer['issues']): ClientAnswer {
  return { text: null, measured: { ...NOTHING_MEASURED }, failed: null, issues };
}

/** The text, unless there is none in it. */
export function withInk(text: string | null): string | null {
  return text !== null && /\S/.test(text) ? text : null;
}

/** What is newly known takes the place of what was known before; what is not leaves it. */
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

/** Whether there is something in a text that only a task's result has. Whether it is one is for its judge to say. */
export function containsResult(text: string): boolean {
  return RESULT_FIELD.test(text);
}
