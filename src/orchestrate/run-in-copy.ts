import { redactorOf } from '../config/redactor.js';
import type { Config } from '../config/types.js';
import { lendFolders } from '../confine/lend.js';
import { linkFolders, unlinkFolders } from '../confine/link-folders.js';
import type { ConfinementTools } from '../confine/types.js';
import { isoUtc, now } from '../node/clock.js';
import type { Work } from '../workspace/copy/work.js';
import { confineTo, settingsFor } from './confinement.js';
import type { AgentDecisions, Executor, ExecutorEnd, ExecutorIO } from './executors/types.js';

export interface CopyRunOptions {
  executor: Executor;
  prompt: string;
  config: Config;
  /** Undefined: it is not confined, and sees the copy where that is. */
  tools: ConfinementTools | undefined;
  environment: ExecutorIO['environment'];
  signal: AbortSignal;
  decisions: AgentDecisions;
  /** What the user sees of its work, masked. */
  onText(text: string): void;
}

/** Gives an agent a message in the copy of a work. The work has an end only if the agent has answered. Never throws. */
export async function runInCopy(work: Work, options: CopyRunOptions): Promise<ExecutorEnd> {
  const { executor, prompt, config, environment, signal, decisions, onText } = options;
  const place = await openPlace(work, options);
  const redactor = redactorOf(config, environment);
  const name = work.record.session ?? work.id;
  const end = await executor.run(
    {
      taskId: name,
      taskIndex: 1,
      taskName: name,
      planPath: '',
      attempt: 1,
      prompt,
      cwd: place.cwd,
      timeoutMs: null,
    },
    {
      environment,
      signal,
      decisions,
      confinement: place.confinement,
      mask: () => redactor.stream(),
      onStart: (mark) => work.update({ processes: mark }),
      onOutput: (stream, text, shown = text) => {
        if (stream === 'stdout') onText(shown);
      },
    },
  );
  if (end.status === 'returned') work.update({ end: { exitCode: end.exitCode ?? 0, at: isoUtc(now()) } });
  return end;
}

/** As `teddy wrap` has it: the copy in place of the project, and the folders that it does not have. */
async function openPlace(
  { copy }: Work,
  { tools, config, environment }: CopyRunOptions,
): Promise<{ cwd: string; confinement: ExecutorIO['confinement'] }> {
  unlinkFolders(copy);
  if (tools === undefined) {
    linkFolders(copy);
    return { cwd: copy.copy, confinement: null };
  }
  const { lent } = await lendFolders(copy, tools, environment);
  const { root } = copy;
  const { network, write, hide } = config.confine;
  const seen = {
    root,
    copy: copy.copy,
    lent,
    network,
    write,
    hide,
    home: 'private',
    terminal: false,
  } as const;
  const view = {
    root,
    project: 'read-only' as const,
    places: [{ from: copy.copy, at: root, writable: true }],
  };
  return {
    cwd: root,
    confinement: confineTo(
      seen,
      tools,
      settingsFor(view, { confinement: { tools, network, write, hide }, options: { config } }),
    ),
  };
}
