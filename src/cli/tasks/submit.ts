import type { CapturedResult } from '../../capture/types.js';
import { openCapture } from '../../capture/project.js';
import { environmentVariables, writeOutput } from '../../platform/terminal.js';
import { isUnusable, Unusable } from '../../platform/unusable.js';
import { isPlan, submitResult } from '../../turn/index.js';
import { type Paint, paintFor } from '../paint.js';
import { findPlace, type Place } from '../place.js';
import { resultJson } from '../result-json.js';
import { visibleLine } from '../visible.js';
import type { lookAhead } from './look.js';
import { nextLines } from './next-lines.js';
import { NoSuchPlan, openTasks, planFromRoot, requirePlan, stateFromRoot } from './open.js';
import type { Outlook } from './outlook.js';
import {
  keeping,
  type ResultInput,
  receiveResult,
  type SubmitWords,
  tellOfInterruption,
  tellOfLeft,
  textOf,
} from './result-input.js';
import { capturedJson, describeVerification, isTrue, outcomeLines } from './submit-lines.js';
import { verdictLines } from './verdict-lines.js';
import { Verifying } from './verifying.js';

/** How to find out what people are asked: it is much, and loaded only where it is needed. */
type LookAhead = typeof lookAhead;

/** Where this is missing, orchestrate has asked nobody. */
const JOURNAL = '.ultraplan/state/journal.jsonl';

export async function submit(file: string, options: SubmitWords, look: LookAhead): Promise<number> {
  const place = findPlace(options);
  const input = await receiveResult(file, place);
  return keeping(input, place, options, () => submitInput(input, place, options, look));
}

async function submitInput(
  input: ResultInput,
  place: Place,
  options: SubmitWords,
  look: LookAhead,
): Promise<number> {
  const plan = planFromRoot(place.root, requirePlan(options));
  const state = readState(place, plan, options);
  const { workspace, config, policy } = await openTasks(place, options);
  tellOfLeft(input, place, options);
  const text = textOf(input);
  const verifying = new Verifying(paintFor('stderr', options));
  try {
    const captured = await submitResult({
      workspace,
      config,
      policy,
      text,
      plan,
      ...(input.held && { held: input.held }),
      ...(state !== undefined && { state }),
      ...(options.session !== undefined && { session: options.session }),
      ...(options.id !== undefined && { id: options.id }),
      verify: options.verify ?? false,
      environment: environmentVariables(),
      ...verifying.options,
    });
    const { next, waiting } = captured;
    const mayAsk = workspace.view((view) => view.look(JOURNAL) !== 'missing');
    const outlook =
      mayAsk && next.length + waiting.length > 0
        ? await look(openCapture(workspace, config, state), captured)
        : { next, asking: [], waiting };
    writeOutput(
      options.json
        ? resultJson(place.root, capturedJson(captured, outlook))
        : toWords(captured, outlook, options, paintFor('stdout', options)),
    );
    return exitCodeOf(captured);
  } catch (error) {
    if (verifying.interrupted) {
      tellOfInterruption(input, place, options);
      return 130;
    }
    if (!isUnusable(error) || (await isPlan({ workspace, config, plan }))) throw error;
    throw new NoSuchPlan(error.message, { cause: error });
  } finally {
    verifying.end();
  }
}

function readState(place: Place, plan: string, options: SubmitWords): string | undefined {
  if (options.state === undefined) return undefined;
  const state = stateFromRoot(place.root, options.state);
  if (state !== plan) return state;
  throw new Unusable(`--state ${visibleLine(options.state)} is the plan itself; name another file.`);
}

/** A failure that was told as one is captured like a success; a claim that did not hold is not what was asked for. */
function exitCodeOf(captured: CapturedResult): number {
  return captured.status === 'rejected' || !isTrue(captured) ? 1 : 0;
}

function toWords(captured: CapturedResult, outlook: Outlook, options: SubmitWords, paint: Paint): string {
  return [
    ...verdictLines(captured.verdict, paint),
    '',
    ...outcomeLines(captured, paint),
    ...describeVerification(captured, options.verify || captured.verification !== null, paint),
    ...(captured.status === 'rejected' ? [] : ['', ...nextLines(outlook, paint, captured.allDone)]),
    '',
  ].join('\n');
}
