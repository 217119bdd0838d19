import { decodeText, MB } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Candidate } from './isolation/types.js';
import { outputFile, updateStateFile } from './state-files.js';

/** The changes that a question shows: a file from the root, and the hash of what was written there. */
export interface ShownReview {
  file: string;
  hash: string;
  /** Whose changes they are. */
  candidate: NonNullable<Candidate>;
}

/** Saves the changes of an attempt, beside its output, so that every face can show them. Throws `UserError`. */
export async function keepReview(
  workspace: Workspace,
  task: string,
  attempt: number,
  candidate: ShownReview['candidate'],
  text: string,
): Promise<ShownReview> {
  const file = outputFile(task, attempt).replace(/\.txt$/, '-changes.txt');
  const after = new TextEncoder().encode(text);
  await updateStateFile(workspace, file, (view) => {
    const read = view.read(file, LARGEST);
    const before = read.status === 'bytes' ? sha256(read.bytes) : null;
    return {
      changes: before === sha256(after) ? [] : [{ path: file, before, after, mode: 0o600 }],
      value: null,
    };
  });
  return { file, hash: sha256(after), candidate };
}

const LARGEST = 256 * MB;

/** Only what was written counts. */
export function readReview(workspace: Workspace, { file, hash }: ShownReview): string {
  const read = workspace.view((view) => view.read(file, LARGEST));
  const text = read.status === 'bytes' && sha256(read.bytes) === hash ? decodeText(read.bytes) : read;
  return text.status === 'text'
    ? text.text
    : `${file} is no longer what was shown: start teddy orchestrate again.`;
}
