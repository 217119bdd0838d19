import { openDocument, readBySchema, readMapping } from './document.js';
import type { Problems } from './problems.js';
import { EXECUTOR, listOf, SETTINGS, show, type Values } from './schema.js';
import {
  type Config,
  type ConfigProblem,
  EXECUTOR_PRESETS,
  type ExecutorConfig,
  type ModelConfig,
  type OrchestrateConfig,
  OWN_EXECUTORS,
  type ResearchConfig,
} from './types.js';

export const CONFIG_FILE = '.teddy/config.yaml';

export const DEFAULTS: Config = {
  research: null,
  model: null,
  execute: { timeoutMs: 600_000, sandbox: false, network: true, outputLines: 400 },
  read: { allowPrivate: false, maxBytes: 5 * 1024 * 1024 },
  report: { format: 'mirrored', tip: { lines: 80, characters: 4000 } },
  replan: { limit: 3 },
  review: { confidence: 0.7 },
  context: { budget: 100_000 },
  capture: { dir: '.ultraplan/logs', state: null },
  plans: { glob: ['.planning/**/*-PLAN.md', '.ultraplan/plans/**/*-PLAN.md', '*-PLAN.md'] },
  executors: {},
  orchestrate: {
    executor: null,
    jobs: 1,
    maxAttempts: 3,
    taskTimeMs: 30 * 60_000,
    timeMs: null,
    taskBudgetUsd: null,
    budgetUsd: null,
    setup: null,
  },
  runs: { keep: 200 },
};

const MODEL_DEFAULTS = { maxOutputTokens: 16_000, timeoutMs: 600_000, idleMs: 120_000 };

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
  const read = readBySchema(SETTINGS, value, [], problems, ['executors']);
  const mapping = value !== null && typeof value === 'object' ? (value as { executors?: unknown }) : {};
  const executors = readExecutors(mapping.executors, problems);
  const config: Config = {
    ...withDefaults(read),
    research: readResearch(read.research, problems),
    model: readModel(read.model, problems),
    executors,
    orchestrate: readOrchestrate(read.orchestrate, executors, problems),
  };
  return problems.list.length > 0
    ? { status: 'refused', problems: problems.list }
    : { status: 'config', config };
}

type Read = Values<typeof SETTINGS>;

function withDefaults({ execute, read, report, replan, review, context, capture, plans, runs }: Read) {
  return {
    execute: {
      timeoutMs: execute.timeout ?? DEFAULTS.execute.timeoutMs,
      sandbox: execute.sandbox ?? DEFAULTS.execute.sandbox,
      network: execute.network ?? DEFAULTS.execute.network,
      outputLines: execute.outputLines ?? DEFAULTS.execute.outputLines,
    },
    read: {
      allowPrivate: read.allowPrivate ?? DEFAULTS.read.allowPrivate,
      maxBytes: read.maxBytes ?? DEFAULTS.read.maxBytes,
    },
    report: {
      format: report.format ?? DEFAULTS.report.format,
      tip: {
        lines: report.tip.lines ?? DEFAULTS.report.tip.lines,
        characters: report.tip.characters ?? DEFAULTS.report.tip.characters,
      },
    },
    replan: { limit: replan.limit ?? DEFAULTS.replan.limit },
    review: { confidence: review.confidence ?? DEFAULTS.review.confidence },
    context: { budget: context.budget ?? DEFAULTS.context.budget },
    capture: {
      dir: capture.dir ?? DEFAULTS.capture.dir,
      state: capture.state ?? DEFAULTS.capture.state,
    },
    plans: { glob: plans.glob ?? [...DEFAULTS.plans.glob] },
    runs: { keep: runs.keep ?? DEFAULTS.runs.keep },
  };
}

function readResearch(research: Read['research'], problems: Problems): ResearchConfig | null {
  const { provider, url, keyEnv } = research;
  if (isEmpty(research) || problems.hasIn('research')) return null;
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
  if (isEmpty(model) || problems.hasIn('model')) return null;
  const wrong = findModelProblem(model);
  if (wrong !== null) {
    problems.add(['model'], wrong);
    return null;
  }
  const { inputPrice, outputPrice } = model;
  const common = {
    name: name!,
    maxOutputTokens: model.maxOutputTokens ?? MODEL_DEFAULTS.maxOutputTokens,
    timeoutMs: model.timeout ?? MODEL_DEFAULTS.timeoutMs,
    idleMs: model.idle ?? MODEL_DEFAULTS.idleMs,
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
  const defaults = DEFAULTS.orchestrate;
  return {
    executor: executor ?? defaults.executor,
    jobs: jobs ?? defaults.jobs,
    maxAttempts: maxAttempts ?? defaults.maxAttempts,
    taskTimeMs: taskTime ?? defaults.taskTimeMs,
    timeMs: time ?? defaults.timeMs,
    taskBudgetUsd: taskBudget ?? defaults.taskBudgetUsd,
    budgetUsd: budget ?? defaults.budgetUsd,
    setup: setup ?? defaults.setup,
  };
}

/** Nothing of it stands in the file. */
function isEmpty(group: object): boolean {
  return Object.values(group).every((value) => value === undefined);
}
