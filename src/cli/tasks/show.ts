import { showTask as show } from '../../capture/index.js';
import { formatDuration } from '../../formats/state/index.js';
import type { TaskFile } from '../../formats/task-plan/index.js';
import { writeOutput } from '../../platform/index.js';
import { indent, plural } from '../issue-lines.js';
import type { GlobalOptions } from '../options.js';
import { type Paint, paintFor } from '../paint.js';
import { cell, tableLines } from '../table.js';
import { visible, visibleJson, visibleLine } from '../visible.js';
import { openToLook } from './capture.js';
import { taskFromRoot } from './open.js';
import { describeStatus } from './status.js';

type Shown = ReturnType<typeof show>;

export async function showTask(id: string, options: GlobalOptions): Promise<number> {
  const project = await openToLook(options);
  const shown = show(project, taskFromRoot(project.workspace.root, id));
  writeOutput(options.json ? `${visibleJson(toJson(shown))}\n` : toWords(shown, paintFor('stdout', options)));
  return 0;
}

function toJson({ task, detail, planPath, record, last, resolutions }: Shown) {
  const { line, tdd, gate, readFirst, action, behavior, acceptanceCriteria, done, completedAt } = detail;
  return {
    ...task,
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
    results: record,
    last,
    resolutions,
  };
}

function toWords(shown: Shown, paint: Paint): string {
  const { task, detail, planPath, last } = shown;
  const { mark, word, style } = describeStatus(task);
  const status = `${mark} ${word}`;
  const facts: [string, string | null][] = [
    ['Plan', `${planPath}, line ${detail.line}`],
    [
      'Type',
      [task.type, ...(detail.tdd ? ['tdd'] : []), ...(detail.gate ? [`gate ${detail.gate}`] : [])].join(', '),
    ],
    ['Completed', detail.completedAt],
    ['After', task.dependsOn.join(', ') || null],
    ['Files', fileList(detail.files)],
    ['Read first', fileList(detail.readFirst)],
  ];
  const texts: [string, string | null][] = [
    ['Action', detail.action],
    ['Behavior', detail.behavior],
    [task.runnable ? 'Verify' : 'Verify (not a command)', task.verify],
    ['Acceptance criteria', detail.acceptanceCriteria],
    ['Done', detail.done],
    ['Last error', last?.error ?? null],
    ['Last log', last?.log ?? null],
  ];
  const rows = facts.flatMap(([name, value]) => (value ? [[cell(name, 'dim'), cell(value)]] : []));
  return [
    `${paint('bold', visibleLine(task.id))}  ${visibleLine(task.name)}: ${style ? paint(style, status) : status}`,
    ...tableLines(rows, { flexible: 1, paint }),
    ...texts.flatMap(([name, text]) => (text ? ['', paint('bold', name), indent(visible(text))] : [])),
    '',
    ...resultLines(shown, paint),
    '',
  ].join('\n');
}

function resultLines({ record, resolutions }: Shown, paint: Paint): string[] {
  const counts =
    record &&
    [
      [record.succeeded, 'success'],
      [record.failed, 'failure'],
      [record.blocked, 'blocked'],
    ]
      .filter(([count]) => count !== 0)
      .map(([count, word]) => `${count} ${word}`)
      .join(', ');
  return [
    ...(record === null
      ? ['No result yet.']
      : [
          `${paint('bold', plural(record.results, 'result'))}: ${counts}; the last one ${record.last_status}, ${record.last_at}`,
          ...(record.with_duration > 0 ? [`Time spent: ${formatDuration(record.duration_ms)}`] : []),
          ...(record.verified > 0
            ? [
                `Verified by teddy: ${record.verified}, of which ${record.false_claims} had claimed something else`,
              ]
            : []),
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
