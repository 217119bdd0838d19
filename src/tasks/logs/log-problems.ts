export interface LogCheck {
  ok: boolean;
  /** Lines of the ledger. */
  entries: number;
  problems: LogProblem[];
}

export interface LogProblem {
  code: LogProblemCode;
  /** A whole sentence, or two. */
  message: string;
  /** Of the ledger. */
  line?: number;
  /** From the root: the file that is not as it should be, where it is not the ledger. */
  path?: string;
}

export type LogProblemCode =
  /** A line is nothing that teddy writes; does not hold the hash of the line before; has not the next number. */
  | 'ledger-line'
  | 'ledger-chain'
  | 'ledger-number'
  /** The last line has no line ending. */
  | 'ledger-open'
  /** A session saw more lines than there are; saw another line; none saw the last line. */
  | 'ledger-short'
  | 'session-head'
  | 'ledger-unseen'
  /** The current session has no file though there are results; a session cannot be read; a summary cannot. */
  | 'session-missing'
  | 'session-damaged'
  | 'record-damaged'
  /** The log that a line names. */
  | 'log-missing'
  | 'log-changed'
  | 'log-unreadable'
  /** It is as it was written, and says something else than the line. */
  | 'log-differs'
  /** Two lines have the same log, or the same id for one plan. */
  | 'log-twice'
  | 'id-twice'
  /** A log that no line names. */
  | 'log-unnamed'
  /** A summary counts a result of which there is neither a line nor a log. */
  | 'result-lost';
