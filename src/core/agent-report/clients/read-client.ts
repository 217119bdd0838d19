import { shiftProblem } from '../../json/find.js';
import { closes, readFence, splitLines } from '../../markdown/lines.js';
import { quoteExcerpt, shorten } from '../../text.js';
import { reportIssue } from '../issue.js';
import type { Client, ClientAnswer, JsonClient, ReportIssue } from '../types.js';
import { type ClientEnd, refuseAnswer, type TakenAnswer } from './client.js';
import { CLIENT_DEFINITIONS, guessClient, looksLikeReport } from './clients.js';
import { piecesOf, type RefusedPiece } from './pieces.js';

/**
 * Extracts the agent's last message, unchanged except that a fence around all of it is removed, with a warning. There
 * may be errors beside a text. Never throws; linear time.
 */
export function readClientOutput(client: Client, output: string): ClientAnswer {
  if (!/\S/.test(output)) return refuseAnswer(reportIssue('report-empty', [], 'The agent report is empty.'));
  if (client === 'text') return { ...refuseAnswer(), text: output };
  const taken = takeAnswer(client, output);
  if (taken === null) return refuseAnswer(describeStranger(client, output));
  const text = taken.doubt === null ? taken.text : null;
  const inside = text === null ? null : unwrapFence(text);
  const issues = issuesOf(client, output, { ...taken, text });
  if (inside !== null) issues.push(reportIssue('report-wrapped', [], WRAPPED, { hint: BARE }));
  return { text: inside ?? text, measured: taken.measured, failed: taken.failure?.kind ?? null, issues };
}

/** Null if none of the pieces is printed by this client. */
function takeAnswer(client: JsonClient, output: string): TakenAnswer | null {
  const { openReader, isBareError } = CLIENT_DEFINITIONS[client];
  const reader = openReader();
  let isSeen = false;
  for (const piece of piecesOf(output)) {
    if (piece.status === 'refused') {
      if (piece.cutOff) reader.taken.ended = false;
      else reader.skip(piece);
      continue;
    }
    const other = guessClient(piece.event);
    if (other !== client && (other !== null || !isBareError?.(piece.event))) continue;
    isSeen = true;
    reader.take(piece.event);
  }
  reader.end();
  return isSeen ? reader.taken : null;
}

/**
 * Reads a client's answer as `readClientOutput` does, and explains a missing one by the error output and exit code.
 * Never throws.
 */
export function readClientEnd(client: JsonClient, end: ClientEnd): ClientAnswer {
  const answer = readClientOutput(client, end.stdout);
  if (end.exitCode === 0 || (answer.failed !== null && answer.failed !== 'other')) return answer;
  const kind = CLIENT_DEFINITIONS[client].kindOfEnd?.(end);
  if (kind === undefined) return hasStarted(answer) ? answer : refuse(answer, client, end);
  const said = answer.failed === null ? readClientOutput(client, end.stderr) : answer;
  if (said.failed === null) return refuse(answer, client, end, kind);
  return { ...answer, failed: said.failed === 'other' ? kind : said.failed, issues: said.issues };
}

/** Whether the client started; its output then describes any failure. */
function hasStarted({ text, failed, issues }: ClientAnswer): boolean {
  return text !== null || failed !== null || issues.some(({ code }) => code === 'client-cut-off');
}

/** Messages that command lines print for an unknown flag. */
const USAGE =
  /^.{0,20}\b(?:unknown (?:option|argument)s?|unexpected argument|unrecognized (?:option|argument)s?|invalid value)\b.*$/im;

/** `kind` is derived from the exit. A client that did not start is not worth a retry. */
function refuse(
  answer: ClientAnswer,
  client: JsonClient,
  end: ClientEnd,
  kind: ClientAnswer['failed'] = 'other',
): ClientAnswer {
  const { refusal, describeRefusal } = CLIENT_DEFINITIONS[client];
  const line = refusal.exec(end.stderr) ?? USAGE.exec(end.stderr);
  const said = line ? JSON.stringify(line[0].trim()) : (describeRefusal?.(end) ?? null);
  if (said === null) return kind === 'other' ? answer : { ...answer, failed: kind };
  const issue = reportIssue('client-error', [], `${client} did not start: ${said}.`);
  return { ...answer, failed: kind === 'other' ? 'unusable' : kind, issues: [issue] };
}

