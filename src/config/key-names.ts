import type { Config } from './types.js';

/** The environment variables that hold a key, by the config's word: secret, whatever their names say. */
export function keyNames({ model, research }: Pick<Config, 'model' | 'research'>): string[] {
  const names = [model?.keyEnv, research?.provider === 'searxng' ? null : research?.keyEnv];
  return names.flatMap((name) => name ?? []);
}
