// The shared grammar of every Markdown document: text in, lines and blocks with their positions out.
// Blocks are those of CommonMark as far as plans need them; nothing here knows what a plan is.
export type { Block, Fence, Heading, List, ListItem, Text } from './blocks.js';
export { fenceText, lazyFrom, scanBlocks, scanItem } from './blocks.js';
export { needsLink, splitRemark, undecorate } from './decoration.js';
export { closes, type FenceMark, fenceFor, readFence } from './fence.js';
export { type FrontmatterRange, findFrontmatter } from './frontmatter.js';
export { readCodeSpan, readLink, unwrapValue, writePathLink } from './inline.js';
export { columnOf, contentText, firstInk, isBlank, type Lines, lineText, splitLines } from './lines.js';
