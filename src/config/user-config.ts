import { UserError } from '../node/errors.js';
import { readUserSettings, writeUserSettings } from '../node/user-folders.js';
import { readConfigLayer } from './config-file.js';
import type { SettingValue } from './edit-setting.js';

/** `review.reads`, `model.name`: a group and a key of config.yaml. */
export type SettingKey = `${string}.${string}`;

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
  const problem = read.status === 'refused' ? read.problems[0] : read.layer.problems.list[0];
  if (problem !== undefined) {
    throw new UserError(`${path}${problem.line === null ? '' : `:${problem.line}`}: ${problem.message}`);
  }
  return writeUserSettings('config.yaml', text);
}
