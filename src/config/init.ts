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
    return { status: 'refused', reason: `${there.join(' and ')} already ${verb}. Nothing was written.` };
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
    const lines = settingLines({ [key]: entry }, 0).map((line) => `# ${line}`);
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
## Settings for this project. They override your own, in ~/.config/teddy/config.yaml ("teddy setup" writes the model there).
## Each line shows a default, or an example where there is none. To change a setting, remove the "# " in front of it and of
## the section name above it.
## Never write keys or passwords here: teddy reads them from environment variables.`;

const LEADS: Readonly<Record<string, string | undefined>> = {
  research: 'The search engine for RESEARCH. Without one, RESEARCH fails.',
  model: 'The model for teddy chat and teddy plan. Your own config is a better place: run "teddy setup".',
  orchestrate: 'Defaults of teddy orchestrate.',
  executors: 'Programs that work on tasks, each under a name that you choose.',
};

const POLICY_TEXT = `\
## What teddy may do without asking you, and what it must never do.
## A matching deny always wins, even over --yes. Otherwise the first matching rule decides. Otherwise teddy asks you.
## To use a rule, remove the "# " in front of it and of "rules:".

# rules:
#   - {deny: EXECUTE, command: "rm *"}            # any command that contains rm; this is not a sandbox
#   - {deny: CREATE, overwrite: true}             # plans that want to overwrite a file
#   - {ask: "*", path: ".github/**"}              # must be above the allow rules
#   - {allow: READ, path: "src/**"}
#   - {allow: CREATE, path: "docs/**"}
#   - {allow: EXECUTE, command: "git status *"}   # plain arguments only, no options
`;
