import { isJsonObject } from '../core/json/values.js';
import { openDocument, Problems, readMapping } from './document.js';
import { listOf, show } from './kinds.js';
import { fillDefaults, overrideSettings, readSettings } from './layers.js';
import { EXECUTOR, SETTINGS, type Values, type Written } from './schema.js';
import {
  CONFIG_FILE,
  type Config,
  type ConfigProblem,
  EXECUTOR_PRESETS,
  type ExecutorConfig,
  type ModelConfig,
  type OrchestrateConfig,
  OWN_EXECUTORS,
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

/** One problem is enough to refuse all of it. Never throws. */
export function combineLayers(user: ConfigLayer, project: ConfigLayer = NOTHING_SET): ConfigRead {
  const config = readConfig(user, project);
  const problems = [user, project].flatMap((layer) => layer.problems.list);
  return problems.length > 0 ? { status: 'refused', problems } : { status: 'config', config };
}

/** A single file, whose missing settings have their defaults. */
export async function parseConfig(text: string): Promise<ConfigRead> {
  const read = await readConfigLayer(text);
  return read.status === 'refused' ? read : combineLayers(read.layer);
}

/** Where there is no file. */
export const NOTHING_SET: ConfigLayer = {
  settings: {},
  executors: {},
  problems: new Problems(CONFIG_FILE, () => 1),
};

export const DEFAULTS: Config = readConfig(NOTHING_SET, NOTHING_SET);

type Read = Values<typeof SETTINGS>;
type Group = keyof typeof SETTINGS | 'executors';

function readConfig(user: ConfigLayer, project: ConfigLayer): Config {
  const layers = [user, project];
  const read = fillDefaults(SETTINGS, overrideSettings(SETTINGS, user.settings, project.settings));
  const executors = { ...user.executors, ...project.executors };
  const { timeout: timeoutMs, ...execute } = read.execute;
  /** Nothing where the group is not set, or is known to be wrong already. */
  const readGroup = <T>(group: 'research' | 'model', readAll: (problems: Problems) => T | null): T | null => {
    const problems = layers.findLast(({ settings }) => settings[group] !== undefined)?.problems;
    return problems === undefined || hasProblemIn(layers, group) ? null : readAll(problems);
  };
  return {
    ...read,
    execute: { timeoutMs, ...execute },
    capture: { ...read.capture, state: read.capture.state ?? null },
    research: readGroup('research', (problems) => readResearch(read.research, problems)),
    model: readGroup('model', (problems) => readModel(read.model, problems)),
    executors,
    orchestrate: readOrchestrate(read.orchestrate, executors, layers),
  };
}

function hasProblemIn(layers: readonly ConfigLayer[], group: Group): boolean {
  return layers.some(({ problems }) => problems.hasIn(group));
}

function readResearch(research: Read['research'], problems: Problems): ResearchConfig | null {
  const { provider, url, keyEnv } = research;
  if (provider === undefined) {
    problems.add(['research'], 'has no provider; write searxng, brave or tavily');
  } else if (provider !== 'searxng') {
    const key = keyEnv ?? { brave: 'BRAVE_API_KEY', tavily: 'TAVILY_API_KEY' }[provider];
    return { provider, keyEnv: key, ...(url === undefined ? {} : { url }) };
  } else if (url === undefined) {
    problems.add(['research'], 'has no url; searxng needs the address of a server');
  } else {
    return { provider, url };
  }
  return null;
}

function readModel(model: Read['model'], problems: Problems): ModelConfig | null {
  const { provider, baseURL, name, keyEnv } = model;
  const wrong = findModelProblem(model);
  if (wrong !== null) {
    problems.add(['model'], wrong);
    return null;
  }
  const { inputPrice, outputPrice } = model;
  const common = {
    name: name!,
    maxOutputTokens: model.maxOutputTokens,
    timeoutMs: model.timeout,
    idleMs: model.idle,
    prices:
      inputPrice === undefined || outputPrice === undefined
        ? null
        : { input: inputPrice, output: outputPrice },
    budgetUsd: model.budget ?? null,
  };
  return provider === 'anthropic'
    ? { provider, baseURL: baseURL ?? null, keyEnv: keyEnv ?? 'ANTHROPIC_API_KEY', ...common }
    : { provider: provider!, baseURL: baseURL!, keyEnv: keyEnv ?? null, ...common };
}

/** What the keys lack together; completes the sentence "model …". */
function findModelProblem(model: Read['model']): string | null {
  const { provider, baseURL, name, inputPrice, outputPrice, budget } = model;
  if (provider === undefined) return 'has no provider; write openai-compatible or anthropic';
  if (name === undefined) return 'has no name; write the name of a model';
  if (provider === 'openai-compatible' && baseURL === undefined) {
    return 'has no baseURL; openai-compatible needs the address of an API';
  }
  if ((inputPrice === undefined) !== (outputPrice === undefined)) {
    return 'has one price; write both inputPrice and outputPrice, or none';
  }
  if (budget !== undefined && inputPrice === undefined) {
    return 'has a budget and no prices; write inputPrice and outputPrice, by which it is counted';
  }
  return null;
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
    const { command, preset } = readSettings(EXECUTOR, written, path, problems);
    if (problems.list.length > before) continue;
    if ((command === undefined) === (preset === undefined)) {
      problems.add(path, 'needs either a command or a preset');
    } else {
      entries.push([name, command === undefined ? { preset: preset! } : { command }]);
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
  const names = [...Object.keys(executors), ...EXECUTOR_PRESETS, ...OWN_EXECUTORS];
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