const WRAPPED = 'The answer was in a fenced block; it was extracted.';
const BARE = 'Answer with the JSON object alone, without a fence around it.';

function issuesOf(client: JsonClient, output: string, taken: TakenAnswer): ReportIssue[] {
  const { text, failure, doubt, ended, denied } = taken;
  const issues: ReportIssue[] = [];
  if (failure !== null) {
    const said = failure.said === null ? '' : ` Its message: ${quoteExcerpt(failure.said, LONGEST)}.`;
    issues.push(reportIssue('client-error', [], `${client} failed: ${failure.reason}.${said}`));
  }
  if (doubt !== null) issues.push(describeDoubt(client, output, doubt));
  if (!ended && doubt === null) {
    const counts =
      text === null ? 'It had not answered yet' : 'The last message of the agent counts as its answer';
    const message = `The output of ${client} ends before it is complete. ${counts}.`;
    issues.push(reportIssue('client-cut-off', [], message));
  }
  if (text === null && failure === null && doubt === null) issues.push(describeSilence(client, taken));
  if (denied.length > 0) {
    const tools = [...new Set(denied)].join(', ');
    const message = `${client} did not allow its agent to use these tools: ${shorten(tools, LONGEST)}.`;
    issues.push(reportIssue('client-denied', [], message));
  }
  return issues;
}

function describeSilence(client: JsonClient, { instead, ended }: TakenAnswer): ReportIssue {
  const said = instead === null || !ended ? '' : ` Its message: ${quoteExcerpt(instead, LONGEST)}.`;
  return reportIssue('report-empty', [], `${client} printed no answer.${said}`);
}

function describeDoubt(client: JsonClient, output: string, piece: RefusedPiece): ReportIssue {
  const place = placeOf(output, piece);
  const message = `Line ${place.line} of the output of ${client} cannot be read, and it may contain the answer. ${piece.problem.message}`;
  return reportIssue('client-unreadable', [], message, { ...place, hint: piece.problem.hint });
}

/** Describes output that this client did not print. */
function describeStranger(client: JsonClient, output: string): ReportIssue {
  const message = `This is not what \`${CLIENT_DEFINITIONS[client].command}\` prints`;
  let refused: RefusedPiece | null = null;
  for (const piece of piecesOf(output)) {
    if (piece.status === 'refused') {
      refused ??= piece;
      continue;
    }
    if (looksLikeReport(piece.event)) {
      const hint = 'Leave out --from, or use --from text.';
      return reportIssue('client-unreadable', [], `${message}; it is a bare report.`, { hint });
    }
    const other = guessClient(piece.event);
    if (other === null) continue;
    const hint = `Use --from ${other}.`;
    return reportIssue('client-unreadable', [], `${message}; it looks like the output of ${other}.`, {
      hint,
    });
  }
  const hint = `Pass all the standard output of \`${CLIENT_DEFINITIONS[client].command}\`; for an answer as plain text, use --from text.`;
  if (refused === null) return reportIssue('client-unreadable', [], `${message}.`, { hint });
  const place = placeOf(output, refused);
  const where = `line ${place.line} cannot be read. ${refused.problem.message}`;
  return reportIssue('client-unreadable', [], `${message}: ${where}`, { ...place, hint });
}

/** Position of the problem in the whole output. */
function placeOf(output: string, { start, problem }: RefusedPiece): { line: number; column: number } {
  const { line, column } = shiftProblem(output, start, problem);
  return { line, column };
}

/** Characters quoted from a client's message. */
const LONGEST = 400;

/** The content of an answer that is one fence, marked as JSON or unmarked; else null. */
export function unwrapFence(answer: string): string | null {
  const lines = splitLines(answer.trim());
  const last = lines.count - 1;
  const opener = last < 2 ? undefined : readFence(lines, 0);
  if (!opener || !/^(?:json)?$/i.test(opener.info)) return null;
  for (let line = 1; line <= last; line++) {
    const mark = readFence(lines, line);
    if (!mark || !closes(mark, opener)) continue;
    const inside = lines.text.slice(lines.starts[1], lines.ends[line - 1]);
    return line === last && /\S/.test(inside) ? inside : null;
  }
  return null;
}
