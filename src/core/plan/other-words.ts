import type { FieldLabel } from './metadata.js';
import type { ActionType } from './types.js';

/** `Command` and `Query` are written instead of a block. */
type Meant = FieldLabel | 'Command' | 'Query';

interface OtherWords {
  /** What models call the action, separated by spaces: refused, and answered with the name that they meant. */
  names: string;
  /** What models write instead of each label: read, with a warning. */
  labels: Readonly<Partial<Record<Meant, readonly string[]>>>;
}

const DESCRIPTION = { Description: ['Purpose', 'Reason', 'Why', 'Summary'] };
const FILE = ['File', 'Path', 'File Name', 'Target', 'Target File'];
const RESOURCE = [...FILE, 'File Path', 'Files', 'Resources', 'URL', 'Link', 'Page', 'Source'];

/** The words of other tools and formats that models mix up with the plan's own. */
export const OTHER_WORDS: Partial<Record<ActionType, OtherWords>> = {
  CREATE: {
    names: 'WRITE WRITE_FILE CREATE_FILE NEW NEW_FILE ADD ADD_FILE SAVE OVERWRITE',
    labels: { ...DESCRIPTION, 'File Path': FILE },
  },
  READ: {
    names: 'READ_FILE OPEN OPEN_FILE VIEW VIEW_FILE SHOW CAT LOAD FETCH BROWSE LIST',
    labels: { ...DESCRIPTION, Resource: RESOURCE, Lines: ['Line Range', 'Range'] },
  },
  EDIT: {
    names:
      'MODIFY MODIFY_FILE UPDATE UPDATE_FILE EDIT_FILE CHANGE PATCH APPLY_PATCH APPLY_DIFF REPLACE STR_REPLACE SEARCH_REPLACE INSERT APPEND REFACTOR FIX',
    labels: { ...DESCRIPTION, 'File Path': FILE },
  },
  EXECUTE: {
    names: 'RUN RUN_COMMAND EXEC SHELL BASH COMMAND TERMINAL TEST RUN_TESTS BUILD INSTALL',
    labels: {
      ...DESCRIPTION,
      Command: ['Command', 'Cmd', 'Script', 'Run'],
      'Expected Outcome': ['Expected Output', 'Expected Result', 'Expected'],
      cwd: ['Working Directory', 'Directory', 'Workdir'],
      env: ['Environment', 'Environment Variables'],
    },
  },
  RESEARCH: {
    names: 'SEARCH WEB_SEARCH SEARCH_WEB GOOGLE LOOKUP LOOK_UP QUERY',
    labels: { ...DESCRIPTION, Query: ['Query', 'Queries', 'Search'] },
  },
  CHAT_WITH_USER: {
    names: 'ASK ASK_USER CHAT MESSAGE QUESTION RESPOND REPLY TELL_USER NOTIFY_USER SAY',
    labels: {},
  },
  INVOKE: {
    names: 'DELEGATE HANDOFF HAND_OFF CALL CALL_AGENT INVOKE_AGENT SPAWN TRANSFER',
    labels: { Agent: ['Agent Name', 'Target Agent'], 'Handoff Resources': ['Handoff'] },
  },
  CONCLUDE: {
    names: 'DONE FINISH FINISHED COMPLETE END RETURN STOP EXIT',
    labels: { 'Handoff Resources': ['Handoff'] },
  },
  PRUNE: {
    names: 'FORGET UNLOAD CLOSE DROP REMOVE_FROM_CONTEXT',
    labels: { ...DESCRIPTION, Resource: RESOURCE },
  },
};
