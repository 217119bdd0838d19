import { bringsPath, editContext, GLOBAL_CONTEXT, TURN_CONTEXT } from '../../core/context/context-file.js';
import type { Tree } from '../../core/tree.js';
import type { Workspace } from '../../workspace/workspace.js';
import { editMemos, MEMOS } from './memos.js';
import { changeStateFile } from './state-file.js';
import type { NextTurn, TurnState } from './turn-state.js';

/** Memos and context where there is no session: `.teddy/memos.yaml` and `.teddy/turn.context`. */
export function projectState(workspace: Workspace, tree: Tree, run: string): TurnState {
  const place = { workspace, tree, run };
  return {
    changeMemos: (changes, note) => changeStateFile(place, MEMOS, (text) => editMemos(text, changes), note),
    changeContext: (changes, note) => {
      const global = tree.text(GLOBAL_CONTEXT);
      const isBrought = (path: string) => global.status === 'text' && bringsPath(global.text, path);
      return changeStateFile(place, TURN_CONTEXT, (text) => editContext(text, changes, isBrought), note);
    },
    isInContext: (path) => {
      const texts = [GLOBAL_CONTEXT, TURN_CONTEXT].map((name) => tree.text(name));
      return bringsPath(texts.map((read) => (read.status === 'text' ? read.text : '')).join('\n'), path);
    },
  };
}

/** The same within a session, where the next turn's context is worked out of the run's record, once that is made. */
export function sessionState(workspace: Workspace, tree: Tree, run: string, nextTurn: NextTurn): TurnState {
  return {
    ...projectState(workspace, tree, run),
    changeContext: async () => ({ status: 'applied', notApplied: [] }),
    isInContext: (path) => nextTurn.isInContext(path),
    nextTurn,
  };
}
