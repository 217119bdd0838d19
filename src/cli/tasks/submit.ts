import type { CapturedResult, TaskRef } from '../../capture/index.js';
import { environmentVariables, onSignals, writeError, writeOutput } from '../../platform/index.js';
import { submitResult } from '../../turn/index.js';
import { issueJson } from '../issue-json.js';
import type { GlobalOptions } from '../options.js';
import { type Paint, paintFor } from '../paint.js';
import { findPlace, type Place } from '../place.js';
import { visible, visibleJson, visibleLine } from '../visible.js';
import { nextLines } from './next-lines.js';
import { fromRoot, openTasks, planFromRoot, requirePlan } from './open.js';
import {
  keeping,
  type ResultInput,
  receiveResult,
  tellOfInterruption,
  tellOfLeft,
  textOf,
} from './result-input.js';
import { describeVerification, outcomeLines } from './submit-lines.js';
import { verdictJson, verdictLines } from './verdict-lines.js';

interface Options extends GlobalOptions {
  plan?: string;
  state?: string;
  session?: string;
  id?: string;
  verify?: boolean;
}

export async function submit(file: string, options: Options): Promise<number> {
  const place = findPlace(options);
  const input = await receiveResult(file, place);
  return keeping(input, place, options, () => submitInput(input, place, options));
}

async function submitInput(input: ResultInput, place: Place, options: Options): Promise<number> {
  const plan = planFromRoot(place.root, requirePlan(options));
  const { workspace, config, policy } = await openTasks(place, options);
  tellOfLeft(input, place, options);
  const text = textOf(input);
  const { signal, stopListening } = options.verify ? listenForSignals() : NO_SIGNALS;
  try {
    const captured = await submitResult({
      workspace,
      config,
      policy,
      text,
      plan,
      ...(input.held && { held: input.held }),
      ...(options.state !== undefined && { state: fromRoot(place.root, options.state) }),
      ...(options.session !== undefined && { session: options.session }),
      ...(options.id !== undefined && { id: options.id }),
      verify: options.verify ?? false,
      environment: environmentVariables(),
      signal,
      onVerify: (task, command) => tellOfVerify(task, command, paintFor('stderr', options)),
      onOutput: (_, output) => writeError(visible(output)),
    });
    writeOutput(
      options.json
        ? `${visibleJson(toJson(captured))}\n`
        : toWords(captured, options, paintFor('stdout', options)),
    );
    return exitCodeOf(captured);
  } catch (error) {
    if (!signal.aborted) throw error;
    tellOfInterruption(input, place, options);
    return 130;
  } finally {
    stopListening();
  }
}

const NO_SIGNALS = { signal: new AbortController().signal, stopListening: () => {} };

/** A command is run to its end or stopped; teddy does not go before it. */
function listenForSignals() {
  const interruption = new AbortController();
  return { signal: interruption.signal, stopListening: onSignals(() => interruption.abort()) };
}

function tellOfVerify({ id }: TaskRef, command: string, paint: Paint): void {
  const [first = '', ...more] = visible(command).split('\n');
  const lines = [first, ...more.map((line) => `         ${line}`)].join('\n');
  writeError(`${paint('dim', `Verifying ${visibleLine(id)}.`)}\nRunning: ${paint('bold', lines)}\n`);
}

/** A failure that was told as one is captured like a success; a claim that did not hold is not what was asked for. */
function exitCodeOf({ status, verdict, effectiveStatus }: CapturedResult): number {
  if (status === 'rejected') return 1;
  return effectiveStatus === null || effectiveStatus === verdict.result?.status ? 0 : 1;
}

function toJson(captured: CapturedResult) {
  const { status, verdict, plan, verification, notes, next, waiting } = captured;
  return {
    ...verdictJson(verdict, plan),
    applied: status === 'applied',
    duplicate: status === 'duplicate',
    logged: captured.logged,
    claimedStatus: verdict.result?.status ?? null,
    effectiveStatus: captured.effectiveStatus,
    verification,
    session: captured.session,
    statePath: captured.statePath,
    notes: notes.map(issueJson),
    conflicts: captured.conflicts,
    next,
    waiting,
  };
}

function toWords(captured: CapturedResult, options: Options, paint: Paint): string {
  return [
    ...verdictLines(captured.verdict, paint),
    '',
    ...outcomeLines(captured, paint),
    ...describeVerification(captured, options.verify ?? false, paint),
    ...(captured.status === 'rejected' ? [] : ['', ...nextLines(captured, paint)]),
    '',
  ].join('\n');
}
