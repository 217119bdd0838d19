import { isJsonObject } from '../core/json/values.js';
import { type KeyPath, listOf, openDocument, Problems, readMapping, show } from './document.js';
import { listPrices } from './prices.js';
import { PROVIDER_NAMES, type ProviderName, providerOf } from './providers.js';
import { EXECUTOR, isSetting, listKeys, type Schema, SETTINGS, type Values, type Written } from './schema.js';
import {
  BUILT_IN_EXECUTORS,
  CONFIG_FILE,
  type Config,
  type ConfigProblem,
  type ExecutorConfig,
  type ModelConfig,
  type OrchestrateConfig,
  type ResearchConfig,
} from './types.js';

export type ConfigRead =
  | { status: 'config'; config: Config }
  | { status: 'refused'; problems: ConfigProblem[] };

/** What one config.yaml sets. Problems of single settings are known; what settings lack together shows once all files are read. */
export interface ConfigLayer {
  settings: Written<typeof SETTINGS>;
  executors: Record<string, ExecutorConfig>;
  problems: Problems;
}

export type LayerRead =
  | { status: 'layer'; layer: ConfigLayer }
  | { status: 'refused'; problems: ConfigProblem[] };

/** Never throws. */
export async function readConfigLayer(text: string, file = CONFIG_FILE): Promise<LayerRead> {
  const opened = await openDocument(file, text);
  if (opened.status === 'refused') return opened;
  const { value, problems } = opened;
  problems.addSecrets(value);
  if (problems.list.length > 0) return { status: 'refused', problems: problems.list };
  const settings = readSettings(SETTINGS, value, [], problems, ['executors']);
  const executors = readExecutors(isJsonObject(value) ? value.executors : null, problems);
  return { status: 'layer', layer: { settings, executors, problems } };
}

const VARIABLE = 'TEDDY_MODEL';

/** What the environment sets: `TEDDY_MODEL=ollama/qwen3` names the model. Never throws. */
export function readEnvironmentLayer(environment: Readonly<Record<string, string | undefined>>): LayerRead {
  const text = environment[VARIABLE]?.trim() ?? '';
  if (text === '') return { status: 'layer', layer: NOTHING_SET };
  const [provider = '', ...rest] = text.split('/');
  const name = rest.join('/');
  const problems = new Problems(VARIABLE, () => null);
  if (name === '' || !PROVIDER_NAMES.includes(provider as ProviderName)) {
    const reason = `is ${show(text)}; write PROVIDER/NAME, such as ollama/qwen3 (providers: ${PROVIDER_NAMES.join(', ')})`;
    const message = `${VARIABLE} ${reason}.`;
    return { status: 'refused', problems: [{ file: 'environment', line: null, key: null, message }] };
  }
  const model = { provider: provider as ProviderName, name };
  return { status: 'layer', layer: { settings: { model }, executors: {}, problems } };
}

/** The environment overrides the project, which overrides the user. One problem is enough to refuse all of it. Never throws. */
export function combineLayers(
  user: ConfigLayer = NOTHING_SET,
  project: ConfigLayer = NOTHING_SET,
  environment: ConfigLayer = NOTHING_SET,
): ConfigRead {
  const layers = [user, project, environment];
  if (layers.every((layer) => layer === NOTHING_SET))
    return { status: 'config', config: structuredClone(DEFAULTS) };
  const config = readConfig(layers);
  const problems = layers.flatMap((layer) => layer.problems.list);
  return problems.length > 0 ? { status: 'refused', problems } : { status: 'config', config };
}

/** A single file, whose missing settings have their defaults. */
export async function parseConfig(text: string): Promise<ConfigRead> {
  const read = await readConfigLayer(text);
  return read.status === 'refused' ? read : combineLayers(read.layer);
}

/** Where there is no file. */
const NOTHING_SET: ConfigLayer = {
  settings: {},
  executors: {},
  problems: new Problems(CONFIG_FILE, () => 1),
};

export const DEFAULTS: Config = readConfig([]);

type Read = Values<typeof SETTINGS>;
type Group = keyof typeof SETTINGS | 'executors';

