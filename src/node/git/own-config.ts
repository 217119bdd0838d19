import { join } from 'node:path';
import { files } from '../file-calls.js';
import { type GitOptions, type GitRefusal, gitList } from './command.js';

/** The relevant parts of a repository's own config (`.git/config` and its includes). */
export interface OwnConfig {
  status: 'ok';
  /** Settings that disable every program it names: `name=value`. */
  quiet: string[];
  /** Settings that apply even if these programs may run. */
  always: string[];
  /** The programs that file operations need, one line each, sorted: filters, merge drivers and their dependencies. */
  programs: string[];
  /** As written: the place of its work tree, and whether it is bare. */
  worktree: string | undefined;
  isBare: boolean;
}

/** Where a repository's config is. Absolute. */
export interface ConfigPlace {
  gitFolder: string;
  commonFolder: string;
}

interface Setting {
  isOwn: boolean;
  name: string;
  value: string;
}

const LIST = ['config', '--list', '--includes', '--show-scope', '-z'];
const OLD_GIT = 129;

const FILTER = /^filter\.(.+)\.(?:clean|smudge|process)$/s;
const DRIVER = /^merge\..+\.driver$/s;
/** git-lfs is a filter that reads config itself. */
const LFS =
  /^lfs\.(?:extension\..+\.(?:clean|smudge)|customtransfer\..+\.path|standalonetransferagent|.*\.standalonetransferagent)$/s;
/** Programs that a fetching filter may start. */
const FETCHING = /^(?:core\.(?:sshcommand|askpass|gitproxy)|credential\.(?:.+\.)?helper)$/s;
const LFS_OFF = ['clean', 'smudge', 'process'].map((key) => `filter.lfs.${key}=`);
const HOOK = /^hook\.(.+)\.(?:command|event)$/s;
const INCLUDE = /^include(?:if\..+)?\.path$/s;

/** By common folder. */
const read = new Map<string, { mark: string; config: OwnConfig }>();

/**
 * Reading runs nothing, and is done again only when the config has changed. `options` are those of every call in this
 * repository. Never throws.
 */
export async function readOwnConfig(
  place: ConfigPlace,
  options: GitOptions,
): Promise<OwnConfig | GitRefusal> {
  const mark = markFiles(place);
  const known = read.get(place.commonFolder);
  if (mark !== undefined && known?.mark === mark) return known.config;
  const listed = await gitList(LIST, options);
  if (listed.status === 'failed' && listed.code === OLD_GIT)
    return { status: 'failed', reason: 'git 2.26 or newer is needed' };
  if (listed.status !== 'ok') return listed;
  const settings = readSettings(listed.items);
  const config = judgeSettings(settings);
  if (config.status !== 'ok') return config;
  // Included files may change on their own, or with the branch.
  const hasIncludes = settings.some(({ isOwn, name }) => isOwn && INCLUDE.test(name));
  if (mark !== undefined && !hasIncludes) read.set(place.commonFolder, { mark, config });
  return config;
}

/** Changes with the config file; undefined where a work tree has one of its own. */
function markFiles({ gitFolder, commonFolder }: ConfigPlace): string | undefined {
  try {
    if (files.lstat(join(gitFolder, 'config.worktree')) !== undefined) return undefined;
    const path = join(commonFolder, 'config');
    const stats = files.lstat(path);
    if (stats === undefined) return 'none';
    if (!stats.isFile()) return undefined;
    return [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
  } catch {
    return undefined;
  }
}

/** `local`, and then `core.bare⏎false` or only a name, each an item. */
function readSettings(items: readonly string[]): Setting[] {
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < items.length; at += 2) {
    const scope = items[at]!;
    const [name = '', ...lines] = items[at + 1]!.split('\n');
    const isOwn = scope !== 'system' && scope !== 'global';
    // A name alone means true. Settings from the command line are ours.
    const value = lines.length === 0 ? 'true' : lines.join('\n');
    if (scope !== 'command') settings.push({ isOwn, name, value });
  }
  return settings;
}

function judgeSettings(settings: readonly Setting[]): OwnConfig | GitRefusal {
  const own = settings.filter(({ isOwn }) => isOwn);
  const hasFilters = settings.some(({ name }) => FILTER.test(name));
  const isProgram = ({ name }: Setting) =>
    FILTER.test(name) || DRIVER.test(name) || LFS.test(name) || (hasFilters && FETCHING.test(name));
  const programs = own.filter(isProgram).map(({ name, value }) => `${name} = ${JSON.stringify(value)}`);
  const quiet = own.some(({ name }) => LFS.test(name)) ? [...LFS_OFF, 'filter.lfs.required=false'] : [];
  const names = new Set(own.flatMap(({ name }) => FILTER.exec(name)?.[1] ?? []));
  for (const name of names)
    if (name !== 'lfs' || quiet.length === 0) quiet.push(...switchOffFilter(name, settings));
  const hooks = new Set(own.flatMap(({ name }) => HOOK.exec(name)?.[1] ?? []));
  const always = [...hooks].flatMap((name) => [`hook.${name}.enabled=false`, `hook.${name}.event=`]);
  const unclear = [...names, ...hooks].find((name) => /[=\n]/.test(name));
  if (unclear !== undefined)
    return {
      status: 'failed',
      reason: `its config names a program ${JSON.stringify(unclear)}, which cannot be switched off`,
    };
  const last = (wanted: string) => own.findLast(({ name }) => name === wanted)?.value;
  return {
    status: 'ok',
    quiet,
    always,
    programs: [...new Set(programs)].sort(),
    worktree: last('core.worktree'),
    isBare: /^(?:true|yes|on|[1-9]\d*)$/i.test(last('core.bare') ?? ''),
  };
}

/**
 * The user's own settings decide; without any, files are not converted. An empty
 * `process` would keep git from the user's `clean`, so only what the repository sets is set again.
 */
function switchOffFilter(name: string, settings: readonly Setting[]): string[] {
  const keys = ['clean', 'smudge', 'process'].map((key) => `filter.${name}.${key}`);
  const own = keys.filter((key) => settings.some((each) => each.isOwn && each.name === key));
  const lines = own.map((key) => {
    const users = settings.findLast((each) => !each.isOwn && each.name === key);
    return `${key}=${users?.value ?? ''}`;
  });
  return [...lines, `filter.${name}.required=false`];
}
