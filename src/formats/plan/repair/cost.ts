/**
 * How bad a way of reading the fences is. A reading that needs no excuse costs 0; two readings that
 * cost the same are equally good. The numbers matter only against each other:
 *
 * - A block cut short by a fence of its own content, with text left over behind it, is as likely as
 *   one whose closing fence is missing: `LEFT_TEXT + UNBALANCED = MISSING_CLOSER`.
 * - A block left over is as likely as content whose own fences do not close: `LEFT_BLOCK = UNBALANCED`.
 * - Content that quotes an action is likelier than two blocks cut in half, and not clearly likelier or
 *   unlikelier than one missing closer: `UNBALANCED < QUOTED_PART < 2 * UNBALANCED`.
 */
export const COST = {
  /** Text after the block, before the next part: a remark, or more than anyone remarks. */
  LEFT_TEXT: 1,
  LEFT_PAGE: 5,
  /** Text after the closing fence, on its line. */
  TEXT_ON_CLOSER: 1,
  /** The same where it could as well open a block: a language, or one word with lines right below it. */
  WORD_ON_CLOSER: 10,
  /** A closing fence shorter than the opening one; the same where one of its length was passed over. */
  SHORT_CLOSER: 1,
  SHORT_CLOSER_LATE: 9,
  /** The fences inside the content do not close. */
  UNBALANCED: 5,
  /** Fenced blocks that no slot takes. */
  LEFT_BLOCK: 5,
  /** Lines that would close the block, inside what is not Markdown. */
  FENCE_IN_CODE: 5,
  MISSING_CLOSER: 6,
  /** A heading or label of a plan inside the content; the same where the block could have ended before it. */
  QUOTED_PART: 7,
  QUOTED_AFTER_BLOCK: 10,
  /** The same where the block was opened and closed with nothing amiss: it is hardly ever reopened. */
  QUOTED_AFTER_SOUND_BLOCK: 40,
  /** Something that the grammar requires is not there. */
  BROKEN_GRAMMAR: 9,
} as const;
