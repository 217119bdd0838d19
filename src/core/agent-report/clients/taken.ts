import type { JsonObject } from '../../json/types.js';
import type { Client, ClientFailure, Measured } from '../types.js';
import { guessClient } from './guess-client.js';
import type { Piece, RefusedPiece } from './pieces.js';

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

const RESULT_FIELD =
  /^[ \t]*(?:\{[ \t]*)?["']?(?:task_name["']?[ \t]*:|status["']?[ \t]*:[ \t]*["']?(?:success|failure|blocked)\b)/m;

/** Whether there is something in a text that only a task's result has. Whether it is one is for its judge to say. */
export function holdsResult(text: string): boolean {
  return RESULT_FIELD.test(text);
}

/** The later one, unless only the earlier one holds a result or a report: behind it there may be small talk. */
export function betterOf(before: string | null, now: string | null): string | null {
  if (before === null || now === null) return now ?? before;
  return isAnswer(now) || !isAnswer(before) ? now : before;
}

function isAnswer(text: string): boolean {
  return holdsResult(text) || text.includes('"report_metadata"');
}

/** Null where no piece is one that this client prints. */
export type Taker = (pieces: Iterable<Piece>) => TakenAnswer | null;

export const NOTHING_MEASURED: Readonly<Measured> = {
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  durationMs: null,
};

export function takeNothing(): TakenAnswer {
  return {
    text: null,
    measured: { ...NOTHING_MEASURED },
    failure: null,
    ended: false,
    instead: null,
    doubt: null,
  };
}

export function isOf(client: Client, event: JsonObject): boolean {
  return guessClient(event) === client;
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
