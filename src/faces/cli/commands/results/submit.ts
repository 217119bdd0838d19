import { join } from 'node:path';
import { RESULT_FIELDS } from '../../../../core/task-result/guide.js';
import { UserError } from '../../../../node/errors.js';
import { lookAtFile } from '../../../../node/files.js';
import { environmentVariables, writeError } from '../../../../node/terminal/terminal.js';
import { submitResult } from '../../../../tasks/capture-results.js';
import { type CaptureProject, openCapture } from '../../../../tasks/project.js';
import type { CapturedResult } from '../../../../tasks/types.js';
import type { Incoming } from '../../../../workspace/incoming.js';
import { commandGroup, PLAN, TeddyCommand } from '../../command.js';
import {
  type BytesInput,
  decodeInput,
  holdInput,
  INCOMING,
  NoSuchPlan,
  pathFromHere,
  planFromRoot,
  readInput,
  requirePlan,
  stateFromRoot,
} from '../../input.js';
import { type GlobalOptions, type Paint, paintFor, printResult, visibleLine } from '../../output.js';
import { findProject, openTasks, type Project } from '../../project.js';
import { quoteWord } from '../../words.js';
import { nextLines, type Outlook } from '../tasks/task-lines.js';
import { checkResultCommand } from './check.js';
import {
  capturedJson,
  captureLines,
  describeVerification,
  isTrue,
  Verifying,
  verdictLines,
} from './result-lines.js';

/** Without this file, orchestrate has not asked any questions. */
const JOURNAL = '.ultraplan/state/journal.jsonl';

const submitResultCommand = new TeddyCommand('submit')
  .description('record a result: check it, update the task file and STATE.md, show what is next')
  .argument('<file>', 'the YAML result; - for standard input')
  .option('--plan <plan>', `required: ${PLAN}`)
  .option('--state <file>', 'the STATE.md to update')
  .option('--session <id>', 'start or continue this batch of results')
  .option('--id <key>', "the result's identity (default: a hash of task file and text)")
  .option('--verify', "run the task's <verify> command before accepting a success")
  .run(submit)
  .helpText(`Examples:
  teddy result submit result.yaml --plan 03-01
  some-executor | teddy result submit - --plan .planning/03-01-PLAN.md
  teddy result submit result.yaml --plan 03-01 --verify
  teddy result submit result.yaml --plan 03-01 --id build-814 --json

A result is recorded once: the same text again is a duplicate and changes
nothing. A real retry states its attempt: metadata.attempt: 2.

With --verify, the command's exit code overrides the result's claim.

Exit codes: 0 recorded (also a reported failure, and a duplicate), 1 INVALID,
or a claim that --verify found to be false, 2 unknown task file, unreadable,
not trusted, or locked for a minute. Text from standard input is saved in
.teddy/incoming until it is recorded.`);

export const resultCommand = commandGroup('result', [submitResultCommand, checkResultCommand])
  .description("check and record executors' results")
  .helpText(`Examples:
  teddy result submit result.yaml --plan 03-01
  teddy result check result.yaml --plan 03-01
  teddy result check result.yaml --plan 03-01 --fix > fixed.yaml

${RESULT_FIELDS}`);

async function submit(file: string, options: SubmitWords): Promise<number> {
  const place = findProject(options);
  const read = await readInput(file, 'result');
  // Saves the result before anything else can fail.
  const input = { ...read, held: holdInput(file, read.bytes, place) };
  return keeping(input, place, options, () => submitInput(input, place, options));
}

async function submitInput(input: ResultInput, place: Project, options: SubmitWords): Promise<number> {
  const plan = planFromRoot(place.root, requirePlan(options));
  const state = readState(place, plan, options);
  const { workspace, config, policy } = await openTasks(place, options);
  reportLeftovers(input, place, options);
  const { text } = decodeInput(input);
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
    // A reported failure is recorded like a success; a false claim exits with 1.
    return captured.status === 'rejected' || !isTrue(captured) ? 1 : 0;
  } catch (error) {
    if (verifying.interrupted) {
      const { held } = input;
      const again =
        held && `The result is saved. To submit it again: ${describeSubmit(held.path, place, options)}\n`;
      writeError(`Interrupted; the result was not recorded.\n${again ?? ''}`);
      return 130;
    }
    const { isPlan } = await import('../../../../tasks/verify-result.js');
    if (!(error instanceof UserError) || isPlan({ workspace, config, plan })) throw error;
    throw new NoSuchPlan(error.message, { cause: error });
  } finally {
    verifying.end();
  }
}

