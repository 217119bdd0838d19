import { sha256 } from '../node/ids.js';
import type { Workspace } from '../workspace/workspace.js';

// What the user has typed for a question and not sent: on disk after every change, so that no crash loses it.

interface SavedDraft {
  question: string;
  text: string;
}

/** Null where there is none. */
export function loadDraft(workspace: Workspace, question: string): string | null {
  const saved = workspace.inDrafts((drafts) => drafts.read(nameOf(question))) as SavedDraft | undefined;
  return saved?.question === question ? saved.text : null;
}

export function saveDraft(workspace: Workspace, question: string, text: string): void {
  const saved: SavedDraft = { question, text };
  workspace.inDrafts((drafts) => drafts.replace(nameOf(question), saved), { make: true });
}

/** Once it is answered. */
export function dropDraft(workspace: Workspace, question: string): void {
  workspace.inDrafts((drafts) => {
    if (drafts.has(nameOf(question))) drafts.remove(nameOf(question));
  });
}

function nameOf(question: string): string {
  return `${sha256(question).slice(0, 32)}.json`;
}
