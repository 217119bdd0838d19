import { realPath } from '../node/files.js';
import { openTree } from '../workspace/tree.js';
import { fileOf, PROJECT_FILES } from './project.js';
import { EXECUTOR, isSetting, type Schema, SETTINGS, type Setting } from './schema.js';
import type { ProjectFile } from './types.js';
import { CONFIG_FILE, POLICY_FILE } from './types.js';

export type Init =
  /** What to write. Once it is written, `trustProject` takes it as it is: the user asked for it. */
  | { status: 'ready'; root: string; files: ProjectFile[] }
  /** `reason` is a whole sentence. */
  | { status: 'refused'; reason: string };

/** The files of a project that has none yet: every key, each commented out, with its default. */
export function initProject(root: string): Init {
  const real = realPath(root) ?? root;
  const tree = openTree(real);
  const there = PROJECT_FILES.filter((path) => tree.stat(path) !== undefined);
  if (there.length > 0) {
    const verb = there.length === 1 ? 'exists' : 'exist';
    return { status: 'refused', reason: `${there.join(' and ')} already ${verb}; nothing was written.` };
  }
  return {
    status: 'ready',
    root: real,
    files: [fileOf(CONFIG_FILE, writeConfig()), fileOf(POLICY_FILE, POLICY_TEXT)],
  };
}

function writeConfig(): string {
  const groups: Schema = { ...SETTINGS, executors: { 'my-agent': { command: EXECUTOR.command } } };
  const sections = Object.entries(groups).map(([key, entry]) => {
    const lead = LEADS[key];
    const lines = [`${key}:`, ...settingLines(entry as Schema, 1)].map((line) => `# ${line}`);
    return [...(lead === undefined ? [] : [`## ${lead}`]), ...lines].join('\n');
  });
  return `${[CONFIG_LEAD, ...sections].join('\n\n')}\n`;
}

function settingLines(schema: Schema, depth: number): string[] {
  const indent = '  '.repeat(depth);
  return Object.entries(schema).flatMap(([key, entry]) =>
    isSetting(entry)
      ? [`${indent}${key}: ${writeSetting(entry)}  # ${entry.about}`]
      : [`${indent}${key}:`, ...settingLines(entry, depth + 1)],
  );
}

function writeSetting({ written }: Setting<unknown>): string {
  return Array.isArray(written)
    ? `[${written.map((each) => JSON.stringify(each)).join(', ')}]`
    : `${written}`;
}

const CONFIG_LEAD = `\
## Settings of teddy for this project.
## Every setting stands here with its default, or with an example where there is none. To set one, take the "# "
## from the front of its line and of the line above it that names its section.
## Keys and passwords have no place here: they come from the environment.`;

const LEADS: Readonly<Record<string, string | undefined>> = {
  research: 'For RESEARCH. There is none until you choose one.',
  model: 'For plans that teddy asks a model for. There is none until you choose one.',
  orchestrate: 'For teddy orchestrate.',
  executors: 'Programs that carry out tasks, each under a name of your own.',
};

const POLICY_TEXT = `\
## What may be done, and what not, without asking a person.
## A deny that matches wins, over --yes too. Else the first rule that matches decides. Else you are asked.
## To set a rule, take the "# " from the front of its line and of the line "rules:".

# rules:
#   - {deny: EXECUTE, command: "rm *"}            # wherever rm stands in a command; this is no sandbox
#   - {deny: CREATE, overwrite: true}             # a plan that wants to write over a file
#   - {ask: "*", path: ".github/**"}              # before the allows below
#   - {allow: READ, path: "src/**"}
#   - {allow: CREATE, path: "docs/**"}
#   - {allow: EXECUTE, command: "git status *"}   # with plain words after it, no options
`;
