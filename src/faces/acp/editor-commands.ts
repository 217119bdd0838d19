import { listRuns } from '../../runs/run-list.js';
import type { Workspace } from '../../workspace/workspace.js';
import { runListWords } from '../cli/commands/plans/runs.js';
import { undoLines } from '../cli/commands/plans/undo.js';
import { visibleLine } from '../cli/output.js';

// What the user can type in the editor instead of a message.

const COMMANDS = {
  undo: { description: 'restore the files as they were before the last run', hint: 'run (optional)' },
  runs: { description: 'list the runs in this project', hint: null },
  resume: { description: 'review the plan that waits, or let the agent continue', hint: null },
  skip: { description: "leave the agent's question unanswered", hint: 'reason (optional)' },
} as const;

type CommandName = keyof typeof COMMANDS;

export const EDITOR_COMMANDS = Object.entries(COMMANDS).map(([name, facts]) => ({ name, ...facts }));

export type PromptRead =
  | { kind: 'message'; text: string }
  | { kind: 'command'; name: CommandName; argument: string }
  | { kind: 'unknown'; sentence: string };

/** `//path` is a message that starts with one slash. */
export function readPrompt(text: string): PromptRead {
  const typed = text.trim();
  if (typed.startsWith('//')) return { kind: 'message', text: typed.slice(1) };
  if (!typed.startsWith('/')) return { kind: 'message', text };
  const [, word = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(typed)!;
  const name = word.toLowerCase();
  if (Object.hasOwn(COMMANDS, name)) return { kind: 'command', name: name as CommandName, argument };
  const list = Object.keys(COMMANDS).map((each) => `/${each}`);
  const sentence = `/${visibleLine(word)} is not a command. Commands: ${list.join(' ')}. To send a message that starts with a slash, write //.`;
  return { kind: 'unknown', sentence };
}

const plain = (_: unknown, text: string) => text;

export async function undoInEditor(workspace: Workspace, named: string): Promise<string> {
  return (await undoLines(workspace, named === '' ? undefined : named, plain)).join('\n');
}

const MOST_RUNS = 30;

export function listRunsInEditor(workspace: Workspace): string {
  return runListWords(listRuns(workspace).slice(0, MOST_RUNS), plain).trimEnd();
}
