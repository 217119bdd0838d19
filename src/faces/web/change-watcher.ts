import { join } from 'node:path';
import { listReadableWork } from '../../inbox/changes-questions.js';
import { markOf } from '../../node/watch.js';
import { listOpenQuestions, questionId } from '../../review/run-questions.js';
import { readLiveChunks } from '../../runs/output.js';
import { Sessions } from '../../sessions/turns/sessions.js';
import { turnFolder } from '../../sessions/turns/turn.js';
import { LIVE_OUTPUT } from '../../workspace/runs/run-folder.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { PageEvent } from './api.js';
import type { EventHub } from './events.js';

const LOOK_MS = 250;
const MOST_OUTPUT = 256 * 1024;
/** Of the output in one event, in characters. */
const MOST_EVENT = 64 * 1024;

/** Folders and files whose changes mean that these views have changed. */
const WATCHED: Record<'runs' | 'changes' | 'sessions' | 'tasks' | 'metrics' | 'inbox', readonly string[]> = {
  runs: ['.teddy/runs'],
  // A review of an agent's work is a run.
  changes: ['.teddy/changes', '.teddy/runs'],
  sessions: ['.teddy/sessions', '.teddy/session'],
  tasks: ['.planning', '.ultraplan/plans', '.ultraplan/state'],
  metrics: ['.ultraplan/logs', '.teddy/reports'],
  // What agents have submitted, or changed in copies.
  inbox: ['.teddy/requests', '.teddy/changes'],
};

/** Looks, while a page is open, at what processes of this project have changed, and tells the page what to read again. */
export class ChangeWatcher {
  readonly #workspace: Workspace;
  readonly #hub: EventHub;
  readonly #marks = new Map<string, string>();
  readonly #offsets = new Map<string, number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(workspace: Workspace, hub: EventHub) {
    this.#workspace = workspace;
    this.#hub = hub;
  }

  /** Starts looking, unless it does already. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Stops where no page is open. */
  rest(): void {
    if (this.#hub.isOpen) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  look(): void {
    try {
      const live = this.#workspace.liveRuns();
      this.#lookAtQuestions();
      for (const run of live) this.#lookAtRun(run);
      this.#lookAtFolders(live);
    } catch {
      // It looks again soon; what cannot be read then is said where it is asked for.
    }
  }

  #lookAtQuestions(): void {
    const open = listOpenQuestions(this.#workspace).map(questionId);
    if (this.#changed('questions', open.join(' '))) this.#hub.send({ type: 'changed', what: 'inbox' });
  }

  #lookAtRun(run: string): void {
    const folder = join(this.#workspace.root, '.teddy/runs', run);
    const journal = join(folder, 'journal');
    const mark = [journal, join(journal, 'progress.jsonl'), join(journal, 'questions')].map(markOf).join(' ');
    if (this.#changed(`run ${run}`, mark)) this.#hub.send({ type: 'run', id: run });
    if (this.#changed(`output ${run}`, markOf(join(folder, LIVE_OUTPUT)))) this.#sendOutput(run);
  }

  #sendOutput(run: string): void {
    for (let most = MOST_OUTPUT; ; ) {
      const offset = this.#offsets.get(run) ?? 0;
      const bytes = this.#workspace.readRunFileFrom(run, LIVE_OUTPUT, { offset, most });
      const end = bytes === undefined ? 0 : bytes.lastIndexOf(NEWLINE) + 1;
      if (bytes === undefined || (end === 0 && bytes.length < most)) return;
      if (end === 0) {
        most *= 2;
        continue;
      }
      this.#offsets.set(run, offset + end);
      most = MOST_OUTPUT;
      for (const { text, ...chunk } of readLiveChunks(new TextDecoder().decode(bytes.subarray(0, end))))
        for (const part of splitText(text)) this.#hub.send({ type: 'output', run, ...chunk, text: part });
    }
  }

  /** A run that has ended is named once more. */
  #lookAtFolders(live: readonly string[]): void {
    const ended = [...this.#offsets.keys(), ...this.#runMarks()].filter((run) => !live.includes(run));
    for (const run of new Set(ended)) {
      this.#offsets.delete(run);
      this.#marks.delete(`run ${run}`);
      this.#marks.delete(`output ${run}`);
      this.#hub.send({ type: 'run', id: run });
    }
    // A work is free once its process has ended, which leaves no trace in its folder.
    const works = listReadableWork(this.#workspace).map(({ status }) => status);
    let asks = false;
    for (const [what, paths] of Object.entries(WATCHED)) {
      const marks = paths.map((path) => this.#deepMark(path));
      if (what === 'runs') marks.push(...live);
      if (what === 'sessions') marks.push(...this.#markSessions());
      if (what === 'changes' || what === 'inbox') marks.push(...works);
      if (!this.#changed(what, marks.join(' '))) continue;
      this.#hub.send({ type: 'changed', what } as PageEvent);
      asks ||= !['runs', 'changes', 'inbox'].includes(what);
    }
    // The questions of tasks, agent reports and sessions are in these folders.
    if (asks) this.#hub.send({ type: 'changed', what: 'inbox' });
  }

  /** A plan arrives in the last turn, and waits once no process works in the session. */
  #markSessions(): string[] {
    const sessions = new Sessions(this.#workspace);
    return sessions.names().flatMap((name) => {
      const last = sessions.turns(name).at(-1);
      if (last === undefined) return [];
      return [markOf(join(this.#workspace.root, turnFolder(name, last))), String(sessions.isLive(name))];
    });
  }

  #runMarks(): string[] {
    return [...this.#marks.keys()].flatMap((key) =>
      key.startsWith('run ') ? [key.slice('run '.length)] : [],
    );
  }

  /** Of a folder and the folders in it. */
  #deepMark(path: string): string {
    const own = markOf(join(this.#workspace.root, path));
    if (own === '' || path === '.teddy/runs' || path === '.teddy/requests') return own;
    const names = this.#workspace.view((view) => (view.look(path) === 'folder' ? view.list(path) : []));
    return [own, ...names.slice(0, 500).map((name) => markOf(join(this.#workspace.root, path, name)))].join(
      ' ',
    );
  }

  /** False for what is looked at for the first time. */
  #changed(key: string, mark: string): boolean {
    const before = this.#marks.get(key);
    this.#marks.set(key, mark);
    const isNew = before === undefined && !key.startsWith('run ') && !key.startsWith('output ');
    return !isNew && before !== mark;
  }
}

const NEWLINE = 10;

/** Without cutting a character in two. */
function splitText(text: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const isCut = (text.codePointAt(start + MOST_EVENT - 1) ?? 0) > 0xffff;
    const end = start + MOST_EVENT - (isCut ? 1 : 0);
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}
