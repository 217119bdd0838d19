// Results become project state. An executor's text enters; PLAN.md, STATE.md, the log, the session, the summaries and
// the ledger leave as one commit, or nothing does. What was counted can be counted again from the log. No command is
// run here, and nobody is asked.
export type * from './records.js';
