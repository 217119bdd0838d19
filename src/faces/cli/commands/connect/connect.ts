import { join } from 'node:path';
import { realPathIn } from '../../../../core/tree.js';
import { UserError } from '../../../../node/errors.js';
import { files } from '../../../../node/file-calls.js';
import { decodeText, MB } from '../../../../node/files.js';
import { findProgram } from '../../../../node/find-program.js';
import { sha256 } from '../../../../node/ids.js';
import { runProcess } from '../../../../node/process/run.js';
import { environmentVariables, exit, writeError } from '../../../../node/terminal/terminal.js';
import { writeFileDiff } from '../../../../runs/diff/unified-diff.js';
import { type Change, entryMark, type TreeChange } from '../../../../workspace/commit/change.js';
import { isExecutable } from '../../../../workspace/commit/entries.js';
import { openTree } from '../../../../workspace/tree.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult, visible, visibleLine } from '../../output.js';
import { findProject, openProject } from '../../project.js';
import { CLIENT_ENTRIES, type ClientEntry } from './client-entries.js';
import SKILL from './SKILL.md';
import { appendBlock, removeBlock } from './text-block.js';

const NAMES = Object.keys(CLIENT_ENTRIES);

interface Options extends GlobalOptions {
  dryRun?: boolean;
  check?: boolean;
  remove?: boolean;
  agentsMd?: boolean;
  yes?: boolean;
}

export const connectCommand = new TeddyCommand('connect')
  .description(
    'let an agent propose to teddy: adds a skill and the MCP server to its settings in this project',
  )
  .argument('[client]', NAMES.join(', '))
  .option('--dry-run', 'show the changes without making them')
  .option('--check', 'show which clients are installed and connected, and whether teddy knows their version')
  .option('--remove', 'remove what connect added')
  .option('--agents-md', 'also write instructions into AGENTS.md, or with --remove remove them')
  .option('-y, --yes', 'make the changes without asking; needed without a terminal')
  .run(connect)
  .helpText(`Examples:
  teddy connect claude            shows the changes as a diff, and asks
  teddy connect codex --dry-run
  teddy connect --check           all clients
  teddy connect gemini --remove

Other entries and comments in these files stay as they are, byte for byte.`);

async function connect(name: string | undefined, options: Options): Promise<number> {
  if (name !== undefined && !Object.hasOwn(CLIENT_ENTRIES, name))
    throw new UserError(`${JSON.stringify(name)} must be one of ${NAMES.join(', ')}.`, { isUsage: true });
  if (options.check) return check(name, options);
  if (name === undefined)
    throw new UserError(`Name a client: ${NAMES.join(', ')}. What is installed: teddy connect --check`, {
      isUsage: true,
    });
  const { root, workspace } = await openProject(options);
  const edits = planEdits(workspace, CLIENT_ENTRIES[name]!, options);
  const diffs = edits.map(({ path, before, after }) => ({
    name: path,
    text: writeFileDiff(path, toDiffText(before), toDiffText(after)),
  }));
  const json = { client: name, files: edits.map(({ path }) => path), written: false };
  if (edits.length === 0) {
    const words = options.remove ? `${name} is not connected here.` : `${name} is already connected here.`;
    printResult(root, options, json, () => [words]);
    return 0;
  }
  if (options.dryRun) {
    printResult(root, options, json, () => visible(diffs.map(({ text }) => text).join('')));
    return 0;
  }
  if (!options.yes && !(await approve(root, name, diffs, options))) return 1;
  const changes = edits.map((edit) => toChange(edit, root));
  const result = await workspace.commit(changes, { origin: 'tool' });
  if (result.status !== 'committed')
    throw new UserError(`Nothing was written: ${'reason' in result ? result.reason : result.status}.`);
  printResult(root, options, { ...json, written: true }, () => [
    ...edits.map(({ path, after }) => `${after === null ? 'Deleted' : 'Wrote'} ${path}`),
    ...(options.remove ? [] : [`Start ${name} in this folder, and ask it to propose a change with teddy.`]),
  ]);
  return 0;
}

interface FileEdit {
  path: string;
  before: string | null;
  after: string | null;
}

const LARGEST = MB;

/** What changes in the project's files; nothing where all of it is there already, or gone. */
function planEdits(workspace: Workspace, client: ClientEntry, { remove, agentsMd }: Options): FileEdit[] {
  const read = (path: string) => readText(workspace, path);
  const config = client.config.find((path) => read(path) !== null) ?? client.config[0]!;
  const edits = [
    { path: config, ...editConfig(read(config), config, client, remove ?? false) },
    { path: client.skill, before: read(client.skill), after: remove ? null : SKILL },
    ...(agentsMd ? [{ path: AGENTS_MD, ...editInstructions(read(AGENTS_MD), remove ?? false) }] : []),
  ];
  return edits.filter(({ before, after }) => before !== after);
}

function editConfig(
  before: string | null,
  path: string,
  client: ClientEntry,
  remove: boolean,
): Omit<FileEdit, 'path'> {
  const isThere = before !== null && client.has(before);
  if (remove !== isThere) return { before, after: before };
  const after = remove ? client.remove(before!) : client.add(before);
  if (after === undefined)
    throw new UserError(
      `teddy cannot edit ${path} safely. ${remove ? 'Remove' : 'Add'} this yourself:\n${client.entry}`,
    );
  return { before, after };
}

