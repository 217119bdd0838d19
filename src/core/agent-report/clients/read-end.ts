import { reportIssue } from '../issue.js';
import type { Client, ClientAnswer } from '../types.js';
import { kindOfExit } from './gemini.js';
import { readClientOutput } from './read-client.js';

/** How a client's process ended. */
export interface ClientEnd {
  stdout: string;
  stderr: string;
  /** Null where it did not end by itself. */
  exitCode: number | null;
}

type PrintingClient = Exclude<Client, 'text'>;

/**
 * What a client came to: its answer as `readClientOutput` takes it, and why there is none, where that is known only by its
 * error output or its exit code. Never throws.
 */
export function readClientEnd(client: PrintingClient, end: ClientEnd): ClientAnswer {
  const answer = readClientOutput(client, end.stdout);
  if (end.exitCode === 0 || (answer.failed !== null && answer.failed !== 'other')) return answer;
  if (client === 'gemini') return readGeminiEnd(answer, end);
  return saidBefore(answer) ? answer : refuse(answer, client, findRefusal(client, end));
}

/** The client has begun: what it says of itself stands in its output. */
function saidBefore({ text, failed, issues }: ClientAnswer): boolean {
  return text !== null || failed !== null || issues.some(({ code }) => code === 'client-cut-off');
}

/** It prints errors on standard error only, the last as JSON; its exit code tells what they are about. */
function readGeminiEnd(answer: ClientAnswer, end: ClientEnd): ClientAnswer {
  const said = answer.failed === null ? readClientOutput('gemini', end.stderr) : answer;
  const kind = MODEL_MISSING.test(end.stderr) ? 'unusable' : kindOfExit(end.exitCode);
  if (said.failed === null) return refuse(answer, 'gemini', findRefusal('gemini', end), kind);
  return { ...answer, failed: said.failed === 'other' ? kind : said.failed, issues: said.issues };
}

const MODEL_MISSING = /^Error when talking to Gemini API .{0,300}\bModelNotFoundError: /m;

/** What command lines say of a flag that they do not know. */
const USAGE =
  /^.{0,20}\b(?:unknown (?:option|argument)s?|unexpected argument|unrecognized (?:option|argument)s?|invalid value)\b.*$/im;

/** What a client says where it does not begin: it is not set up for this, and no further attempt will do better. */
const REFUSALS: Readonly<Record<PrintingClient, RegExp>> = {
  claude: /^(?:--dangerously-skip-permissions cannot be used with root|Error: --\w[\w-]* is not a valid).*$/m,
  codex: /^(?:Not inside a trusted directory|Error loading config).*$/m,
  gemini: /^.{0,9}Gemini CLI is not running in a trusted directory\..*$/m,
  opencode: /^(?:Error: )?Configuration is invalid.*$/m,
};

const OPENCODE_HELP = /^opencode run \[message\.\.\]\s/;

function findRefusal(client: PrintingClient, { stdout, stderr }: ClientEnd): string | null {
  const said = REFUSALS[client].exec(stderr) ?? USAGE.exec(stderr);
  if (said) return said[0].trim();
  const showsHelp = client === 'opencode' && OPENCODE_HELP.test(stdout.trimStart() || stderr.trimStart());
  return showsHelp
    ? 'It printed its help, so it does not know one of the flags that it was started with.'
    : null;
}

function refuse(
  answer: ClientAnswer,
  client: PrintingClient,
  said: string | null,
  kind: ClientAnswer['failed'] = said === null ? null : 'unusable',
): ClientAnswer {
  if (said === null) return kind === null || kind === 'other' ? answer : { ...answer, failed: kind };
  const issue = reportIssue('client-error', [], `${client} did not start. It says: ${JSON.stringify(said)}.`);
  return { ...answer, failed: kind === 'other' ? 'unusable' : kind, issues: [issue] };
}
