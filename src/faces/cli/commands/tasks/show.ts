import type { TaskFile } from '../../../../core/task-plan/types.js';
import { formatDuration } from '../../../../core/text.js';
import { findAttemptFiles, findInterrupted } from '../../../../orchestrate/attempt-records.js';
import { showTask as show } from '../../../../tasks/plans/tasks.js';
import type { CaptureProject } from '../../../../tasks/project.js';
import { TeddyCommand } from '../../command.js';
import { taskFromRoot } from '../../input.js';
import { type GlobalOptions, type Paint, printResult, visible, visibleLine } from '../../output.js';
import { cell, indent, tableLines, wrapText } from '../../table.js';
import { plural } from '../../words.js';
import { paintVerdict, RESULT_FIELD_NAMES, resultIssueLines } from '../results/result-lines.js';
import { openToRead } from './open.js';
import { readAttemptRecords } from './outlook.js';
import { attemptLines, describeAnswers, describeStatus, questionJson, taskTitle } from './task-lines.js';

type Shown = ReturnType<typeof readTask>;

export const showTaskCommand = new TeddyCommand('show')
  .description('show a task: its text, results, attempts and your decisions')
  .argument('<id>', 'task file and position from 1: 03-01:2')
  .run(showTask)
  .helpText(`Examples:
  teddy task show 03-01:2
  teddy task show 03-01:2 --root ../shop
  teddy task show 03-01:2 --json`);

async function showTask(id: string, options: GlobalOptions): Promise<number> {
  const project = await openToRead(options);
  const shown = readTask(project, id);
  printResult(project.workspace.root, options, toJson(shown), (paint) => toWords(shown, paint));
  return 0;
}

/** A task with its attempts and its open question. */
function readTask(project: CaptureProject, id: string) {
  const { workspace } = project;
  const shown = show(project, taskFromRoot(workspace.root, id));
  const { task, resolutions } = shown;
  const records = readAttemptRecords(project);
  return {
    ...shown,
    attempts: records
      .of(task)
      .map((each) => ({ ...each, ...findAttemptFiles(workspace, task.id, each.attempt) })),
    question: records.questionOn(task, { status: task.status, resolutions }, shown.checked),
    interrupted: findInterrupted(records, project, [task]).length > 0,
  };
}

function toJson({ task, detail, planPath, record, last, resolutions, attempts, ...left }: Shown) {
  const { line, tdd, gate, readFirst, action, behavior, acceptanceCriteria, done, completedAt } = detail;
  return {
    ...task,
    ready: task.ready && left.question === null,
    planPath,
    line,
    tdd,
    gate,
    completedAt,
    readFirst: readFirst.map(({ path }) => path),
    action,
    behavior,
    acceptanceCriteria,
    done,
    verifyCommands: detail.verify?.commands ?? [],
    verifyHint: detail.verify?.hint ?? null,
    results: record,
    last,
    resolutions,
    attempts,
    question: questionJson(left.question),
    interrupted: left.interrupted,
  };
}

function toWords(shown: Shown, paint: Paint): string[] {
  const { task, detail, planPath, last, question, attempts, deadEnds } = shown;
  const command = detail.verify?.command ?? null;
  const { mark, word, style } = describeStatus(task, {
    asks: question !== null,
    interrupted: shown.interrupted,
  });
  const status = `${mark} ${word}`;
  const facts: [string, string | null][] = [
    ['Task file', `${planPath}, line ${detail.line}`],
    [
      'Type',
      [task.type, ...(detail.tdd ? ['tdd'] : []), ...(detail.gate ? [`gate ${detail.gate}`] : [])].join(', '),
    ],
    ['Completed', detail.completedAt],
    ['After', task.dependsOn.join(', ') || null],
    ...deadEnds.map(({ message }): [string, string] => ['Never starts', message]),
    ['Files', fileList(detail.files)],
    ['Read first', fileList(detail.readFirst)],
  ];
  const texts: [string, string | null][] = [
    ['Action', detail.action],
    ['Behavior', detail.behavior],
    [task.runnable ? 'Verify' : 'Verify (not a command)', task.verify],
    ['Verify command', command !== null && command !== task.verify ? command : null],
    ['To make it verifiable', task.type.startsWith('checkpoint') ? null : (detail.verify?.hint ?? null)],
    ['Acceptance criteria', detail.acceptanceCriteria],
    ['Done', detail.done],
    ['Last error', last?.error ?? null],
    ['Last log', last?.log ?? null],
  ];
  const rows = facts.flatMap(([name, value]) => (value ? [[cell(name, 'dim'), cell(value)]] : []));
  return [
    `${taskTitle(task, paint)}: ${style ? paint(style, status) : status}`,
    ...tableLines(rows, { flexible: 1, paint }),
    ...texts.flatMap(([name, text]) =>
      text ? ['', paint('bold', name), indent(wrapText(visible(text), 2))] : [],
    ),
    '',
    ...resultLines(shown, paint),
    ...verdictOf(last, paint),
    ...(shown.record === null ? ['', wrapText(RESULT_FIELD_NAMES, 0)] : []),
    ...(attempts.length === 0
      ? []
      : ['', paint('bold', 'Attempts by teddy orchestrate'), ...attemptLines(attempts)]),
    ...(question === null
      ? []
      : [
          '',
          paint('bold', 'Needs your answer'),
          indent(wrapText(visible(question.message.trimEnd()), 2)),
          `  ${paint('cyan', visibleLine(describeAnswers(task.id, question)))}`,
        ]),
  ];
}

/** The verdict on the last result, with its issues. */
function verdictOf(last: Shown['last'], paint: Paint): string[] {
  if (last === null || last.verdict === null) return [];
  return [
    `Verdict on the last result: ${paintVerdict(last.verdict, paint)}`,
    ...last.issues.flatMap((issue) => resultIssueLines(issue, paint).map((line) => indent(line))),
  ];
}

function resultLines({ record, resolutions }: Shown, paint: Paint): string[] {
  const counts =
    record &&
    [
      [record.succeeded, 'succeeded'],
      [record.failed, 'failed'],
      [record.blocked, 'blocked'],
    ]
      .filter(([count]) => count !== 0)
      .map(([count, word]) => `${count} ${word}`)
      .join(', ');
  return [
    ...(record === null
      ? ['No result yet.']
      : [
          `${paint('bold', plural(record.results, 'result'))}: ${counts}; last: ${record.last_status}, ${record.last_at}`,
          ...(record.with_duration > 0 ? [`Time spent: ${formatDuration(record.duration_ms)}`] : []),
          ...(record.verified > 0 ? [describeVerified(record.verified, record.false_claims)] : []),
        ]),
    ...resolutions.map(
      ({ at, decision, instruction }) =>
        `${visibleLine(at)}  decided: ${decision}${instruction === undefined ? '' : `: ${visibleLine(instruction)}`}`,
    ),
  ];
}

function fileList(files: readonly TaskFile[]): string | null {
  return files.length === 0
    ? null
    : files.map(({ path, note }) => (note === null ? path : `${path} (${note})`)).join(', ');
}

function describeVerified(verified: number, falseClaims: number): string {
  const times = verified === 1 ? 'once' : `${verified} times`;
  const claims = falseClaims === 1 ? '1 success claim was' : `${falseClaims} success claims were`;
  return `Verified ${times}; ${falseClaims === 0 ? 'all success claims were true' : `${claims} false`}`;
}
