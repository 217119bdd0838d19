/** What to answer one request with. Without anything it is an empty answer that ends well. */
export interface ModelStep {
  answer?: string;
  /** What the model thinks before it answers. */
  thought?: string;
  /** Null: the server counts no tokens. `costUsd` is sent as OpenRouter does. Default: by length. */
  usage?: { input: number; output: number; costUsd?: number } | null;
  /** `stop` and `length` are said in the words of each protocol, anything else as it is; null: nothing is said. */
  finish?: 'stop' | 'length' | (string & {}) | null;
  /** After the mark that ends an answer in its protocol, the response stays open. */
  holdOpen?: boolean;
  /** Of how many characters each event is. Default: 7. */
  chunk?: number;
  /** After so many characters of the answer: nothing more comes, the socket is destroyed, the answer just ends. */
  stallAfter?: number;
  cutAfter?: number;
  endAfter?: number;
  /** An error in the middle, after so many characters: `{"type": …, "message": …}`. */
  errorAfter?: number;
  error?: { type: string; message: string };
  /** Anything but an answer: its status, headers and body. A body that is no text is sent as JSON. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Answers as a whole, although asked to stream. */
  whole?: boolean;
  /** Before anything is sent; and between pieces. */
  delayMs?: number;
  pieceDelayMs?: number;
  /** Sends the key back: for each `KEY` in the answer or body. */
  echoKey?: boolean;
}

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** Parsed; the text where it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent.
  body: any;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT/v1`, for `model.baseURL`. */
  url: string;
  requests: Received[];
  close(): Promise<void>;
}

/**
 * A real server that speaks OpenAI chat completions at `/v1/chat/completions` and Anthropic messages at `/v1/messages`,
 * in pieces that are cut anywhere: inside lines, and inside characters. Steps are used in order, one a request; the last
 * one repeats.
 */
export function startModelServer(
  script: ModelStep | readonly ModelStep[] | ((request: Received) => ModelStep),
): Promise<ModelServer>;
