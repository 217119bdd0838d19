import type { Tree } from '../formats/tree.js';
import type { TurnState } from '../run/index.js';
import type { Workspace } from '../workspace/index.js';
import { bringsPath, editContext, GLOBAL_CONTEXT, TURN_CONTEXT } from './context.js';
import { editMemos, MEMOS } from './memos.js';
import { changeStateFile } from './state-file.js';

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
  };
}