const AGENTS_MD = 'AGENTS.md';
const START = '<!-- teddy: start -->';
const END = '<!-- teddy: end -->';

/** The same words as in the skill, between two marks. */
function editInstructions(before: string | null, remove: boolean): Omit<FileEdit, 'path'> {
  const text = before ?? '';
  const start = text.indexOf(START);
  const end = text.indexOf(END, start);
  if (start !== -1 && end === -1) throw new UserError(`${AGENTS_MD} has ${START} without ${END}.`);
  if (remove) return { before, after: start === -1 ? before : removeBlock(text, start, end + END.length) };
  if (start !== -1) return { before, after: before };
  const body = SKILL.slice(SKILL.indexOf('# Propose'));
  return { before, after: appendBlock(before, `${START}\n${body}${END}`) };
}

function readText(workspace: Workspace, path: string): string | null {
  const read = workspace.view((view) => view.read(path, LARGEST));
  if (read.status === 'missing') return null;
  if (read.status === 'refused') throw new UserError(`${path} ${read.reason}.`);
  const decoded = decodeText(read.bytes);
  if (decoded.status === 'refused') throw new UserError(`${path} ${decoded.reason}.`);
  return decoded.text;
}

function toDiffText(text: string | null) {
  return text === null ? null : { text, executable: false };
}

function toChange({ path, before, after }: FileEdit, root: string): Change | TreeChange {
  const encoder = new TextEncoder();
  if (after !== null)
    return {
      path,
      before: before === null ? null : sha256(encoder.encode(before)),
      after: encoder.encode(after),
    };
  const real = realPathIn(openTree(root), path);
  const executable = isExecutable(files.statAt(join(root, real))?.mode ?? 0);
  const entry = { kind: 'file', bytes: encoder.encode(before!), executable } as const;
  return { path: real, before: entryMark(entry), entry: null, clears: true };
}

async function approve(
  root: string,
  name: string,
  texts: { name: string; text: string }[],
  options: Options,
): Promise<boolean> {
  const { confirm } = await import('../../review/terminal-review.js');
  const answer = await confirm(
    {
      root,
      title: options.remove ? `Disconnect ${name}?` : `Connect ${name} to teddy?`,
      about: options.remove
        ? 'These changes are made in this project.'
        : 'These changes are made in this project. The agent can then propose to teddy; you still decide on everything.',
      texts,
      yes: 'make these changes',
      no: 'leave everything as it is',
    },
    options,
  );
  if (answer === 'no-terminal')
    throw new UserError('There is no terminal to ask at. Use --yes, or --dry-run to see the changes.');
  if (answer === 'interrupted') exit(130);
  if (answer === 'no') writeError('Nothing was changed.\n');
  return answer === 'yes';
}

interface CheckedClient {
  client: string;
  /** Null where it is not installed. */
  version: string | null;
  connected: boolean;
  /** Of the preset; null where there is none, or nothing to compare. */
  preset: 'tested' | 'untested' | 'unsupported' | null;
}

async function check(name: string | undefined, options: Options): Promise<number> {
  const { root, workspace } = findProject(options);
  const checked: CheckedClient[] = [];
  for (const client of name === undefined ? NAMES : [name]) {
    const entry = CLIENT_ENTRIES[client]!;
    const version = await readVersion(root, entry.program);
    const connected = entry.config.some((path) => {
      const text = readText(workspace, path);
      return text !== null && entry.has(text);
    });
    checked.push({ client, version, connected, preset: judgePreset(entry, version) });
  }
  printResult(root, options, checked, () => checked.map(describeCheck));
  return 0;
}

function judgePreset(
  { recorded, refusing = [] }: ClientEntry,
  version: string | null,
): CheckedClient['preset'] {
  if (version === null || recorded.length === 0) return null;
  if (refusing.includes(version)) return 'unsupported';
  return recorded.includes(version) ? 'tested' : 'untested';
}

const PRESET_WORDS = {
  tested: 'teddy was tested with this version',
  untested: 'teddy was not tested with this version',
  unsupported: 'this version does not have the flags that teddy needs: update it',
} as const;

function describeCheck({ client, version, connected, preset }: CheckedClient): string {
  const installed = version === null ? 'not installed' : `version ${visibleLine(version)}`;
  const parts = [installed, connected ? 'connected here' : 'not connected here'];
  if (preset !== null) parts.push(PRESET_WORDS[preset]);
  return `${client.padEnd(9)} ${parts.join('; ')}`;
}

const VERSION_MS = 30_000;

/** Null where it is not on PATH, outside this project. */
async function readVersion(root: string, program: string): Promise<string | null> {
  const env = environmentVariables();
  const found = findProgram(program, env.PATH ?? '', [root]);
  if (found.status === 'missing') return null;
  const result = await runProcess({
    command: { file: found.file, args: ['--version'] },
    cwd: root,
    env,
    timeoutMs: VERSION_MS,
    capture: { bytes: 1000 },
  });
  const said = 'stdout' in result ? result.stdout.head : '';
  return /\d+\.\d+\.\d+[\w.-]*/.exec(said)?.[0] ?? 'unknown';
}