function readConfig(layers: readonly ConfigLayer[]): Config {
  const [user = NOTHING_SET, ...above] = layers;
  const settings = above.reduce<Written<typeof SETTINGS>>(
    (below, layer) => overrideSettings(SETTINGS, below, layer.settings),
    user.settings,
  );
  const read = fillDefaults(SETTINGS, settings);
  const executors = Object.assign({}, ...layers.map((layer) => layer.executors)) as Config['executors'];
  const { timeout: timeoutMs, ...execute } = read.execute;
  /** Nothing where the group is not set, or is known to be wrong already. */
  const readGroup = <T>(group: 'research' | 'model', readAll: (problems: Problems) => T | null): T | null => {
    const problems = layers.findLast(({ settings }) => settings[group] !== undefined)?.problems;
    return problems === undefined || hasProblemIn(layers, group) ? null : readAll(problems);
  };
  return {
    ...read,
    execute: { timeoutMs, ...execute },
    verify: { prepare: read.verify.prepare ?? null },
    landing: read.landing ?? null,
    capture: { ...read.capture, state: read.capture.state ?? null },
    research: readGroup('research', (problems) => readResearch(read.research, layers, problems)),
    model: readGroup('model', (problems) => readModel(read.model, layers, problems)),
    executors,
    orchestrate: readOrchestrate(read.orchestrate, executors, layers),
  };
}

function hasProblemIn(layers: readonly ConfigLayer[], group: Group): boolean {
  return layers.some(({ problems }) => problems.hasIn(group));
}

/** Whether it is the project alone that says where to go. It then has to name the key, too: the user's stays at home. */
function isOfProject(
  [user, project]: readonly ConfigLayer[],
  addressIn: (settings: ConfigLayer['settings']) => string | undefined,
  address: string | undefined,
): boolean {
  const isIn = (layer?: ConfigLayer) => layer !== undefined && addressIn(layer.settings) === address;
  return address !== undefined && isIn(project) && !isIn(user);
}

function readResearch(
  research: Read['research'],
  layers: readonly ConfigLayer[],
  problems: Problems,
): ResearchConfig | null {
  const { provider, url, keyEnv } = research;
  if (provider === undefined) {
    problems.add(['research'], 'has no provider; write searxng, brave or tavily');
  } else if (provider !== 'searxng') {
    const usual = { brave: 'BRAVE_API_KEY', tavily: 'TAVILY_API_KEY' }[provider];
    const key = keyEnv ?? (isOfProject(layers, ({ research }) => research?.url, url) ? undefined : usual);
    if (key !== undefined) return { provider, keyEnv: key, ...(url === undefined ? {} : { url }) };
    problems.add(['research'], "has a url and no keyEnv; a project's address never gets your key");
  } else if (url === undefined) {
    problems.add(['research'], 'has no url; searxng needs the address of a server');
  } else {
    return { provider, url };
  }
  return null;
}

function readModel(
  model: Read['model'],
  layers: readonly ConfigLayer[],
  problems: Problems,
): ModelConfig | null {
  const { provider: name, inputPrice: input, outputPrice: output, budget: budgetUsd = null } = model;
  const refuse = (reason: string): null => {
    problems.add(['model'], reason);
    return null;
  };
  if (name === undefined) return refuse(`has no provider; write ${listOf(PROVIDER_NAMES)}`);
  const provider = providerOf(name);
  const baseURL = model.baseURL ?? provider.baseURL;
  if (model.name === undefined) return refuse('has no name; write the name of a model');
  if (baseURL === null) return refuse(`has no baseURL; ${name} needs the address of an API`);
  if ((input === undefined) !== (output === undefined)) {
    return refuse('has one price; write both inputPrice and outputPrice, or neither');
  }
  const prices = input === undefined ? listPrices(name, model.name) : { input, output: output! };
  if (budgetUsd !== null && prices === null) {
    return refuse(
      `has a budget, but the price of ${show(model.name)} is not known; write inputPrice and outputPrice`,
    );
  }
  return {
    provider: name,
    api: provider.api,
    baseURL,
    keyEnv:
      model.keyEnv ??
      (isOfProject(layers, ({ model }) => model?.baseURL, model.baseURL) ? null : provider.keyEnv),
    name: model.name,
    maxOutputTokens: model.maxOutputTokens,
    timeoutMs: model.timeout,
    idleMs: model.idle,
    prices,
    budgetUsd,
  };
}

