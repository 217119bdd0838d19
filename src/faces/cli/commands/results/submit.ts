import { environmentVariables } from '../../../../node/terminal/terminal.js';
import { UserError } from '../../../../node/user-error.js';
import { type CaptureProject, openCapture } from '../../../../tasks/project.js';
import { submitResult } from '../../../../tasks/submit-result.js';
import type { CapturedResult } from '../../../../tasks/types.js';
import { EVERYWHERE, PLAN, TeddyCommand } from '../../command.js';
import { findProject, type Project } from '../../open-project.js';
import { type Paint, paintFor } from '../../paint.js';
import { printResult } from '../../result-json.js';
import { visibleLine } from '../../visible.js';
import { nextLines } from '../tasks/next-lines.js';
import { NoSuchPlan, openTasks, planFromRoot, requirePlan, stateFromRoot } from '../tasks/open.js';
import type { Outlook } from '../tasks/status.js';
import {
  decodeInput,
  keeping,
  type ResultInput,
  receiveResult,
  type SubmitWords,
  tellOfInterruption,
  tellOfLeft,
} from './result-input.js';
import { capturedJson, captureLines, describeVerification, isTrue, Verifying } from './submit-lines.js';
import { verdictLines } from './verdict-lines.js';

/** Where this is missing, orchestrate has asked nobody. */
const JOURNAL = '.ultraplan/state/journal.jsonl';

export const submitResultCommand = new TeddyCommand('submit')
  .description('judge a result; apply it to PLAN.md and STATE.md; log it; say what is next')
  .argument('<file>', 'the YAML of the result; - for standard input')
  .option('--plan <plan>', `needed: ${PLAN}`)
  .option('--state <file>', 'the STATE.md to keep up to date')
  .option('--session <id>', 'begin or go on with this session')
  .option('--id <key>', "the result's identity (default: a hash of plan and text)")
  .option('--verify', "run the task's <verify> command before believing a success")
  .run(submit)
  .addHelpText(
    'after',
    `
Examples:
  teddy result submit result.yaml --plan 03-01
  some-executor | teddy result submit - --plan .planning/03-01-PLAN.md
  teddy result submit result.yaml --plan 03-01 --verify
  teddy result submit result.yaml --plan 03-01 --id build-814 --json

A result is applied once: the same text again is a duplicate, and changes
nothing. A true retry says so: metadata.attempt: 2.

With --verify, what the command says goes before what the result claims.

Exit codes: 0 captured (also a failure that was told as one, and a duplicate),
1 INVALID, or a claim that --verify found to be untrue, 2 no such plan, not
readable, not trusted, or locked for a minute. What came on standard input is
kept in .teddy/incoming until it is captured.
${EVERYWHERE}`,
  );

async function submit(file: string, options: SubmitWords): Promise<number> {
  const place = findProject(options);
  const input = await receiveResult(file, place);
  return keeping(input, place, options, () => submitInput(input, place, options));
}

async function submitInput(input: ResultInput, place: Project, options: SubmitWords): Promise<number> {
  const plan = planFromRoot(place.root, requirePlan(options));
  const state = readState(place, plan, options);
  const { workspace, config, policy } = await openTasks(place, options);
  tellOfLeft(input, place, options);
  const text = decodeInput(input);
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
    const outlook = await readOutlook(openCapture(workspace, config, state), captured);
    printResult(place.root, options, capturedJson(captured, outlook), (paint) =>
      toWords(captured, outlook, options, paint),
    );
    return exitCodeOf(captured);
  } catch (error) {
    if (verifying.interrupted) {
      tellOfInterruption(input, place, options);
      return 130;
    }
    const { isPlan } = await import('../../../../tasks/verify-result.js');
    if (!(error instanceof UserError) || isPlan({ workspace, config, plan })) throw error;
    throw new NoSuchPlan(error.message, { cause: error });
  } finally {
    verifying.end();
  }
}

/** Only where an orchestrator has worked is there a question that a person is asked. */
async function readOutlook(project: CaptureProject, captured: CapturedResult): Promise<Outlook> {
  const { next, waiting } = captured;
  const mayAsk = project.workspace.view((view) => view.look(JOURNAL) !== 'missing');
  if (!mayAsk || next.length + waiting.length === 0) return { next, asking: [], waiting };
  return (await import('../tasks/outlook.js')).readOutlook(project, captured);
}

function readState(place: Project, plan: string, options: SubmitWords): string | undefined {
  if (options.state === undefined) return undefined;
  const state = stateFromRoot(place.root, options.state);
  if (state !== plan) return state;
  throw new UserError(`--state ${visibleLine(options.state)} is the plan itself; name another file.`);
}

/** A failure that was told as one is captured like a success; a claim that did not hold is not what was asked for. */
function exitCodeOf(captured: CapturedResult): number {
  return captured.status === 'rejected' || !isTrue(captured) ? 1 : 0;
}

function toWords(captured: CapturedResult, outlook: Outlook, options: SubmitWords, paint: Paint): string {
  return [
    ...verdictLines(captured.verdict, paint),
    '',
    ...captureLines(captured, paint),
    ...describeVerification(captured, options.verify || captured.verification !== null, paint),
    ...(captured.status === 'rejected' ? [] : ['', ...nextLines(outlook, paint, captured.allDone)]),
    '',
  ].join('\n');
}
