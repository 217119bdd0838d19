import type { Done } from '../../core/report/record.js';
import type { CommandChanges, ComparedState } from '../../workspace/snapshot/snapshot.js';
import { type CommitNote, changeFacts } from '../progress.js';
import type { RunContext } from '../run-context.js';

/** Runs a command between two looks at the project's files; its outcome says what it changed. Never throws. */
export async function recordCommand(
  number: number,
  { recordState }: Pick<RunContext, 'recordState'>,
  run: () => Promise<Done>,
): Promise<Done> {
  const before = await recordState();
  const done = await run();
  const compared = before.status === 'recorded' ? await before.compare(noteOf(number)) : before;
  return addChanges(done, compared);
}

/** What the journal keeps with the changes of a command. */
export function noteOf(number: number): (changes: CommandChanges) => CommitNote {
  return (changes) => ({ kind: 'command', number, changes });
}

function addChanges(done: Done, compared: ComparedState): Done {
  if (compared.status === 'failed') {
    const note = `What the command changed could not be recorded (${compared.reason}), so undo does not cover it.`;
    return { ...done, notes: [...(done.notes ?? []), note] };
  }
  return { ...done, ...changeFacts(compared) };
}
