import type { Redactor } from '../core/redact/redactor.js';
import type { AppendFile } from '../workspace/append-file.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Happening } from './desk.js';
import type { NamedTask } from './events.js';
import type { ExecutorIO } from './executors/types.js';
import type { Processes } from './processes.js';
import { outputFile } from './state-files.js';

/** A line is shown no more often than this. */
const SHOWN_EVERY_MS = 100;
const LONGEST_LINE = 500;
/** In characters. */
const LARGEST_OUTPUT = 20 * 1024 * 1024;
const CUT = '[teddy: it printed more than 20 MB; the rest is not kept]';

/**
 * What one attempt's executor works with: all that it prints is in a file of its own as it comes. `open` throws
 * `UserError` where there can be no such file.
 */
export function openSite(
  task: NamedTask,
  attempt: number,
  {
    workspace,
    environment,
    redactor,
    processes,
    emit,
  }: {
    workspace: Workspace;
    environment: ExecutorIO['environment'];
    redactor: Redactor;
    processes: Processes;
    emit(event: Happening): void;
  },
  signal: AbortSignal,
): { site: ExecutorIO; open(): void; close(): void } {
  let file: AppendFile | undefined;
  const lines = new LastLine((line) => emit({ type: 'output', task, line }));
  let room = LARGEST_OUTPUT;
  let early = '';
  const write = (text: string) => {
    if (file) file.write(text);
    else early += text;
  };
  const keep = (text: string) => {
    if (room <= 0) return;
    room -= text.length;
    write(room > 0 ? text : `${text.slice(0, room + text.length)}\n${CUT}\n`);
  };
  const marks: Parameters<ExecutorIO['onStart']>[0][] = [];
  return {
    site: {
      environment,
      signal,
      mask: () => redactor.stream(),
      onStart(mark) {
        processes.note(mark, `${task.id}, attempt ${attempt}`);
        marks.push(mark);
      },
      onOutput(_, text) {
        keep(text);
        lines.push(text);
      },
    },
    open() {
      file = workspace.grow(outputFile(task.id, attempt), { fleeting: true });
      file.write(early);
    },
    close() {
      lines.close();
      file?.close();
      for (const mark of marks) processes.over(mark);
    },
  };
}

/** Tells the newest line that is not empty, now and then. */
class LastLine {
  private partial = '';
  private newest: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: (line: string) => void) {}

  push(text: string): void {
    const lines = (this.partial + text).split(/\r\n|\n|\r/);
    this.partial = (lines.pop() ?? '').slice(-LONGEST_LINE);
    const last = lines.findLast((line) => line.trim() !== '');
    if (last === undefined) return;
    this.newest = last.slice(0, LONGEST_LINE);
    this.timer ??= setTimeout(() => this.flush(), SHOWN_EVERY_MS);
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private flush(): void {
    this.timer = undefined;
    if (this.newest !== undefined) this.tell(this.newest);
  }
}
