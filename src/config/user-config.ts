import { UserError } from '../node/errors.js';
import { readUserSettings, writeUserSettings } from '../node/user-folders.js';
import { combineLayers, readConfigLayer } from './config-file.js';
import type { SettingValue } from './edit-setting.js';
import type { ProviderName } from './providers.js';

/** `review.reads`, `model.name`: a group and a key of config.yaml. */
export type SettingKey = `${string}.${string}`;

/** Writes the user's model. Settings that belong to another model go; the others under `model` stay. */
export async function setUserModel(model: {
  provider: ProviderName;
  name: string;
  /** Null: as the provider has it. */
  baseURL: string | null;
  keyEnv: string | null;
}): Promise<string> {
  const { provider, name, baseURL, keyEnv } = model;
  const { path, text } = readUserSettings('config.yaml') ?? {};
  const before = text === undefined ? undefined : await readConfigLayer(text, path);
  const known = before?.status === 'layer' ? before.layer.settings.model : undefined;
  const isOther = known?.provider !== provider || known.name !== name;
  return setUserSettings({
    'model.provider': provider,
    'model.name': name,
    'model.baseURL': baseURL ?? undefined,
    'model.keyEnv': keyEnv ?? undefined,
    ...(isOther && {
      'model.maxOutputTokens': undefined,
      'model.inputPrice': undefined,
      'model.outputPrice': undefined,
    }),
  });
}

/** Writes one setting into the user's config.yaml and returns the file's path. Throws `UserError` where that cannot be done. */
export function setUserSetting(key: SettingKey, value: SettingValue): Promise<string> {
  return setUserSettings({ [key]: value });
}

/**
 * The same for several at once; one that is undefined is removed. Comments and all other bytes stay. The file is
 * written only if teddy can read it afterwards.
 */
export async function setUserSettings(
  settings: Readonly<Record<SettingKey, SettingValue | undefined>>,
): Promise<string> {
  // YAML is costly to load, and this is seldom needed.
  const { editSetting } = await import('./edit-setting.js');
  const file = readUserSettings('config.yaml');
  const path = file?.path ?? 'config.yaml';
  let text = file?.text ?? '';
  for (const [key, value] of Object.entries(settings)) {
    const edited = editSetting(text, key.split('.') as [string, string], value);
    if (edited === undefined) {
      const wanted = value === undefined ? `Remove ${key}` : `Set ${key} to ${value}`;
      throw new UserError(`${path} cannot be changed automatically. ${wanted} there yourself.`);
    }
    text = edited;
  }
  const read = await readConfigLayer(text, path);
  const combined = read.status === 'refused' ? read : combineLayers(read.layer);
  const problem = combined.status === 'refused' ? combined.problems[0] : undefined;
  if (problem !== undefined) {
    throw new UserError(`${path}${problem.line === null ? '' : `:${problem.line}`}: ${problem.message}`);
  }
  return writeUserSettings('config.yaml', text);
}