/** Only an orchestrator asks questions. */
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
  throw new UserError(`--state ${visibleLine(options.state)} is the task file itself. Name another file.`);
}

function toWords(captured: CapturedResult, outlook: Outlook, options: SubmitWords, paint: Paint): string[] {
  return [
    ...verdictLines(captured.verdict, paint),
    '',
    ...captureLines(captured, paint),
    ...describeVerification(captured, options.verify || captured.verification !== null, paint),
    ...(captured.status === 'rejected' ? [] : ['', ...nextLines(outlook, paint, captured.allDone)]),
  ];
}

/** The number of leftover results to name. */
const MOST_NAMED = 3;
/** Results younger than this are not reported as leftovers. */
const NEW_FOR_MS = 10_000;

interface ResultInput extends BytesInput {
  /** The saved copy of input that is not in a file; removed by the commit that records it. */
  held: Incoming | undefined;
}

interface SubmitWords extends GlobalOptions {
  plan?: string;
  state?: string;
  session?: string;
  id?: string;
  verify?: boolean;
}

/**
 * Adds to any error from `work` where the result is saved, and the command that submits it again: with the same options,
 * except those at fault.
 */
async function keeping<T>(
  { held }: ResultInput,
  place: Project,
  options: SubmitWords,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The failed commit may already have removed the text.
    if (!held || !(error instanceof Error) || lookAtFile(join(place.root, held.path)) !== 'file') throw error;
    // An error that names an option is about that option.
    const isBlamed = (option: string) =>
      new RegExp(`--${option}\\b`).test(error.message) || (option === 'plan' && error instanceof NoSuchPlan);
    const way = `The result is saved. To submit it again: ${describeSubmit(held.path, place, options, isBlamed)}`;
    if (error instanceof UserError) throw new UserError(`${error.message}\n${way}`, { cause: error });
    writeError(`${way}\n`);
    throw error;
  } finally {
    held?.release();
  }
}

/** Reports results of processes that died before recording them. */
function reportLeftovers({ held }: ResultInput, place: Project, options: GlobalOptions): void {
  const paths = findLeft(place).filter((path) => path !== held?.path);
  if (paths.length === 0) return;
  const paint = paintFor('stderr', options);
  const several = paths.length > 1;
  const left = { color: options.color, ...(options.root !== undefined && { root: options.root }) };
  writeError(
    [
      paint(
        'yellow',
        several
          ? `${paths.length} submitted results were never recorded. Submit them again or delete them:`
          : 'A submitted result was never recorded. Submit it again or delete it:',
      ),
      ...paths.slice(0, MOST_NAMED).map((path) => `  ${describeSubmit(path, place, left)}`),
      ...(paths.length > MOST_NAMED ? [`  and ${paths.length - MOST_NAMED} more in ${INCOMING}`] : []),
      '',
    ].join('\n'),
  );
}

/** New results are not checked for locks, so that parallel submissions stay fast. */
function findLeft({ workspace }: Project): string[] {
  try {
    const old = workspace.view((view) => view.list(INCOMING)).filter(isOld);
    if (old.length === 0) return [];
    return workspace.incoming.left().filter((path) => old.some((name) => path === `${INCOMING}/${name}`));
  } catch {
    // A problem with that folder must not keep this result from being recorded.
    return [];
  }
}

/** The file name starts with the time of submission. */
function isOld(name: string): boolean {
  const at = Number.parseInt(name, 36);
  return !(Date.now() - at < NEW_FOR_MS);
}

/** The command that submits a saved result. Unknown or faulty values are placeholders in capitals. */
function describeSubmit(
  path: string,
  { root }: Project,
  words: SubmitWords,
  isBlamed: (option: string) => boolean = () => false,
): string {
  const option = (name: 'plan' | 'state' | 'session' | 'id', unknown: string) => {
    const word = words[name];
    if (word === undefined && name !== 'plan') return [];
    return [`--${name} ${word === undefined || isBlamed(name) ? unknown : quoteWord(word)}`];
  };
  return [
    'teddy result submit',
    quoteWord(pathFromHere(root, path)),
    ...option('plan', 'PLAN'),
    ...option('state', 'FILE'),
    ...option('session', 'ID'),
    ...option('id', 'KEY'),
    ...(words.verify ? ['--verify'] : []),
    ...(words.root === undefined ? [] : [`--root ${quoteWord(words.root)}`]),
  ].join(' ');
}
