export type Severity = 'error' | 'warning' | 'info';

/**
 * One problem found in a document. Parsers and checks return these and never throw on bad input.
 * `message` says what is wrong and where; `hint` says what to write instead. Both are read by a
 * person and by the model that writes the next plan.
 */
export interface Issue<Code extends string = string> {
  code: Code;
  severity: Severity;
  message: string;
  /** 1-based line in the text as it came. */
  line?: number;
  /** 1-based column, counted in UTF-16 units. */
  column?: number;
  /** 1-based position of the action that the issue belongs to. */
  action?: number;
  hint?: string;
}
