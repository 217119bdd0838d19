import type { FenceMark } from '../../markdown/lines.js';
import type { OpenFences } from './fence-count.js';

/** One block as a reading has it: content from line `from` to line `to - 1`. */
export interface BlockReading {
  opener: FenceMark;
  /** Null where the closing fence is missing. */
  closer: FenceMark | null;
  from: number;
  to: number;
  /** How a block without a closing fence ends; left out: with its last line. */
  ends?: 'glued' | 'cut-off' | undefined;
}

export interface PartReading {
  cost: number;
  /** The blocks whose fences a repair may have to rewrite. */
  blocks: BlockReading[];
  /** A fence after everything else that neither opens nor closes a block. */
  stray?: FenceMark;
  /** What the content of the block leaves open of its own fences. */
  open?: OpenFences;
  /** A message with fenced blocks in it, which could as well be the rest of a document. */
  holdsFences?: boolean;
}

/** What a scan has to know of the text around the fences. */
export interface PartSurroundings {
  /** The last line before `line` that is neither blank nor a thematic break; -1 if none. */
  lastInkBefore(line: number): number;
  /** Whether content seems to go on at a line, and not a remark to begin somewhere below. */
  continues(line: number): boolean;
  /** Whether an action, or a section, may begin at a line. */
  isAction(line: number): boolean;
  /** Whether the text ends before `line`, and not only the plan. */
  isTextEnd(line: number): boolean;
  /** Whether the line ends in a fence that `opener` would need to be closed. */
  isGlued(line: number, opener: FenceMark): boolean;
  /** Whether a line from `from` to `to - 1` ends in a fence. */
  holdsGlued(from: number, to: number): boolean;
  /** Whether what follows a fence on its line is a remark, and no info string. */
  isRemark(mark: FenceMark): boolean;
  /** For lines in their order: whether each is inside a here-document of the block's command. */
  heredocs(opener: FenceMark): (line: number) => boolean;
  /** Whether the part's blocks hold something other than Markdown. */
  isCode(opener: FenceMark): boolean;
  /** A FIND or a REPLACE. */
  isHalf: boolean;
  /** The lines before which content that begins at `from` may end, if nothing closes it before `end`. */
  possibleEnds(from: number, end: number): number[];
}

/**
 * Reads one part of a plan, fence by fence, as its possible end moves down the text. `add` takes the
 * next fence, `quote` the next landmark if it is to be content; `readings` then says how the part can
 * be read if it ends before line `end`.
 */
export interface PartScan {
  add(mark: FenceMark): void;
  /** False where a landmark cannot be content of this part, so that the part has to end there. */
  quote(line: number, cost: number): boolean;
  /** What the quoted landmarks cost so far, at the least. */
  readonly quoteCost: number;
  /** Whether plain CommonMark would be inside a fenced block now. */
  readonly inFence: boolean;
  /** Whether plain CommonMark reads the part whole, with no sign that it is mistaken. */
  settled(end: number): boolean;
  readings(end: number): PartReading[];
}
