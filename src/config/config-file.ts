import { isJsonObject } from '../core/json/values.js';
import { openDocument, Problems, readMapping } from './document.js';
import { EXECUTOR, listOf, readBySchema, SETTINGS, show, type Values } from './schema.js';
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

/** What is not in the file has its default. One problem is enough to refuse all of it. Never throws. */
export async function parseConfig(text: string): Promise<ConfigRead> {
  const opened = await openDocument(CONFIG_FILE, text);
  if (opened.status === 'refused') return opened;
  const { value, problems } = opened;
  problems.addSecrets(value);
  if (problems.list.length > 0) return { status: 'refused', problems: problems.list };
  const config = readConfig(value, problems);
  return problems.list.length > 0
    ? { status: 'refused', problems: problems.list }
    : { status: 'config', config };
}

/** The config of a project that has no file. */
export const DEFAULTS: Config = readConfig(null, new Problems(CONFIG_FILE, () => 1));

type Read = Values<typeof SETTINGS>;

function readConfig(value: unknown, problems: Problems): Config {
  const read = readBySchema(SETTINGS, value, [], problems, ['executors']);
  const groups = isJsonObject(value) ? value : {};
  const executors = readExecutors(groups.executors, problems);
  const { timeout: timeoutMs, ...execute } = read.execute;
  return {
    ...read,
    execute: { timeoutMs, ...execute },
    capture: { ...read.capture, state: read.capture.state ?? null },
    research: isEmpty(groups.research) ? null : readResearch(read.research, problems),
    model: isEmpty(groups.model) ? null : readModel(read.model, problems),
    executors,
    orchestrate: readOrchestrate(read.orchestrate, executors, problems),
  };
}

/** Nothing of a group stands in the file. */
function isEmpty(group: unknown): boolean {
  return !isJsonObject(group) || Object.values(group).every((value) => value === null);
}

function readResearch(research: Read['research'], problems: Problems): ResearchConfig | null {
  const { provider, url, keyEnv } = research;
  if (problems.hasIn('research')) return null;
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
  if (problems.hasIn('model')) return null;
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
      problems.add(path, 'is no name for an executor; write letters, digits, ".", "_" and "-"');
      continue;
    }
    const before = problems.list.length;
    const { command, preset } = readBySchema(EXECUTOR, written, path, problems);
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
  problems: Problems,
): OrchestrateConfig {
  const { executor, jobs, maxAttempts, taskTime, time, taskBudget, budget, setup } = orchestrate;
  const names = [...Object.keys(executors), ...EXECUTOR_PRESETS, ...OWN_EXECUTORS];
  if (executor !== undefined && !names.includes(executor) && !problems.hasIn('executors')) {
    problems.add(
      ['orchestrate', 'executor'],
      `is ${show(executor)}, which is no executor; write ${listOf([...new Set(names)])}`,
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
