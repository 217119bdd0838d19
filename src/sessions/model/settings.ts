import type { ModelConfig } from '../../config/types.js';
import type { ModelSettings } from './types.js';

export function modelSettings(config: ModelConfig): ModelSettings {
  const { provider, baseURL, name, maxOutputTokens, prices, timeoutMs, idleMs } = config;
  return { provider, baseURL, name, maxOutputTokens, prices, timeoutMs, idleMs };
}
