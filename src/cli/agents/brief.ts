import { environmentVariables, writeError, writeOutput } from '../../platform/terminal.js';
import { now } from '../../platform/clock.js';
import { Unusable } from '../../platform/unusable.js';
import { briefAgent, requireVerbosity } from '../../turn/index.js';
import { readReportInput, textOf } from '../input.js';
import type { GlobalOptions } from '../options.js';
import { openPlace } from '../place.js';
import { resultJson } from '../result-json.js';
import { visible } from '../visible.js';

interface Options extends GlobalOptions {
  taskId?: string;
  goal?: string;
  verbosity: string;
  contextMap?: string;
  scope?: string[];
  field?: string[];
  strict?: boolean;
}

export async function brief(agent: string, options: Options): Promise<number> {
  const { root, workspace } = await openPlace(options);
  const { path, notes } = await briefAgent({
    workspace,
    agent,
    taskId: required(options.taskId, '--task-id', 'what the report is to be known by'),
    goal: required(options.goal, '--goal', 'what is to be reached'),
    verbosity: requireVerbosity(options.verbosity),
    scope: options.scope ?? [],
    fields: readFields(options.field ?? []),
    contextMap: options.contextMap === undefined ? null : await readMap(options.contextMap),
    strict: options.strict === true,
    environment: environmentVariables(),
    now: now(),
    // Told before it is noted how the files are: standard output may be one of them.
    onText: (text) => writeOutput(options.json ? resultJson(root, { briefing: text }) : visible(text)),
  });
  for (const note of notes) writeError(`${visible(note)}\n`);
  writeError(`Kept in ${path}.\n`);
  return 0;
}

async function readMap(file: string): Promise<{ name: string; text: string }> {
  const input = await readReportInput(file);
  return { name: input.name, text: textOf(input) };
}

function required(value: string | undefined, option: string, about: string): string {
  if (value !== undefined) return value;
  throw new Unusable(`${option} is missing: ${about}; see teddy agent brief --help.`, { isUsage: true });
}

function readFields(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, text] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
      if (name === undefined || text === undefined)
        throw new Unusable(`--field ${JSON.stringify(word)} is not of the form name=text.`);
      return [name, text];
    }),
  );
}
