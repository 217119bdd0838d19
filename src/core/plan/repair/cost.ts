/**
 * How bad a way of reading the fences is. A reading that needs no excuse costs 0; two readings that
 * cost the same are equally good. The numbers matter only against each other:
 *
 * - A block cut short by a fence of its own content, with text left over behind it, is as likely as
 *   one whose closing fence is missing: `LEFT_TEXT + UNBALANCED = MISSING_CLOSER`.
 * - A block left over is as likely as content whose own fences do not close: `LEFT_BLOCK = UNBALANCED`.
 * - A fence with a language on it, right before the next part, is likelier a damaged closer than the beginning of
 *   content that then ends: `INFO_ON_CLOSER + 2 <= UNBALANCED`. At the end of the text it closes nothing.
 * - Text right below a fence continues the content: `LEFT_BELOW > MISSING_CLOSER`, and nearly as bad as
 *   `MISSING_CLOSER + FENCE_IN_CODE`.
 * - Content that quotes an action is likelier than two blocks cut in half, and not clearly likelier or
 *   unlikelier than one missing closer: `UNBALANCED < QUOTED_PART < 2 * UNBALANCED`.
 */
export const COST = {
  /** Text after the block, before the next part: a remark, or more than anyone remarks. */
  LEFT_TEXT: 1,
  LEFT_PAGE: 5,
  /** Text right below the closing fence, with no blank line between, or indented. */
  LEFT_BELOW: 10,
  /** Text after the closing fence, on its line. */
  TEXT_ON_CLOSER: 1,
  /** The same where it could as well open a block: with nothing below it, and with text below. */
  INFO_ON_CLOSER: 3,
  OPENER_AS_CLOSER: 10,
  /** The closing fence is at the end of the content's last line. */
  GLUED_CLOSER: 1,
  /** A fence alone after the closing one. */
  STRAY_FENCE: 3,
  /** A closing fence shorter than the opening one; the same where one of its length was passed over. */
  SHORT_CLOSER: 1,
  SHORT_CLOSER_LATE: 9,
  /** A closing fence longer than the opening one, right behind one that fits: as likely a stray one. */
  LONG_CLOSER_LATE: 8,
  /** A closing fence shorter or further in than the opening one, where the text ends: it may be the content's. */
  ODD_LAST_CLOSER: 5,
  /** The fences inside the content do not close. */
  UNBALANCED: 5,
  /** Fenced blocks that no slot takes. */
  LEFT_BLOCK: 5,
  /** Lines that would close the block, inside what is not Markdown. */
  FENCE_IN_CODE: 5,
  /** A shell command that ends inside a here-document. */
  OPEN_HEREDOC: 10,
  /** No closing fence. At the end of the text that is a cut-off answer, whose content may leave fences open. */
  MISSING_CLOSER: 6,
  /** A heading or label of a plan inside the content; the same where the block could have ended before it. */
  QUOTED_PART: 7,
  QUOTED_AFTER_BLOCK: 10,
  /** The same where the block was opened and closed with nothing amiss: it is hardly ever reopened. */
  QUOTED_AFTER_SOUND_BLOCK: 40,
  /** Something that the grammar requires is not there. */
  BROKEN_GRAMMAR: 9,
} as const;
