import type { JsonObject } from '../../json/index.js';
import type { Client, Measured } from '../types.js';
import { guessClient } from './guess-client.js';
import type { Piece, RefusedPiece } from './pieces.js';

/** What the pieces of an output say, taken together. */
export interface Taken {
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
}

/** Null where no piece is one that this client prints. */
export type Taker = (pieces: Iterable<Piece>) => Taken | null;

export const NOTHING_MEASURED: Readonly<Measured> = {
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  durationMs: null,
};

export function takeNothing(): Taken {
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
