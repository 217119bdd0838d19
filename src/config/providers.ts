/** How a service wants to be asked. */
export type ModelApi = 'anthropic' | 'openai-compatible';

export interface Provider {
  /** Its own name, as people write it. */
  title: string;
  api: ModelApi;
  /** Null where every user has another. */
  baseURL: string | null;
  /** The variable that usually holds the key; null where none is needed. */
  keyEnv: string | null;
  /** For one on the user's own machine: how to start it, as the beginning of a sentence. */
  start?: string;
}

export const PROVIDERS = {
  anthropic: {
    title: 'Anthropic',
    api: 'anthropic',
    baseURL: 'https://api.anthropic.com/v1',
    keyEnv: 'ANTHROPIC_API_KEY',
  },
  openai: {
    title: 'OpenAI',
    api: 'openai-compatible',
    baseURL: 'https://api.openai.com/v1',
    keyEnv: 'OPENAI_API_KEY',
  },
  openrouter: {
    title: 'OpenRouter',
    api: 'openai-compatible',
    baseURL: 'https://openrouter.ai/api/v1',
    keyEnv: 'OPENROUTER_API_KEY',
  },
  gemini: {
    title: 'Google Gemini',
    api: 'openai-compatible',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyEnv: 'GEMINI_API_KEY',
  },
  ollama: {
    title: 'Ollama',
    api: 'openai-compatible',
    baseURL: 'http://localhost:11434/v1',
    keyEnv: null,
    start: 'Start it with `ollama serve`',
  },
  lmstudio: {
    title: 'LM Studio',
    api: 'openai-compatible',
    baseURL: 'http://localhost:1234/v1',
    keyEnv: null,
    start: 'Start the server in LM Studio (Developer tab) or with `lms server start`',
  },
  'openai-compatible': {
    title: 'OpenAI-compatible server',
    api: 'openai-compatible',
    baseURL: null,
    keyEnv: null,
  },
} as const satisfies Record<string, Provider>;

export type ProviderName = keyof typeof PROVIDERS;

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];

export function providerOf(name: ProviderName): Provider {
  return PROVIDERS[name];
}

/** How to start the server that usually has this address on the user's own machine. */
export function startHintFor(baseURL: string): string {
  const { port } = new URL(baseURL);
  const known = PROVIDER_NAMES.map(providerOf).find(
    (provider) => provider.start !== undefined && new URL(provider.baseURL!).port === port,
  );
  return known?.start ?? 'Start the server';
}