function readExecutors(value: unknown, problems: Problems): Record<string, ExecutorConfig> {
  const entries: [string, ExecutorConfig][] = [];
  for (const [name, written] of Object.entries(readMapping(value, ['executors'], problems))) {
    if (problems.full) break;
    const path = ['executors', name];
    if (!/^[A-Za-z0-9][\w.-]{0,59}$/.test(name)) {
      problems.add(path, 'is not a name for an executor; use letters, digits, ".", "_" and "-"');
      continue;
    }
    const before = problems.list.length;
    const { command, preset, acp, args } = readSettings(EXECUTOR, written, path, problems);
    if (problems.list.length > before) continue;
    if ([command, preset, acp].filter((each) => each !== undefined).length !== 1) {
      problems.add(path, 'needs one of command, preset and acp');
    } else if (preset === undefined && args !== undefined) {
      problems.add([...path, 'args'], 'is for a preset; write the arguments into the command');
    } else if (preset !== undefined) {
      entries.push([name, { preset, ...(args && { args }) }]);
    } else {
      entries.push([name, command === undefined ? { acp: acp! } : { command }]);
    }
  }
  return Object.fromEntries(entries);
}

function readOrchestrate(
  orchestrate: Read['orchestrate'],
  executors: Config['executors'],
  layers: readonly ConfigLayer[],
): OrchestrateConfig {
  const { executor, jobs, maxAttempts, taskTime, time, taskBudget, budget, setup } = orchestrate;
  const names = [...Object.keys(executors), ...BUILT_IN_EXECUTORS];
  if (executor !== undefined && !names.includes(executor) && !hasProblemIn(layers, 'executors')) {
    const { problems } = layers.findLast(({ settings }) => settings.orchestrate?.executor !== undefined)!;
    problems.add(
      ['orchestrate', 'executor'],
      `is ${show(executor)}, which is not an executor; write ${listOf([...new Set(names)])}`,
    );
  }
  return {
    executor: executor ?? null,
    jobs,
    maxAttempts,
    taskTimeMs: taskTime,
    timeMs: time ?? null,
    taskBudgetUsd: taskBudget ?? null,
    budgetUsd: budget ?? null,
    setup: setup ?? null,
  };
}

type Plain = Record<string, NonNullable<unknown> | undefined>;

/** What a file sets of a schema. What it sets wrongly is a problem, and left out. */
function readSettings<S extends Schema>(
  schema: S,
  value: unknown,
  path: KeyPath,
  problems: Problems,
  /** Keys that are known here and read elsewhere. */
  alsoKnown: readonly string[] = [],
): Written<S> {
  const mapping = readMapping(value, path, problems);
  const known = [...Object.keys(schema), ...alsoKnown];
  const written: Plain = {};
  for (const [key, entry] of Object.entries(schema)) {
    const here = [...path, key];
    const given = mapping[key];
    if (given === undefined || given === null) continue;
    if (!isSetting(entry)) {
      const group = readSettings(entry, given, here, problems);
      if (Object.keys(group).length > 0) written[key] = group;
      continue;
    }
    const taken = entry.kind(given);
    if (taken.status === 'ok') written[key] = taken.value;
    else problems.add(here, taken.reason);
  }
  for (const key of Object.keys(mapping)) {
    if (problems.full) break;
    if (!known.includes(key)) problems.addUnknown([...path, key], known, listKeys(schema));
  }
  return written as Written<S>;
}

/** The user's settings, overridden key by key by the project's; `stricter` and `owns` in the schema limit that. */
function overrideSettings<S extends Schema>(schema: S, user: Written<S>, project: Written<S>): Written<S> {
  const merged: Plain = { ...(user as Plain) };
  for (const [key, entry] of Object.entries(schema)) {
    const theirs = (project as Plain)[key];
    if (theirs === undefined || !isSetting(entry) || theirs === merged[key]) continue;
    for (const owned of entry.owns ?? []) delete merged[owned];
  }
  for (const [key, entry] of Object.entries(schema)) {
    const theirs = (project as Plain)[key];
    if (theirs === undefined) continue;
    if (!isSetting(entry))
      merged[key] = overrideSettings(
        entry,
        (merged[key] ?? {}) as Written<Schema>,
        theirs as Written<Schema>,
      );
    else if (entry.stricter === undefined) merged[key] = theirs;
    else merged[key] = entry.stricter(merged[key] ?? entry.fallback, theirs) as Plain[string];
  }
  return merged as Written<S>;
}

function fillDefaults<S extends Schema>(schema: S, written: Written<S>): Values<S> {
  const values = Object.entries(schema).map(([key, entry]) => {
    const value = (written as Plain)[key];
    return [
      key,
      isSetting(entry)
        ? (value ?? structuredClone(entry.fallback))
        : fillDefaults(entry, (value ?? {}) as Written<Schema>),
    ];
  });
  return Object.fromEntries(values) as Values<S>;
}
