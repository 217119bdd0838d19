import { onTestFinished } from 'vitest';
import { createModelClient } from '../../../src/sessions/model/client.js';
import type { ModelRequest, ModelSettings } from '../../../src/sessions/model/types.js';
import { type ModelStep, type Received, startModelServer } from '../../model-server.mjs';

export const PROVIDERS = ['openai-compatible', 'anthropic'] as const;
export type Provider = (typeof PROVIDERS)[number];
export const KEY = 'sk-test-0123456789abcdef';

export interface Asking {
  settings?: Partial<ModelSettings>;
  key?: string | null;
  keyName?: string | null;
  request?: Partial<ModelRequest>;
  /** Told of each piece and each wait; may abort. */
  onText?(text: string, abort: () => void): void;
  onWait?(ms: number, abort: () => void): void;
}

/** Asks a scripted server once, and tells all that was seen. */
export async function askServer(
  provider: Provider,
  script: ModelStep | readonly ModelStep[] | ((request: Received) => ModelStep),
  asking: Asking = {},
) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  return { ...(await askAt(provider, server.url, asking)), requests: server.requests };
}

export async function askAt(provider: Provider, baseURL: string, asking: Asking = {}) {
  const aborter = new AbortController();
  const pieces: string[] = [];
  const retries: { reason: string; waitMs: number }[] = [];
  const waits: number[] = [];
  const client = createModelClient(
    {
      provider,
      api: provider,
      baseURL,
      name: 'test-model',
      maxOutputTokens: 500,
      prices: null,
      timeoutMs: 30_000,
      idleMs: 30_000,
      ...asking.settings,
    },
    asking.key === undefined ? KEY : asking.key,
    {
      keyName: asking.keyName === undefined ? 'TEST_KEY' : asking.keyName,
      // Nobody waits in a test.
      sleep: async (ms) => {
        waits.push(ms);
        asking.onWait?.(ms, () => aborter.abort());
      },
    },
  );
  const answer = await client.ask({
    system: 'You plan.',
    messages: [{ role: 'user', text: 'A plan, please.' }],
    signal: aborter.signal,
    onText: (text) => {
      pieces.push(text);
      asking.onText?.(text, () => aborter.abort());
    },
    onRetry: (reason, waitMs) => retries.push({ reason, waitMs }),
    ...asking.request,
  });
  return { answer, pieces, retries, waits, client };
}
