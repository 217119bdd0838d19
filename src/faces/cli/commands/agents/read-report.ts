import { checkReport } from '../../../../agents/check-report.js';
import type { CheckReportOptions, ReportCheck } from '../../../../agents/types.js';
import { CLIENTS, type Client, JSON_CLIENTS } from '../../../../core/agent-report/types.js';
import { now } from '../../../../node/clock.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, isTerminal } from '../../../../node/terminal/terminal.js';
import type { Incoming } from '../../../../workspace/incoming.js';
import { decodeInput, holdInput, pathFromHere, pathInside, readInput } from '../../input.js';
import type { GlobalOptions } from '../../output.js';
import { findProject, openTrusted, type Project, type TrustedProject, trustAgents } from '../../project.js';
import { quoteWord } from '../../words.js';

export const LEVEL = 'summary, detailed or comprehensive';
export const CLIENTS_HELP = `the client that printed it: ${JSON_CLIENTS.join(', ')} or text (default: text)`;
export const LENIENT =
  'accept a fence or other text around the report (default at a terminal, except with --json)';
export const NOT_LENIENT = 'accept only one JSON object with nothing around it (default without a terminal)';

/** The options of all commands that read reports. */
export interface ReadOptions extends GlobalOptions {
  agent?: string;
  from?: string;
  /** Undefined uses the default of the command. */
  lenient?: boolean;
}

export type HowToCheck = Partial<Pick<CheckReportOptions, 'base' | 'asked' | 'again'>> & {
  /** Files that are read in addition. */
  beside?: readonly string[];
};

/** A report that was saved and checked. */
export interface ReadReport extends ReportCheck {
  project: TrustedProject;
}

/**
 * Reads and checks a report. Standard input is saved before anything else; errors then say how to continue
 * with it, with options from `how`.
 */
export async function readReport(
  file: string,
  options: ReadOptions,
  how: () => HowToCheck = () => ({}),
): Promise<ReadReport> {
  const place = findProject(options);
  const input = await readInput(file, 'report');
  const notes: string[] = [];
  const held = hold(file, input.bytes, place, notes);
  try {
    const { text } = decodeInput(input);
    const client = requireClient(options.from);
    const { beside = [], ...asked } = how();
    const project = await openTrusted(options, place);
    await trustAgents(project, options);
    const checked = await checkReport({
      workspace: project.workspace,
      threshold: project.config.review.confidence,
      text,
      client,
      lenient: options.lenient ?? (isTerminal('stdout') && !options.json),
      asked: { agent: options.agent ?? null, taskId: null, verbosity: null },
      base: null,
      environment: environmentVariables(),
      now: now(),
      held,
      again: false,
      ownFiles: ownFiles([file, ...beside], place),
      ...asked,
    });
    return { ...checked, notes: [...notes, ...checked.notes], project };
  } catch (error) {
    if (!held || !(error instanceof UserError)) throw error;
    const again = describeAgain(pathFromHere(place.root, held.path), options, error.message);
    throw new UserError(`${error.message}\nThe answer was saved. To check it again: ${again}`, {
      cause: error,
    });
  } finally {
    held?.release();
  }
}

/** The options for checking it again, except those at fault. */
function describeAgain(path: string, options: ReadOptions, blamed: string): string {
  const words = Object.entries(options as unknown as Record<string, unknown>).flatMap(([key, value]) => {
    const name = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (['color', 'json', 'trust'].includes(key) || blamed.includes(`${name} `)) return [];
    if (value === true) return [name];
    return typeof value === 'string' ? [`${name} ${quoteWord(value)}`] : [];
  });
  return ['teddy agent check', quoteWord(path), ...words].join(' ');
}

/** A project that is not writable can still be read. */
function hold(file: string, bytes: Uint8Array, place: Project, notes: string[]): Incoming | null {
  try {
    return holdInput(file, bytes, place, '.report') ?? null;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    notes.push(`The answer was not saved. ${error.message}`);
    return null;
  }
}

/** The files that are read and, on Linux, those behind standard input and output. */
function ownFiles(files: readonly string[], { root }: Project): string[] {
  return [...files, '/proc/self/fd/0', '/proc/self/fd/1'].flatMap((path) => pathInside(root, path) ?? []);
}

function requireClient(word = 'text'): Client {
  const client = CLIENTS.find((each) => each === word);
  if (client) return client;
  throw new UserError(`--from ${JSON.stringify(word)} must be one of ${CLIENTS.join(', ')}.`);
}
